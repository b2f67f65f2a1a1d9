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
        let answer = try post("", fields, #"{"a":1.0,"b":null}"#)
        #expect(answer.status == 200)
        #expect(
            answer.content
                == [
                    #"{"outcome":"value","serializer":"json","value":{"a":1.0},"nullsDropped":1,"upstream":{"status":201,"#,
                    #""url":"http://a/b","mediaType":"application/json","charset":"utf-8","bytes":18}}"#,
                ].joined()
        )
        #expect(answer.fields.combined("Content-Type") == "application/json")
    }

    @Test func `a missing status is assumed`() throws {
        #expect(try post("", Self.json, "[]").content.contains(#""upstream":{"status":200,"statusAssumed":true"#))
    }

    @Test func `missing content is zero bytes`() throws {
        let answer = try post("", Self.json, "")
        #expect(answer.content.hasPrefix(#"{"outcome":"empty","serializer":"json","value":null,"upstream":"#))
        #expect(answer.content.contains(#""bytes":0"#))
    }

    @Test func `returns the value alone, with the metadata in fields`() throws {
        let answer = try post("?view=value", Self.json, "\u{FEFF}{\"a\":1,\"a\":2,\"n\":null,\"b\":{\"c\":1,\"c\":2}}")
        #expect(answer.status == 200)
        #expect(answer.content == #"{"a":2,"b":{"c":2}}"#)
        #expect(answer.fields.combined("Decant-Outcome") == "value")
        #expect(answer.fields.combined("Decant-Serializer") == "json")
        #expect(answer.fields.combined("Decant-Upstream-Status") == "200")
        #expect(answer.fields.combined("Decant-Nulls-Dropped") == "1")
        #expect(answer.fields.combined("Decant-Warnings") == "response.byte_order_mark, json.duplicate_name")
    }

    @Test func `a response without a value has no content`() throws {
        let answer = try post("?view=value", Self.json, "")
        #expect(answer.status == 204)
        #expect(answer.content.isEmpty)
        #expect(answer.fields.combined("Content-Type") == nil)
        #expect(answer.fields.combined("Decant-Outcome") == "empty")
        #expect(answer.fields.combined("Decant-Warnings") == nil)
    }

    @Test(arguments: [
        ("Upstream-Status", "99"), ("Upstream-Status", "1000"), ("Upstream-Status", "2e2"), ("Upstream-Status", ""),
        ("Upstream-Status", "+200"), ("Upstream-Method", "G T"), ("Upstream-Method", ""), ("Upstream-Statsu", "200"),
        ("upstream-", ""),
    ])
    func `a field with an invalid value is rejected`(name: String, value: String) throws {
        let answer = try post("", Self.json + [(name, value)], "[]")
        #expect(answer.status == 400)
        #expect(answer.code == "request.invalid_field")
    }

    @Test(arguments: ["Upstream-Status", "Upstream-URL", "Upstream-Method"])
    func `a repeated field is rejected`(name: String) throws {
        let answer = try post("", [(name, "200"), (name, "200")], "[]")
        #expect(answer.code == "request.invalid_field")
        #expect(answer.content.contains("\(name) is given more than once"))
    }

    @Test func `an invalid option is rejected with the allowed values`() throws {
        let answer = try post("?nulls=zero", Self.json, "[]")
        #expect(answer.status == 400)
        #expect(answer.code == "request.invalid_option")
        #expect(answer.content.contains(#""expected":["drop","drop-all","keep"],"found":"zero""#))
    }

    @Test func `the type of JSON that is sent as a form is proposed, and not that of a form`() throws {
        let answer = try post("", [("Content-Type", "application/x-www-form-urlencoded")], #"{"a":1}"#)
        #expect(answer.status == 422)
        #expect(answer.code == "response.unacceptable_type")
        #expect(answer.content.contains(#""accepts":{"type":"application/json"}"#))
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
        let answer = try post("", Self.json + [("Content-Encoding", coding)], "[]")
        #expect(answer.status == 422)
        #expect(answer.code == code)
    }

    @Test func `the limit of the request applies to its content`() throws {
        let answer = try post("?max-content-bytes=2", Self.json, "[1]")
        #expect(answer.status == 413)
        #expect(answer.code == "request.content_too_large")
    }

    @Test func `a rejected status includes the value`() throws {
        let answer = try post("", Self.json + [("Upstream-Status", "404")], #"{"a":null}"#)
        #expect(answer.status == 422)
        #expect(answer.code == "response.unacceptable_status")
        #expect(answer.content.contains(#""message":"the upstream responded 404 Not Found""#))
        #expect(answer.content.contains(#","value":{}"#))
    }
}
