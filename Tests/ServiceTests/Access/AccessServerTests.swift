import Foundation
import Testing

@testable import HTTP
@testable import Service

/// Tokens on the wire: requests are rejected at their head, and the log names the token.
@Suite struct AccessServerTests {
    private func server(_ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws -> RecordedServer {
        let access = try AccessControl.testing(tokens: [TokenFile.web, TokenFile.prometheus])
        return try RecordedServer(DecantApplication(readiness: Readiness(.ready), access: access), configure)
    }

    private func head(_ token: String?, _ framing: String = "Content-Length: 2", version: String = "1.1") -> String {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return "POST /v1/normalize HTTP/\(version)\r\nHost: a\r\nContent-Type: application/json\r\n\(authorization)"
            + "\(framing)\r\n\r\n"
    }

    @Test(arguments: ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
    func `the content of a rejected request occupies no memory, and the client receives the response`(framing: String)
        throws
    {
        let server = try server { $0.content.maxBufferedBytes = 1 }
        for token in [nil, "x", "prometheus-secret"] {
            let client = try server.connect()
            client.send(head(token, framing))
            let content = [UInt8](repeating: 0x78, count: 1_000_000)
            if framing.hasSuffix("chunked") {
                client.send("f4240\r\n")
                client.send(content)
                client.send("\r\n0\r\n\r\n")
            } else {
                client.send(content)
            }
            #expect(try client.readResponse().status == (token == "prometheus-secret" ? 403 : 401))
            // The connection can be used for the next request.
            client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            let record = try server.next()
            #expect(record.token == (token == "prometheus-secret" ? "prometheus" : nil))
            #expect(record.received == 1_000_000 && record.end == "kept")
            _ = try server.next()
        }
    }

    @Test func `a client that waits for permission to send receives the rejection immediately`() throws {
        let server = try server()
        let client = try server.send(head("x", "Content-Length: 1000000\r\nExpect: 100-continue"))
        let response = try client.readResponse()
        #expect(response.status == 401 && response.fields["connection"] == "close")
        #expect(response.fields["www-authenticate"] == #"Bearer realm="decant", error="invalid_token""#)
    }

    @Test func `a request without a token and with too much content is 401, and with a token 413`() throws {
        let server = try server { $0.content.maxBufferedBytes = 1_000 }
        let framing = "Content-Length: 2000\r\nExpect: 100-continue"
        #expect(try server.send(head(nil, framing)).readResponse().status == 401)
        #expect(try server.send(head("web-secret", framing)).readResponse().status == 413)
    }

    @Test(arguments: ["1.1", "1.0"])
    func `pipelined requests on one connection have their own tokens`(version: String) throws {
        let server = try server()
        let keep = version == "1.0" ? "\r\nConnection: keep-alive" : ""
        let tokens = ["web-secret", nil, "x", "web-secret", "prometheus-secret", "web-secret"]
        let client = try server.send(
            tokens.map { head($0, "Content-Length: 2" + keep, version: version) + "{}" }.joined()
        )
        let statuses = try tokens.map { _ in try client.readResponse().status }
        #expect(statuses == [200, 401, 401, 200, 403, 200])
        let names = try tokens.map { _ in try server.next().token }
        #expect(names == ["web", nil, nil, "web", "prometheus", "web"])
    }
}
