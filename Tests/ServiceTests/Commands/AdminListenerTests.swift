import Foundation
import Glibc
import Platform
import Testing

@testable import HTTP
@testable import Service

/// Tests of the listener for probes, metrics and the administration of the cache (`admin-address`).
@Suite struct AdminListenerTests {
    private let folder: TemporaryFolder
    private let address: SocketAddress

    init() throws {
        folder = try TemporaryFolder()
        address = try SocketAddress(socketPath: folder.url.appending(path: "admin").path)
    }

    private func status(of path: StaticString, at address: SocketAddress? = nil) throws -> Int? {
        try HealthProbe.status(of: path, at: address ?? self.address, timeoutSeconds: 30)
    }

    private var isRemoved: Bool { access(address.host, F_OK) != 0 }

    @Test func `serves probes, metrics and the cache, and the main listener serves the rest and the probes`() throws {
        let (service, main) = try DecantProcess.serving(
            "--admin-address",
            "\(address)",
            "--workers",
            "0",
            "--fetch-allow",
            "https://api.example"
        )
        for path: StaticString in ["/livez", "/readyz"] {
            #expect(try status(of: path) == 200)
            #expect(try status(of: path, at: main) == 200)
        }
        for path: StaticString in ["/metrics", "/v1/cache"] {
            #expect(try status(of: path) == 200)
            #expect(try status(of: path, at: main) == 404)
        }
        for path: StaticString in ["/v1/serializers", "/openapi.yaml", "/"] { #expect(try status(of: path) == 404) }
        #expect(try status(of: "/v1/serializers", at: main) == 200)
        #expect(try DecantProcess.run("healthcheck", "--admin-address", "\(address)").status == 0)
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains("the administration listens"))
        #expect(isRemoved)
    }

    @Test func `responds while all connections are used, and until the last request has ended`() throws {
        let (service, main) = try DecantProcess.serving(
            "--admin-address",
            "\(address)",
            "--max-connections",
            "2",
            "--threads",
            "1",
            "--workers",
            "0"
        )
        let clients = try (0..<2).map { _ in
            let client = try RawClient(port: main.port)
            client.send("POST /v1/normalize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n")
            client.send("Content-Length: 2\r\n\r\n[")
            return client
        }
        #expect(try eventually { try metrics().contains("decant_requests_in_flight 2\n") })
        #expect(try status(of: "/readyz") == 200)
        service.signal(SIGTERM)
        #expect(try eventually { try status(of: "/readyz") == 503 })
        // The main listener is closed.
        #expect(eventually { (try? RawClient(port: main.port)) == nil })
        #expect(try status(of: "/livez") == 200)
        #expect(try metrics().contains("decant_requests_in_flight 2\n"))
        for client in clients {
            client.send("]")
            #expect(try client.readResponse().status == 200)
        }
        #expect(try service.finish().status == 0)
        #expect(isRemoved)
    }

    private func metrics() throws -> String {
        let connection = try HealthProbe.connect(to: address, timeoutSeconds: 30)
        try connection.writeAll(Array("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8).span)
        return String(decoding: try connection.readAll(maxBytes: 1 << 20), as: UTF8.self)
    }

    @Test func `replaces the socket of a process that was killed, and nothing else`() throws {
        let arguments = ["serve", "--port", "0", "--workers", "0", "--admin-address", "\(address)"]
        let killed = try DecantProcess(arguments)
        _ = try killed.readyAddress()
        let second = try DecantProcess(arguments).finish()
        #expect(second.status != 0)
        #expect(second.errors.contains("cannot listen on the socket \(address.host): Address already in use"))
        #expect(try status(of: "/livez") == 200)
        killed.signal(SIGKILL)
        _ = try killed.finish()
        #expect(!isRemoved)
        let third = try DecantProcess(arguments)
        _ = try third.readyAddress()
        #expect(try status(of: "/livez") == 200)
        // The file of another process is not removed.
        unlink(address.host)
        _ = try folder.write("data", to: "admin")
        third.signal(SIGTERM)
        #expect(try third.finish().status == 0)
        #expect(!isRemoved)
        #expect(try DecantProcess(arguments).finish().status != 0)
        #expect(!isRemoved)
    }

    @Test(arguments: ["127.0.0.1:80", "0.0.0.0:0", "[::1]:65535", "unix:/run/a", "unix:a:1"])
    func `parses the address of a listener`(text: String) throws {
        #expect(try SocketAddress(parsingListener: text).description == text)
    }

    @Test(arguments: [
        "", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:-1", "127.0.0.1:000080",
        "localhost:80", "::1:80", "[127.0.0.1]:80", "[::1]", "unix:", "unix:a\0b",
        "unix:" + String(repeating: "a", count: SocketAddress.maxPathBytes + 1),
    ])
    func `rejects other text`(text: String) {
        #expect(throws: HTTPServerError.self) { try SocketAddress(parsingListener: text) }
    }

    @Test func `the path of a socket may be as long as the system permits`() throws {
        let path = folder.url.appending(path: "a").path
        let longest = path + String(repeating: "b", count: SocketAddress.maxPathBytes - path.utf8.count)
        let address = try SocketAddress(socketPath: longest)
        let listener = try ListeningSocket.listening(on: address, backlog: 1)
        _ = try HealthProbe.connect(to: address, timeoutSeconds: 1)
        SocketFile(at: longest)?.remove()
        #expect(access(longest, F_OK) != 0)
        _ = listener
    }
}
