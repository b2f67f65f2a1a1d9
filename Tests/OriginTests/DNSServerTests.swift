import Glibc
import Testing

@testable import Origin

@Suite struct DNSServerTests {
    /// Sends a query and returns the flags, the number of answers, and the data of the answers.
    private func query(_ server: DNSServer, _ name: String, type: UInt8, within time: Duration = .seconds(30))
        -> (code: UInt8, data: [[UInt8]])?
    {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let message: [UInt8] = [7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0, 0, type, 0, 1]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        inet_pton(AF_INET, server.address, &address.sin_addr)
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(sent == message.count)
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, (Moment.now + time).pollMilliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        let response = Array(buffer.prefix(max(0, count)))
        #expect(response.prefix(3) == [7, 9, 0x81])
        #expect(response[12..<message.count] == message[12...])
        var data: [[UInt8]] = []
        var offset = message.count
        for _ in 0..<response[7] {
            #expect(response[offset..<(offset + 6)] == [0xC0, 12, 0, type, 0, 1])
            let size = Int(response[offset + 11])
            data.append(Array(response[(offset + 12)...].prefix(size)))
            offset += 12 + size
        }
        #expect(offset == response.count)
        return (response[3] & 0x0F, data)
    }

    @Test func `returns the addresses of the requested type`() throws {
        let server = try DNSServer()
        server.respond(to: "a.example", with: .addresses(["127.0.0.1", "::1", "192.0.2.1"]))
        let ipv4 = try #require(query(server, "a.example", type: 1))
        #expect(ipv4 == (0, [[127, 0, 0, 1], [192, 0, 2, 1]]))
        let ipv6 = try #require(query(server, "A.Example", type: 28))
        #expect(ipv6 == (0, [[UInt8](repeating: 0, count: 15) + [1]]))
        #expect(server.queries(for: "a.example") == 2)
        let other = try #require(query(server, "a.example", type: 15))
        #expect(other == (0, []))
    }

    @Test func `each query of a type receives the next answer, and the last one is repeated`() throws {
        let server = try DNSServer()
        server.respond(to: "a.example", with: .addresses(["8.8.8.8"]), .serverFailure, .addresses(["127.0.0.1"]))
        #expect(try #require(query(server, "a.example", type: 28)) == (0, []))
        #expect(try #require(query(server, "a.example", type: 1)) == (0, [[8, 8, 8, 8]]))
        #expect(try #require(query(server, "a.example", type: 1)) == (2, []))
        for _ in 0..<2 { #expect(try #require(query(server, "a.example", type: 1)) == (0, [[127, 0, 0, 1]])) }
        server.respond(to: "a.example", with: .nameError)
        #expect(server.queries(for: "a.example") == 0)
        #expect(try #require(query(server, "a.example", type: 1)) == (3, []))
    }

    @Test func `a name without answers does not exist`() throws {
        #expect(try #require(query(try DNSServer(), "a.example", type: 1)) == (3, []))
    }

    @Test func `silence counts the query`() throws {
        let server = try DNSServer()
        server.respond(to: "a.example", with: .silence, .nameError)
        #expect(query(server, "a.example", type: 1, within: .milliseconds(1)) == nil)
        #expect(server.awaitQueries(1, for: "a.example"))
        #expect(try #require(query(server, "a.example", type: 1)) == (3, []))
    }

    @Test(.enabled(if: MountNamespace.obstacleWithDNS == nil, "\(MountNamespace.obstacleWithDNS ?? "")"))
    func `the resolver of a program in a mount namespace asks the server`() throws {
        let server = try DNSServer(onPort53: 5)
        server.respond(to: "a.example", with: .addresses(["127.1.2.3"]))
        let namespace = try MountNamespace(nameservers: [server.address])
        #expect(try Tool.run(namespace.command(["getent", "ahostsv4", "a.example"])).hasPrefix("127.1.2.3 "))
        #expect(server.queries(for: "a.example") > 0)
        // Only the namespace has the file.
        #expect(try Tool.run("cat", "/etc/resolv.conf").contains(server.address) == false)
        try namespace.replace(nameservers: ["192.0.2.1"])
        #expect(try Tool.run(namespace.command(["cat", "/etc/resolv.conf"])) == "nameserver 192.0.2.1\n")
    }
}
