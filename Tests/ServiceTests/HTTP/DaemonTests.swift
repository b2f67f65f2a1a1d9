import Testing

@testable import Service

struct DaemonTests {
    @Test func `answers with the content it was sent`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        let answer = try client.readAnswer()
        #expect(answer.status == 200)
        #expect(answer.text == "hello")
        #expect(answer.fields["content-length"] == "5")
        #expect(answer.fields["content-type"] == "text/plain")
        #expect(answer.fields["date"] != nil)
    }
}
