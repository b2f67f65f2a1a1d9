internal import Serialization

/// The beginning of an input, which determines its format.
enum BatchSignature: Equatable {
    case gzip
    /// The input must be converted first. The sentence says how.
    case unsupported(String)
    /// `WARC/`, after white space.
    case warc
    /// An object whose first member is `log`.
    case log
    case other

    /// The maximum number of bytes that are considered. A signature after more white space is not recognized.
    static let maxBytes = 4 << 10

    private static let name = [UInt8](#""log""#.utf8)
    private static let version = [UInt8]("WARC/".utf8)

    /// - Parameter isComplete: whether no further bytes are considered.
    /// - Returns: `nil` if further bytes are needed.
    init?(_ bytes: Span<UInt8>, isComplete: Bool) {
        var offset = 0
        let magic = Self.magic(bytes)
        guard magic != nil || isComplete else { return nil }
        if let magic, magic != .other {
            self = magic
            return
        }
        let mark = bytes.matches([0xEF, 0xBB, 0xBF], at: 0)
        guard mark != nil || bytes.count == 0 || isComplete else { return nil }
        if mark == true { offset = 3 }
        bytes.skipWhiteSpace(&offset)
        var match = bytes.matches(Self.version, at: offset)
        if match == true {
            self = .warc
            return
        }
        if match == false {
            match = bytes.matches([UInt8(ascii: "{")], at: offset)
            offset += 1
            bytes.skipWhiteSpace(&offset)
            if match == true { match = bytes.matches(Self.name, at: offset) }
            offset += Self.name.count
            bytes.skipWhiteSpace(&offset)
            if match == true { match = bytes.matches([UInt8(ascii: ":")], at: offset) }
        }
        guard isComplete || match != nil else { return nil }
        self = match == true ? .log : .other
    }

    static let zstd = Self.unsupported(
        "zstd is not supported: decompress the input first, for example with `zstd -dc`"
    )

    /// The first bytes of compressed and archived content, and what is done with it.
    private static let magics: [(bytes: [UInt8], signature: BatchSignature)] = [
        // RFC 1952 §2.3.1
        ([0x1F, 0x8B], .gzip),
        // RFC 8878 §3.1.1
        ([0x28, 0xB5, 0x2F, 0xFD], zstd),
        (
            [0x04, 0x22, 0x4D, 0x18],
            .unsupported("LZ4 is not supported: decompress the input first, for example with `lz4 -dc`")
        ),
        (
            [0xFD, 0x37, 0x7A, 0x58, 0x5A],
            .unsupported("XZ is not supported: decompress the input first, for example with `xz -dc`")
        ),
        (
            [UInt8]("BZh".utf8),
            .unsupported("bzip2 is not supported: decompress the input first, for example with `bzip2 -dc`")
        ),
        (
            [UInt8]("filedesc://".utf8),
            .unsupported("ARC is not supported: convert the input to WARC first, for example with `warcio recompress`")
        ),
    ]

    /// Returns the signature of compressed or archived content; `other` if there is none, and `nil` if further bytes
    /// are needed.
    private static func magic(_ bytes: Span<UInt8>) -> BatchSignature? {
        guard bytes.count > 0 else { return nil }
        // RFC 8878 §3.1.2: a skippable frame, in which a dictionary is stored, has one of 16 magic numbers.
        let skippable: (bytes: [UInt8], signature: BatchSignature) = (
            [0x50 | bytes[0] & 0x0F, 0x2A, 0x4D, 0x18], zstd
        )
        var needsMore = false
        for magic in magics + [skippable] {
            switch bytes.matches(magic.bytes, at: 0) {
            case true?: return magic.signature
            case false?: break
            case nil: needsMore = true
            }
        }
        return needsMore ? nil : .other
    }
}

extension Span<UInt8> {
    /// Returns whether `text` is at `offset`; `nil` if only the beginning of it is there, and the bytes end.
    fileprivate func matches(_ text: [UInt8], at offset: Int) -> Bool? {
        for index in text.indices {
            guard offset + index < count else { return nil }
            guard self[offset + index] == text[index] else { return false }
        }
        return true
    }

    /// Moves `offset` past white space.
    fileprivate func skipWhiteSpace(_ offset: inout Int) {
        while offset < count, self[offset].isJSONWhiteSpace { offset += 1 }
    }
}
