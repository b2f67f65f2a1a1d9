import Glibc
import Testing

@testable import HTTP
@testable import Service

struct DrainingTests {
    @Test func `lets a request in flight finish`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /gated HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndone")
        #expect(eventually { server.http.requestsInFlight == 1 })
        let draining = Draining(server.http)
        #expect(eventually { (try? server.connect()) == nil })
        server.openGate()
        let response = try client.readResponse()
        #expect(response.text == "done")
        #expect(response.fields["connection"] == "close")
        #expect(client.isClosed(within: 30))
        #expect(draining.wait())
    }

    @Test func `receives the rest of content whose beginning was received`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndo")
        #expect(eventually { server.http.requestsInFlight == 1 })
        let draining = Draining(server.http)
        #expect(eventually { (try? server.connect()) == nil })
        client.send("ne")
        #expect(try client.readResponse().text == "done")
        #expect(draining.wait())
    }

    /// A probe that requests `/livez` on a persistent connection must not conclude that the service is dead.
    @Test func `serves requests on persistent connections, and closes them`() throws {
        let server = try TestServer { $0.drainIdleTimeout = .seconds(600) }
        let kept = try server.connect()
        kept.send(ExchangeTests.echo("first"))
        #expect(try kept.readResponse().text == "first")
        let draining = Draining(server.http)
        #expect(eventually { (try? server.connect()) == nil })
        kept.send(ExchangeTests.echo("second"))
        let response = try kept.readResponse()
        #expect(response.text == "second")
        #expect(response.fields["connection"] == "close")
        #expect(kept.isClosed(within: 30))
        #expect(draining.wait())
    }

    /// A load balancer that has not yet detected the shutdown opens new connections.
    @Test func `serves new connections until it stops accepting`() throws {
        let server = try TestServer()
        server.http.startDraining()
        let client = try server.connect()
        client.send(ExchangeTests.echo("new"))
        let response = try client.readResponse()
        #expect(response.text == "new")
        #expect(response.fields["connection"] == "close")
        #expect(client.isClosed(within: 30))
    }

    @Test func `closes the connections of requests that do not finish in time, and reports it`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndo")
        #expect(eventually { server.http.requestsInFlight == 1 })
        #expect(!server.http.drain(within: .milliseconds(100)))
        #expect(client.isClosed(within: 30))
    }

    @Test func `closes idle connections shortly after it stops accepting`() throws {
        let server = try TestServer { $0.drainIdleTimeout = .milliseconds(10) }
        let idle = try server.connect()
        idle.send(ExchangeTests.echo("first"))
        #expect(try idle.readResponse().text == "first")
        let waiting = try server.connect()
        #expect(server.http.drain(within: .seconds(600)))
        #expect(idle.isClosed(within: 30))
        #expect(waiting.isClosed(within: 30))
    }
}
