import Glibc
import Testing

@testable import Service

struct DrainingTests {
    @Test func `lets a request in flight finish`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /gated HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndone")
        #expect(eventually { server.daemon.requestsInFlight == 1 })
        let draining = Draining(server.daemon)
        #expect(eventually { (try? server.connect()) == nil })
        server.openGate()
        let answer = try client.readAnswer()
        #expect(answer.text == "done")
        #expect(answer.fields["connection"] == "close")
        #expect(client.isClosed(within: 30))
        #expect(draining.wait())
    }

    @Test func `lets content that is under way arrive`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndo")
        #expect(eventually { server.daemon.requestsInFlight == 1 })
        let draining = Draining(server.daemon)
        #expect(eventually { (try? server.connect()) == nil })
        client.send("ne")
        #expect(try client.readAnswer().text == "done")
        #expect(draining.wait())
    }

    @Test func `refuses new requests on connections that were kept`() throws {
        let server = try TestServer()
        let busy = try server.connect()
        busy.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndo")
        #expect(eventually { server.daemon.requestsInFlight == 1 })
        let kept = try server.connect()
        kept.send(ExchangeTests.echo("first"))
        #expect(try kept.readAnswer().text == "first")
        let draining = Draining(server.daemon)
        #expect(eventually { (try? server.connect()) == nil })
        kept.send(ExchangeTests.echo("second"))
        let answer = try kept.readAnswer()
        #expect(answer.status == 503)
        #expect(answer.text == "draining")
        #expect(answer.fields["connection"] == "close")
        #expect(kept.isClosed(within: 30))
        busy.send("ne")
        #expect(try busy.readAnswer().text == "done")
        #expect(draining.wait())
    }

    @Test func `cuts what does not finish in time, and says so`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndo")
        #expect(eventually { server.daemon.requestsInFlight == 1 })
        #expect(!server.daemon.drain(within: .milliseconds(100)))
        #expect(client.isClosed(within: 30))
    }

    @Test func `takes no time where nothing is in flight`() throws {
        let server = try TestServer()
        let idle = try server.connect()
        idle.send(ExchangeTests.echo("first"))
        #expect(try idle.readAnswer().text == "first")
        let waiting = try server.connect()
        let took = ContinuousClock().measure { #expect(server.daemon.drain(within: .seconds(60))) }
        #expect(took < .seconds(30))
        #expect(idle.isClosed(within: 30))
        #expect(waiting.isClosed(within: 30))
    }
}
