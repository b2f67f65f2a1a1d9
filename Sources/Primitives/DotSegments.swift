extension [UInt8] {
    /// Appends the path in `range` without dot segments (RFC 3986 §5.2.4). Dots can be encoded.
    /// - Parameter range: The range of the path, which is empty or begins with a slash.
    package mutating func appendRemovingDotSegments(of bytes: Span<UInt8>, _ range: Range<Int>) {
        guard bytes.hasDotSegments(range) else { return append(bytes, range) }
        var kept: [Range<Int>] = []
        let segments = bytes.segments(range)
        for (index, segment) in segments.enumerated() {
            let dots = bytes.dotCount(segment)
            if dots == 2 { _ = kept.popLast() }
            if dots == nil {
                kept.append(segment)
            } else if index == segments.count - 1 {
                // The path ends with a slash: it names the folder.
                kept.append(segment.upperBound..<segment.upperBound)
            }
        }
        if kept.isEmpty { append(UInt8(ascii: "/")) }
        for segment in kept {
            append(UInt8(ascii: "/"))
            append(bytes, segment)
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

    /// Returns the segments of the path in `range`, which is empty or begins with a slash. `/` has one empty segment.
    fileprivate func segments(_ range: Range<Int>) -> [Range<Int>] {
        guard !range.isEmpty else { return [] }
        var segments: [Range<Int>] = []
        var start = range.lowerBound + 1
        for index in start...range.upperBound where index == range.upperBound || self[index] == UInt8(ascii: "/") {
            segments.append(start..<index)
            start = index + 1
        }
        return segments
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
