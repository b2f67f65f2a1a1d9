import Batch
import TestSupport
import Testing

@Suite struct LineReaderTests {
    private static func read(_ text: String, max: Int = 1 << 20, piece: Int = .max) -> ReadItems {
        ReadItems(LineReader(limits: BatchLimits(maxItemBytes: max)), Array(text.utf8), piece: piece)
    }

    @Test(arguments: [
        ("", []), ("\n", []), (" \r\n\t\n", []), ("\u{FEFF}", []), ("\u{FEFF}\n", []),
        ("{}", [(0, "{}")]), ("{}\n", [(0, "{}")]), ("{}\r\n", [(0, "{}")]), ("{}\r", [(0, "{}")]),
        ("{}\n\n{\"a\":1}\r\n[]", [(0, "{}"), (4, "{\"a\":1}"), (13, "[]")]),
        ("\u{FEFF}{}\n{}", [(3, "{}"), (6, "{}")]),
        ("\n\u{FEFF}{}", [(1, "\u{FEFF}{}")]),
        (" a \n\r\nb", [(0, " a "), (6, "b")]),
        ("a\0b\n", [(0, "a\0b")]),
    ])
    func `reads lines with their offsets, whatever the sizes of the reads`(text: String, lines: [(Int, String)]) {
        let expected = lines.map { ReadItems.Item(byte: $0.0, content: $0.1, form: .envelope) }
        for piece in pieces {
            let found = Self.read(text, piece: piece)
            #expect(found.items == expected && found.error == nil, "\(piece)")
        }
    }

    @Test(arguments: [
        ("1234", ["1234"]), ("1234\r\n12345\r\n123", ["1234", nil, "123"]), ("12345", [nil]),
        ("1234\r\r\n1", [nil, "1"]),
        ("     \n1", [nil, "1"]), ("\u{FEFF}1234\n\u{FEFF}12\n", ["1234", nil]), ("123456789\n", [nil]),
        ("12345678\n12345678", [nil, nil]),
    ])
    func `rejects lines that are longer than the maximum, and reads the next ones`(text: String, lines: [String?]) {
        let tooLong = ReadItems.Form.rejected(.tooLong(maxBytes: 4), id: nil)
        for piece in pieces {
            let found = Self.read(text, max: 4, piece: piece)
            #expect(found.items.map { $0.form == tooLong ? nil : $0.content } == lines, "\(piece)")
            #expect(found.error == nil)
        }
        #expect(Self.read(text, max: 4).items.map(\.byte) == Self.read(text, max: 4, piece: 1).items.map(\.byte))
    }

    @Test func `a block ends when the next line would have to wait for more bytes`() throws {
        var reader = LineReader(limits: BatchLimits(maxItemBytes: 100))
        var source = PieceSource(Array("{}\n[]\n[1,\n".utf8), piece: 8)
        #expect(try reader.next(from: &source)?.items.map(\.byte) == [0, 3])
        #expect(source.readBytes == 8)
        #expect(try reader.next(from: &source)?.items.map(\.byte) == [6])
        #expect(try reader.next(from: &source) == nil)
        #expect(try reader.next(from: &source) == nil)
    }

    @Test func `a failed read ends the input after the lines before it`() throws {
        var reader = LineReader(limits: BatchLimits(maxItemBytes: 100))
        var source = PieceSource(Array("{}\n[]".utf8))
        source.failure = .system("unplugged")
        #expect(try reader.next(from: &source)?.items.count == 1)
        #expect(throws: BatchInputError.system("unplugged")) { try reader.next(from: &source) }
    }

    @Test func `blocks have the length of the limit, or of one longer line`() {
        let long = String(repeating: "x", count: 300_000)
        let found = Self.read(String(repeating: "{\"a\":1}\n", count: 100_000) + long + "\n{}\n")
        #expect(found.items.count == 100_002)
        #expect(found.items.map(\.byte).prefix(3) == [0, 8, 16])
        #expect(found.blocks > 10)
        #expect(found.maxBlockBytes < 300_000 + 3 * 65_536)
    }

    /// A search that begins again at the start of the line would take minutes.
    @Test(arguments: [1, 4_096])
    func `the cost of a long line does not depend on the sizes of the reads`(piece: Int) {
        let count = piece == 1 ? 4 << 20 : 64 << 20
        let line = [UInt8](repeating: 0x20, count: count) + [0x0A]
        let time = processorTime {
            let found = ReadItems(LineReader(limits: BatchLimits(maxItemBytes: count - 1)), line, piece: piece)
            #expect(found.items.map(\.form) == [.rejected(.tooLong(maxBytes: count - 1), id: nil)])
        }
        #expect(time < .seconds(30))
    }
}
