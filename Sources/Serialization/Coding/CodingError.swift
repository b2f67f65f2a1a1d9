/// The reason why a content coding could not be decoded, and its offset.
public struct CodingError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The encoded content ends early.
        case truncated
        /// The encoded content is malformed in `part`.
        case corrupt(part: Part)
        /// A frame of zstd needs a window of `bytes` bytes, which is more than ``ContentCoding/maxWindowBytes``.
        case windowTooLarge(bytes: Int)
        /// The content can only be decoded with a dictionary that is not part of it.
        case dictionary
        /// There are more codings than ``Limits/maxContentCodings``.
        case tooManyCodings(max: Int)
        /// The decoded content, or the output of one of several codings, is longer than ``Limits/maxDecodedBytes``.
        case tooLong(max: Int)
        /// The decoded content is longer than ``ContentCoding/freeDecodedBytes``, and longer than `max` times the
        /// encoded bytes that it was made from.
        case ratio(max: Int)
        /// The memory for decoding is not available.
        case outOfMemory
    }

    /// A part of encoded content.
    public enum Part: String, Sendable {
        case header
        case data
        case checksum
        /// The length field after the data.
        case length
    }

    public var reason: Reason

    /// The coding; `nil` if the error is not that of one coding.
    public var coding: ContentCoding?

    /// The offset in the encoded bytes of this coding; `nil` if the error has none.
    public var byte: Int?

    /// The codings that were decoded before this one, in that order: ``byte`` counts in the content after them.
    public var decoded: [ContentCoding]

    public init(
        _ reason: Reason,
        in coding: ContentCoding? = nil,
        at byte: Int? = nil,
        after decoded: [ContentCoding] = []
    ) {
        self.reason = reason
        self.coding = coding
        self.byte = byte
        self.decoded = decoded
    }

    /// The offset as problems report it.
    public var location: SourceLocation? {
        byte.map { byte in
            var location = SourceLocation(byte: byte)
            location.isEncoded = true
            location.decodedCodings = decoded.count
            return location
        }
    }
}

extension ContentCoding {
    /// The maximum window of a frame of zstd, in bytes, inclusive (RFC 9659 §3).
    public static let maxWindowBytes = 8 << 20

    /// The number of decoded bytes up to which the ratio is not checked, inclusive.
    public static let freeDecodedBytes = 1 << 20

    /// The maximum number of decoded bytes per encoded byte beyond ``freeDecodedBytes``, inclusive.
    public static let maxRatio = 1_000
}
