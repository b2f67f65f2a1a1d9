import Glibc
import Platform
import Synchronization
import Testing

@testable import HTTP
@testable import Service

struct HTTPServerTests {
    @Test func `responds with the content that it received`() throws {
        let client = try TestServer().connect()
        client.send(ExchangeTests.echo("hello"))
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(response.text == "hello")
        #expect(response.fields["content-length"] == "5")
        #expect(response.fields["content-type"] == "text/plain")
        #expect(response.fields["x-content-type-options"] == "nosniff")
        #expect(response.fields["date"]?.hasSuffix(" GMT") == true)
    }

    /// Some of the connections are idle, lingering, waiting or rejected.
    @Test func `the application is released after the server has stopped`() throws {
        weak var released: StepApplication?
        func serve() throws {
            let server = try StepServer { $0.connections.maxPerAddress = 5 }
            released = server.application
            let clients = try ["/a", "/parked", "/shared/5", "/large/1000000", "/computed"].map { try server.get($0) }
            _ = try clients[0].readResponse()
            #expect(eventually { server.application.plans == clients.count })
            #expect(try server.get("/a").readResponse().status == 503)
            server.application.forgetConnections()
            server.http.stop()
        }
        try serve()
        #expect(released == nil)
    }

    @Test func `reports the port that the system chose`() throws {
        let first = try TestServer()
        let second = try TestServer()
        #expect(first.port != 0)
        #expect(first.port != second.port)
        #expect(first.http.address.description == "127.0.0.1:\(first.port)")
    }

    @Test(arguments: [("::1", ["::1"]), ("::", ["::1", "127.0.0.1"]), ("0.0.0.0", ["127.0.0.1"])])
    func `listens on IPv4, IPv6 or both`(address: String, hosts: [String]) throws {
        let server = try TestServer { $0.address = address }
        #expect(server.http.address.host == address)
        for host in hosts {
            let client = try RawClient(port: server.port, host: host)
            client.send(ExchangeTests.echo(host))
            #expect(try client.readResponse().text == host)
        }
    }

    @Test(arguments: ["", "localhost", "127.0.0.1:80", "[::1]", "1.2.3", "::g"])
    func `requires a numeric address`(address: String) {
        #expect(throws: HTTPServerError.invalidAddress(address)) { try TestServer { $0.address = address } }
    }

    @Test func `reports that the port is in use`() throws {
        let first = try TestServer()
        let error = HTTPServerError.cannotBind(address: "127.0.0.1", port: first.port, errno: EADDRINUSE)
        #expect(throws: error) { try TestServer { $0.port = first.port } }
        #expect("\(error)" == "cannot listen on 127.0.0.1 port \(first.port): Address already in use")
    }

