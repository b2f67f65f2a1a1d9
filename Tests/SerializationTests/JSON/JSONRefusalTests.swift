import Serialization
import SerializationSupport
import Testing

/// A rejection leaves nothing in the writer.
@Suite struct JSONRefusalTests {
    /// Found by FuzzJSON. The first record was repaired and read, the second was not UTF-8. The complete content was
    /// then read in its declared charset, after the remains of the first attempt in the writer: `["a"["a","é"]`.
    @Test func `content that is read again in its declared charset leaves nothing of the first attempt`() throws {
        let content = Array("'a'\n\"".utf8) + [0xE9] + Array("\"\n".utf8)
        let reading = try read(content, charset: "iso-8859-1") {
            $0.leniencies = .singleQuotes
            $0.records = .lines
        }
        #expect(reading.text == #"["a","é"]"#)
    }

    @Test func `a repaired text that is rejected leaves nothing in the writer`() {
        var options = JSONReader.Options()
        options.leniencies = .singleQuotes
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(0)
        var warnings = WarningList(max: 100)
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array("'a' 'b'".utf8).span, options: options, into: &writer, warnings: &warnings)
        }
        #expect(String(decoding: [UInt8](writer.buffer), as: UTF8.self) == "[0")
    }
}
