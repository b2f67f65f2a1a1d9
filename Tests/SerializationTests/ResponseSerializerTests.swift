import Serialization
import Testing

@Suite struct ResponseSerializerTests {
    @Test func `an answer has the members of the contract, in its order`() {
        let response = UpstreamResponse(
            statusAssumed: true,
            url: "https://example.org/\"a\"",
            fields: HeaderFields([.init(name: "content-type", value: "application/json; charset=iso-8859-1")])
        )
        let result = serialize(response, content: Array(#"{"a": null, "n": 1.10}"#.utf8))
        #expect(
            result.json == """
                {"outcome":"value","serializer":"json","value":{"n":1.10},"nullsDropped":1,\
                "upstream":{"status":200,"statusAssumed":true,"url":"https://example.org/\\"a\\"",\
                "mediaType":"application/json","charset":"utf-8","bytes":22},\
                "warnings":[{"code":"response.charset_mismatch",\
                "message":"the charset parameter says 'iso-8859-1', the content is in utf-8"}]}
                """
        )
    }

    @Test(arguments: ["application/json", "application/json; charset=utf-8", "Application/JSON"])
    func `the facts of a usual response are written as those of any other`(type: String) {
        var response = UpstreamResponse(
            statusAssumed: true,
            fields: HeaderFields([.init(name: "Content-Type", value: type)])
        )
        let usual = serialize(response, content: Array("[1]".utf8))
        response.url = "u"
        let other = serialize(response, content: Array("[1]".utf8))
        #expect(
            usual.json
                == #"{"outcome":"value","serializer":"json","value":[1],"upstream":{"status":200,"statusAssumed":true,"#
                + #""mediaType":"application/json","charset":"utf-8","bytes":3}}"#
        )
        #expect(
            other.json
                == #"{"outcome":"value","serializer":"json","value":[1],"upstream":{"status":200,"statusAssumed":true,"#
                + #""url":"u","mediaType":"application/json","charset":"utf-8","bytes":3}}"#
        )
    }

    @Test(
        arguments: [
            (.auto, "application/json", "json"),
            (.auto, nil, "json"),
            (.auto, "image/png", "image"),
            (.one(.http), "application/json", "http"),
            (.one(.json), nil, "json"),
        ] as [(SerializerChoice, String?, String)]
    )
    func `an empty answer names the serializer that would have decoded it`(
        choice: SerializerChoice,
        type: String?,
        name: String
    ) {
        let mediaType = type.map { #""mediaType":"\#($0)","# } ?? ""
        #expect(
            serialize(type: type, "") { $0.serializer = choice }.json == """
                {"outcome":"empty","serializer":"\(name)","value":null,"upstream":{"status":200,\(mediaType)"bytes":0}}
                """
        )
    }

    @Test(
        arguments: [
            ([0x20, 0x00], []), ([0x00, 0x0A, 0x00, 0x20], []), ([0x09, 0, 0, 0], []), ([0x20, 0x0A], []),
            ([0xEF, 0xBB, 0xBF], ["utf-8"]), ([0xFF, 0xFE], ["utf-16le"]), ([0xFE, 0xFF, 0x00, 0x20], ["utf-16be"]),
        ] as [([UInt8], [String])]
    )
    func `white space is nothing in any form of Unicode, and a mark before it is told`(
        content: [UInt8],
        marks: [String]
    ) {
        let response = UpstreamResponse(
            fields: HeaderFields([.init(name: "content-type", value: "application/json")])
        )
        let result = serialize(response, content: content)
        #expect(result.json?.hasPrefix(#"{"outcome":"empty","serializer":"json","value":null"#) == true)
        #expect(result.warnings.map(\.kind) == marks.map { .byteOrderMark(encoding: $0) })
    }

    @Test(arguments: [[0x00], [0x20, 0x00, 0x00], [0xFF, 0xFE, 0x20], [0x20, 0x00, 0x7B, 0x00]] as [[UInt8]])
    func `half a character, or more than white space, is no nothing`(content: [UInt8]) {
        let response = UpstreamResponse(
            fields: HeaderFields([.init(name: "content-type", value: "application/json")])
        )
        #expect(serialize(response, content: content).json == nil)
    }

    @Test func `no data at all has no length`() {
        let result = serialize(type: nil, nil) { $0.serializer = .one(.json) }
        #expect(result.json == #"{"outcome":"empty","serializer":"json","value":null,"upstream":{"status":200}}"#)
    }

    @Test(arguments: [
        ("", nil, #"{"base64":"","text":""}"#),
        ("f", nil, #"{"base64":"Zg==","text":"f"}"#),
        ("fo", "utf-8", #"{"base64":"Zm8=","text":"fo"}"#),
        ("foo", "US-ASCII", #"{"base64":"Zm9v","text":"foo"}"#),
        ("ж\n", "utf-8", #"{"base64":"0LYK","text":"ж\n"}"#),
        ("foo", "klingon", #"{"base64":"Zm9v"}"#),
    ])
    func `http gives the raw content, and its text in a charset that it can read`(
        content: String,
        charset: String?,
        value: String
    ) {
        let type = "text/csv" + (charset.map { "; charset=\($0)" } ?? "")
        let result = serialize(type: type, content) { options in
            options.serializer = .one(.http)
            options.rules = .afnetworking
            options.view = .value
        }
        #expect(result.json == value)
        #expect(result.upstream.charset == (value.contains("text") ? "utf-8" : nil))
    }

    @Test func `http gives no text where the content is not UTF-8`() {
        var options = SerializationOptions()
        options.serializer = .one(.http)
        options.view = .value
        #expect(
            serialize(UpstreamResponse(), content: [0, 1, 2, 0xFF], options: options).json == #"{"base64":"AAEC/w=="}"#
        )
    }

    @Test(
        arguments: [
            (.decant, nil, "application/json", #"{"b":[null]}"#),
            (.decant, nil, "application/geo+json", #"{"a":null,"b":[null]}"#),
            (.decant, nil, "application/merge-patch+json", #"{"a":null,"b":[null]}"#),
            (.decant, nil, "application/vnd.api+json", #"{"a":null,"b":[null]}"#),
            (.decant, .drop, "application/geo+json", #"{"b":[null]}"#),
            (.decant, .dropAll, "application/json", #"{"b":[]}"#),
            (.decant, .keep, "application/json", #"{"a":null,"b":[null]}"#),
            (.afnetworking, nil, "application/json", #"{"a":null,"b":[null]}"#),
            (.afnetworking, .keep, "application/json", #"{"a":null,"b":[null]}"#),
            (.afnetworking, .drop, "application/json", #"{"b":[]}"#),
            (.afnetworking, .dropAll, "application/json", #"{"b":[]}"#),
        ] as [(RuleSet, NullPolicy?, String, String)]
    )
    func `nulls go unless the type gives them a meaning`(
        rules: RuleSet,
        nulls: NullPolicy?,
        type: String,
        value: String
    ) {
        let result = serialize(type: type, #"{"a":null,"b":[null]}"#) { options in
            options.rules = rules
            options.serializer = .one(.json)
            options.nulls = nulls
            options.view = .value
        }
        #expect(result.json == value)
    }

    @Test(arguments: [
        ("gzip", "gzip"), ("identity, GZIP", "gzip"), ("br,identity", "br"), ("identity", nil), ("", nil), (" , ", nil),
    ])
    func `a content coding is refused before anything is read`(field: String, refused: String?) {
        let fields = HeaderFields([
            .init(name: "Content-Type", value: "application/json"), .init(name: "content-encoding", value: field),
        ])
        let ok = serialize(UpstreamResponse(fields: fields), content: Array("{}".utf8))
        #expect(ok.chain == (refused.map { [.unsupportedContentCoding($0)] } ?? []))
        let bad = serialize(UpstreamResponse(status: 500, fields: fields), content: Array("{}".utf8))
        #expect(bad.chain == (refused.map { [.unsupportedContentCoding($0), .status(500)] } ?? [.status(500)]))
        #expect(serialize(UpstreamResponse(fields: fields), content: []).chain == [], "nothing is coded")
    }

    @Test func `content over its limit is refused, at its limit accepted`() {
        var limits = Limits()
        limits.maxContentBytes = 4
        #expect(serialize(type: nil, "[10]", limits: limits).chain == [])
        #expect(serialize(type: nil, "[100]", limits: limits).chain == [.contentTooLong(max: 4)])
    }

    @Test(arguments: [AnswerView.full, .value])
    func `a value over its limit is refused, at its limit accepted, whatever stands around it`(view: AnswerView) {
        var limits = Limits()
        limits.maxOutputBytes = 4
        #expect(serialize(type: nil, "[10]  ", limits: limits) { $0.view = view }.chain == [])
        #expect(serialize(type: nil, "[100]", limits: limits) { $0.view = view }.chain == [.outputTooLong(max: 4)])
        let refused = serialize(status: 404, type: nil, "[100]", limits: limits) { $0.view = view }
        #expect(refused.chain == [.outputTooLong(max: 4), .status(404)])

        limits.maxOutputBytes = 30
        let http = { (options: inout SerializationOptions) in
            options.serializer = .one(.http)
            options.view = view
        }
        #expect(serialize(type: nil, "abc", limits: limits, http).chain == [])
        #expect(serialize(type: nil, "abcd", limits: limits, http).chain == [.outputTooLong(max: 30)])
    }

    @Test func `content that its type lies about is reported`() {
        let failed = serialize(type: "application/json", "<!DOCTYPE html><p>")
        let mismatch = Warning(.contentMismatch(declared: "application/json", looksLike: "text/html"))
        #expect(failed.warnings == [mismatch])

        let raw = serialize(type: "image/png", "GIF89a") { $0.serializer = .one(.http) }
        #expect(raw.warnings == [Warning(.contentMismatch(declared: "image/png", looksLike: "image/gif"))])
        #expect(serialize(type: "image/x-icon", "GIF89a") { $0.serializer = .one(.http) }.warnings == [])
    }

    @Test func `the same response gives the same bytes`() {
        let once = serialize(type: nil, #"{"b":1,"a":{"c":null,"c":2}}"#)
        #expect(once == serialize(type: nil, #"{"b":1,"a":{"c":null,"c":2}}"#))
    }
}
