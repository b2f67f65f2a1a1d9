import Foundation
import Testing

@testable import Origin

@Suite(
    .enabled(if: CertificateAuthority.isAvailable, "openssl is not installed"),
    .enabled(if: TLSFront.isAvailable, "python3 with its module ssl is not installed")
)
struct TLSFrontTests {
    /// Runs a client of TLS that sends `request`, and prints what it receives, or the error.
    private func request(
        _ text: String = "GET /json/1/close HTTP/1.1\r\n\r\n",
        port: UInt16,
        trusting authority: CertificateAuthority,
        as name: String = "a.example"
    ) throws -> String {
        let program = """
            import socket, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[1])
            context.set_alpn_protocols(["http/1.1"])
            try:
                with context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[2]))),
                                         server_hostname=sys.argv[3], suppress_ragged_eofs=False) as client:
                    client.sendall(sys.argv[4].encode())
                    while data := client.recv(65536): sys.stdout.write(data.decode())
            except ssl.SSLCertVerificationError as error: print("verification:", error.verify_message)
            except ssl.SSLError as error: print("TLS:", error.reason)
            except OSError as error: print("system:", type(error).__name__)
            """
        return try Tool.run("python3", "-c", program, authority.path, "\(port)", name, text)
    }

    @Test(arguments: [
        (CertificateAuthority.Kind.valid, "HTTP/1.1 200 OK"), (.expired, "verification: certificate has expired"),
        (.notYetValid, "verification: certificate is not yet valid"),
        (.wrongName, "verification: Hostname mismatch, certificate is not valid for 'a.example'."),
        (.selfSigned, "verification: self-signed certificate"), (.unknownAuthority, "verification: "),
    ])
    func `a client accepts only a valid certificate`(kind: CertificateAuthority.Kind, result: String) throws {
        let (origin, authority) = (try Origin(), try CertificateAuthority())
        let front = try TLSFront(try authority.issue(kind, for: ["a.example"]), before: origin)
        let text = try request(port: front.port, trusting: authority)
        #expect(text.hasPrefix(result), "\(text)")
        #expect(origin.requestCount == (kind == .valid ? 1 : 0))
    }

    @Test(arguments: [
        (TLSFront.Handshake.reset, "system: ConnectionResetError"), (.garbage, "TLS: WRONG_VERSION_NUMBER"),
        (.oldVersion, "TLS: "),
    ])
    func `the handshake fails`(handshake: TLSFront.Handshake, result: String) throws {
        let (origin, authority) = (try Origin(), try CertificateAuthority())
        let front = try TLSFront(try authority.issue(for: ["a.example"]), before: origin, handshake: handshake)
        let text = try request(port: front.port, trusting: authority)
        #expect(text.hasPrefix(result), "\(text)")
        #expect(origin.connections.isEmpty)
    }

    @Test func `a handshake that is never answered leaves the connection open`() throws {
        let (origin, authority) = (try Origin(), try CertificateAuthority())
        let front = try TLSFront(try authority.issue(), before: origin, handshake: .silent)
        let client = try OriginClient(port: front.port)
        client.send("\u{16}")
        client.endSending()
        #expect(client.readToEnd() == ("", .closed))
        #expect(origin.connections.isEmpty)
    }

    @Test func `large content arrives completely, and a reset remains a reset`() throws {
        let (origin, authority) = (try Origin(), try CertificateAuthority())
        let front = try TLSFront(try authority.issue(for: ["a.example"]), before: origin)
        let target = "GET /json/3000000/close HTTP/1.1\r\n\r\n"
        #expect(try request(target, port: front.port, trusting: authority).utf8.count > 3_000_000)
        let end = try request("GET /json/9/end/in-content HTTP/1.1\r\n\r\n", port: front.port, trusting: authority)
        #expect(end.hasSuffix("\r\n\r\n1000"))
        // Since Python 3.10, its module reports a reset as the end of a stream that TLS has not ended.
        let reset = try request("GET /json/9/reset/in-content HTTP/1.1\r\n\r\n", port: front.port, trusting: authority)
        #expect(reset.hasSuffix("TLS: None\n") || reset.hasSuffix("system: ConnectionResetError\n"), "\(reset)")
    }

    @Test func `the origin notices that a client has closed its connection`() throws {
        let (origin, authority) = (try Origin(), try CertificateAuthority())
        let front = try TLSFront(try authority.issue(for: ["a.example"]), before: origin)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            """
            import socket, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[1])
            client = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[2]))), \
            server_hostname="a.example")
            client.sendall(b"GET /hold/a HTTP/1.1\\r\\n\\r\\n")
            sys.stdin.read()
            """, authority.path, "\(front.port)",
        ]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        #expect(origin.awaitHolding(1, at: "a"))
        try input.fileHandleForWriting.close()
        #expect(origin.awaitPeerClosed(1))
        process.waitUntilExit()
    }
}
