// The only way in which readers of content cut spans, together with the operations of the standard library that end at
// the bounds of the span (`extracting(first:)`, `extracting(droppingFirst:)` and the like). Offsets and lengths are
// often numbers in the content, so they may be negative, too large, or overflow when they are added.

extension Span<UInt8> {
    /// Passes `count` bytes from `start` to `body`.
    /// - Returns: The result of `body`, or `nil` if any of the bytes is out of bounds.
    @discardableResult
    @inlinable @inline(__always)
    package func slice<Result, Failure>(
        at start: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        guard start >= 0, count >= 0, start <= self.count, count <= self.count - start else { return nil }
        // The sum is at most the number of bytes.
        return try body(extracting(start..<start + count))
    }

    /// Passes the bytes of `range` to `body`.
    /// - Returns: The result of `body`, or `nil` if any of the bytes is out of bounds.
    @discardableResult
    @inlinable @inline(__always)
    package func slice<Result, Failure>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return try body(extracting(range))
    }
}
