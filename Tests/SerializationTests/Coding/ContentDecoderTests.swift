import Encoders
import FuzzOracles
import Synchronization
import Testing

@testable import Serialization

/// Tests of undoing content codings, with data that real encoders wrote.
@Suite struct ContentDecoderTests {
    static let sizes = [0, 1, 2, 128, 256, 4_000, 64 << 10, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 1 << 20]

    @Test(arguments: Encoder.allCases, sizes)
    func `encoded content is decoded, at once and in pieces`(encoder: Encoder, size: Int) throws {
        let text = sampleText(size)
        let encoded = encoder.encode(text)
        let decoding = try Decoding(encoded, encoder.coding)
        #expect(decoding.flawless == text)
        #expect(decoding.codings.encodedBytes == encoded.count)
        #expect(decoding.codings.decodedBytes == size)
        let stops = [0, 0, 1, 100, size / 2, size - 1, size]
        #expect(try Decoding(encoded, encoder.coding, stops: stops) == decoding)
    }

    /// Pieces of the content end at every offset of the header, the data and the trailer.
    @Test(arguments: Encoder.allCases, Encoder.allCases)
    func `two codings are decoded from the last to the first`(inner: Encoder, outer: Encoder) throws {
        for size in [0, 1, 300, 70_000, 300_000] {
            let text = sampleText(size)
            let encoded = outer.encode(inner.encode(text))
            let decoding = try Decoding(encoded, "\(inner.coding), \(outer.coding)", stops: [0, 1_000, 5_000, 65_000])
            #expect(decoding.flawless == text, "\(size)")
            #expect(decoding.codings.codings.map(\.rawValue) == [inner.coding, outer.coding])
        }
    }

    @Test(arguments: 1...5)
    func `the maximum number of codings is decoded`(count: Int) throws {
        let text = sampleText(5_000)
        var encoded = text
        var names: [String] = []
        for index in 0..<count {
            let encoder = Encoder.allCases[index % 5]
            encoded = encoder.encode(encoded)
            names.append(encoder.coding)
        }
        let decoding = try Decoding(encoded, names.joined(separator: ","))
        if count <= 4 {
            #expect(decoding.flawless == text)
        } else {
            #expect(decoding.error == .tooManyCodings(max: 4))
        }
    }

    @Test(arguments: ["gzip", "GZip", "x-gzip", "X-GZIP", " gzip ", "identity, gzip", ",gzip,", "gzip\t,identity"])
    func `names of codings are case-insensitive, and identity is no coding`(name: String) throws {
        #expect(try Decoding(Encoder.gzip.encode([1, 2, 3]), name).flawless == [1, 2, 3])
    }

    // MARK: Damage

    @Test(arguments: Encoder.allCases)
    func `a stream that is truncated at any byte is an error, or lacks only its checksum`(encoder: Encoder) throws {
        let text = sampleText(700)
        let encoded = encoder.encode(text)
        for end in 1..<encoded.count {
            let part = Array(encoded[..<end])
            let decoding = try Decoding(part, encoder.coding)
            #expect(try Decoding(part, encoder.coding, stops: [0, 10, 100]) == decoding, "\(end)")
            if decoding.warnings == ["encoding.missing_trailer"] {
                #expect(decoding.bytes == text && decoding.codings.error == nil)
                #expect(encoder == .gzip || encoder == .zlib)
                #expect(encoded.count - end <= 8)
                continue
            }
            if decoding.warnings == ["encoding.not_encoded"] {
                // One or two bytes that are also text, or too few to identify the coding.
                #expect(end <= 3 && decoding.bytes == nil)
                continue
            }
            #expect(decoding.error == .truncated, "\(end)")
            #expect(decoding.codings.error == .coding(CodingError(.truncated, in: decoding.coding, at: end)))
            let used = try Decoding(part, encoder.coding, truncated: .allow)
            if used.codings.error == nil {
                #expect(used.warnings == ["encoding.truncated"])
                #expect(text.starts(with: try #require(used.bytes)))
            } else {
                // Nothing was decoded.
                #expect(used.error == .truncated)
                #expect(decoding.bytes == [])
            }
        }
    }

