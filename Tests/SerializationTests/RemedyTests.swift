import Serialization
import SerializationSupport
import Testing

/// Remedies for a rejected response: only those that were tried successfully.
@Suite struct RemedyTests {
    private func remedy(
        _ type: String?,
        _ content: String,
        status: Int = 200,
        limits: Limits = Limits(),
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Remedy? {
        remedy(type, Array(content.utf8), status: status, limits: limits, configure)
    }

    private func remedy(
        _ type: String?,
        _ content: [UInt8],
        status: Int = 200,
        limits: Limits = Limits(),
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Remedy? {
        var options = SerializationOptions()
        configure(&options)
        var response = UpstreamResponse(status: status)
        if let type { response.fields.append(name: "Content-Type", value: type) }
        let serializer = ResponseSerializer(options: options, limits: limits)
        do {
            _ = try serializer.serialize(response, content: content.span)
            return nil
        } catch {
            return serializer.remedy(for: error, response, content: content.span)
        }
    }

    private static let json = "application/json"

    @Test(
        arguments: [
            ("[1,]", .lenient(.trailingCommas)), ("{\"a\":1/*c*/}", .lenient(.comments)), ("[NaN]", .lenient(.nan)),
            ("{a:1}", .lenient(.unquotedKeys)), ("{'a':1}", .lenient(.singleQuotes)),
            ("[\"a\nb\"]", .lenient(.rawControlCharacters)), (#"["\d"]"#, .lenient(.badEscapes)),
            ("[01,.5]", .lenient(.numberForms)),
            ("{a:'b',}", .lenient([.trailingCommas, .singleQuotes, .unquotedKeys])), ("{}{}", .manyRecords),
            ("1\n2", .manyRecords), ("<a/>", .type("application/xml")), ("[1,}", nil), ("{\"a\"", nil), ("[1,", nil),
        ] as [(String, Remedy?)]
    )
    func `one option for malformed JSON`(content: String, expected: Remedy?) {
        #expect(remedy(Self.json, content) == expected)
    }

    @Test(
        arguments: [
            ("a,b\n\"x,1\ny,2\n", .noQuotes), ("a,b\n\"x\" y,1\n", .noQuotes),
            ("a,b\n\"x \\\"y\\\"\",1\n", .backslashEscapes), ("a,b\n\"x,y\",1\n\"z,2\n", nil),
            ("\"a\",\"b\"\n\"x\",\"1\n", nil), ("a,b\n1,2\n3\n", .lenient(.ragged)),
        ] as [(String, Remedy?)]
    )
    func `one option for quotes of CSV`(content: String, expected: Remedy?) {
        #expect(remedy("text/csv", content) == expected)
        let ofRagged = remedy("text/csv", content) { $0.leniencies = .ragged }
        #expect(ofRagged == (expected == .lenient(.ragged) ? nil : expected))
    }

    @Test func `csv-quote=none is not proposed if the first name has a quote`() {
        let content = "\"a,b\n1,2\n"
        let utf16: [UInt8] = content.utf8.flatMap { [0, $0] }
        let inputs: [[UInt8]] = [
            Array(content.utf8), Array("\r\n\n\(content)".utf8), [0xEF, 0xBB, 0xBF] + content.utf8,
            [0xFE, 0xFF] + utf16, [0xFF, 0xFE] + utf16.dropFirst() + [0],
        ]
        for input in inputs { #expect(remedy("text/csv", input) == nil) }
    }

    @Test(
        arguments: [
            ("<a>&nbsp;&eacute;</a>", .lenient(.htmlEntities)), ("<a b='&copy;'/>", .lenient(.htmlEntities)),
            ("<a>b & c</a>", .lenient(.bareAmpersands)), ("<a b='?c=1&d=2'/>", .lenient(.bareAmpersands)),
            ("<a>&", nil), ("<a>&</a>", .lenient(.bareAmpersands)), ("<a>&nbsp;&</b>", nil),
            ("\n<?xml version='1.0'?><a/>", .lenient(.leadingSpace)),
            ("<a>\u{1}\u{FFFF}&#x1F;</a>", .lenient(.controlCharacters)),
            ("\n<?xml version='1.0'?><a>&\u{0}&nbsp;</a>", .lenient(.xmlText)),
            ("<a>&unknown;</a>", nil), ("<a>&unknown;&nbsp;</a>", nil), ("<a>&#xD800;</a>", nil),
        ] as [(String, Remedy?)]
    )
    func `one option for malformed XML`(content: String, expected: Remedy?) {
        #expect(remedy("application/xml", content) == expected)
        let list = content.replacing("<a", with: "<plist><string").replacing("</a>", with: "</string></plist>")
        if content.hasSuffix("</a>") { #expect(remedy("application/x-plist", list) == expected) }
    }

    /// More repairs than warnings are listed.
    @Test func `each leniency that the content needs is proposed, however late it needs it`() {
        let many = String(repeating: "&nbsp;", count: 500) + "&" + String(repeating: ",]", count: 200)
        #expect(remedy("text/xml", "<a>\(many)</a>") == .lenient([.htmlEntities, .bareAmpersands]))
        let list = "[" + String(repeating: "01,", count: 500) + "\"\\d\",]"
        #expect(remedy(Self.json, list) == .lenient([.numberForms, .badEscapes, .trailingCommas]))
        var limits = Limits()
        limits.maxWarnings = 1
        #expect(remedy("text/xml", "<a>&nbsp;&</a>", limits: limits) == .lenient([.htmlEntities, .bareAmpersands]))
    }

    @Test(
        arguments: [
            ("application/json;charset=utf-8", [0x22, 0xE9, 0x22]),
            ("application/json;charset=nonsense", [0x22, 0xE9, 0x22]),
            ("text/xml;charset=utf-8", Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)),
            (
                "text/xml;charset=utf-8",
                Array("<?xml version='1.0' encoding='latin1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
            ),
            ("text/xml;charset=nonsense", Array("<a>é</a>".utf8)),
            ("text/xml", Array("<?xml version='1.0' encoding='utf-16'?><a>é</a>".utf8)),
            ("text/xml", Array("<?xml version='1.0' encoding='nonsense'?><a>é</a>".utf8)),
            (
                "application/x-plist;charset=utf-8",
                Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)
            ),
        ] as [(String, [UInt8])]
    )
    func `a charset that fails`(type: String, content: [UInt8]) {
        #expect(remedy(type, content) == .lenient(.declaredCharset))
    }

    @Test(
        arguments: [
            (json, "cb([1])", .functionCall), (json, "/**/ a.b[\"c\"]([1]);\n", .functionCall),
            (json, "\u{FEFF}cb([1])", .functionCall), ("text/html", "cb([1])", .functionCall),
            ("image/png", "cb([1])", nil), (json, "cb([1]", nil), (json, "cb({a:1})", nil), (json, "(1)", nil),
            (json, "cb(1) + cb(2)", nil), ("text/html", "alert(\"a\", 1)", .rawContent),
        ] as [(String, String, Remedy?)]
    )
    func `JSONP gets the type with which its call is removed`(type: String, content: String, expected: Remedy?) {
        #expect(remedy(type, content) == expected)
    }

    @Test func `JSONP gets no type that the request does not accept`() throws {
        let types = try MediaTypeSet(parsing: "application/json")
        #expect(remedy(Self.json, "cb([1])") { $0.acceptableMediaTypes = types } == nil)
        #expect(remedy(Self.json, "cb([1])") { $0.prefixes = .reject } == nil)
        #expect(remedy(Self.json, "cb([1])") { $0.rules = .afnetworking } == nil)
    }

    @Test func `a form with escapes of another charset gets its type with a charset`() {
        let labelled = Remedy.charset("application/x-www-form-urlencoded;charset=windows-1252")
        #expect(remedy("application/x-www-form-urlencoded", "a=%E9") == labelled)
        #expect(remedy("application/x-www-form-urlencoded;charset=utf-8", "a=%E9") == nil)
    }

    @Test func `one option for excluded values`() {
        #expect(remedy(Self.json, "null") { $0.fragments = false } == .fragments)
        #expect(remedy(Self.json, #"{"a":1,"a":2}"#) { $0.duplicates = .reject } == .lastDuplicate)
        #expect(remedy(Self.json, #"["\ud800"]"#) == .replacedSurrogates)
        #expect(remedy(Self.json, ")]}'\n[1]") { $0.prefixes = .reject } == .strippedPrefix)
        #expect(remedy(Self.json, "[1,]") { $0.leniencies = .nan } == .lenient([.trailingCommas, .nan]))
    }

    @Test func `each trial has permission and its memory`() {
        let content = Array(("[1" + String(repeating: ",1", count: 50_000) + ",]").utf8)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: Self.json)
        let serializer = ResponseSerializer()
        do {
            _ = try serializer.serialize(response, content: content.span)
            Issue.record("accepted")
        } catch {
            #expect(serializer.remedy(for: error, response, content: content.span) { _, _ in nil } == nil)
            var trials = 0
            func search(_ memory: MemoryGrantTests.Grants) -> Remedy? {
                trials = 0
                return serializer.remedy(for: error, response, content: content.span) { other, content in
                    trials += 1
                    return RemedyTrial(memory: memory)
                }
            }
            let memory = MemoryGrantTests.Grants(bytes: .max)
            #expect(search(memory) == .lenient(.trailingCommas))
            // Each trial takes the memory of its repaired copy.
            #expect(trials == 2 && memory.requests >= 2)
            #expect(search(MemoryGrantTests.Grants(bytes: 0)) == nil)
        }
    }

    @Test func `another charset, and a higher limit`() {
        #expect(remedy(Self.json, [0x5B, 0x22, 0xE9, 0x22, 0x5D]) == .charset("application/json;charset=windows-1252"))
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        #expect(remedy(Self.json, deep) == .nestingDepth(max: 1024))
        var lowered = Limits()
        lowered.maxNestingDepth = 2
        #expect(remedy(Self.json, "[[[]]]", limits: lowered) == .defaultNestingDepth(512))
        let tooDeep = String(repeating: "[", count: 1100) + String(repeating: "]", count: 1100)
        #expect(remedy(Self.json, tooDeep) == nil)
    }

    @Test(
        arguments: [
            ("text/html", "{\"a\":1}", .type("application/json")), ("text/html", "<p>oops", .rawContent),
            ("application/pdf", "x", .rawContent), (nil, "{a:1}", .lenient(.unquotedKeys)), (nil, "hello", .rawContent),
            ("text/plain", "hello", .rawContent),
        ] as [(String?, String, Remedy)]
    )
    func `another type`(type: String?, content: String, expected: Remedy) {
        #expect(remedy(type, content) == expected)
    }

    @Test func `the list of types and statuses of the request is extended`() throws {
        let types = try MediaTypeSet(parsing: "image/*")
        #expect(
            remedy(Self.json, "[]") { $0.acceptableMediaTypes = types } == .acceptableTypes(["image/*", Self.json])
        )
        #expect(remedy(Self.json, "[]", status: 404) == .acceptableStatuses(["200-299", "404"]))
        #expect(remedy(Self.json, "[", status: 404) == nil)
        #expect(remedy("text/html", "<p>", status: 404) == nil)
    }

    @Test func `an unsupported coding may have been decoded`() {
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Encoding", value: "compress")
        let content = Array("[]".utf8)
        let serializer = ResponseSerializer()
        do {
            _ = try serializer.serialize(response, content: content.span)
            Issue.record("accepted")
        } catch {
            #expect(serializer.remedy(for: error, response, content: content.span) == .noContentCoding)
        }
    }

    @Test func `an error of duplicates has both locations`() {
        let error = refusal(of: #"{"x":{"a":"\"a\":"},"b":[{"a":1,"c":{"a":0},"\u0061":2}]}"#) {
            $0.duplicates = .reject
        }
        #expect(error?.location.byte == 44)
        #expect(error?.first?.byte == 26)
        #expect(error?.first?.pointer == error?.location.pointer)
    }

    @Test func `an error of attributes has both locations`() {
        let result = serialize(type: "application/xml", #"<a><b y="x='1'" x = '1' z="" x="2"/></a>"#)
        guard let error = result.chain.first?.contentError as? XMLError else {
            Issue.record("accepted")
            return
        }
        #expect(error.reason == .duplicateAttribute)
        var first = SourceLocation(byte: 16, line: 1, column: 17)
        first.path = error.location.path
        #expect(error.first == first)
    }

    @Test func `an error of tags has both names`() {
        let result = serialize(type: "application/xml", "<r:a><b x='1'></c ></r:a>")
        guard let error = result.chain.first?.contentError as? XMLError else {
            Issue.record("accepted")
            return
        }
        #expect(error.found == "</c>")
        #expect(error.expected == ["</b>"])
    }
}
