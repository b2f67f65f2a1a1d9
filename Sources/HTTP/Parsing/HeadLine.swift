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
        // RFC 9112 §2.2: a recipient may recognize a bare line feed as a line terminator. Those of the service do not.
        guard end - start >= 2, window[end - 2] == UInt8(ascii: "\r") else { return nil }
        return start..<(end - 2)
    }

    /// Returns the offsets of the line without its CRLF or bare line feed (RFC 9112 §2.2).
    package func textOfAnyEnd(in window: Span<UInt8>) -> Range<Int> { text(in: window) ?? start..<(end - 1) }
}
