import Serialization
import Testing

@Suite struct JSONWriterTests {
    private func text(maxBytes: Int = .max, _ write: (inout JSONWriter) -> Void) -> (text: String, isOverLimit: Bool) {
        var writer = JSONWriter(maxBytes: maxBytes)
        write(&writer)
        return (String(decoding: [UInt8](writer.buffer), as: UTF8.self), writer.isOverLimit)
    }

    /// Sixteen bytes are looked at together, so an escape stands at each place of two blocks and a rest.
    @Test(arguments: 0..<37)
    func `escapes stand where they belong, wherever that is in a block`(place: Int) {
        for (character, escaped) in [("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1}", "\\u0001"), ("ж", "ж")] {
            let before = String(repeating: "a", count: place)
            let after = String(repeating: "b", count: 36 - place)
            #expect(text { $0.string(before + character + after) }.text == "\"\(before)\(escaped)\(after)\"")
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

    @Test func `nothing is written past the limit but the escape that crossed it`() {
        let newlines = String(repeating: "\n", count: 1000)
        let result = text(maxBytes: 1100) { $0.string(newlines) }
        #expect(result.isOverLimit)
        #expect(result.text.utf8.count <= 1106)
    }
}
