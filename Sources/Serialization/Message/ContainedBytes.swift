/// Bytes that other bytes contain, such as the content of a response in an envelope.
package enum ContainedBytes: Equatable, Sendable {
    /// A range of the other bytes, which needs no decoding.
    case slice(Range<Int>)
    /// Bytes that were decoded from the other bytes.
    case bytes([UInt8])

    /// The number of bytes.
    package var count: Int {
        switch self {
        case .slice(let range): range.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// The size in bytes, if they are not a part of the other bytes.
    package var decodedBytes: Int {
        switch self {
        case .slice: 0
        case .bytes(let bytes): bytes.count
        }
    }

    /// Returns the bytes as text.
    func text(in other: Span<UInt8>) -> String {
        switch self {
        case .slice(let range): other.text(range)
        case .bytes(let bytes): bytes.span.text
        }
    }
}