    @Test(arguments: Encoder.allCases, [0x01, 0x80, 0xFF] as [UInt8])
    func `a damaged byte never results in a wrong value if there is a checksum`(encoder: Encoder, mask: UInt8) throws {
        let text = sampleText(600, seed: 3)
        let encoded = encoder.encode(text)
        for index in encoded.indices {
            var damaged = encoded
            damaged[index] ^= mask
            let decoding = try Decoding(damaged, encoder.coding)
            #expect(try Decoding(damaged, encoder.coding, stops: [0, 1, 50]) == decoding, "\(index)")
            guard encoder.hasChecksum, decoding.codings.error == nil else { continue }
            // The damage is in the signature, in a byte without a meaning, or in the header of a skippable frame.
            let isUnencoded = decoding.bytes == nil && decoding.warnings == ["encoding.not_encoded"]
            #expect(isUnencoded || decoding.bytes == text || index < 10, "\(index)")
        }
    }

    @Test(arguments: Encoder.allCases)
    func `random bytes are decoded or rejected`(encoder: Encoder) throws {
        var random = RandomSource(seed: 7)
        let head = Array(encoder.encode(sampleText(100)).prefix(12))
        for _ in 0..<400 {
            let bytes = (0..<(1 + random.below(200))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for content in [bytes, Array(head.prefix(random.below(12))) + bytes] {
                let decoding = try Decoding(content, encoder.coding, stops: [0, 1, 30])
                #expect(decoding.codings.error != nil || decoding.bytes != nil || !decoding.warnings.isEmpty)
            }
        }
    }

    // MARK: Members and frames

    @Test(arguments: [1, 2, 128, 4_000], [Encoder.gzip, .zstd])
    func `the contents of members and frames are concatenated`(count: Int, encoder: Encoder) throws {
        var encoded: [UInt8] = []
        var text: [UInt8] = []
        for index in 0..<count {
            let part = sampleText(index % 7 == 0 ? 0 : index % 50, seed: UInt64(index))
            encoded += encoder.encode(part)
            text += part
        }
        #expect(try Decoding(encoded, encoder.coding).flawless == text)
        #expect(try Decoding(encoded, encoder.coding, stops: [0, 0, 10, 500]).flawless == text)
        #expect(try Decoding(Encoder.brotli.encode(encoded), encoder.coding + ",br").flawless == text)
    }

    @Test(
        arguments: Encoder.allCases,
        [
            [0], [0, 0, 0], [0x1F], [0x1F, 0x8B], [0x1F, 0x8B, 9], [0x1F, 0x8B, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            Array("garbage".utf8), [0x28], [0x28, 0xB5], [0x28, 0xB5, 0x2F], [0x50], [0x5F], [0x5A, 0x2A, 0x4D], [0xFF],
        ] as [[UInt8]]
    )
    func `bytes after the end are ignored with a warning`(encoder: Encoder, trailing: [UInt8]) throws {
        let text = sampleText(1_000)
        let encoded = encoder.encode(text)
        let decoding = try Decoding(encoded + trailing, encoder.coding)
        #expect(decoding.bytes == text)
        let warning = Warning(
            .trailingBytes(decoding.coding, count: trailing.count),
            at: CodingError(.truncated, at: encoded.count).location
        )
        #expect(decoding.codings.warnings == [warning])
        #expect(decoding.codings.error == nil)
        let stacked = try Decoding(Encoder.gzip.encode(encoded + trailing), encoder.coding + ",gzip")
        #expect(stacked.bytes == text)
        #expect(stacked.warnings == ["encoding.trailing_bytes"])
    }

    /// The complete magic number, and in gzip the method, begin another member or frame.
    @Test(
        arguments: [
            (Encoder.gzip, [0x1F, 0x8B, 8]), (.gzip, [0x1F, 0x8B, 8, 0]), (.zstd, [0x28, 0xB5, 0x2F, 0xFD]),
            (.zstd, [0x50, 0x2A, 0x4D, 0x18]), (.zstd, [0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0]),
        ] as [(Encoder, [UInt8])]
    )
    func `another member that ends early is an error`(encoder: Encoder, member: [UInt8]) throws {
        let encoded = encoder.encode(sampleText(1_000)) + member
        let error = CodingError(.truncated, in: ContentCoding(name: encoder.coding), at: encoded.count)
        #expect(try Decoding(encoded, encoder.coding).codings.error == .coding(error))
        #expect(try Decoding(encoded, encoder.coding, truncated: .allow).bytes == sampleText(1_000))
    }

    /// The inner coding may have received nothing, or too little to be recognized.
    @Test(arguments: Encoder.allCases, Encoder.allCases)
    func `content of two codings that ends at any byte is truncated`(inner: Encoder, outer: Encoder) throws {
        let encoded = outer.encode(inner.encode(sampleText(700)))
        let codings = "\(inner.coding), \(outer.coding)"
        for end in 4..<encoded.count {
            let part = Array(encoded[..<end])
            let decoding = try Decoding(part, codings)
            #expect(try Decoding(part, codings, stops: [0, 10, 100]) == decoding, "\(end)")
            if decoding.warnings == ["encoding.missing_trailer"] {
                #expect(decoding.bytes == sampleText(700))
                continue
            }
            #expect(
                decoding.codings.error
                    == .coding(CodingError(.truncated, in: ContentCoding(name: outer.coding), at: end)),
                "\(end)"
            )
            #expect(decoding.warnings == [], "\(end)")
        }
    }

    /// The bytes after the inner data are part of the outer data, whose checksum is verified.
    @Test func `the outer data is read to its end`() throws {
        let inner = Encoder.zstd.encode(sampleText(100)) + [UInt8](repeating: 0, count: 300_000)
        var outer = Encoder.gzip.encode(inner)
        #expect(try Decoding(outer, "zstd,gzip").bytes == sampleText(100))
        outer[outer.count - 5] ^= 1
        #expect(try Decoding(outer, "zstd,gzip").error == .corrupt(part: .checksum))
    }

    @Test func `skippable frames are skipped`() throws {
        let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let frame = Encoder.zstd.encode([9, 8])
        #expect(try Decoding(skippable + frame + skippable + frame, "zstd").flawless == [9, 8, 9, 8])
        #expect(try Decoding(skippable, "zstd").flawless == [])
    }

    /// RFC 1952 §2.3: each field of the header, and the checksum of all of them.
    @Test(arguments: 0...0x1F as ClosedRange<UInt8>)
    func `every field of gzip's header is read`(flags: UInt8) throws {
        let text = sampleText(200)
        var header: [UInt8] = [0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 0, 3]
        if flags & 4 != 0 { header += [0x2C, 0x01] + [UInt8](repeating: 7, count: 300) }
        if flags & 8 != 0 { header += Array("file.json".utf8) + [0] }
        if flags & 16 != 0 { header += Array("a comment".utf8) + [0] }
        let sum = ZlibInflater.crc32(0, header.span)
        if flags & 2 != 0 { header += littleEndian(Int(sum & 0xFFFF), 2) }
        let data =
            Encoder.raw.encode(text) + littleEndian(Int(ZlibInflater.crc32(0, text.span)), 4)
            + littleEndian(text.count, 4)
        #expect(try Decoding(header + data, "gzip").flawless == text)
        #expect(try Decoding(Encoder.brotli.encode(header + data), "gzip,br").flawless == text)
        // The last member is long, so zlib decodes the content.
        let member = header + data
        #expect(try Decoding(member + Encoder.gzip.encode(sampleText(300_000)), "gzip").bytes?.count == 300_200)
        if flags & 2 != 0 {
            header[header.count - 1] ^= 1
            #expect(try Decoding(header + data, "gzip").error == .corrupt(part: .header))
        }
        header[3] |= 0x20
        #expect(try Decoding(header + data, "gzip").error == .corrupt(part: .header))
        for end in 2..<header.count {
            #expect(try Decoding(Array(header[..<end]), "gzip").codings.error != nil)
        }
    }

    /// The length in the trailer is not trusted.
    @Test(arguments: [0, 1, 599, 601, 1 << 17, 1 << 20, 0xFFFF_FFFF])
    func `a wrong length in gzip's trailer is an error`(length: Int) throws {
        let encoded = Encoder.gzip.encode(sampleText(600))
        let wrong = Array(encoded.dropLast(4)) + littleEndian(length, 4)
        let decoding = try Decoding(wrong, "gzip")
        #expect(decoding.error == .corrupt(part: .length))
        #expect(decoding.codings.error == .coding(CodingError(.corrupt(part: .length), in: .gzip, at: wrong.count - 4)))
    }

    @Test func `content that needs a dictionary is rejected`() throws {
        // FDICT, with a correct check.
        #expect(try Decoding([0x78, 0xBB, 1, 2, 3, 4, 0xFF, 0xFE], "deflate").error == .dictionary)
        // A frame of zstd with a dictionary identifier.
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x21, 5, 1, 0x09, 0, 0, 0x41] + [UInt8](repeating: 0, count: 20)
        #expect(try Decoding(frame, "zstd").error == .dictionary)
    }

