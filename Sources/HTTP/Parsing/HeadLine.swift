internal import Glibc
internal import Primitives

/// One line of the head of a request or a response (RFC 9112 §2.1): its text, followed by CRLF.
package struct HeadLine {
    private let start: Int

    /// The offset after the line feed.
    package let end: Int

    /// Finds the line that begins at `start`.
    /// - Parameter searched: the offset at which the search for the line feed begins, which is not less than `start`.
    /// - Returns: `nil` if there is no line feed.
    @inline(__always) package init?(in window: Span<UInt8>, from start: Int, searchingFrom searched: Int) {
        guard searched < window.count,
            let lineFeed = window.firstOffset(of: UInt8(ascii: "\n"), in: searched..<window.count)
        else { return nil }
        self.start = start
        end = lineFeed + 1
    }

    /// Returns the offsets of the line without its CRLF, or `nil` if a bare line feed ends it.
    @inline(__always) package func text(in window: Span<UInt8>) -> Range<Int>? {
        // RFC 9112 §2.2: a recipient may recognize a bare line feed as a line terminator. This parser does not.
        guard end - start >= 2, window[end - 2] == UInt8(ascii: "\r") else { return nil }
        return start..<(end - 2)
    }
}

extension Span<UInt8> {
    /// Returns the offset of the first `byte` in `range`, which memchr(3) finds.
    @inline(__always) package func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range is in the span")
        // All pointers point into the memory that is borrowed for the duration of this call.
        return unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        }
    }
}
