import Testing

@testable import Serialization

struct TextBytesTests {
    /// The counts add up blocks of 64 pairs, so all lengths around two blocks are compared.
    @Test(arguments: 0..<140)
    func `tags, texts and declarations are counted like byte by byte`(length: Int) {
        let letters = Array("<></=!?a <!E!A".utf8)
        let bytes = (0..<length).map { letters[($0 * $0 + length) % letters.count] }
        var (tags, texts, declarations) = (0, 0, 0)
        for (byte, next) in zip(bytes, bytes.dropFirst()) {
            if byte == UInt8(ascii: "<"), !"/!?".utf8.contains(next) { tags += 1 }
            if byte == UInt8(ascii: ">"), next > 0x20, next != UInt8(ascii: "<") { texts += 1 }
            if byte == UInt8(ascii: "!"), "EA".utf8.contains(next) { declarations += 1 }
        }
        #expect(bytes.span.declarations == declarations)
        #expect(bytes.span.startTags == tags)
        #expect(bytes.span.textRuns == texts)
    }
}
