import Glibc
import Testing

@testable import Service

struct DaemonTests {
    @Test func `answers with the content it was sent`() throws {
        let client = try TestServer().connect()
        client.send(ExchangeTests.echo("hello"))
        let answer = try client.readAnswer()
        #expect(answer.status == 200)
        #expect(answer.text == "hello")
        #expect(answer.fields["content-length"] == "5")
        #expect(answer.fields["content-type"] == "text/plain")
        #expect(answer.fields["x-content-type-options"] == "nosniff")
        #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
    }

    @Test func `says which port it picked`() throws {
        let first = try TestServer()
        let second = try TestServer()
        #expect(first.port != 0)
        #expect(first.port != second.port)
        #expect(first.daemon.address.description == "127.0.0.1:\(first.port)")
    }

    @Test(arguments: [("::1", ["::1"]), ("::", ["::1", "127.0.0.1"]), ("0.0.0.0", ["127.0.0.1"])])
    func `listens on either family`(address: String, hosts: [String]) throws {
        let server = try TestServer { $0.address = address }
        #expect(server.daemon.address.host == address)
        for host in hosts {
            let client = try RawClient(port: server.port, host: host)
            client.send(ExchangeTests.echo(host))
            #expect(try client.readAnswer().text == host)
        }
    }

    @Test(arguments: ["", "localhost", "127.0.0.1:80", "[::1]", "1.2.3", "::g"])
    func `wants an address in numbers`(address: String) {
        #expect(throws: DaemonError.invalidAddress(address)) { try TestServer { $0.address = address } }
    }

    @Test func `says when the port is taken`() throws {
        let first = try TestServer()
        let error = DaemonError.cannotBind(address: "127.0.0.1", port: first.port, errno: EADDRINUSE)
        #expect(throws: error) { try TestServer { $0.port = first.port } }
        #expect("\(error)" == "cannot listen on 127.0.0.1 port \(first.port): Address already in use")
    }

    @Test(arguments: [1, 3])
    func `serves with any number of threads`(threads: Int) throws {
        let server = try TestServer { $0.threads = threads }
        let clients = try (0..<8).map { _ in try server.connect() }
        for (index, client) in clients.enumerated() { client.send(ExchangeTests.echo("client \(index)")) }
        for (index, client) in clients.enumerated() { #expect(try client.readAnswer().text == "client \(index)") }
    }

    @Test func `deals connections out evenly`() throws {
        let server = try TestServer { $0.threads = 3 }
        var clients = try (0..<9).map { _ in try server.connect() }
        for client in clients {
            client.send(ExchangeTests.echo("in"))
            #expect(try client.readAnswer().text == "in")
        }
        #expect(server.daemon.connectionsByThread == [3, 3, 3])
        // Each third one was the first thread's.
        clients = clients.indices.filter { $0 % 3 != 0 }.map { clients[$0] }
        #expect(eventually { server.daemon.connectionsByThread == [0, 3, 3] })
        clients += try (0..<3).map { _ in try server.connect() }
        for client in clients {
            client.send(ExchangeTests.echo("again"))
            #expect(try client.readAnswer().text == "again")
        }
        #expect(server.daemon.connectionsByThread == [3, 3, 3])
    }

    @Test func `lets a connection wait until there is room for it`() throws {
        let server = try TestServer {
            $0.threads = 1
            $0.maxConnections = 2
        }
        var first: RawClient? = try server.connect()
        let second = try server.connect()
        for client in [first, second] {
            client?.send(ExchangeTests.echo("in"))
            #expect(try client?.readAnswer().text == "in")
        }
        let third = try server.connect()
        third.send(ExchangeTests.echo("third"))
        #expect(third.staysSilent(for: 0.1))
        first = nil
        #expect(try third.readAnswer().text == "third")
    }

    @Test func `leaves nothing open when it stops`() throws {
        let server = try TestServer()
        let client = try server.connect()
        server.daemon.stop()
        server.daemon.stop()
        #expect(client.isClosed(within: 30))
        #expect(throws: ClientError.system("connect", ECONNREFUSED)) { try server.connect() }
    }
}
