import Foundation
import Testing

@testable import Origin

@Suite(.enabled(if: IsolatedProgram.obstacle == nil, "\(IsolatedProgram.obstacle ?? "")"))
struct IsolationTests {
    /// A program that fetches the URL in the first line of a connection, and sends the content. Its resolver reads
    /// `/etc/resolv.conf`.
    private static let fetcher = [
        "python3", "-c",
        """
        import os, socket, ssl, sys, urllib.request
        listener = socket.create_server(("127.0.0.1", 0))
        print("ready at", listener.getsockname()[1], flush=True)
        while True:
            client, _ = listener.accept()
            url = client.makefile().readline().strip()
            try:
                context = ssl.create_default_context(cafile=os.environ.get("CA"))
                content = urllib.request.urlopen(url, timeout=30, context=context).read()
            except Exception as error:
                content = str(error).encode()
            client.sendall(content)
            client.close()
        """,
    ]

    private func fetch(_ url: String, _ program: IsolatedProgram) throws -> String {
        let client = try OriginClient(port: program.port)
        client.send(url + "\n")
        return client.readToEnd().text
    }

    @Test(.enabled(if: TLSFront.isAvailable, "python3 is not installed"))
    func `a program reaches the origin under public addresses and names`() throws {
        let program = try IsolatedProgram(Self.fetcher, in: .init(addresses: ["93.184.216.34", "2606:2800:220:1::1"]))
        #expect(try program.send("dns a.example 93.184.216.34") == "ok")
        #expect(try program.send("dns b.example 2606:2800:220:1::1") == "ok")
        #expect(try fetch("http://a.example/json/12", program) == #"{"data":"a"}"#)
        #expect(try fetch("http://b.example/text/b", program) == "b")
        #expect(try fetch("http://93.184.216.34/count", program) == #"{"count":1}"#)
        #expect(try program.send("requests /json/12") == "1")
        #expect(try program.send("requests") == "3")
        #expect(try program.send("dns-queries a.example") != "0")
        // Names without an answer do not exist, and nothing else is reachable.
        #expect(try fetch("http://c.example/", program).contains("Name or service not known"))
        #expect(try fetch("http://1.1.1.1/", program).contains("unreachable"))
        #expect(try program.send("resolv-conf nameserver%20192.0.2.1%0A") == "ok")
        #expect(try program.send("unknown") == "error: unknown")
    }

    @Test(
        .enabled(if: TLSFront.isAvailable, "python3 is not installed"),
        .enabled(if: CertificateAuthority.isAvailable, "openssl is not installed")
    )
    func `the origin has port 443 if there is a certificate`() throws {
        let authority = try CertificateAuthority()
        let program = try IsolatedProgram(
            Self.fetcher,
            in: .init(certificate: try authority.issue(for: ["a.example"])),
            environment: ["CA": authority.path]
        )
        try program.send("dns a.example 127.0.0.5")
        try program.send("dns b.example 127.0.0.5")
        #expect(try fetch("https://a.example/text/a", program) == "a")
        #expect(try fetch("https://b.example/text/a", program).contains("certificate is not valid for 'b.example'"))
    }

    @Test func `a program that does not start is reported`() throws {
        #expect(throws: OriginError.self) { try IsolatedProgram(["false"]) }
    }

    @Test func `the program ends with the object`() throws {
        func process() throws -> pid_t {
            let program = try IsolatedProgram(["sh", "-c", "echo 1; exec sleep 1000"])
            return try #require(pid_t(try program.send("process")))
        }
        // The namespaces have the process identifiers of the machine.
        #expect(kill(try process(), 0) == -1)
    }
}