    @Test(arguments: [1, 3])
    func `serves with any number of threads`(threads: Int) throws {
        let server = try TestServer { $0.threads = threads }
        let clients = try (0..<8).map { _ in try server.connect() }
        for (index, client) in clients.enumerated() { client.send(ExchangeTests.echo("client \(index)")) }
        for (index, client) in clients.enumerated() { #expect(try client.readResponse().text == "client \(index)") }
    }

    @Test func `distributes connections evenly`() throws {
        let server = try TestServer { $0.threads = 3 }
        var clients = try (0..<9).map { _ in try server.connect() }
        for client in clients {
            client.send(ExchangeTests.echo("in"))
            #expect(try client.readResponse().text == "in")
        }
        #expect(server.http.connectionsByLoop == [3, 3, 3])
        // Every third connection belongs to the first thread.
        clients = clients.indices.filter { $0 % 3 != 0 }.map { clients[$0] }
        #expect(eventually { server.http.connectionsByLoop == [0, 3, 3] })
        clients += try (0..<3).map { _ in try server.connect() }
        for client in clients {
            client.send(ExchangeTests.echo("again"))
            #expect(try client.readResponse().text == "again")
        }
        #expect(server.http.connectionsByLoop == [3, 3, 3])
    }

    @Test(arguments: [1, 3])
    func `at the maximum, each new connection replaces the one that has waited longest for a request`(threads: Int)
        throws
    {
        let server = try TestServer {
            $0.threads = threads
            $0.connections.max = 3
            $0.minIdleTime = .zero
        }
        var clients: [RawClient] = []
        /// A thread notes that a connection waits only after it has sent the response. When it responds to the second
        /// request, it has done that for the first one.
        func exchangeTwice(_ client: RawClient, _ text: String) throws {
            for _ in 0..<2 {
                client.send(ExchangeTests.echo(text))
                #expect(try client.readResponse().text == text)
            }
        }
        for index in 0..<3 {
            clients.append(try server.connect())
            try exchangeTwice(clients[index], "\(index)")
        }
        // The first one is no longer the one that has waited longest.
        try exchangeTwice(clients[0], "again")
        for (index, expected) in [1, 2, 0].enumerated() {
            let new = try server.connect()
            try exchangeTwice(new, "new \(index)")
            #expect(clients[expected].isClosed(within: 30))
            clients.append(new)
        }
        for client in clients.dropFirst(3) {
            client.send(ExchangeTests.echo("still open"))
            #expect(try client.readResponse().text == "still open")
        }
        #expect(server.http.figures.connections.evicted == 3)
    }

    @Test func `a connection that has received a part of a request, or responds to one, is not replaced`() throws {
        let server = try StepServer {
            $0.connections.max = 5
            $0.minIdleTime = .zero
        }
        let parked = try server.get("/parked")
        let halfClosed = try server.get("/parked")
        halfClosed.endSending()
        let inHead = try RawClient(port: server.http.address.port)
        inHead.send("G")
        let inContent = try RawClient(port: server.http.address.port)
        inContent.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
        let other = try server.get("/parked")
        #expect(eventually { server.application.plans == 4 && server.http.figures.connections.open == 5 })
        let new = try server.get("/a")
        #expect(new.staysSilent(for: 0.1))
        inHead.send("ET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try inHead.readResponse().status == 200)
        // Now it waits for a request.
        #expect(try new.readResponse().status == 200)
        #expect(inHead.isClosed(within: 30))
        inContent.send("x")
        #expect(try inContent.readResponse().status == 200)
        withExtendedLifetime((parked, halfClosed, other)) {}
        #expect(server.http.figures.connections.evicted == 1)
    }

    @Test func `a client that has sent nothing yet is replaced, too`() throws {
        let server = try TestServer {
            $0.connections.max = 1
            $0.minIdleTime = .zero
        }
        let silent = try server.connect()
        #expect(eventually { server.http.figures.connections.open == 1 })
        let client = try server.connect()
        client.send(ExchangeTests.echo("in"))
        #expect(try client.readResponse().text == "in")
        #expect(silent.isClosed(within: 30))
    }

    @Test func `the kernel queues as many connections as listen-backlog permits`() throws {
        let machine = MachineResources(cores: 1, memoryBytes: 4 << 30)
        let configuration = try Configuration(flags: ["listen-backlog": "7"], environment: [:], resources: machine)
        let socket = try ListeningSocket.listening(
            on: SocketAddress(parsing: "127.0.0.1", port: 0),
            backlog: HTTPServerConfiguration(configuration).connections.backlog
        ).take()
        defer { close(socket) }
        var info = tcp_info()
        var count = socklen_t(MemoryLayout<tcp_info>.size)
        #expect(getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &count) == 0)
        // Of a listening socket, this is the maximum length of its queue.
        #expect(info.tcpi_sacked == 7)
    }

    @Test func `a request that has arrived on an idle connection is served although others wait`() throws {
        let context = ExchangeContext(
            configuration: HTTPServerConfiguration(),
            application: EchoApplication(),
            lanes: Lanes()
        )
        let loop = try ConnectionLoop(context: context)
        try loop.start()
        defer { loop.finish() }
        let clients = try (0..<3).map { _ in try LoopClient(of: loop) }
        for _ in 0..<10 { loop.runOnce(until: .now) }
        let closed = Atomic<Int>(0)
        // The requests arrive before the loop examines the connections.
        for client in clients.dropLast() { client.send(ExchangeTests.echo("in")) }
        for _ in 0..<2 { loop.evictIdle { if $0 { closed.add(1, ordering: .relaxed) } } }
        for _ in 0..<10 { loop.runOnce(until: .now) }
        for client in clients.dropLast() { #expect(client.received().hasSuffix("\r\n\r\nin")) }
        #expect(closed.load(ordering: .relaxed) == 1)
        #expect(loop.connectionCount == 2)
    }

    @Test func `a client above the maximum for its address replaces nobody`() throws {
        let server = try TestServer {
            $0.connections.max = 2
            $0.connections.maxPerAddress = 1
            $0.minIdleTime = .zero
            $0.address = "::"
        }
        let clients = try ["::1", "127.0.0.1"].map { try RawClient(port: server.port, host: $0) }
        for client in clients {
            client.send(ExchangeTests.echo("in"))
            #expect(try client.readResponse().text == "in")
        }
        let rejected = try (0..<2 * HTTPServerConfiguration.maxRejectedPerThread + 5).map { _ in try server.connect() }
        for client in rejected { #expect(try client.readResponse().text == "tooManyConnections") }
        #expect(server.http.figures.connections.open == 2)
        for client in clients {
            client.send(ExchangeTests.echo("still in"))
            #expect(try client.readResponse().text == "still in")
        }
    }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false), ("::ffff:10.0.0.1", "10.0.0.1", true),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false), ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false), ("::1", "::ffff:0.0.0.1", false), ("::", "0.0.0.0", false),
    ])
    func `an IPv6 client is identified by the first 64 bits of its address`(first: String, second: String, isSame: Bool)
        throws
    {
        #expect((try Self.client(first) == Self.client(second)) == isSame)
    }

    private static func client(_ host: String) throws -> ClientAddress {
        var storage = sockaddr_storage()
        try SocketAddress(parsing: host, port: 1).withPointer { address, bytes in
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: .init(start: address, count: Int(bytes))) }
        }
        return ClientAddress(storage)
    }

    /// The library's own threads handled at most 128 events at a time, and served 256 connections on two threads at 1 %
    /// of the rate.
    @Test(arguments: [127, 128, 129, 256, 300])
    func `serves any number of connections at the same time`(count: Int) throws {
        let server = try TestServer { $0.threads = 1 }
        let clients = try (0..<count).map { _ in try server.connect() }
        for round in 0..<3 {
            for client in clients { client.send(ExchangeTests.echo("round \(round)")) }
            for client in clients { #expect(try client.readResponse().text == "round \(round)") }
        }
    }

    @Test func `a socket that the library cannot serve stops being counted`() throws {
        let context = ExchangeContext(
            configuration: HTTPServerConfiguration(),
            application: EchoApplication(),
            lanes: Lanes()
        )
        let loop = try ConnectionLoop(context: context)
        try loop.start()
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(AF_INET)
        for _ in 0..<3 {
            // epoll(7) does not support files.
            let file = open("/dev/null", O_RDWR | O_CLOEXEC)
            loop.add(AcceptedSocket(descriptor: file, address: address, addressBytes: 16))
            #expect(loop.connectionCount == 1)
            for _ in 0..<3 { loop.runOnce(until: MonotonicTime(nanoseconds: 0)) }
            #expect(loop.connectionCount == 0)
        }
        loop.finish()
    }

    @Test func `rejects only connections above the maximum for one address`() throws {
        let server = try TestServer { $0.connections.maxPerAddress = 2 }
        var clients = try (0..<2).map { _ in try server.connect() }
        for client in clients {
            client.send(ExchangeTests.echo("in"))
            #expect(try client.readResponse().text == "in")
        }
        let rejected = try server.connect()
        rejected.send(ExchangeTests.echo(String(repeating: "x", count: 100_000)))
        let response = try rejected.readResponse()
        #expect(response.status == 503)
        #expect(response.text == "tooManyConnections")
        #expect(rejected.isClosed(within: 30))
        clients.removeLast()
        let isServed = eventually {
            guard let client = try? server.connect() else { return false }
            client.send(ExchangeTests.echo("again"))
            return (try? client.readResponse())?.text == "again"
        }
        #expect(isServed)
    }

    @Test func `closes all sockets when it stops`() throws {
        let server = try TestServer()
        let client = try server.connect()
        server.http.stop()
        server.http.stop()
        #expect(client.isClosed(within: 30))
        #expect(throws: ClientError.system("connect", ECONNREFUSED)) { try server.connect() }
    }
}
