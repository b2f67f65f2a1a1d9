import Encoders
import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct EnvelopeEndpointTests {
    private let application = DecantApplication(readiness: Readiness(.ready))

    private func post(
        _ content: String,
        query: String = "",
        type: String? = "application/json",
        fields: [(String, String)] = []
    ) throws -> LocalExchange {
        let type = type.map { [("Content-Type", $0)] } ?? []
        return try LocalExchange(
            "POST",
            "/v1/normalize/envelope" + query,
            fields: type + fields,
            content: content,
            to: application
        )
    }

    @Test(arguments: [
        "application/json", "APPLICATION/JSON", "application/json; charset=utf-8", "application/json ;a=b",
    ])
    func `an envelope is JSON`(type: String) throws {
        let response = try post(
            #"{"headers":{"content-type":"application/json"},"body":{"json":{"a":[1.50]}}}"#,
            type: type
        )
        #expect(response.status == 200)
        #expect(response.content.contains(#""value":{"a":[1.50]}"#))
    }

    @Test(arguments: ["text/json", "application/jsonp", "application/http", "", nil])
    func `another media type is rejected`(type: String?) throws {
        let response = try post("{}", type: type)
        #expect(response.status == 415)
        #expect(response.code == "request.unsupported_media_type")
        #expect(response.fields.combined("Accept") == "application/json")
    }

    @Test func `an envelope with a content coding is rejected`() throws {
        #expect(try post("{}", fields: [("Content-Encoding", "identity")]).status == 200)
        let response = try post("{}", fields: [("Content-Encoding", "gzip")])
        #expect(response.status == 415)
        #expect(response.fields.combined("Accept-Encoding") == "identity")
    }

    @Test(arguments: Encoder.allCases, [10, 40_000])
    func `the content of an envelope may be encoded, if it is Base64`(encoder: Encoder, count: Int) throws {
        let text = "[" + String(repeating: "1,", count: count) + "2]"
        let encoded = Data(encoder.encode(Array(text.utf8))).base64EncodedString()
        let fields = #"[["content-type","application/json"],["content-encoding","\#(encoder.coding)"]]"#
        let response = try post(#"{"headers":\#(fields),"body":{"base64":"\#(encoded)"}}"#)
        #expect(response.status == 200)
        #expect(response.content.contains("\"value\":" + text))
        #expect(response.content.contains(#""contentCodings":["\#(encoder.coding)"]"#))
        #expect(!response.content.contains("warnings"))
        let decoded = try post(#"{"headers":\#(fields),"body":{"json":\#(text)}}"#)
        #expect(decoded.status == 200)
        #expect(decoded.content.contains(#""code":"encoding.not_encoded""#))
    }

    @Test(arguments: ["Upstream-Status", "upstream-url", "Upstream-Method", "Upstream-Anything"])
    func `fields of the direct form are rejected`(name: String) throws {
        let response = try post("{}", fields: [(name, "200")])
        #expect(response.status == 400)
        #expect(response.code == "request.conflicting_fields")
    }

    @Test func `without body there is no content`() throws {
        let response = try post(#"{"status":200}"#)
        #expect(response.content.contains(#""outcome":"empty""#))
        #expect(!response.content.contains("bytes"))
    }

    @Test func `an invalid envelope is rejected with the location`() throws {
        let response = try post(#"{"body":{"base64":"!!!!"}}"#)
        #expect(response.status == 400)
        #expect(response.code == "request.invalid_envelope")
        #expect(response.content.contains(#""at":{"byte":19,"line":1,"column":20,"pointer":"/body/base64"}"#))
    }

    @Test(arguments: [
        (#"{"a":1}"#, "content without an envelope is sent to POST /v1/normalize"),
        ("[1]", "content without an envelope is sent to POST /v1/normalize"),
        (#"{"lenient":"nan"}"#, "'lenient' is an option, which belongs to the query: ?lenient=…"),
        (#"{"stauts":1}"#, "Did you mean 'status'?"), (#"{"Body":{}}"#, "Did you mean 'body'?"),
    ])
    func `JSON that is no envelope gets the path for content, or the nearest member`(text: String, hint: String) throws
    {
        let response = try post(text)
        #expect(response.code == "request.invalid_envelope" && response.content.contains(hint))
    }

    @Test(arguments: [
        (#"{"a":1}"#, "", true), ("[1]", "", true), ("[1]", "?nulls=keep", true), ("1", "", true),
        // The direct form rejects these.
        ("1", "?fragments=false", false), ("[1]", "?serializer=xml", false), ("[1]", "?accept-status=404", false),
        (#"{"a":1,"a":2}"#, "?duplicates=reject", false), ("[1]", "?max-content-bytes=2", false),
        // These are probably envelopes.
        (#"{"lenient":"nan"}"#, "", false), (#"{"stauts":1}"#, "", false), (#"{"status":"x"}"#, "", false),
    ])
    func `JSON that is no envelope gets the direct form if that accepts it`(
        text: String,
        query: String,
        isProposed: Bool
    ) throws {
        let response = try post(text, query: query)
        #expect(response.status == 400)
        #expect(response.content.contains(#""accepts":{"path":"/v1/normalize"}"#) == isProposed)
    }

    @Test func `long JSON that is no envelope gets the direct form, too`() throws {
        let text = "[" + String(repeating: "1,", count: 100_000) + "1]"
        let response = try post(text)
        #expect(response.status == 400)
        #expect(response.content.contains(#""accepts":{"path":"/v1/normalize"}"#))
    }

    @Test func `the direct form is not proposed if it requires a status`() throws {
        let strict = DecantApplication(readiness: Readiness(.ready)) { $0.options.requiresUpstreamStatus = true }
        let response = try LocalExchange(
            "POST",
            "/v1/normalize/envelope",
            fields: [("Content-Type", "application/json")],
            content: "[1]",
            to: strict
        )
        #expect(response.status == 400 && !response.content.contains(#""accepts""#))
    }

    @Test func `an envelope that is not JSON is rejected with the error of the reader`() throws {
        let response = try post(#"{"status":}"#)
        #expect(response.status == 400)
        #expect(response.content.contains(#""chain":[{"domain":"decant.request","domainCode":6,"#))
        #expect(response.content.contains(#"{"domain":"NSCocoaErrorDomain","domainCode":3840,"#))
    }

    @Test func `the size of decoded content is limited`() throws {
        let response = try post(#"{"body":{"base64":"MTIzNDU2Nzg="}}"#, query: "?max-content-bytes=7")
        #expect(response.status == 413)
    }

    @Test func `the profile and the options that override it apply`() throws {
        let envelope = #"{"headers":[["Content-Type","text/html"]],"body":{"text":"[null]"}}"#
        let rejected = try post(envelope, query: "?profile=afnetworking&thumbnail=none")
        #expect(rejected.status == 422)
        #expect(rejected.content.contains("Request failed: unacceptable content-type: text/html"))
        let accepted = try post(envelope, query: "?profile=afnetworking&accept-types=text%2Fhtml&nulls=drop")
        #expect(accepted.content.contains(#""value":[]"#))
    }
}
