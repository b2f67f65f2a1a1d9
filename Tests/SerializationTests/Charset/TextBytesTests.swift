import Testing

@testable import Serialization

struct TextBytesTests {
    /// The count adds up blocks of 64 pairs, so all lengths around two blocks are compared.
    @Test(arguments: 0..<140)
    func `declarations are counted like byte by byte`(length: Int) {
        let letters = Array("<></=!?a <!E!A".utf8)
        let bytes = (0..<length).map { letters[($0 * $0 + length) % letters.count] }
        let declarations = zip(bytes, bytes.dropFirst()).count { $0 == UInt8(ascii: "!") && "EA".utf8.contains($1) }
        #expect(bytes.span.declarations == declarations)
    }
}
