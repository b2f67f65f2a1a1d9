import Images
import Serialization
import SerializationSupport
import Testing

@Suite struct ResponseSerializerTests {
    @Test func `an answer has the members of the contract, in order`() {
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
    func `white space is empty in any Unicode encoding, and a mark before it is reported`(
        content: [UInt8],
        marks: [String]
    ) {
        let response = UpstreamResponse(fields: HeaderFields([.init(name: "content-type", value: "application/json")]))
        let result = serialize(response, content: content)
        #expect(result.json?.hasPrefix(#"{"outcome":"empty","serializer":"json","value":null"#) == true)
        #expect(result.warnings.map(\.kind) == marks.map { .byteOrderMark(encoding: $0) })
    }

    @Test(arguments: [[0x00], [0x20, 0x00, 0x00], [0xFF, 0xFE, 0x20], [0x20, 0x00, 0x7B, 0x00]] as [[UInt8]])
    func `half a character, or more than white space, is not empty`(content: [UInt8]) {
        let response = UpstreamResponse(fields: HeaderFields([.init(name: "content-type", value: "application/json")]))
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
    func `http returns the raw content, and its text in a supported charset`(
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
        #expect(result.upstream.representation.charset == (value.contains("text") ? "utf-8" : nil))
    }

    @Test func `http returns no text if the content is not UTF-8`() {
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
    func `nulls are removed unless they have a meaning in the type`(
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
        ("compress", "compress"), ("identity, COMPRESS", "compress"), ("gzip,foo", "foo"), ("identity", nil), ("", nil),
        (" , ", nil),
    ])
    func `an unknown content coding is rejected before anything is read`(field: String, refused: String?) {
        let fields = HeaderFields([
            .init(name: "Content-Type", value: "application/json"), .init(name: "content-encoding", value: field),
        ])
        let ok = serialize(UpstreamResponse(fields: fields), content: Array("{}".utf8))
        #expect(ok.chain == (refused.map { [.unsupportedContentCoding($0)] } ?? []))
        let bad = serialize(UpstreamResponse(status: 500, fields: fields), content: Array("{}".utf8))
        #expect(bad.chain == (refused.map { [.unsupportedContentCoding($0), .status(500)] } ?? [.status(500)]))
        #expect(serialize(UpstreamResponse(fields: fields), content: []).chain == [], "nothing is coded")
    }

    @Test func `content over its limit is rejected, at its limit accepted`() {
        var limits = Limits()
        limits.maxContentBytes = 4
        #expect(serialize(type: nil, "[10]", limits: limits).chain == [])
        #expect(serialize(type: nil, "[100]", limits: limits).chain == [.contentTooLong(max: 4)])
    }

    @Test(arguments: [AnswerView.full, .value])
    func `a value over its limit is rejected, at its limit accepted, in any view`(view: AnswerView) {
        var limits = Limits()
        limits.maxOutputBytes = 4
        #expect(serialize(type: nil, "[10]  ", limits: limits) { $0.view = view }.chain == [])
        #expect(serialize(type: nil, "[100]", limits: limits) { $0.view = view }.chain == [.outputTooLong(max: 4)])
        let refused = serialize(status: 404, type: nil, "[100]", limits: limits) { $0.view = view }
        #expect(refused.chain == [.outputTooLong(max: 4), .status(404)])

        limits.maxOutputBytes = 20
        let http = { (options: inout SerializationOptions) in
            options.serializer = .one(.http)
            options.view = view
        }
        #expect(serialize(type: nil, "012345678", limits: limits, http).chain == [])
        #expect(serialize(type: nil, "0123456789", limits: limits, http).chain == [.outputTooLong(max: 20)])
        #expect(serialize(type: nil, "\u{01}234", limits: limits, http).chain == [])
        #expect(serialize(type: nil, "\u{01}2345", limits: limits, http).chain == [.outputTooLong(max: 20)])
    }

    @Test func `raw content that does not match its type is reported`() {
        let raw = serialize(type: "image/png", "GIF89a") { $0.serializer = .one(.http) }
        #expect(raw.warnings == [Warning(.contentMismatch(declared: "image/png", looksLike: "image/gif"))])
        #expect(serialize(type: "image/x-icon", "GIF89a") { $0.serializer = .one(.http) }.warnings == [])
    }

    @Test(arguments: [
        ("application/json", "<!DOCTYPE html><p>", "text/html"),
        ("application/problem+json; charset=utf-8", "<?xml version='1.0'?><a/>", "application/xml"),
        ("application/x-ndjson", "%PDF-1.7", "application/pdf"),
        ("application/json", "\u{1F}\u{FFFD}", nil),
        ("application/json", "{\"a\":", nil),
        ("application/json", "[1,]", nil),
        ("application/json", "oops", nil),
        ("application/xml", "{\"a\":1}", "application/json"),
        ("application/atom+xml", "[1]", "application/json"),
        ("text/xml", "<html><body><br></html>", "text/html"),
        ("application/xhtml+xml", "<html><body><br></html>", nil),
        ("text/xml", "<a><b></a>", nil),
        ("text/xml", "<a><b></b>", nil),
        ("application/rss+xml", "<p>x", nil),
        ("text/xml", "<div><b></b>", "text/html"),
        ("image/svg+xml", "<html></html>", "text/html"),
        ("application/x-plist", "{\"a\":1}", "application/json"),
        ("application/x-plist", "<?xml version='1.0'?><a/>", "application/xml"),
        ("application/x-plist", "<plist><dict></plist>", nil),
        ("image/png", "<!DOCTYPE html>", "text/html"),
        ("image/jpeg", "{\"error\":1}", "application/json"),
        ("image/png", "oops", nil),
        ("text/plain", "<html", nil),
    ])
    func `a declared type that the content contradicts is named with that of the content`(
        type: String,
        content: String,
        looksLike: String?
    ) {
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: type)
        let failed = serialize(response, content: Array(content.utf8), reader: ImageContentReader())
        let declared = String(type.prefix { $0 != ";" })
        #expect(failed.mismatch == looksLike.map { TypeMismatch(declared: declared, looksLike: $0) })
        // The errors are those of the decoder, and the mismatch is not reported twice.
        #expect(failed.chain.count == 1)
        #expect(failed.warnings == [])
    }

    @Test func `compressed content without its field is named, and the field is proposed`() {
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x8B, 0x8E, 5, 0, 0x29, 0xBB, 0x4C, 0x0D, 2, 0, 0, 0]
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: "application/json")
        let failed = serialize(response, content: gzip)
        #expect(failed.mismatch == TypeMismatch(declared: "application/json", looksLike: "application/gzip"))
        let serializer = ResponseSerializer()
        do throws(SerializationFailure) {
            _ = try serializer.serialize(response, content: gzip.span)
        } catch {
            #expect(serializer.remedy(for: error, response, content: gzip.span) == .contentCoding("gzip"))
        }
    }

    @Test func `the errors below a mismatch are those of the validation`() {
        let failed = serialize(status: 502, type: "application/json", "<html><h1>Bad gateway")
        #expect(failed.mismatch == TypeMismatch(declared: "application/json", looksLike: "text/html"))
        #expect(failed.chain.count == 2 && failed.chain.last == .status(502))
    }

    @Test func `a compound names the mismatch of the component that came furthest`() {
        let failed = serialize(type: "application/json", "<a/>") { $0.serializer = .compound([.xml, .json]) }
        #expect(failed.mismatch == TypeMismatch(declared: "application/json", looksLike: "application/xml"))
        #expect(failed.attempts.map(\.serializer) == [.xml, .json])
    }

    @Test func `the same response always results in the same bytes`() {
        let once = serialize(type: nil, #"{"b":1,"a":{"c":null,"c":2}}"#)
        #expect(once == serialize(type: nil, #"{"b":1,"a":{"c":null,"c":2}}"#))
    }
}

