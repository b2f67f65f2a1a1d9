extension [UInt8] {
    /// Appends the path in `range` without dot segments (RFC 3986 §5.2.4). Dots can be encoded.
    /// - Parameter range: The range of the path, which is empty or begins with a slash.
    package mutating func appendRemovingDotSegments(of bytes: Span<UInt8>, _ range: Range<Int>) {
        guard bytes.hasDotSegments(range) else { return append(bytes, range) }
        append(UInt8(ascii: "/"))
        appendSegments(of: bytes, range.lowerBound + 1..<range.upperBound, from: count)
    }

    /// Appends the segments of a relative path to one that ends with a slash. `..` removes the last segment.
    /// - Parameter root: The offset after the first slash of the path, before which nothing is removed.
    package mutating func appendSegments(of bytes: Span<UInt8>, _ range: Range<Int>, from root: Int) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes.firstOffset(of: UInt8(ascii: "/"), in: start..<range.upperBound) ?? range.upperBound
            switch bytes.dotCount(start..<end) {
            case nil: append(bytes, start..<Swift.min(end + 1, range.upperBound))
            case 2 where count > root:
                // The path ends with a slash, before which the last segment ends.
                let slash = span.lastOffset(of: UInt8(ascii: "/"), in: root..<count - 1)
                removeLast(count - (slash.map { $0 + 1 } ?? root))
            default: break
            }
            start = end + 1
        }
    }
}

extension Span<UInt8> {
    /// Returns whether the path in `range` has segments of one or two dots.
    fileprivate func hasDotSegments(_ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = firstOffset(of: UInt8(ascii: "/"), in: (start + 1)..<range.upperBound) ?? range.upperBound
            if dotCount((start + 1)..<end) != nil { return true }
            start = end
        }
        return false
    }

    /// Returns 1 or 2 if the segment consists of so many dots, each of which can be encoded as `%2e`, and `nil`
    /// otherwise.
    fileprivate func dotCount(_ segment: Range<Int>) -> Int? {
        var dots = 0
        var index = segment.lowerBound
        while index < segment.upperBound {
            if self[index] == UInt8(ascii: ".") {
                index += 1
            } else if index + 2 < segment.upperBound, self[index] == UInt8(ascii: "%"),
                self[index + 1] == UInt8(ascii: "2"), self[index + 2] | 0x20 == UInt8(ascii: "e")
            {
                index += 3
            } else {
                return nil
            }
            dots += 1
            if dots > 2 { return nil }
        }
        return dots == 0 ? nil : dots
    }
}
