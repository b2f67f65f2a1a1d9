import Testing

@testable import Images
@testable import Serialization

@Suite struct ShortImageTests {
    /// The header of an image may consist of many parts. Each format has the size whose worst header takes less than a
    /// millisecond.
    @Test(arguments: [
        ("\u{89}PNG", 12 << 10), ("GIF89a", 48 << 10), ("II*\0", 48 << 10), ("MM\0*", 48 << 10),
        ("\u{FF}\u{D8}", 128 << 10),
        ("RIFF", 128 << 10), ("\0\0\u{1}\0", 12 << 10), ("#define", 12 << 10), ("<svg", 12 << 10),
    ])
    func `images of each format are read on an HTTP thread up to their own size`(start: String, max: Int) {
        let start = start.unicodeScalars.map { UInt8($0.value) }
        func isShort(_ bytes: Int) -> Bool {
            let content = start + [UInt8](repeating: 0, count: bytes - start.count)
            var response = UpstreamResponse()
            response.fields.append(name: "Content-Type", value: "image/png")
            var options = SerializationOptions()
            options.serializer = .one(.image)
            return ResponseSerializer(options: options).isShort(content.span, of: response)
        }
        #expect(isShort(max))
        #expect(!isShort(max + 1))
    }
}
