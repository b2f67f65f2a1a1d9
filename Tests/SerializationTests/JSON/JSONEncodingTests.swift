import Serialization
import SerializationSupport
import Testing

@Suite struct JSONEncodingTests {
    private static let text = #"{"é":"漢😀"}"#

    @Test(arguments: UnicodeEncoding.allCases, [false, true])
    func `every Unicode encoding is detected by its mark or its zeros`(encoding: UnicodeEncoding, hasMark: Bool) throws
    {
        let content = encoding.bytes(of: (hasMark ? "\u{FEFF}" : "") + Self.text)
        var warnings: [Warning] = []
        if hasMark {
            warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
        if encoding != .utf8 {
            warnings.append(Warning(.transcoded(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
        #expect(try read(content) == JSONReading(text: Self.text, encoding: encoding.rawValue, warnings: warnings))
    }

    @Test(arguments: UnicodeEncoding.allCases)
    func `a text of one character is enough`(encoding: UnicodeEncoding) throws {
        #expect(try read(encoding.bytes(of: "1")).text == "1")
    }

    @Test(arguments: [
        (UnicodeEncoding.utf16LittleEndian, 4 + 2 * 9),
        (.utf16BigEndian, 4 + 2 * 9),
        (.utf32LittleEndian, 8 + 4 * 8),
        (.utf32BigEndian, 8 + 4 * 8),
    ])
    func `an error's offset refers to the received bytes`(encoding: UnicodeEncoding, byte: Int) {
        let error = refusal(of: encoding.bytes(of: "\u{FEFF}[\"é漢😀\",\n x]"))
        #expect(error?.location == SourceLocation(byte: byte, line: 2, column: 2, pointer: "/1"))
        #expect(error?.found == "'x'")
    }

    @Test(arguments: [
        (UnicodeEncoding.utf16LittleEndian, [0x5B, 0, 0x22, 0, 0x00, 0xD8, 0x22, 0, 0x5D, 0] as [UInt8], (4, 1, 3)),
        (.utf16BigEndian, [0, 0x5B, 0, 0x5D, 0], (4, 1, 3)),
        (.utf16BigEndian, [0, 0x5B, 0, 0x0D, 0, 0x0A, 0, 0x20, 0], (8, 2, 2)),
        (.utf16LittleEndian, [0x5B, 0, 0x0D, 0, 0x00, 0xD8, 0x22, 0], (4, 2, 1)),
        (.utf32BigEndian, [0, 0, 0, 0x22, 0, 0x11, 0, 0, 0, 0, 0, 0x22], (4, 1, 2)),
        (.utf32LittleEndian, [0x22, 0, 0, 0, 0x00, 0xD8, 0, 0, 0x22, 0, 0, 0], (4, 1, 2)),
    ])
    func `an invalid character is rejected at its location`(
        encoding: UnicodeEncoding,
        content: [UInt8],
        expected: (Int, Int, Int)
    ) {
        let (byte, line, column) = expected
        let location = SourceLocation(byte: byte, line: line, column: column)
        #expect(refusal(of: content) == JSONError(.invalidEncoding(encoding.rawValue), at: location))
    }

    @Test(arguments: ["application/json", "application/xml", "text/csv", "text/event-stream", "application/x-plist"])
    func `the location of an invalid character has a line and a column in each format`(type: String) {
        // A byte order mark, two lines, and half of a code unit.
        let content: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x62, 0, 0x63, 0, 0x64]
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        let error = serialize(response, content: content).chain.first?.contentError as? any ContentError
        let location = error?.diagnostic.location
        #expect((location?.byte, location?.line, location?.column) == (10, 2, 3))
    }

    @Test func `a charset that names another encoding is a warning`() throws {
        let latin = try read(Array(Self.text.utf8), charset: "ISO-8859-1")
        let location = SourceLocation(byte: 2)
        #expect(latin.warnings == [Warning(.charsetMismatch(declared: "ISO-8859-1", actual: "utf-8"), at: location)])
        for charset in ["utf-8", "UTF-8", "utf8", "us-ascii"] {
            #expect(try read(Array(Self.text.utf8), charset: charset).warnings.isEmpty)
        }
    }
}
