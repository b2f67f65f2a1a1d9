internal import Serialization

/// The beginning of an input, which determines its format.
enum BatchSignature: Equatable {
    case gzip
    case zstd
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

    /// Returns the compression of the input; `other` if there is none, and `nil` if further bytes are needed.
    private static func magic(_ bytes: Span<UInt8>) -> BatchSignature? {
        guard bytes.count > 0 else { return nil }
        // RFC 8878 §3.1.2: a skippable frame, in which a dictionary is stored, has one of 16 magic numbers.
        let isSkippable = bytes[0] & 0xF0 == 0x50
        // RFC 8878 §3.1.1 and RFC 1952 §2.3.1: a frame of zstd, and a member of gzip.
        let zstd: [UInt8] = isSkippable ? [bytes[0], 0x2A, 0x4D, 0x18] : [0x28, 0xB5, 0x2F, 0xFD]
        let isGzip = bytes.matches([0x1F, 0x8B], at: 0)
        let isZstd = bytes.matches(zstd, at: 0)
        if isGzip == true { return .gzip }
        if isZstd == true { return .zstd }
        return isGzip == nil || isZstd == nil ? nil : .other
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