/// Comparisons and decoding that the `afnetworking` profile performs exactly like AFNetworking.
@Suite struct AFNetworkingExactnessTests {
    private func afnetworking(_ options: inout SerializationOptions) {
        options.rules = .afnetworking
        options.serializer = .one(.json)
        options.nulls = .keep
    }

    @Test func `a range in the list of acceptable types is compared as a name`() throws {
        let types = try MediaTypeSet(parsing: "*/*")
        let exact = serialize(type: "application/json", "[1]") {
            afnetworking(&$0)
            $0.acceptableMediaTypes = types
        }
        let refusal = SerializationError.unacceptableMediaType(
            got: "application/json",
            acceptable: ["*/*"],
            looksLike: "application/json",
            url: nil
        )
        #expect(exact.chain == [refusal])
        let missing = serialize(type: nil, "[1]") {
            afnetworking(&$0)
            $0.acceptableMediaTypes = types
        }
        #expect(missing.json == nil)
        #expect(serialize(type: "application/json", "[1]") { $0.acceptableMediaTypes = types }.json != nil)
        #expect(serialize(type: nil, "[1]") { $0.acceptableMediaTypes = types }.json != nil)
        #expect(serialize(type: "a/b", "[1]") { $0.acceptableMediaTypes = types }.json != nil)
        let any = serialize(type: "a/b", "[1]") {
            afnetworking(&$0)
            $0.acceptableMediaTypes = .any
        }
        #expect(any.json != nil)
    }

