import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tests that nothing of one request is left for the next one on its connection: neither in its response nor in its
/// record.
@Suite(.timeLimit(.minutes(5))) struct ReusedConnectionTests {
    /// Responds on each path in a way that leaves other values behind.
    private struct LeavingApplication: Application {
        func plan(for head: borrowing RequestHead) -> Plan {
            let path = head.target.path
            let isPlain = path == "/plain"
            let decision =
                path == "/nowhere"
                ? Plan.Decision.respond(Self.response(404, "not found"))
                : .accept(maxContentBytes: 10) { (content, keep) throws(RejectionReason) in
                    guard path == "/computed" else { return .done(Self.response(path, content)) }
                    let content = try keep()
                    return .next(on: .compute { .done(content.withBytes { Self.response(path, $0) }) })
                }
            return Plan(
                note: ApplicationNote(number: isPlain ? 0 : UInt64(Endpoint.normalize.rawValue)),
                fields: isPlain ? [] : [HeaderFields.Field(name: "X-Plan", value: path)],
                decision: decision
            )
        }

        func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
            Self.response(400, "\(reason)")
        }

        private static func response(_ path: String, _ content: Span<UInt8>) -> Response {
            var text = OutputBuffer("\(path) ".utf8)
            text.append(content)
            let status = path == "/unmodified" ? 304 : 200
            return Response(status: status, contentType: "text/plain", content: text)
        }

        private static func response(_ status: Int, _ text: String) -> Response {
            var response = StepApplication.response(text)
            response.status = status
            // The access log names the first problem code.
            response.note = ApplicationNote(number: 1)
            return response
        }
    }

    /// A request, and how its client continues.
    struct Request: CustomTestStringConvertible, Sendable {
        var text: String
        /// Whether the client closes its sending side, because the request is incomplete.
        var isIncomplete = false
        var hasResponse = true

        /// Whether the response has no content, whatever its length is.
        var isWithoutContent: Bool { text.hasPrefix("HEAD ") || text.hasPrefix("GET /unmodified") }

        var testDescription: String { text.debugDescription }
    }

    private static func head(_ line: String, _ fields: String = "", version: String = "1.1") -> Request {
        Request(text: "\(line) HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n")
    }

    private static func post(_ path: String, _ content: String) -> Request {
        Request(text: head("POST \(path)", "Content-Length: \(content.utf8.count)\r\n").text + content)
    }

    private static func chunked(_ path: String, _ chunks: String) -> Request {
        Request(text: head("POST \(path)", "Transfer-Encoding: chunked\r\n").text + chunks)
    }

    /// Requests after which the connection is kept.
    private static let kept = [
        head("GET /plain"),
        head("HEAD /plan"),
        head("GET /plan", "Connection: keep-alive\r\n", version: "1.0"),
        head("GET /plan", "X-Request-ID: given\r\n"),
        head("GET /computed", "Want-Repr-Digest: sha-256=1\r\nAccept-Encoding: gzip\r\n"),
        head("GET /unmodified"),
        head("GET /nowhere"),
        post("/plain", "12345"),
        post("/plan", "too long for it"),
        post("/nowhere", "discarded"),
        chunked("/plain", "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"),
        chunked("/plan", "b\r\ntoo long fo\r\n4\r\nr it\r\n0\r\n\r\n"),
    ]

    /// Requests after which the connection is closed.
    private static let closed = [
        Request(text: "GET /plain HTTP/1.1\r\n\r\n"),
        Request(text: "G@T /plain HTTP/1.1\r\nHost: a\r\n\r\n"),
        head("HEAD /plain", "Connection: close\r\n"),
        head("GET /plain", version: "1.0"),
        head("POST /plain", "Content-Length: 11\r\nExpect: 100-continue\r\n"),
        chunked("/plain", "2\r\nab\r\nno chunk\r\n"),
        chunked("/plain", "b\r\ntoo long fo\r\nno chunk\r\n"),
        Request(
            text: head("POST /plain", "Content-Length: 9\r\n").text + "four",
            isIncomplete: true,
            hasResponse: false
        ),
        Request(text: head("POST /nowhere", "Content-Length: 9\r\n").text + "four", isIncomplete: true),
    ]

    /// A response without the fields that differ between two equal requests.
    private struct Outcome: Equatable {
        var response: ReceivedResponse?
        var record: RecordedServer.Record
    }

    private static func outcome(of request: Request, _ client: RawClient, _ server: RecordedServer) throws -> Outcome {
        if request.isIncomplete { client.endSending() }
        var response = request.hasResponse ? try client.readResponse(isToHead: request.isWithoutContent) : nil
        if let identifier = response?.fields["x-request-id"], identifier != "given" {
            #expect(identifier.utf8.count == 32)
            response?.fields["x-request-id"] = ""
        }
        for name in ["date", "server-timing"] where response?.fields[name] != nil { response?.fields[name] = "" }
        return Outcome(response: response, record: try server.next())
    }

    @Test(arguments: kept, [false, true])
    func `the next request has the response and the record of a request on a new connection`(
        first: Request,
        isPipelined: Bool
    ) throws {
        let lanes = Lanes(compute: try ComputeLane(threads: 1, maxWaiting: 8))
        let server = try RecordedServer(LeavingApplication(), lanes: lanes) { $0.content.gzipAboveBytes = 1 }
        let expectedFirst = try Self.outcome(of: first, server.send(first.text), server)
        for second in Self.kept + Self.closed {
            let expected = try Self.outcome(of: second, server.send(second.text), server)
            let client = try server.send(isPipelined ? first.text + second.text : first.text)
            #expect(try Self.outcome(of: first, client, server) == expectedFirst)
            if !isPipelined { client.send(second.text) }
            #expect(try Self.outcome(of: second, client, server) == expected, "\(second)")
        }
    }
}
