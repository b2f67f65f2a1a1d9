import Testing

@testable import HTTP
@testable import Service

/// Urgent data makes the library read differently, and once terminated the process. It must end at most its own
/// connection.
struct UrgentDataTests {
    @Test(arguments: [
        "", "GET", "GET /head HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 16_000))",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12345",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
        "GET /head HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n",
    ])
    func `ends at most its own connection`(before: String) throws {
        let server = try TestServer { $0.threads = 1 }
        let other = try server.connect()
        for _ in 0..<20 {
            let client = try server.connect()
            client.send(before)
            client.sendUrgent()
            client.send("abcd")
            client.endSending()
            #expect(client.isClosed(within: 30))
            other.send(ExchangeTests.echo("on"))
            #expect(try other.readResponse().text == "on")
        }
        #expect(eventually { server.http.connectionsByLoop == [1] && server.http.requestsInFlight == 0 })
    }

    @Test func `ends at most a connection that waits for another thread`() throws {
        let server = try LaneServer(workers: 0)
        for _ in 0..<20 {
            let client = try server.connect()
            client.send(LaneServer.request("/compute", "1"))
            client.sendUrgent()
            client.send("abcd")
            client.endSending()
            #expect(client.isClosed(within: 30))
        }
        #expect(eventually { server.http.requestsInFlight == 0 && server.http.connectionsByLoop == [0, 0] })
        // The lane may still be executing work whose result is not needed.
        #expect(try eventually { try server.post("/compute", "0").text == "0" })
    }
}