    @Test(arguments: ["[1e400]", "[-1E+400]", "[1\(String(repeating: "0", count: 400))]", #"{"a":[1,{"b":1e309}]}"#])
    func `a number beyond the range of a double is rejected`(content: String) {
        let result = serialize(type: "application/json", content, afnetworking)
        guard let error = result.chain.first?.contentError as? JSONError else {
            Issue.record("accepted: \(result)")
            return
        }
        #expect(error.reason == .numberNotRepresentable)
        #expect(serialize(type: "application/json", content).json != nil)
    }

    @Test(arguments: [
        "[1e308]", "[1e-400]", "[0e999]", "[\"1e400\"]", "[0.\(String(repeating: "0", count: 400))1e400]",
    ])
    func `every other number is accepted`(content: String) {
        #expect(serialize(type: "application/json", content, afnetworking).json != nil)
    }
}

/// Content without a specific type, and less common types.
@Suite struct DetectionTests {
    @Test(
        arguments: [
            (nil, "<a><b>1</b></a>", #"{"a":{"b":"1"}}"#), ("text/plain", "<p>1</p>", #"{"p":"1"}"#),
            ("text/x-opml", "<opml><body/></opml>", #"{"opml":{"body":""}}"#),
            (nil, "/* c */ \"k\" = \"v\";", #"{"k":"v"}"#), ("text/plain", "k = v;", #"{"k":"v"}"#),
        ] as [(String?, String, String)]
    )
    func `is decoded according to its content`(type: String?, content: String, value: String) {
        #expect(serialize(type: type, content) { $0.view = .value }.json == value)
    }

    @Test func `JSON with a requested leniency needs no label`() {
        let result = serialize(type: nil, "{a:1}") {
            $0.view = .value
            $0.leniencies = .unquotedKeys
        }
        #expect(result.json == #"{"a":1}"#)
        #expect(serialize(type: nil, "{a:1}").json == nil)
    }
}

/// Media types whose nulls carry meaning.
@Suite struct MeaningfulNullTests {
    @Test(arguments: [
        "application/json-patch+json", "application/graphql-response+json", "application/ld+json",
        "application/json-rpc",
        "application/jsonrequest", "application/geo+json", "application/merge-patch+json", "application/vnd.api+json",
    ])
    func `nulls are kept unless the caller drops them`(type: String) {
        let content = #"{"op":"test","path":"/a","value":null}"#
        let result = serialize(type: type, content) { $0.view = .value }
        #expect(result.json == content)
        let dropped = serialize(type: type, content) {
            $0.view = .value
            $0.nulls = .drop
        }
        #expect(dropped.json == #"{"op":"test","path":"/a"}"#)
    }
}

/// The library enforces every limit itself.
@Suite struct LimitEnforcementTests {
    @Test func `no limit exceeds its hard maximum`() {
        var limits = Limits()
        limits.maxContentBytes = .max
        limits.maxDecodedBytes = .max
        limits.maxContentCodings = .max
        limits.maxOutputBytes = .max
        limits.maxNestingDepth = .max
        limits.maxNumberBytes = .max
        limits.maxKeyBytes = .max
        limits.maxXMLEntityExpansionBytes = .max
        limits.maxXMLAttributes = .max
        limits.maxObjectMembers = .max
        limits.maxImagePixels = .max
        limits.maxImageSide = .max
        limits.maxImageFrames = .max
        limits.maxJPEGScans = .max
        limits.maxThumbnails = .max
        limits.maxThumbnailSide = .max
        limits.maxWarnings = .max
        limits.maxPointerBytes = .max
        #expect(ResponseSerializer(limits: limits).limits == Limits.hardMaxima)
        #expect(ResponseSerializer(limits: Limits()).limits == Limits())
        #expect(ResponseSerializer(limits: Limits.hardMaxima).limits == Limits.hardMaxima)
    }
}
