import Serialization
import Testing

@Suite struct JSONErrorTests {
    @Test(arguments: [
        ("", JSONError.Reason.unexpectedEnd(expected: ["a value"]), 0, ""),
        ("  ", .unexpectedEnd(expected: ["a value"]), 2, ""),
        ("{", .unexpectedEnd(expected: ["a name", "'}'"]), 1, ""),
        (#"{"a""#, .unexpectedEnd(expected: ["':'"]), 4, "/a"),
        (#"{"a":"#, .unexpectedEnd(expected: ["a value"]), 5, "/a"),
        (#"{"a":1"#, .unexpectedEnd(expected: ["','", "'}'"]), 6, "/a"),
        (#"{"a":1,"#, .unexpectedEnd(expected: ["a name"]), 7, ""),
        ("[", .unexpectedEnd(expected: ["a value", "']'"]), 1, "/0"),
        ("[1", .unexpectedEnd(expected: ["','", "']'"]), 2, "/0"),
        ("[1,", .unexpectedEnd(expected: ["a value"]), 3, "/1"),
        ("\"abc", .unexpectedEnd(expected: ["'\"'"]), 4, ""),
        (#""abc\"#, .unexpectedEnd(expected: ["'\"'"]), 5, ""),
        (#""abc\u00"#, .unexpectedEnd(expected: ["'\"'"]), 8, ""),
        ("-", .unexpectedEnd(expected: ["a digit"]), 1, ""),
        ("[1.", .unexpectedEnd(expected: ["a digit"]), 3, "/0"),
        ("[1,]", .unexpectedCharacter(expected: ["a value"]), 3, "/1"),
        ("[,1]", .unexpectedCharacter(expected: ["a value", "']'"]), 1, "/0"),
        (#"{"a":1,}"#, .unexpectedCharacter(expected: ["a name"]), 7, ""),
        ("{a:1}", .unexpectedCharacter(expected: ["a name", "'}'"]), 1, ""),
        ("{'a':1}", .unexpectedCharacter(expected: ["a name", "'}'"]), 1, ""),
        (#"{"a" 1}"#, .unexpectedCharacter(expected: ["':'"]), 5, "/a"),
        (#"{"a":1 "b":2}"#, .unexpectedCharacter(expected: ["','", "'}'"]), 7, "/a"),
        (#"{"a":1]"#, .unexpectedCharacter(expected: ["','", "'}'"]), 6, "/a"),
        ("[1}", .unexpectedCharacter(expected: ["','", "']'"]), 2, "/0"),
        ("[1 2]", .unexpectedCharacter(expected: ["','", "']'"]), 3, "/0"),
        ("[+1]", .unexpectedCharacter(expected: ["a value", "']'"]), 1, "/0"),
        ("[NaN]", .unexpectedCharacter(expected: ["a value", "']'"]), 1, "/0"),
        ("[1,NaN]", .unexpectedCharacter(expected: ["a value"]), 3, "/1"),
        ("{} {}", .trailingContent, 3, ""),
        ("[]]", .trailingContent, 2, ""),
        ("[01]", .invalidNumber, 2, "/0"),
        ("[-01]", .invalidNumber, 3, "/0"),
        ("[1.]", .invalidNumber, 3, "/0"),
        ("[.5]", .unexpectedCharacter(expected: ["a value", "']'"]), 1, "/0"),
        ("[1e]", .invalidNumber, 3, "/0"),
        ("[1e+]", .invalidNumber, 4, "/0"),
        ("[-a]", .invalidNumber, 2, "/0"),
        ("[1.a,1234567890123456]", .invalidNumber, 3, "/0"),
        ("[00,1234567890123456]", .invalidNumber, 2, "/0"),
        ("[tru]", .invalidLiteral, 1, "/0"),
        ("[True]", .unexpectedCharacter(expected: ["a value", "']'"]), 1, "/0"),
        ("[nulx", .invalidLiteral, 1, "/0"),
        ("[1,t", .unexpectedEnd(expected: ["the rest of true, false or null"]), 4, "/1"),
        ("[1,tru", .unexpectedEnd(expected: ["the rest of true, false or null"]), 6, "/1"),
        (#"{"a":fals"#, .unexpectedEnd(expected: ["the rest of true, false or null"]), 9, "/a"),
        ("nul", .unexpectedEnd(expected: ["the rest of true, false or null"]), 3, ""),
        ("[true", .unexpectedEnd(expected: ["','", "']'"]), 5, "/0"),
        (#"["\u12"#, .unexpectedEnd(expected: ["'\"'"]), 6, "/0"),
        (#"["\ud83d"#, .unexpectedEnd(expected: ["'\"'"]), 8, "/0"),
        (#"["\ud83d\"#, .unexpectedEnd(expected: ["'\"'"]), 9, "/0"),
        (#"["\udc00"#, .loneSurrogate, 2, "/0"),
        (#"{"abc"#, .unexpectedEnd(expected: ["'\"'"]), 5, ""),
        (#"{"x":[{"a":1},{"abc\"#, .unexpectedEnd(expected: ["'\"'"]), 20, "/x/1"),
        (#"{"abc""#, .unexpectedEnd(expected: ["':'"]), 6, "/abc"),
        ("[falsy]", .invalidLiteral, 1, "/0"),
        (#"["\x"]"#, .invalidEscape, 2, "/0"),
        (#"["\u12g4"]"#, .invalidEscape, 2, "/0"),
        (#"["\ud800"]"#, .loneSurrogate, 2, "/0"),
        (#"["\udc00"]"#, .loneSurrogate, 2, "/0"),
        (#"["\ud800\n"]"#, .loneSurrogate, 2, "/0"),
        (#"["\ud800\ud800"]"#, .loneSurrogate, 2, "/0"),
        ("[\"a\nb\"]", .controlCharacter, 3, "/0"),
        ("[\"0123456789abcdef\u{1}\"]", .controlCharacter, 18, "/0"),
    ])
    func `reports the reason and the location`(content: String, reason: JSONError.Reason, byte: Int, pointer: String) {
        let error = refusal(of: content)
        #expect(error?.reason == reason)
        #expect(error?.location.byte == byte)
        #expect(error?.location.pointer == pointer)
        // Nothing else is computed if nobody reads it.
        let brief = refusal(of: Array(content.utf8)) { $0.describesErrors = false }
        #expect(brief == JSONError(reason, at: Serialization.SourceLocation(byte: byte)))
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC1, 0xBF, 0x22], [0x22, 0xC3, 0x22],
            [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xE0, 0x9F, 0xBF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xED, 0xBF, 0xBF, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0xF0, 0x9F, 0x98, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xC1], [0x22, 0xE0, 0x9F], [0x22, 0xED, 0xA0],
            [0x22, 0xF0, 0x8F], [0x22, 0xF4, 0x90],
        ] as [[UInt8]]
    )
    func `rejects invalid UTF-8, near the end and far from it`(string: [UInt8]) {
        #expect(refusal(of: string)?.reason == .invalidEncoding("utf-8"))
        #expect(refusal(of: string)?.location.byte == 1)
        let long = string + Array(repeating: 0x20, count: 32)
        #expect(refusal(of: long)?.reason == .invalidEncoding("utf-8"))
        #expect(refusal(of: long)?.location.byte == 1)
    }

    @Test(
        arguments: [
            [0xC3], [0xE0], [0xE0, 0xA0], [0xE2, 0x82], [0xED, 0x9F], [0xEF, 0xBF], [0xF0], [0xF0, 0x9F],
            [0xF0, 0x9F, 0x98], [0xF4, 0x8F, 0xBF],
        ] as [[UInt8]]
    )
    func `a text may end within a character`(rest: [UInt8]) {
        let text = Array("[\"a".utf8) + rest
        let error = refusal(of: text)
        #expect(error?.reason == .unexpectedEnd(expected: ["'\"'"]))
        #expect(error?.location.byte == text.count)
        #expect(error?.location.pointer == "/0")
    }

    /// Strings are checked sixteen bytes at a time, so every sequence is tested at each of sixteen offsets.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x41], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
            [0xE2, 0x82, 0x41],
            [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xFF], [0xF0, 0x9F, 0x98, 0xC3, 0xA9],
        ] as [[UInt8]]
    )
    func `rejects invalid UTF-8 at any offset`(bad: [UInt8]) {
        for before in 0..<36 {
            for filler in ["a", "é", "漢", "😀"] {
                for after in ["\"]", "x\"]", "漢字かな交じり文\",\"abcdefghijklmnop\"]", "\\n\"]"] {
                    let start =
                        Array("[\"".utf8) + Array(repeating: UInt8(ascii: "a"), count: before) + Array(filler.utf8)
                    let error = refusal(of: start + bad + Array(after.utf8))
                    #expect(error?.reason == .invalidEncoding("utf-8"), "\(before) \(filler) \(after)")
                    #expect(error?.location.byte == start.count, "\(before) \(filler) \(after)")
                }
            }
        }
    }

    @Test func `accepts every character at any offset`() throws {
        let characters = ["\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{CFFF}", "\u{D000}", "\u{D7FF}"]
        let beyond = [
            "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{3FFFF}", "\u{40000}", "\u{FFFFF}", "\u{100000}", "\u{10FFFF}",
        ]
        for character in characters + beyond {
            for before in 0..<36 {
                for after in ["", "b", "\\n", character, "\\u00e9", String(repeating: character, count: 9)] {
                    let content =
                        "[\"" + String(repeating: "a", count: before) + character + after + "\",\"\(character)\"]"
                    #expect(try read(content).text == content)
                }
            }
        }
    }

    @Test func `counts lines and columns in code points`() {
        let error = refusal(of: "{\n  \"é漢😀\": 1,\r\n  \"b\": tru\n}")
        #expect(
            error
                == JSONError(
                    .invalidLiteral,
                    at: SourceLocation(byte: 28, line: 3, column: 8, pointer: "/b"),
                    found: "'t'",
                    excerpt: #"{\u{a}  "é漢😀": 1,\u{d}\u{a}  "b": tru\u{a}}"#
                )
        )
    }

    @Test(arguments: [
        (#"{"a/b":{"c~d":[0,{"\u0065":x}]}}"#, "/a~1b/c~0d/1/e"),
        (#"[[],[1,[2,x]]]"#, "/1/1/1"),
        (#"{"a":1,"b":2,"c":x}"#, "/c"),
        (#"{"a":{"b":1},x"#, ""),
        (#"{"":{"":x"#, "//"),
    ])
    func `points at the value that was being read`(content: String, pointer: String) {
        #expect(refusal(of: content)?.location.pointer == pointer)
    }

    @Test func `a long pointer ends at a whole token`() {
        let content = String(repeating: #"{"0123456789":"#, count: 200) + "x"
        let pointer = refusal(of: content)?.location.pointer
        #expect(pointer == String(repeating: "/0123456789", count: 93) + "/…")
    }

    @Test func `an excerpt is short, valid and escaped`() {
        let content = Array("[\"".utf8) + Array(repeating: 0xFF, count: 100)
        #expect(refusal(of: content)?.excerpt == #"["\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"#)
    }
}

@Suite struct JSONLimitTests {
    @Test func `nesting is limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try read(nested(512)).text == nested(512))
        let error = refusal(of: nested(513))
        #expect(error?.reason == .nestingTooDeep(max: 512))
        #expect(error?.location.byte == 512)
        #expect(refusal(of: nested(4)) { $0.limits.maxNestingDepth = 3 }?.reason == .nestingTooDeep(max: 3))
        #expect(refusal(of: nested(1025)) { $0.limits.maxNestingDepth = 5000 }?.reason == .nestingTooDeep(max: 1024))
        #expect(refusal(of: String(repeating: #"{"a":"#, count: 100_000))?.reason == .nestingTooDeep(max: 512))
    }

    @Test(arguments: [4, 15, 16, 17, 4096])
    func `the length of numbers is limited`(max: Int) throws {
        for suffix in ["", ",1234567890123456789"] {
            let longest = String(repeating: "7", count: max)
            #expect(refusal(of: "[\(longest)\(suffix.isEmpty ? "" : ",1")]") { $0.limits.maxNumberBytes = max } == nil)
            let error = refusal(of: "[\(longest)7\(suffix)]") { $0.limits.maxNumberBytes = max }
            #expect(error?.reason == .numberTooLong(max: max))
            #expect(error?.location.byte == 1)
        }
    }

    @Test func `the length of names is limited`() {
        #expect(refusal(of: #"{"abc":1}"#) { $0.limits.maxKeyBytes = 3 } == nil)
        #expect(refusal(of: #"{"abcd":1}"#) { $0.limits.maxKeyBytes = 3 }?.reason == .keyTooLong(max: 3))
    }

    @Test(arguments: [1, 63, 64, 65, 200])
    func `the number of members is limited`(max: Int) {
        func object(_ count: Int) -> String {
            "{" + (0..<count).map { #""\#($0)":1"# }.joined(separator: ",") + "}"
        }
        let configure = { (options: inout JSONReader.Options) in options.limits.maxObjectMembers = max }
        #expect(refusal(of: "[\(object(max)),\(object(max))]", configure) == nil)
        #expect(refusal(of: object(max + 1), configure)?.reason == .tooManyMembers(max: max))
        #expect(refusal(of: "[\(object(max)),\(object(max + 1))]", configure)?.reason == .tooManyMembers(max: max))
    }
}
