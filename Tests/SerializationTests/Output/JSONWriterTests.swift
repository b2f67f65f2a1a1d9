import Serialization
import Testing

@Suite struct JSONWriterTests {
    private func text(maxBytes: Int = .max, _ write: (inout JSONWriter) -> Void) -> (text: String, isOverLimit: Bool) {
        var writer = JSONWriter(maxBytes: maxBytes)
        write(&writer)
        return (String(decoding: [UInt8](writer.buffer), as: UTF8.self), writer.isOverLimit)
    }

    /// Sixteen bytes are examined together, so an escape is tested at each offset of two blocks and a rest.
    @Test(arguments: 0..<37)
    func `escapes are written correctly at any offset of a block`(offset: Int) {
        for (character, escaped) in [("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1}", "\\u0001"), ("ж", "ж")] {
            let before = String(repeating: "a", count: offset)
            let after = String(repeating: "b", count: 36 - offset)
            #expect(text { $0.string(before + character + after) }.text == "\"\(before)\(escaped)\(after)\"")
        }
    }

    /// Vectors, words, single bytes, and pieces of 512: texts of every length that covers all of them, with escapes in
    /// all, none, or alternate characters.
    @Test(arguments: ["a", "\"", "a\n", "abc\\", "\u{0}ж", "0123456789abcdef\u{1F}"])
    func `texts of all lengths keep every byte`(pattern: String) {
        for length in [Int](0...40) + [511, 512, 513, 1024, 1025, 5000] {
            let scalars = (0..<length).map { Array(pattern.unicodeScalars)[$0 % pattern.unicodeScalars.count] }
            var expected = ""
            for scalar in scalars {
                switch scalar {
                case "\"", "\\": expected += "\\\(scalar)"
                case "\n": expected += "\\n"
                case "\u{0}": expected += "\\u0000"
                case "\u{1F}": expected += "\\u001f"
                default: expected.unicodeScalars.append(scalar)
                }
            }
            var plain = ""
            plain.unicodeScalars.append(contentsOf: scalars)
            #expect(text { $0.string(plain) }.text == "\"\(expected)\"")
            // The bytes after it are not part of it.
            let more = Array((plain + "\"\n\\aaaaaaaaaaaaaaaa").utf8)
            #expect(text { $0.string(utf8: more.span, length: plain.utf8.count) }.text == "\"\(expected)\"")
            let count = expected.utf8.count + 2
            #expect(!text(maxBytes: count) { $0.string(plain) }.isOverLimit)
            let tooLong = text(maxBytes: count - 1) { $0.string(plain) }
            #expect(tooLong.isOverLimit && tooLong.text.utf8.count < count)
        }
    }

    @Test(arguments: [0, 7, 10, -1, 1_000_000, .max, .min])
    func `integers are written in full`(value: Int) {
        #expect(text { $0.integer(value) }.text == "\(value)")
    }

    @Test(arguments: [(5, true), (6, false)])
    func `escapes count against the limit`(maxBytes: Int, isOverLimit: Bool) {
        #expect(text(maxBytes: maxBytes) { $0.string("a\nb") }.isOverLimit == isOverLimit)
    }

    @Test(arguments: [400, 1000])
    func `nothing is written past the limit`(count: Int) {
        let newlines = String(repeating: "\n", count: count)
        let result = text(maxBytes: count + 100) { $0.string(newlines) }
        #expect(result.isOverLimit)
        #expect(result.text.utf8.count <= count + 100)
    }
}
