import Batch
import Testing

@Suite struct FrameReaderTests {
    /// Returns the bytes of a frame. The lengths are those of the parts, unless they are given.
    private static func frame(
        id: UInt64 = 1,
        status: UInt16 = 200,
        url: String = "",
        fields: String = "",
        content: String? = ""
    ) -> [UInt8] {
        let parts = Array((url + fields + (content ?? "")).utf8)
        return number(UInt32(20 + parts.count)) + number(id) + number(status) + [content == nil ? 0 : 1, 0]
            + number(UInt32(url.utf8.count)) + number(UInt32(fields.utf8.count)) + parts
    }

    private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func read(_ bytes: [UInt8], max: Int = 1 << 20, piece: Int = .max) -> ReadItems {
        ReadItems(FrameReader(limits: BatchLimits(maxItemBytes: max)), bytes, piece: piece)
    }

    @Test func `reads the parts of frames, whatever the sizes of the reads`() {
        let bytes =
            Self.frame(id: .max, status: 404, url: "http://a/é", fields: "A: b\nC: d\r\n", content: "{}\n")
            + Self.frame(id: 0, status: 0, content: nil) + Self.frame(id: 7)
        for piece in pieces {
            let found = Self.read(bytes, piece: piece)
            #expect(
                found.items.map(\.form) == [
                    .frame(id: .max, status: 404, url: "http://a/é", fields: "A: b\nC: d\r\n", content: "{}\n"),
                    .frame(id: 0, status: 0, url: "", fields: "", content: nil),
                    .frame(id: 7, status: 200, url: "", fields: "", content: ""),
                ]
            )
            #expect(found.items.map(\.byte) == [0, 49, 73] && found.error == nil)
            #expect(found.contents[0] == "http://a/éA: b\nC: d\r\n{}\n")
        }
    }

    @Test func `an empty input has no frames`() {
        #expect(Self.read([]).items == [] && Self.read([]).error == nil)
    }

    @Test func `a frame that is longer than the maximum is rejected with its identifier`() {
        let bytes =
            Self.frame(id: 1, content: "12345678") + Self.frame(id: 2, content: "123456789")
            + Self.frame(id: 3, url: "1234", fields: "56789") + Self.frame(id: 4)
        let tooLong = BatchItemError.tooLong(maxBytes: 8)
        for piece in pieces {
            let found = Self.read(bytes, max: 8, piece: piece)
            #expect(
                found.items.map(\.form) == [
                    .frame(id: 1, status: 200, url: "", fields: "", content: "12345678"),
                    .rejected(tooLong, id: .number(2)), .rejected(tooLong, id: .number(3)),
                    .frame(id: 4, status: 200, url: "", fields: "", content: ""),
                ]
            )
            #expect(found.items.map(\.byte) == [0, 32, 65, 98] && found.error == nil)
        }
    }

    /// The changed bytes of a frame, by their offset, and the error.
    @Test(
        arguments: [
            ([0: 0, 1: 0], "a frame of 0 bytes is shorter than its head"),
            ([0: 19], "a frame of 19 bytes is shorter than its head"),
            ([14: 2], "a frame has the unknown flags 2"), ([14: 0xFF], "a frame has the unknown flags 255"),
            ([15: 1], "the reserved byte of a frame is 1, not 0"),
            ([16: 9], "the URL and the fields of a frame are longer than the frame"),
            (
                [16: 0xFF, 17: 0xFF, 18: 0xFF, 19: 0xFF, 20: 0xFF, 21: 0xFF, 22: 0xFF, 23: 0xFF],
                "the URL and the fields of a frame are longer than the frame"
            ),
            ([14: 0], "a frame without content has 4 bytes of it"),
        ] as [([Int: UInt8], String)]
    )
    func `a head that contradicts itself ends the input`(changes: [Int: UInt8], sentence: String) {
        var broken = Self.frame(url: "/", fields: "A:\n", content: "abcd")
        for (offset, byte) in changes { broken[offset] = byte }
        for piece in pieces {
            for max in [0, 1 << 20] {
                let found = Self.read(Self.frame(id: 5) + broken + Self.frame(), max: max, piece: piece)
                #expect(found.items.map(\.byte) == [0])
                #expect(found.error == .malformed(BatchFault(sentence, at: 24)))
            }
        }
    }

    @Test func `an input that ends in a frame is malformed`() {
        let bytes = Self.frame(id: 1) + Self.frame(id: 2, url: "/", content: "abc")
        for count in 25..<bytes.count {
            for (piece, max) in [(1, 100), (.max, 100), (1, 3), (.max, 3)] {
                let found = Self.read(Array(bytes[..<count]), max: max, piece: piece)
                let error = BatchInputError.malformed(BatchFault("the input ends in a frame", at: 24))
                #expect(found.error == error, "\(count)")
                #expect(found.items.first?.byte == 0)
                #expect(found.items.count == (max == 3 && count >= 48 ? 2 : 1))
            }
        }
    }

    @Test func `a frame of the maximum length is rejected without reading it into memory`() {
        var head = Self.frame(id: 3)
        head.replaceSubrange(0..<4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let found = Self.read(head + [UInt8](repeating: 0, count: 1 << 20))
        #expect(found.items.map(\.form) == [.rejected(.tooLong(maxBytes: 1 << 20), id: .number(3))])
        #expect(found.error == .malformed(BatchFault("the input ends in a frame", at: 0)))
        #expect(found.maxBlockBytes <= 1 << 16)
    }

    @Test func `a block ends when the next frame would have to wait for more bytes`() throws {
        var reader = FrameReader(limits: BatchLimits(maxItemBytes: 100))
        var source = PieceSource(Self.frame() + Self.frame() + Self.frame(), piece: 60)
        #expect(try reader.next(from: &source)?.items.count == 2)
        #expect(source.readBytes == 60)
        #expect(try reader.next(from: &source)?.items.map(\.byte) == [48])
        #expect(try reader.next(from: &source) == nil)
    }
}
