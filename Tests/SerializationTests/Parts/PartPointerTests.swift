import Testing

@testable import Serialization

/// The syntax of `select` and `omit` (RFC 6901).
@Suite struct PartPointerTests {
    private func names(_ text: String) throws -> [String] {
        try PartPointer(parsing: text).tokens.map { String(decoding: $0.name, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("", []), ("/", [""]), ("//", ["", ""]), ("/a/0", ["a", "0"]), ("/a~1b/m~0n", ["a/b", "m~n"]),
            ("/~01", ["~1"]), ("/é/%41", ["é", "%41"]), ("/a,b", ["a,b"]), ("/*", ["*"]),
        ] as [(String, [String])]
    )
    func `a pointer consists of names without their escapes`(text: String, expected: [String]) throws {
        #expect(try names(text) == expected)
        #expect(try PartPointer(parsing: text).text == text)
    }

    @Test(arguments: [
        ("a", PartPointerError.missingSlash(at: 0)), ("#/a", .missingSlash(at: 0)), (" /a", .missingSlash(at: 0)),
        ("/a~", .invalidEscape(at: 2)), ("/~2", .invalidEscape(at: 1)), ("/é~1/~x", .invalidEscape(at: 6)),
        ("/~~", .invalidEscape(at: 1)),
    ])
    func `a pointer that is not one is an error with its position`(text: String, expected: PartPointerError) {
        #expect(throws: expected) { try PartPointer(parsing: text) }
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("10", 10), ("00", nil), ("01", nil), ("-", nil), ("-1", nil), ("+1", nil), ("", nil),
            ("1e1", nil), ("٣", nil), ("9223372036854775807", .max), ("9223372036854775808", nil),
        ] as [(String, Int?)]
    )
    func `an index has no leading zeros`(text: String, expected: Int?) throws {
        #expect(try PartPointer(parsing: "/" + text).tokens.first?.index == expected)
    }

    @Test func `a pointer has at most 4096 bytes`() throws {
        let longest = "/" + String(repeating: "a", count: PartPointer.maxBytes - 1)
        #expect(try PartPointer(parsing: longest).text == longest)
        #expect(throws: PartPointerError.tooLong(max: 4096)) { try PartPointer(parsing: longest + "a") }
    }

    @Test func `there are at most 64 patterns`() throws {
        let patterns = Array(repeating: "/a", count: 64)
        #expect(try ValueParts.patterns(parsing: patterns.joined(separator: ",")).count == 64)
        #expect(throws: PartPointerError.tooManyPatterns(max: 64)) {
            try ValueParts.patterns(parsing: (patterns + ["/b"]).joined(separator: ","))
        }
    }

    @Test(arguments: [
        ("", PartPointerError.wholeValue(at: 0)), (",/a", .wholeValue(at: 0)), ("/a,", .wholeValue(at: 3)),
        ("/a,,/b", .wholeValue(at: 3)), ("/a,b", .missingSlash(at: 3)), ("/a,/~", .invalidEscape(at: 4)),
        ("/a, /b", .missingSlash(at: 3)),
    ])
    func `a list of patterns that is wrong is an error with its position`(text: String, expected: PartPointerError) {
        #expect(throws: expected) { try ValueParts.patterns(parsing: text) }
    }
}
