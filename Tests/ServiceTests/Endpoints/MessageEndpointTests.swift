import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct MessageEndpointTests {
    private let application = DecantApplication(readiness: Readiness(.ready))

    private func post(
        _ content: String,
        query: String = "",
        type: String? = "application/http",
        fields: [(String, String)] = []
    ) throws -> LocalExchange {
        let type = type.map { [("Content-Type", $0)] } ?? []
        return try LocalExchange(
            "POST",
            "/v1/normalize/message" + query,
            fields: type + fields,
            content: content,
            to: application
        )
    }

    private static let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1,\"b\":null}"

    @Test(arguments: [
        "application/http", "message/http", "Application/HTTP", "application/http; msgtype=response",
        "message/http;version=1.1;msgtype=\"Response\"",
    ])
    func `a message is application/http or message/http`(type: String) throws {
        let response = try post(Self.json, type: type)
        #expect(response.status == 200)
        #expect(response.content.contains(#""value":{"a":1}"#))
    }

    @Test(arguments: [
        "application/json", "application/http; msgtype=request", "text/plain", "application/https", "", nil,
        "application/x-www-form-urlencoded",
    ])
    func `another type is rejected`(type: String?) throws {
        let response = try post(Self.json, type: type)
        #expect(response.status == 415)
        #expect(response.code == "request.unsupported_media_type")
        #expect(response.fields.combined("Accept") == "application/http, message/http")
    }

    @Test func `a message in a content coding, and fields of the direct form, are rejected`() throws {
        #expect(try post(Self.json, fields: [("Content-Encoding", "gzip")]).status == 415)
        for name in ["Upstream-Status", "upstream-url", "Upstream-Method", "Upstream-Anything"] {
            let response = try post(Self.json, fields: [(name, "200")])
            #expect(response.status == 400)
            #expect(response.code == "request.conflicting_fields")
        }
    }

    @Test func `options apply as in the other forms`() throws {
        #expect(try post(Self.json, query: "?nulls=keep&view=value").content == #"{"a":1,"b":null}"#)
        #expect(try post(Self.json, query: "?max-content-bytes=7").status == 413)
        #expect(try post(Self.json, query: "?accept-status=201").code == "response.unacceptable_status")
    }

    @Test func `the response contains trailers and history, which upstream-headers selects`() throws {
        let message =
            "HTTP/1.1 301 Moved\r\nLocation: /x\r\nSet-Cookie: a\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\n[]\r\n0\r\nX-Sum: 1\r\nSet-Cookie: b\r\n\r\n"
        #expect(
            try post(message).content.contains(
                #""headers":[["content-type","application/json"],["transfer-encoding","chunked"]],"#
                    + #""trailers":[["x-sum","1"]],"#
                    + #""history":[{"status":301,"location":"/x","headers":[["location","/x"]]}]"#
            )
        )
        let none = try post(message, query: "?upstream-headers=none").content
        #expect(none.contains(#""history":[{"status":301}]"#))
        #expect(!none.contains("headers") && !none.contains("trailers"))
        let some = try post(message, query: "?upstream-headers=set-cookie,x-sum").content
        #expect(some.contains(#""trailers":[["x-sum","1"],["set-cookie","b"]]"#))
        #expect(some.contains(#""history":[{"status":301,"headers":[["set-cookie","a"]]}]"#))
    }

    @Test func `a malformed message is rejected with its location, and a hint`() throws {
        let response = try post("HTTP/1.1 200 OK\nA: b\n\n{}")
        #expect(response.status == 400)
        #expect(response.code == "message.bare_line_feed")
        #expect(response.content.contains(#""domain":"decant.message""#))
        #expect(response.content.contains(#""at":{"byte":15,"line":1,"column":16},"expected":["CRLF"]"#))
        #expect(response.content.contains(#""hint":"send the bytes"#))
        let short = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[1]"
        let truncated = try post(short)
        #expect(truncated.status == 400)
        #expect(truncated.content.contains(#""accepts":{"truncated":"allow"}"#))
        let allowed = try post(short, query: "?truncated=allow")
        #expect(allowed.status == 200)
        #expect(allowed.content.contains(#""code":"message.truncated""#))
    }

    /// The option is tried before it is proposed.
    @Test func `truncated=allow is proposed if it accepts the message`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        for (message, isAccepted) in [
            (head + "Content-Length: 9\r\n\r\n[1]", true), (head + "Content-Length: 9\r\n\r\n[1", false),
            (head + "Transfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n", true),
            (head + "Transfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n1\r\n2\r\n", false),
            ("HTTP/1.1 404 No\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[1]", false),
            (head + "Content-Encoding: gzip\r\nContent-Length: 90\r\n\r\n\u{1F}", false),
            (head, false),
            // Nothing is there.
            (head + "Transfer-Encoding: chunked\r\n\r\n42\r\n", false),
            (head + "Content-Length: 1000000\r\n\r\n[\"" + String(repeating: "x", count: 300_000) + "\"]", true),
            (head + "Content-Length: 1000000\r\n\r\n[\"" + String(repeating: "x", count: 300_000), false),
            // Longer than what is tried.
            (head + "Content-Length: 9000000\r\n\r\n[\"" + String(repeating: "x", count: 1 << 20) + "\"]", false),
        ] {
            let response = try post(message)
            #expect(response.status == 400)
            #expect(response.code == "message.truncated")
            #expect(
                response.content.contains(#""accepts":{"truncated":"allow"}"#) == isAccepted,
                "\(message.prefix(99))"
            )
            #expect(response.content.contains("truncated=allow uses the content that was received") == isAccepted)
        }
    }

    /// The first line is lost if it is taken for the size of a chunk.
    @Test(arguments: [("text/csv", "add\r\n1\r\n2\r\n"), ("application/x-ndjson", "12\r\n13\r\n14\r\n")])
    func `truncated=allow is not proposed for what may be content whose chunks are undone`(
        type: String,
        content: String
    ) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n"
        let response = try post(head + "Transfer-Encoding: chunked\r\n\r\n" + content)
        #expect(response.code == "message.truncated")
        #expect(!response.content.contains(#""accepts""#))
        #expect(response.content.contains("if the chunks are already undone, remove the field Transfer-Encoding"))
        #expect(try post(head + "\r\n" + content).status == 200)
    }

    /// JSON numbers consist of hexadecimal digits, too.
    @Test func `a number whose chunks were decoded is a value, with a warning`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        let response = try post(head + "42")
        #expect(response.status == 200)
        #expect(response.content.contains(#""value":42"#))
        #expect(response.content.contains(#""code":"message.not_chunked""#))
        #expect(response.content.contains("a chunk that was cut off"))
        #expect(try post(head + "42\r\n").code == "message.truncated")
    }

    @Test func `large messages are read on the compute lane`() throws {
        let chunk = "1000\r\n" + String(repeating: " ", count: 4_096) + "\r\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunks = String(repeating: chunk, count: 100)
        let response = try post(head + chunks + "2\r\n[]\r\n0\r\n\r\n")
        #expect(response.status == 200)
        #expect(response.content.contains(#""bytes":409602"#))
        #expect(try post(head + chunks + "x\r\n").code == "message.malformed_chunk")
        let slice = try post(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + String(repeating: " ", count: 1 << 19) + "1"
        )
        #expect(slice.content.contains(#""value":1"#))
    }

    @Test(arguments: CurlOutputTests.recordings.filter { !$0.name.contains("chunked") })
    func `the output of curl is normalized`(recording: CurlOutputTests.Recording) throws {
        let response = try LocalExchange(
            "POST",
            "/v1/normalize/message?accept-status=*&accept-types=*&serializer=json,http",
            fields: [("Content-Type", "application/http")],
            content: CurlOutputTests.bytes(of: recording.name),
            to: application
        )
        #expect(response.status == 200)
        #expect(response.content.contains(#""status":\#(recording.status)"#))
        if recording.content.starts(with: "{\"id\"".utf8) {
            #expect(response.content.contains(#""serializer":"json","value":{"id":1},"nullsDropped":1"#))
        }
        if recording.name.contains("gzip") && recording.name != "gzip-longer-decoded" {
            #expect(response.content.contains(#""serializer":"json","value":[{"id":0,"name":"name 0"},"#))
            #expect(response.content.contains(#""encoding.not_encoded""#) == recording.name.contains("decoded"))
        }
    }
}
