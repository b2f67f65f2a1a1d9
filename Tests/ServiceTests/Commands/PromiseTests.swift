import Foundation
import Testing

@testable import HTTP
@testable import Service

/// Promises of SECURITY.md about the process as a whole (docs/testing.md lists the tests of all promises).
@Suite struct PromiseTests {
    private func exchange(_ address: SocketAddress, _ head: String, _ content: String = "{}") throws -> String {
        let client = try RawClient(port: address.port)
        client.send("\(head)\r\nHost: a\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
        return try client.readResponse().text
    }

    @Test func `no log line, metric or problem contains a token or a path of the machine`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(TokenFile.text([TokenFile.web, TokenFile.admin]), to: "tokens.json")
        let (service, address) = try DecantProcess.serving("--workers", "0", "--tokens-file", path)
        var texts: [String] = []
        for token in ["web-secret", "admin-secret", "guessed-secret", "web-secret-and-more", "web-sec", "=; secret"] {
            for target in ["/v1/normalize", "/v1/normalize?none=1", "/v1/fetch", "/v1/cache", "/metrics", "/other"] {
                for method in ["POST", "GET", "DELETE"] {
                    let head = "\(method) \(target) HTTP/1.1\r\nAuthorization: Bearer \(token)"
                    texts.append(try exchange(address, head + "\r\nContent-Type: application/json", "{\"a\": tru}"))
                }
            }
        }
        service.signal(SIGTERM)
        let result = try service.finish()
        texts.append(result.errors)
        #expect(result.errors.contains(#""token":"web""#))
        #expect(texts.allSatisfy { !$0.contains("secret") && !$0.contains("web-sec") })
        #expect(texts.dropLast().allSatisfy { !$0.contains(folder.url.path) && !$0.contains("Sources/") })
    }

    @Test func `a problem contains at most 64 bytes of the content`() throws {
        let (service, address) = try DecantProcess.serving("--workers", "0")
        for (type, start, end) in [
            ("application/json", "[\"", "\" x]"), ("application/xml", "<a>", "<b></a>"),
            ("application/x-plist", "(\"", "\" x)"),
        ] {
            let content = start + String(repeating: "0123456789", count: 100) + end
            let text = try exchange(address, "POST /v1/normalize HTTP/1.1\r\nContent-Type: \(type)", content)
            #expect(text.contains("\"status\":422"))
            // Longer parts of the content would contain it more than six times.
            #expect(text.matches(of: /0123456789/).count <= 6, "\(text)")
        }
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test func `the service opens no connection, and starts no program except its workers`() throws {
        let (service, address) = try DecantProcess.serving("--workers", "1")
        _ = try exchange(address, "POST /v1/normalize HTTP/1.1\r\nUpstream-URL: http://192.0.2.1/a", "{\"a\": 1}")
        let remote = try service.connections().filter { !$0.hasSuffix(":0000") }
        // Only connections of clients to its own port.
        let own = String(address.port, radix: 16, uppercase: true)
        let port = String(repeating: "0", count: 4 - own.count) + own
        #expect(remote.allSatisfy { $0.contains(":\(port) ") }, "\(remote)")
        #expect(try service.programs() == ["decant-worker"])
    }

    @Test func `the service has no file open`() throws {
        let (service, address) = try DecantProcess.serving("--workers", "1")
        _ = try exchange(address, "POST /v1/normalize HTTP/1.1\r\nContent-Type: application/json", "{\"a\": 1}")
        // Memory that is shared with workers has a name like that of a file.
        let files = try service.files().values.filter {
            $0.hasPrefix("/") && !$0.hasPrefix("/dev/") && !$0.hasPrefix("/memfd:")
        }
        #expect(files == [])
    }
}

extension DecantProcess {
    /// The local and the remote address of each of its TCP sockets, as proc(5) writes them.
    fileprivate func connections() throws -> [String] {
        let process = "/proc/\(processIdentifier)"
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(process)/fd")
        let sockets = Set(
            names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\($0)") }
        )
        return try ["tcp", "tcp6"].flatMap { protocolName in
            try String(contentsOfFile: "\(process)/net/\(protocolName)", encoding: .utf8).split(separator: "\n")
                .dropFirst()
                .map { $0.split(separator: " ") }
                .filter { $0.count > 9 && sockets.contains("socket:[\($0[9])]") }
                .map { "\($0[1]) \($0[2])" }
        }
    }

    /// The names of its children, which are the workers (`comm`, proc(5)). Only root can read the paths of the programs
    /// of workers.
    fileprivate func programs() throws -> [String] {
        let task = "/proc/\(processIdentifier)/task"
        let children = try FileManager.default.contentsOfDirectory(atPath: task).flatMap { thread in
            try String(contentsOfFile: "\(task)/\(thread)/children", encoding: .utf8).split(separator: " ")
        }
        let names = try children.map { try String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8) }
        return Set(names.map { $0.trimmingCharacters(in: .newlines) }).sorted()
    }
}
