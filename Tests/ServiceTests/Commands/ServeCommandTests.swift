import Foundation
import Glibc
import Platform
import Testing

@testable import HTTP
@testable import Service

/// Tests of the service as a process: its start, its health check and its end.
@Suite struct ServeCommandTests {
    @Test func `is ready when it reports so, and ends with 0 on SIGTERM`() throws {
        let (service, address) = try DecantProcess.serving()
        #expect(try HealthProbe.status(of: "/readyz", at: address, timeoutSeconds: 30) == 200)
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.output.isEmpty, "one ready line and nothing else")
        #expect(result.errors.contains("stopping"))
    }

    @Test func `logs in JSON unless standard error is a terminal or text is requested`() throws {
        for (arguments, pattern) in [
            ([], #""level":"notice","message":"stopping","deadlineSeconds":25,"delaySeconds":0,"signal":"SIGTERM"}"#),
            (["--access-log", "off"], #""level":"notice","message":"stopped"}"#),
            (["--access-log", "text"], "Z notice stopping deadlineSeconds=25 delaySeconds=0 signal=SIGTERM\n"),
        ] {
            let service = try DecantProcess(["serve", "--port", "0", "--workers", "0"] + arguments)
            _ = try service.readyAddress()
            service.signal(SIGTERM)
            let result = try service.finish()
            #expect(result.status == 0)
            #expect(result.errors.contains(pattern), "\(result.errors)")
        }
    }

    /// Standard error is not read, and its pipe is full before the service starts.
    @Test func `runs and ends although standard error is blocked`() throws {
        let pipe = try LogPipe()
        _ = pipe.fill()
        let service = try DecantProcess(
            shell: #"exec "$0" serve --port 0 --workers 0 2>/proc/\#(getpid())/fd/\#(pipe.writer)"#
        )
        let address = try service.readyAddress()
        #expect(try HealthProbe.status(of: "/livez", at: address, timeoutSeconds: 30) == 200)
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test func `prints an example command with its actual address`() throws {
        let (service, address) = try DecantProcess.serving("--show-example")
        service.signal(SIGINT)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains("curl -i \(address.url)/v1/normalize "))
    }

    @Test func `lets a request in flight finish after SIGTERM`() throws {
        let (service, address) = try DecantProcess.serving()
        let client = try Self.clientInFlight(at: address)
        service.signal(SIGTERM)
        #expect(eventually { (try? RawClient(port: address.port)) == nil })
        client.send("[]")
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(response.text.contains(#""value":[]"#))
        #expect(try service.finish().status == 0)
    }

    /// Returns a client whose head the service has received, while it waits for the content.
    private static func clientInFlight(at address: SocketAddress) throws -> RawClient {
        let client = try RawClient(port: address.port)
        client.send("POST /v1/normalize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n")
        client.send("Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        return client
    }

    @Test func `ends immediately on a second signal`() throws {
        let (service, address) = try DecantProcess.serving()
        let client = try Self.clientInFlight(at: address)
        service.signal(SIGTERM)
        #expect(eventually { (try? RawClient(port: address.port)) == nil })
        service.signal(SIGTERM)
        #expect(try service.finish().status == 128 + SIGTERM)
        withExtendedLifetime(client) {}
    }

    /// During this delay, a load balancer can detect that the service is not ready.
    @Test func `serves new connections during the drain delay, and reports that it is not ready`() throws {
        let (service, address) = try DecantProcess.serving("--drain-delay-seconds", "600")
        let kept = try RawClient(port: address.port)
        kept.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try kept.readResponse().fields["connection"] == nil)
        service.signal(SIGTERM)
        let isNotReady = eventually {
            guard let client = try? RawClient(port: address.port) else { return false }
            client.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
            return (try? client.readResponse())?.status == 503
        }
        #expect(isNotReady)
        for client in [kept, try RawClient(port: address.port)] {
            client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.fields["connection"] == "close")
        }
        service.signal(SIGTERM)
        #expect(try service.finish().status == 128 + SIGTERM)
    }

    @Test(arguments: [SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE])
    func `survives signals that tools send to services`(signal: Int32) throws {
        let (service, address) = try DecantProcess.serving()
        service.signal(signal)
        let client = try RawClient(port: address.port)
        client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().status == 200)
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    /// Without descriptors, accepting fails repeatedly. This must not use a processor fully.
    @Test(.enabled(if: DecantProcess.hasPrlimit, "prlimit is not installed"))
    func `waits while no descriptors are left, and accepts again`() throws {
        let (service, address) = try DecantProcess.serving("--threads", "1", "--workers", "0")
        try service.limitOpenFiles(to: service.nextDescriptor())
        let client = try RawClient(port: address.port)
        client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        let before = try service.processorTicks()
        #expect(client.staysSilent(for: 1))
        // In ticks of 10 ms. A loop that spins uses a hundred.
        #expect(try service.processorTicks() - before < 20)
        try service.limitOpenFiles(to: 256)
        #expect(try client.readResponse().status == 200)
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.errors.matches(of: /cannot accept connections; retrying/).count == 1)
    }

    /// Idle connections take no processor time.
    @Test func `uses no processor time with idle connections`() throws {
        let (service, address) = try DecantProcess.serving("--workers", "0")
        let clients = try (0..<200).map { _ in
            let client = try RawClient(port: address.port)
            client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            return client
        }
        let before = try service.processorTicks()
        #expect(clients[0].staysSilent(for: 2))
        #expect(try service.processorTicks() - before <= 1)
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test func `ends with 1 if the port is in use`() throws {
        let (service, address) = try DecantProcess.serving()
        // This number fits any limit of open files. Otherwise a warning would precede the error.
        let second = try DecantProcess.run("serve", "--port", "\(address.port)", "--max-connections", "64")
        #expect(
            second
                == .init(
                    status: 1,
                    output: "",
                    errors: "Error: cannot listen on 127.0.0.1 port \(address.port): Address already in use\n"
                )
        )
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test func `ends with 1 if the ready line cannot be written`() throws {
        let result = try DecantProcess(shell: #"exec "$0" serve --port 0 >/dev/full"#).finish()
        #expect(result.status == 1)
        #expect(result.errors.hasSuffix("Error: cannot write to standard output: No space left on device\n"))
    }

    /// The sockets of the service must not become standard streams.
    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
    func `serves without standard streams`(closed: String) throws {
        let service = try DecantProcess(shell: #"exec "$0" serve --port 0 --workers 1 --show-example \#(closed)"#)
        // The shell has no such descriptor. The service blocks signals before it has one.
        #expect(try eventually { try service.files().values.contains("anon_inode:[eventpoll]") })
        let files = try service.files()
        for stream in 0...2 { #expect(files[stream] != nil && files[stream]?.hasPrefix("socket:") == false) }
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test(arguments: [["serve", "--port", "0"], ["serve", "--port", "x"]])
    func `ends on a signal if nobody reads standard output or standard error`(arguments: [String]) throws {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(writer, zeros, zeros.count) > 0 {}
        #expect(fcntl(writer, F_SETFL, 0) == 0)
        let service = try DecantProcess(arguments, writingTo: pipe.fileHandleForWriting)
        #expect(eventually { service.blocks(SIGTERM) || !service.isRunning })
        service.signal(SIGTERM)
        #expect(eventually { !service.isRunning })
        // The second service reports wrong usage when the signal arrives.
        #expect([0, 128 + SIGTERM, SIGTERM].contains(service.status))
        withExtendedLifetime(pipe) {}
    }

    @Test func `logs nothing to standard output if standard error is closed`() throws {
        let service = try DecantProcess(shell: #"exec "$0" serve --port 0 2>&-"#)
        _ = try service.readyAddress()
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
    }

    @Test func `reports that the limit of open files allows fewer connections`() throws {
        let service = try DecantProcess(
            shell: #"ulimit -n 100; exec "$0" serve --port 0 --threads 1 --workers 0 --max-connections 90"#
        )
        _ = try service.readyAddress()
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.errors.contains(#""granted":62,"wanted":90"#))
        #expect(result.status == 0)
    }

    @Test func `a health check ends with 0 only if the service is ready`() throws {
        let (service, address) = try DecantProcess.serving()
        let port = ["DECANT_PORT": "\(address.port)"]
        #expect(try DecantProcess.run("healthcheck", environment: port) == .init(status: 0, output: "", errors: ""))
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
        #expect(
            try DecantProcess.run("healthcheck", environment: port)
                == .init(status: 1, output: "", errors: "Error: cannot connect to \(address.url): Connection refused\n")
        )
    }
}
