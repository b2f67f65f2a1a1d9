internal import Serialization

extension ContainedBytes {
    /// Calls `body` with the bytes, which are valid for the duration of the call.
    func withBytes<Result: ~Copyable, Failure: Error>(
        in other: Span<UInt8>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .slice(let range): try body(other.extracting(range))
        case .bytes(let bytes): try body(bytes.span)
        }
    }
}
