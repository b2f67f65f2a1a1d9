import Serialization
import SerializationSupport
import TestSupport
import Testing

struct TextPropertyListTests {
    private static let accepted: [(String, String)] = [
        ("hello", #""hello""#), ("\"a b\"", #""a b""#), ("'it \"is\"'", #""it \"is\"""#), ("1", #""1""#),
        ("/usr/local", #""/usr/local""#), ("()", "[]"), ("(a, b ,)", #"["a","b"]"#), ("{}", "{}"),
        ("{ a = 1; b = (x); }", #"{"a":"1","b":["x"]}"#), ("{a = b}", #"{"a":"b"}"#), ("{a;}", #"{"a":"a"}"#),
        ("<0fbd 77>", #""D713""#), ("<>", #""""#), ("<[aGk=]>", #""aGk=""#),
        ("<*I42>", "42"), ("<*I-007>", "-7"),
        ("<*I340282366920938463463374607431768211456>", "340282366920938463463374607431768211456"),
        ("<*R1.50>", "1.5"), ("<*Rnan>", #""NaN""#), ("<*BY>", "true"), ("<*BN>", "false"),
        ("<*D2002-03-22 11:30:00 +0100>", #""2002-03-22T10:30:00Z""#),
        ("// c\n(a, /* b */ c) // d", #"["a","c"]"#),
        (#""\a\b\f\n\r\t\v\"\'\\\q""#, #""\u0007\b\f\n\r\t\u000b\"'\\q""#),
        (#""\U00e9\u20AC\UD83D\UDE00\Ue9""#, #""é€😀é""#), (#""\351\1\341""#, "\"Ø\\u0001Æ\""),
        (#""\201""#, #""À""#), ("\"a\\\nb\"", #""a\nb""#), ("\"é😀\"", #""é😀""#),
        ("a = 1;\n\"b c\" = \"2\";\nd;", #"{"a":"1","b c":"2","d":"d"}"#),
        ("/* x */ a = {b = (c);};", #"{"a":{"b":["c"]}}"#),
    ]

    @Test(arguments: accepted)
    func `reads the text form`(content: String, expected: String) throws {
        #expect(try readPropertyList(content).text == expected)
    }

    private static let refused: [(String, PropertyListError.Reason, Int, String?)] = [
        ("(a", .unexpectedEnd(expected: ["','", "')'"]), 2, "/1"),
        ("(a b)", .unexpectedCharacter(expected: ["','", "')'"]), 3, "/1"),
        ("{a b}", .unexpectedCharacter(expected: ["'='", "';'"]), 3, "/a"),
        ("{a = b c", .unexpectedCharacter(expected: ["';'"]), 7, ""),
        ("{(a) = b;}", .invalidKey, 1, ""), ("{a = 1; b = <0>;}", .invalidData, 12, "/b"),
        ("{a = (x, <*I1.5>);}", .invalidNumber, 9, "/a/1"),
        ("<*Q>", .unexpectedCharacter(expected: ["I", "R", "B", "D"]), 2, ""),
        ("<*BX>", .unexpectedCharacter(expected: ["Y", "N"]), 3, ""),
        ("<*B>", .unexpectedCharacter(expected: ["Y", "N"]), 3, ""),
        ("<*BYES>", .unexpectedCharacter(expected: ["'>'"]), 4, ""),
        ("<*D2002-02-30 00:00:00 +0000>", .invalidDate, 0, ""), (#""\777""#, .invalidEscape, 1, ""),
        (#""\Ux""#, .invalidEscape, 1, ""), (#""\Ud800""#, .loneSurrogate, 1, ""),
        ("\"a", .unexpectedEnd(expected: ["'\"'"]), 2, ""),
        ("/* a", .unexpectedEnd(expected: ["'*/'"]), 4, ""), ("a b", .trailingContent, 2, nil),
        ("a = 1; }", .unexpectedCharacter(expected: ["a key", "'}'"]), 7, ""),
        ("// only a comment", .notAPropertyList, 0, nil), ("(((a)))", .nestingTooDeep(max: 2), 2, "/0/0"),
        ("é", .unexpectedCharacter(expected: ["a value"]), 0, ""),
    ]

    @Test(arguments: refused)
    func `rejects errors and reports their location`(
        content: String,
        reason: PropertyListError.Reason,
        byte: Int,
        pointer: String?
    ) {
        let error = propertyListRefusal(of: Array(content.utf8)) { $0.limits.maxNestingDepth = 2 }
        #expect(error?.reason == reason)
        #expect(error?.location == SourceLocation(byte: byte, line: 1, column: byte + 1, pointer: pointer))
    }

    @Test func `reads UTF-16, with locations in the received content`() throws {
        let text = "\u{FEFF}a = é;\n\"b\" = \"€😀\";".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(propertyListRefusal(of: text)?.location == SourceLocation(byte: 10, line: 1, column: 5, pointer: "/a"))
        let strings = "\u{FEFF}\"a\" = \"€😀\";".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let reading = try readPropertyList(strings)
        #expect(reading.text == #"{"a":"€😀"}"#)
        #expect(reading.summary.charset == "utf-16be")
    }

    /// As for JSON: UTF-8 takes precedence if it is valid; otherwise the label is used.
    @Test(
        arguments: [
            (Array("{ a = \"\u{E9}\"; }".utf8), "utf-8", "\u{E9}", "utf-8", false),
            (Array("{ a = \"\u{E9}\"; }".utf8), "latin1", "\u{E9}", "utf-8", true),
            (Array("{ a = \"".utf8) + [0xE9] + Array("\"; }".utf8), "latin1", "\u{E9}", "windows-1252", false),
            (Array("{ a = \"".utf8) + [0x83, 0x65] + Array("\"; }".utf8), "shift_jis", "\u{30C6}", "shift_jis", false),
        ] as [([UInt8], String, String, String, Bool)]
    )
    func `uses the label if the text is not UTF-8`(
        content: [UInt8],
        label: String,
        text: String,
        charset: String,
        warns: Bool
    ) {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/x-plist; charset=\(label)")
        var options = SerializationOptions()
        options.view = .value
        let result = serialize(response, content: content, options: options)
        #expect(result.json == "{\"a\":\"\(text)\"}")
        #expect(result.upstream.representation.charset == charset)
        let transcodes = charset == "utf-8" ? [] : ["response.transcoded"]
        #expect(result.warnings.map(\.code) == (warns ? ["response.charset_mismatch"] : transcodes))
    }

    @Test func `locations refer to the received content in its declared charset`() {
        let content = Array("{ a = \"".utf8) + [0xE9] + Array("\" b }".utf8)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/x-plist; charset=latin1")
        guard let error = serialize(response, content: content).chain.first?.contentError as? PropertyListError else {
            Issue.record("it is accepted")
            return
        }
        #expect(error.location.byte == 10)
        #expect(error.location.column == 11)
    }

    @Test func `rejects bytes that are not text`() {
        let error = propertyListRefusal(of: [0x28, 0x61, 0xFF, 0x29])
        #expect(error?.reason == .invalidEncoding("utf-8"))
        #expect(error?.location.byte == 2)
    }

    @Test func `keeps the last of duplicates and warns, with line and column`() throws {
        let reading = try readPropertyList("{ a = 1;\n  b = 2; a = 3; }")
        #expect(reading.text == #"{"b":"2","a":"3"}"#)
        #expect(
            reading.warnings == [
                Warning(
                    .duplicateKey("a", kept: .last),
                    at: SourceLocation(byte: 18, line: 2, column: 10, pointer: "/a"),
                    first: SourceLocation(byte: 2, line: 1, column: 3, pointer: "/a")
                )
            ]
        )
    }

    @Test(arguments: ["", (0..<20).map { "c\($0) = 0; " }.joined()], [DuplicateNames.last, .first])
    func `warns of each duplicate with the location of the first`(others: String, policy: DuplicateNames) throws {
        let reading = try readPropertyList("{ a = 1;\n \(others)\n\"a\" = 2;\na = 3; }") { $0.duplicates = policy }
        #expect(reading.warnings.map(\.location?.line) == [3, 4])
        let first = SourceLocation(byte: 2, line: 1, column: 3, pointer: "/a")
        #expect(reading.warnings.map(\.first) == [first, first])
    }

    @Test(arguments: [
        "",
        "c0 = 0; c1 = 0; c2 = 0; c3 = 0; c4 = 0; c5 = 0; c6 = 0; c7 = 0; c8 = 0; c9 = 0; d0 = 0; d1 = 0; "
            + "d2 = 0; d3 = 0; ",
    ])
    func `reports both locations of a duplicate, in small and in large dictionaries`(others: String) {
        let text = "{ a = 1;\n  b = 2; \(others)\n\"a\" = 3; a = 4; }"
        let error = propertyListRefusal(of: Array(text.utf8)) { $0.duplicates = .reject }
        #expect(error?.reason == .duplicateKey("a"))
        #expect(error?.location.line == 3 && error?.location.column == 1)
        #expect(error?.first == SourceLocation(byte: 2, line: 1, column: 3, pointer: "/a"))
    }

    @Test func `reports the types that GNUstep writes`() throws {
        let reading = try readPropertyList("(<*I1>, <*R2>, <00>, x)") { $0.hints = true }
        #expect(
            reading.summary.hints.map { String(decoding: $0, as: UTF8.self) }
                == #"{"/0":"integer","/1":"real","/2":"data"}"#
        )
    }

    @Test func `nests up to the limit without recursion`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
        }
        #expect(try readPropertyList(nested(512)).text.utf8.count == 1024)
        #expect(propertyListRefusal(of: Array(nested(513).utf8))?.reason == .nestingTooDeep(max: 512))
        #expect(
            propertyListRefusal(of: [UInt8](repeating: 0x28, count: 1_000_000))?.reason == .nestingTooDeep(max: 512)
        )
        #expect(propertyListRefusal(of: [UInt8](repeating: 0x7B, count: 1_000_000))?.reason == .invalidKey)
    }

    @Test func `survives any single wrong byte`() {
        let content = Array(#"{ a = (1, "\U00e9\101", <0f>, <*I1>); /* c */ b = <*D2002-03-22 11:30:00 +0100>; }"#.utf8)
        for index in content.indices {
            for byte in 0...255 as ClosedRange<UInt8> {
                var broken = content
                broken[index] = byte
                _ = propertyListRefusal(of: broken)
            }
            _ = propertyListRefusal(of: Array(content[..<index]))
        }
    }

    @Test func `keys of a large dictionary are compared in linear time`() throws {
        let count = 100_000
        let content = Array(("{" + (0..<count).map { "k\($0)=v;" }.joined() + "}").utf8)
        var isRead = false
        // A fraction of it. Comparing each with all before it takes 15 seconds and more in a debug build.
        let time = processorTime { isRead = propertyListRefusal(of: content) == nil }
        #expect(isRead)
        #expect(time < .seconds(8))
    }
}