    // MARK: Windows

    /// A frame of zstd with one raw block.
    private static func frame(_ header: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        [0x28, 0xB5, 0x2F, 0xFD] + header + littleEndian(bytes.count << 3 | 1, 3) + bytes
    }

    @Test func `windows of zstd are allowed up to 8 MiB`() throws {
        // An exponent from 10 in five bits, and eighths of it in three.
        #expect(try Decoding(Self.frame([0, 13 << 3], [1, 2, 3]), "zstd").flawless == [1, 2, 3])
        #expect(try Decoding(Self.frame([0, 12 << 3 | 7], [1, 2, 3]), "zstd").flawless == [1, 2, 3])
        let larger = try Decoding(Self.frame([0, 13 << 3 | 1], [1, 2, 3]), "zstd")
        #expect(larger.error == .windowTooLarge(bytes: 9 << 20))
        #expect(try Decoding(Self.frame([0, 21 << 3], [1, 2, 3]), "zstd").error == .windowTooLarge(bytes: 1 << 31))
        // The same in a second frame, and inside another coding.
        let second = Encoder.zstd.encode([1]) + Self.frame([0, 14 << 3], [1])
        #expect(try Decoding(second, "zstd").error == .windowTooLarge(bytes: 16 << 20))
        #expect(try Decoding(Encoder.gzip.encode(second), "zstd,gzip").error == .windowTooLarge(bytes: 16 << 20))
        // The window of a single segment is its content.
        #expect(try Decoding(Self.frame([0xA0] + littleEndian(8 << 20, 4), [1]), "zstd").error != nil)
        #expect(
            try Decoding(Self.frame([0xA0] + littleEndian((8 << 20) + 1, 4), [1]), "zstd").error
                == .windowTooLarge(bytes: (8 << 20) + 1)
        )
        #expect(
            try Decoding(Self.frame([0xE0] + [UInt8](repeating: 0xFF, count: 8), [1]), "zstd").error
                == .windowTooLarge(bytes: .max)
        )
    }

    @Test func `the large windows of brotli are not supported`() throws {
        let text = sampleText(5_000)
        #expect(try Decoding(Encoder.brotli(text, windowBits: 24), "br").flawless == text)
        #expect(
            try Decoding(Encoder.brotli(text, windowBits: 28, isLargeWindow: true), "br").error == .corrupt(part: .data)
        )
    }

    @Test(arguments: 10...24)
    func `the first byte of brotli specifies its window`(bits: Int) throws {
        // The encoder may choose a smaller one for short content.
        let encoded = Encoder.brotli(sampleText(2_000_000), windowBits: bits)
        #expect(BrotliReader.windowBytes(first: encoded[0]) == 1 << bits)
    }

    // MARK: Limits

    @Test(arguments: Encoder.allCases, [1, 100, 70_000, 300_000])
    func `the limit is exact`(encoder: Encoder, size: Int) throws {
        let text = sampleText(size)
        var limits = Limits()
        limits.maxDecodedBytes = size
        #expect(try Decoding(encoder.encode(text), encoder.coding, limits: limits).flawless == text)
        let longer = encoder.encode(text + [0x20])
        #expect(try Decoding(longer, encoder.coding, limits: limits).error == .tooLong(max: size))
        let stacked = Encoder.zstd.encode(longer)
        #expect(try Decoding(stacked, encoder.coding + ",zstd", limits: limits).error == .tooLong(max: size))
    }

    @Test(arguments: Encoder.allCases)
    func `a bomb is rejected by its ratio`(encoder: Encoder) throws {
        let zeros = [UInt8](repeating: 0, count: 32 << 20)
        let bomb = encoder.encode(zeros)
        let decoding = try Decoding(bomb, encoder.coding)
        #expect(decoding.error == .ratio(max: 1_000))
        // Neither of the two codings exceeds the ratio alone.
        let stacked = Encoder.gzip.encode(bomb)
        #expect(try Decoding(stacked, encoder.coding + ",gzip").error == .ratio(max: 1_000))
    }

    @Test(arguments: [Encoder.gzip, .brotli, .zstd])
    func `up to 1 MiB the ratio is not checked`(encoder: Encoder) throws {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        #expect(try Decoding(encoder.encode(zeros), encoder.coding).flawless == zeros)
    }

    /// The length of the header of a member is not limited, and the header is not output.
    @Test func `a bomb in a header is rejected`() throws {
        let header: [UInt8] = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0x61, count: 32 << 20) + [0]
        let inner = header + Encoder.raw.encode([1]) + [0, 0, 0, 0, 1, 0, 0, 0]
        #expect(try Decoding(Encoder.brotli.encode(inner), "gzip,br").error == .ratio(max: 1_000))
    }

    // MARK: Work on the HTTP thread

    /// Returns the number of encoded bytes after which a decoder without permitted output stops.
    private static func stop(_ content: [UInt8], _ coding: String, until maxBytes: Int) throws
        -> ContentDecoder.Progress
    {
        let response = UpstreamResponse(fields: HeaderFields([.init(name: "Content-Encoding", value: coding)]))
        let made = ResponseSerializer().contentDecoder(for: response, content.span)
        let decoder = try #require(made)
        return decoder.run(content.span, until: maxBytes, memory: .unlimited)
    }

    @Test(arguments: [Encoder.zlib, .raw, .brotli, .zstd])
    func `a decoder stops after its bound, and not at it`(encoder: Encoder) throws {
        let encoded = encoder.encode(sampleText(300_000))
        #expect(try Self.stop(encoded, encoder.coding, until: 300_000) == .finished)
        #expect(try Self.stop(encoded, encoder.coding, until: 299_999) == .stopped)
    }

    @Test func `members without content do not take long`() throws {
        let members = (0..<10_000).flatMap { _ in Encoder.gzip.encode([]) }
        #expect(try Self.stop(members, "gzip", until: 256 << 10) == .stopped)
        #expect(try Decoding(members, "gzip").flawless == [])
    }

    /// 200 bytes in another coding can contain 30 000 frames. Each frame moved the bytes of the remaining ones, on the
    /// HTTP thread.
    @Test(arguments: [[UInt8](arrayLiteral: 0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0), Encoder.zstd.encode([])])
    func `frames without content inside another coding do not take long`(frame: [UInt8]) throws {
        let frames = (0..<30_000).flatMap { _ in frame } + Encoder.zstd.encode(Array("[1]".utf8))
        let content = Encoder.gzip.encode(frames)
        #expect(try Self.stop(content, "zstd,gzip", until: 256 << 10) == .stopped)
        #expect(try Decoding(content, "zstd,gzip").flawless == Array("[1]".utf8))
    }

    // MARK: Memory

    /// Grants a given number of requests.
    private final class Grants: MemoryGrant {
        private let left: Atomic<Int>
        private let granted = Atomic<Int>(0)

        init(_ count: Int) {
            left = Atomic(count)
        }

        var bytes: Int { granted.load(ordering: .relaxed) }

        func grow(by bytes: Int) -> Bool {
            guard left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 else { return false }
            granted.wrappingAdd(bytes, ordering: .relaxed)
            return true
        }
    }

    @Test(arguments: Encoder.allCases, ["", "br", "gzip"])
    func `decoding ends if memory is not granted`(encoder: Encoder, outer: String) throws {
        let text = sampleText(3_000_000)
        var encoded = encoder.encode(text)
        var coding = encoder.coding
        if let last = Encoder.allCases.first(where: { $0.coding == outer }) {
            encoded = last.encode(encoded)
            coding += "," + outer
        }
        var count = 0
        while true {
            let grants = Grants(count)
            let decoding = try Decoding(encoded, coding, memory: grants)
            if decoding.codings.error == nil {
                #expect(decoding.flawless == text)
                #expect(grants.bytes >= text.count)
                break
            }
            #expect(decoding.codings.error == .outOfMemory)
            #expect(decoding.bytes == nil)
            count += 1
            try #require(count < 100, "no number of grants is enough")
        }
        #expect(count > 2)
    }

    @Test func `memory is requested for output that was decoded without a grant, and for windows`() throws {
        let grants = Grants(.max)
        let text = sampleText(200_000)
        #expect(try Decoding(Encoder.zlib.encode(text), "deflate", stops: [100_000], memory: grants).flawless == text)
        #expect(grants.bytes >= 200_000 + ZlibInflater.bytes)
        let windows = Grants(.max)
        _ = try Decoding(Encoder.brotli(text, windowBits: 24), "br", memory: windows)
        #expect(windows.bytes >= 200_000 + 1 << 20)
        let frame = Grants(.max)
        _ = try Decoding(Self.frame([0, 13 << 3], [1, 2, 3]), "zstd", memory: frame)
        #expect(frame.bytes >= 8 << 20)
    }
}

extension Decoding {
    fileprivate var coding: ContentCoding { codings.codings.first ?? .gzip }
}
