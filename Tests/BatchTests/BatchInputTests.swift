import Batch
import Testing

@Suite struct BatchInputTests {
    private static func format(_ name: String, _ bytes: [UInt8], _ given: BatchFormat? = nil, piece: Int = .max)
        -> BatchFormat?
    {
        var input = BatchInput(name: name, format: given, limits: BatchLimits(maxItemBytes: 1 << 20))
        var source = PieceSource(bytes, piece: piece)
        _ = try? input.next(from: &source)
        return input.format
    }

    @Test(
        arguments: [
            ("", "", .ndjson), ("", " \r\n", .ndjson), ("", "{}", .ndjson), ("", "{\"status\":200}\n", .ndjson),
            ("", "{\"log\":{}}", .har), ("", "\u{FEFF} { \"log\"\n: {", .har), ("", "{\"log\"", .ndjson),
            ("", "{", .ndjson),
            ("", "{\"logs\":1}", .ndjson), ("", "{\"a\":{\"log\":1}}", .ndjson), ("", "[\"log\"", .ndjson),
            ("", "WARC/1.0\r\n", .warc), ("", "\r\nWARC/1.1\r\n", .warc), ("", "WARC", .ndjson),
            ("", "\u{1F}", .ndjson),
            ("a.HAR", "{\"creator\":1}", .har), ("a.har", "", .har), ("a.har", "WARC/1.0", .warc),
            ("a.warc", "", .warc),
            ("a.warc.gz", "", .warc), ("a.jsonl", "{\"log\":1}", .ndjson), ("a.ndjson", "{\"log\":1}", .ndjson),
            ("a.json", "{\"log\":1}", .har), ("har", "{}", .ndjson),
        ] as [(String, String, BatchFormat)]
    )
    func `detects the format from the name and the first bytes`(name: String, text: String, format: BatchFormat) {
        for piece in [1, 2, .max] {
            #expect(Self.format(name, Array(text.utf8), piece: piece) == format, "\(piece)")
        }
        for given in BatchFormat.allCases { #expect(Self.format(name, Array(text.utf8), given) == given) }
    }

    @Test func `gzip is a web archive`() {
        #expect(Self.format("", [0x1F, 0x8B, 8, 0]) == .warc)
        #expect(Self.format("a.har", [0x1F, 0x8B, 8, 0]) == .warc)
    }

    @Test(arguments: [("", [0x28, 0xB5, 0x2F, 0xFD, 0]), ("", [0x5D, 0x2A, 0x4D, 0x18, 0]), ("a.warc.ZST", [])])
    func `zstd is rejected by its name`(name: String, bytes: [UInt8]) {
        for given in [nil, BatchFormat.ndjson, .har, .warc] {
            var input = BatchInput(name: name, format: given, limits: BatchLimits(maxItemBytes: 1 << 20))
            var source = PieceSource(bytes, piece: 1)
            let sentence = "zstd is not supported: decompress the input first, for example with `zstd -dc`"
            #expect(throws: BatchInputError.unsupported(sentence)) { try input.next(from: &source) }
        }
    }

    @Test(arguments: [
        ([0x04, 0x22, 0x4D, 0x18], "LZ4"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "XZ"),
        ([UInt8]("BZh9".utf8), "bzip2"), ([UInt8]("filedesc://a.arc 0.0.0.0".utf8), "ARC"),
    ])
    func `other compressions and archives are rejected by their names`(bytes: [UInt8], name: String) {
        for given in [nil, BatchFormat.ndjson, .har, .warc] {
            for piece in [1, .max] {
                var input = BatchInput(name: "a", format: given, limits: BatchLimits(maxItemBytes: 1 << 20))
                var source = PieceSource(bytes, piece: piece)
                do {
                    _ = try input.next(from: &source)
                    Issue.record("\(name) is read")
                } catch {
                    guard case .unsupported(let sentence) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(sentence.hasPrefix("\(name) is not supported: "))
                }
            }
        }
    }

    @Test(arguments: ["B", "BZ", "filedesc:", "\u{4}\"M", "(", "\u{FD}"])
    func `the beginning of a signature is none`(text: String) {
        for piece in [1, .max] { #expect(Self.format("", Array(text.utf8), piece: piece) == .ndjson) }
    }

    @Test func `frames are read without waiting for the bytes of a signature`() throws {
        var input = BatchInput(name: "", format: .frames, limits: BatchLimits(maxItemBytes: 1 << 20))
        var source = PieceSource([20, 0, 0, 0] + [UInt8](repeating: 0, count: 20), piece: 24)
        #expect(try input.next(from: &source)?.items.count == 1)
        #expect(source.readBytes == 24)
    }

    @Test func `more white space than 4 KiB precedes no signature`() {
        let space = [UInt8](repeating: 0x20, count: 4 << 10)
        #expect(Self.format("", Array(space.dropFirst(20)) + Array("{\"log\":1}".utf8)) == .har)
        #expect(Self.format("", space + Array("{\"log\":1}".utf8), piece: 1) == .ndjson)
        #expect(Self.format("a.har", space + Array("{\"log\":1}".utf8), piece: 1) == .har)
    }

    @Test func `the items are those of the reader of the format`() {
        let record = WARCBuilder.response("x")
        let inputs: [([UInt8], [Int])] = [
            (Array(" \n{\"a\":1}\n{}\n".utf8), [2, 10]), (Array("\u{FEFF}{\"a\":1}\n{}\n".utf8), [3, 11]),
            (Array("\u{FEFF} {\"log\":{\"entries\":[{},{}]}}".utf8), [23, 26]),
            (Array((record + record).utf8), [0, record.utf8.count]), (WARCBuilder.gzip(record + record), [0, 0]),
        ]
        for (bytes, offsets) in inputs {
            for piece in pieces {
                let input = BatchInput(name: "", format: nil, limits: BatchLimits(maxItemBytes: 100))
                let found = ReadItems(input, bytes, piece: piece)
                #expect(found.items.map(\.byte) == offsets && found.error == nil)
            }
        }
    }
}
