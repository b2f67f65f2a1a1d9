import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct NormalizeEndpointTests {
    private let application = DecantApplication(readiness: Readiness(.ready))

    private func post(_ query: String, _ fields: [(String, String)], _ content: String) throws -> LocalExchange {
        try LocalExchange("POST", "/v1/normalize" + query, fields: fields, content: content, to: application)
    }

    private static let json = [("content-type", "application/json")]

    @Test func `a response is normalized`() throws {
        let fields =
            Self.json + [("upstream-status", "201"), ("UPSTREAM-URL", "http://a/b"), ("Upstream-Method", "PUT")]
        let response = try post("", fields, #"{"a":1.0,"b":null}"#)
        #expect(response.status == 200)
        #expect(
            response.content
                == [
                    #"{"outcome":"value","serializer":"json","value":{"a":1.0},"nullsDropped":1,"#
                        + #""upstream":{"status":201,"#,
                    #""url":"http://a/b","mediaType":"application/json","charset":"utf-8","bytes":18}}"#,
                ].joined()
        )
        #expect(response.fields.combined("Content-Type") == "application/json")
    }

    @Test func `a missing status is assumed`() throws {
        #expect(try post("", Self.json, "[]").content.contains(#""upstream":{"status":200,"statusAssumed":true"#))
    }

    @Test func `missing content is zero bytes`() throws {
        let response = try post("", Self.json, "")
        #expect(response.content.hasPrefix(#"{"outcome":"empty","serializer":"json","value":null,"upstream":"#))
        #expect(response.content.contains(#""bytes":0"#))
    }

    @Test func `returns the value alone, with the metadata in fields`() throws {
        let response = try post(
            "?view=value",
            Self.json,
            "\u{FEFF}{\"a\":1,\"a\":2,\"n\":null,\"b\":{\"c\":1,\"c\":2}}"
        )
        #expect(response.status == 200)
        #expect(response.content == #"{"a":2,"b":{"c":2}}"#)
        #expect(response.fields.combined("Decant-Outcome") == "value")
        #expect(response.fields.combined("Decant-Serializer") == "json")
        #expect(response.fields.combined("Decant-Upstream-Status") == "200")
        #expect(response.fields.combined("Decant-Nulls-Dropped") == "1")
        #expect(response.fields.combined("Decant-Warnings") == "response.byte_order_mark, json.duplicate_name")
    }

    @Test func `a response without a value has no content`() throws {
        let response = try post("?view=value", Self.json, "")
        #expect(response.status == 204)
        #expect(response.content.isEmpty)
        #expect(response.fields.combined("Content-Type") == nil)
        #expect(response.fields.combined("Decant-Outcome") == "empty")
        #expect(response.fields.combined("Decant-Warnings") == nil)
    }

    @Test(arguments: [
        ("Upstream-Status", "99"), ("Upstream-Status", "1000"), ("Upstream-Status", "2e2"), ("Upstream-Status", ""),
        ("Upstream-Status", "+200"), ("Upstream-Method", "G T"), ("Upstream-Method", ""), ("Upstream-Statsu", "200"),
        ("upstream-", ""),
    ])
    func `a field with an invalid value is rejected`(name: String, value: String) throws {
        let response = try post("", Self.json + [(name, value)], "[]")
        #expect(response.status == 400)
        #expect(response.code == "request.invalid_field")
    }

    @Test func `a field of the upstream has the same effect as one of an envelope`() throws {
        let fields = [
            ("Retry-After", "120"), ("ETag", #""a""#), ("Link", "</2>; rel=next"), ("X-RateLimit-Remaining", "0"),
            ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Length", "9"),
        ]
        let direct = try post("", Self.json + fields.map { ("Upstream-Field-" + $0.0, $0.1) }, "[]")
        let pairs = (Self.json + fields).map { #"["\#($0.0)","\#($0.1.replacing("\"", with: "\\\""))"]"# }
        // The Base64 of `[]`: the length of text is not compared with Content-Length.
        let envelope = #"{"headers":[\#(pairs.joined(separator: ","))],"body":{"base64":"W10="}}"#
        let other = try LocalExchange(
            "POST",
            "/v1/normalize/envelope",
            fields: Self.json,
            content: envelope,
            to: application
        )
        #expect(direct.status == 200 && direct.content == other.content)
        #expect(direct.content.contains(#""retryAfter":"#) && direct.content.contains("response.length_mismatch"))
        let plain = try post("", Self.json, "[]")
        #expect(!plain.content.contains(#""headers""#))
    }

    @Test(arguments: ["Content-Type", "content-encoding"])
    func `a field of the upstream that describes the content is sent under its own name`(name: String) throws {
        let response = try post("", Self.json + [("Upstream-Field-\(name)", "a")], "[]")
        #expect(response.status == 400 && response.code == "request.conflicting_fields")
    }

    @Test func `a 304 gets the option that accepts it`() throws {
        let fields = Self.json + [("Upstream-Status", "304")]
        let rejected = try post("", fields, "")
        #expect(rejected.code == "response.unacceptable_status")
        #expect(rejected.content.contains(#""accepts":{"accept-status":"200-299,304"}"#))
        let accepted = try post("?accept-status=200-299,304", fields, "")
        #expect(accepted.status == 200 && accepted.content.contains(#""outcome":"empty""#))
        let other = try post("", Self.json + [("Upstream-Status", "404")], "")
        #expect(!other.content.contains(#""accepts""#))
    }

    @Test func `the status can be required`() throws {
        let strict = DecantApplication(readiness: Readiness(.ready)) { $0.options.requiresUpstreamStatus = true }
        for path in ["/v1/normalize", "/v1/normalize/value", "/v1/thumbnail"] {
            let missing = try LocalExchange("POST", path, fields: Self.json, content: "[]", to: strict)
            #expect(missing.status == 400 && missing.code == "request.invalid_field")
            #expect(missing.content.contains("require-upstream-status"))
            let fields = Self.json + [("Upstream-Status", "200")]
            let given = try LocalExchange("POST", path, fields: fields, content: "[]", to: strict)
            #expect(given.status == (path == "/v1/thumbnail" ? 422 : 200))
        }
    }

    @Test func `a raw message gets the path that accepts it`() throws {
        let message = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1}"
        let typed = try post("", [("Content-Type", "message/http")], message)
        #expect(typed.content.contains(#""accepts":{"path":"/v1/normalize/message"}"#))
        let accepted = try LocalExchange(
            "POST",
            "/v1/normalize/message",
            fields: [("Content-Type", "message/http")],
            content: message,
            to: application
        )
        #expect(accepted.status == 200)
        let untyped = try post("", Self.json, message)
        #expect(untyped.content.contains("POST /v1/normalize/message takes with the media type application/http"))
        #expect(!untyped.content.contains(#""accepts""#))
        // The message has its own status.
        let labelled = try post("", [("Content-Type", "message/http"), ("Upstream-Status", "200")], message)
        #expect(labelled.content.contains("POST /v1/normalize/message takes without the fields Upstream-…"))
        #expect(!labelled.content.contains(#""accepts""#))
        // It would be rejected there, too.
        let broken = try post("", [("Content-Type", "message/http")], message.replacing("}", with: "]"))
        #expect(!broken.content.contains("/v1/normalize/message"))
    }

    @Test func `lost nulls of a response of GraphQL are reported`() throws {
        func isReported(_ content: String, _ query: String = "") throws -> Bool {
            try post(query, Self.json, content).content.contains("json.graphql_nulls")
        }
        let values = [
            #"{"data":{"a":null},"errors":[{"message":"x"}]}"#, #"{"errors":[{"path":null}],"data":{}}"#,
            #"{"data":null,"errors":[{"message":"x"}]}"#,
            #"{"extensions":{},"data":{"a":null},"errors":[]}"#, #"{"data":{"\"}":null,"b":"\\"},"errors":[]}"#,
        ]
        for value in values {
            #expect(try isReported(value), "\(value)")
            for query in ["?nulls=drop", "?profile=graphql"] {
                let isReported = try isReported(value, query)
                #expect(!isReported, "\(query) \(value)")
            }
            #expect(try post("?profile=graphql&view=value", Self.json, value).content == value)
        }
        for value in ["\n{ \"errors\" : [], \"data\" : null }", "\u{FEFF}{\"errors\":[],\"data\":null}"] {
            #expect(try isReported(value), "\(value)")
        }
        let others = [
            #"{"data":{"a":1},"errors":[]}"#, #"{"data":{"errors":null}}"#, #"{"data":{"a":null,"errors":[]}}"#,
            #"[{"data":null,"errors":[]}]"#, #"{"data":{"a":null},"x":"\"errors\":"}"#,
        ]
        for value in others {
            let isReported = try isReported(value)
            #expect(!isReported, "\(value)")
        }
    }

    @Test(arguments: ["Upstream-Status", "Upstream-URL", "Upstream-Method"])
    func `a repeated field is rejected`(name: String) throws {
        let response = try post("", [(name, "200"), (name, "200")], "[]")
        #expect(response.code == "request.invalid_field")
        #expect(response.content.contains("\(name) is given more than once"))
    }

    @Test func `an invalid option is rejected with the allowed values`() throws {
        let response = try post("?nulls=zero", Self.json, "[]")
        #expect(response.status == 400)
        #expect(response.code == "request.invalid_option")
        #expect(response.content.contains(#""expected":["drop","drop-all","keep"],"found":"zero""#))
    }

    @Test func `the type of JSON that is sent as a form is proposed, and not that of a form`() throws {
        let response = try post("", [("Content-Type", "application/x-www-form-urlencoded")], #"{"a":1}"#)
        #expect(response.status == 422)
        #expect(response.code == "response.unacceptable_type")
        #expect(response.content.contains(#""accepts":{"type":"application/json"}"#))
        #expect(
            try post("?type=application/json", [("Content-Type", "application/x-www-form-urlencoded")], "[]").status
                == 200
        )
        let form = try post("?serializer=json", [("Content-Type", "application/x-www-form-urlencoded")], "a=1&b=2")
        #expect(form.code == "response.unacceptable_type")
        #expect(form.content.contains(#""accepts":{"serializer":"form"}"#))
    }

    @Test(arguments: [("gzip,x-foo", "encoding.unsupported"), ("br,br,br,br,br", "limit.content_codings")])
    func `codings that cannot be decoded are rejected`(coding: String, code: String) throws {
        let response = try post("", Self.json + [("Content-Encoding", coding)], "[]")
        #expect(response.status == 422)
        #expect(response.code == code)
    }

    @Test func `the limit of the request applies to its content`() throws {
        let response = try post("?max-content-bytes=2", Self.json, "[1]")
        #expect(response.status == 413)
        #expect(response.code == "request.content_too_large")
    }

    @Test func `a rejected status includes the value`() throws {
        let response = try post("", Self.json + [("Upstream-Status", "404")], #"{"a":null}"#)
        #expect(response.status == 422)
        #expect(response.code == "response.unacceptable_status")
        #expect(response.content.contains(#""message":"the upstream responded 404 Not Found""#))
        #expect(response.content.contains(#","value":{}"#))
    }
}
