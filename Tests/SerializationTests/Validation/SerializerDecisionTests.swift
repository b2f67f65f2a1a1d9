import Serialization
import SerializationSupport
import Testing

/// `serializer=auto`, and the effect of `accept-types`.
@Suite struct SerializerDecisionTests {
    static let plist = "<?xml version='1.0'?><plist><true/></plist>"

    @Test(arguments: [
        "application/json", "APPLICATION/JSON; charset=utf-8", "text/json", "text/javascript",
        "application/javascript", "application/geo+json", "application/problem+json", "text/plain",
        "application/octet-stream", "binary/octet-stream", nil, "json", "text/html, application/json",
    ])
    func `JSON is decoded under JSON types, unspecific types and no type`(type: String?) {
        #expect(serialize(type: type, #"{"a":1}"#) { $0.view = .value }.json == #"{"a":1}"#)
    }

    @Test(arguments: ["application/xml", "application/atom+xml", "text/xml; charset=utf-8", "text/plain", nil])
    func `XML is decoded under XML types, and if the content is XML`(type: String?) {
        #expect(
            serialize(type: type, "<rss version='2.0'/>") { $0.view = .value }.json == #"{"rss":{"@version":"2.0"}}"#
        )
    }

    @Test(
        arguments: [
            ("text/xml", plist), ("application/rss+xml", plist), ("application/x-plist", plist), (nil, plist),
            ("application/x-bplist", "YES"), ("application/x-plist", "{a = (YES);}"), ("text/plain", plist),
        ] as [(String?, String)]
    )
    func `a property list is decoded under its own types, under those of XML and under none`(
        type: String?,
        content: String
    ) {
        let result = serialize(type: type, content)
        #expect(result.json?.hasPrefix(#"{"outcome":"value","serializer":"plist","value":"#) == true)
    }

    @Test func `the text form is only detected by its type`() {
        #expect(serialize(type: nil, "{a = (YES);}").json == nil)
        let named = serialize(type: "text/plain", "{a = (YES);}") {
            $0.serializer = .one(.plist)
            $0.view = .value
        }
        #expect(named.json == #"{"a":["YES"]}"#)
    }

    @Test(
        arguments: [
            ("text/html", "<!DOCTYPE html><p>", "text/html"),
            ("text/html", #"{"a":1}"#, "application/json"),
            ("text/calendar", "a;b", nil),
            ("application/pdf", "%PDF-1.7", "application/pdf"),
            ("text/plain", "<html><body>", "text/html"),
            ("text/plain", "hello", nil),
            (nil, "%PDF-1.7", "application/pdf"),
            (nil, "hello", nil),
        ] as [(String?, String, String?)]
    )
    func `every other type is rejected, with the format of the content`(
        type: String?,
        content: String,
        looksLike: String?
    ) {
        let error = SerializationError.unacceptableMediaType(
            got: type,
            acceptable: MediaTypeSet.auto.descriptions,
            looksLike: looksLike,
            url: nil
        )
        #expect(serialize(type: type, content).chain == [error])
        #expect(serialize(status: 502, type: type, content).chain == [.status(502), error])
    }

    @Test(
        arguments: [
            ("text/html", "text/html", #"{"a":1}"#, true),
            ("*", "text/html", #"{"a":1}"#, true),
            ("*", "text/html", "<p>", false),
            ("*", nil, #"{"a":1}"#, true),
            ("none", "application/json", #"{"a":1}"#, false),
            ("+json", "application/json", #"{"a":1}"#, false),
            ("+json", "a/b+json", #"{"a":1}"#, true),
            ("application/json", "text/plain", #"{"a":1}"#, false),
            ("application/json", nil, #"{"a":1}"#, true),
            ("image/*", nil, #"{"a":1}"#, false),
        ] as [(String, String?, String, Bool)]
    )
    func `accept-types overrides the types of the serializers`(
        list: String,
        type: String?,
        content: String,
        isAccepted: Bool
    ) throws {
        let listed = try MediaTypeSet(parsing: list)
        let result = serialize(type: type, content) { $0.acceptableMediaTypes = listed }
        #expect(result.chain.isEmpty == isAccepted)
    }

    @Test func `the caller's type overrides the field`() {
        let result = serialize(type: "application/x-www-form-urlencoded", "{}") { options in
            options.declaredType = "application/json"
            options.view = .value
        }
        #expect(result.json == "{}")
        #expect(result.upstream.representation.mediaType == "application/json")
    }

    @Test(
        arguments: [
            (["application/json", "Application/JSON"], "application/json", []),
            (["application/json", "text/html"], nil, [.malformedContentType("application/json, text/html")]),
            (["application/json;charset"], "application/json", [.malformedParameters("application/json;charset")]),
            (["json"], nil, [.malformedContentType("json")]),
            ([""], nil, []),
        ] as [([String], String?, [Warning.Kind])]
    )
    func `an ambiguous label counts as missing`(fields: [String], mediaType: String?, warnings: [Warning.Kind]) {
        let response = UpstreamResponse(fields: HeaderFields(fields.map { .init(name: "content-type", value: $0) }))
        let result = serialize(response, content: Array("{}".utf8))
        #expect(result.upstream.representation.mediaType == mediaType)
        #expect(result.warnings == warnings.map { Warning($0) })
        #expect(result.chain == [])
    }
}
