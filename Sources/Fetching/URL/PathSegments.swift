internal import Primitives

/// The segments of a path: the parts between slashes (RFC 3986 §3.3).
enum PathSegments {
    /// Appends the path in `range` without dot segments (RFC 3986 §5.2.4). Dots can be encoded. An empty path becomes
    /// `/`.
    static func removeDotSegments(of bytes: Span<UInt8>, _ range: Range<Int>, to path: inout [UInt8]) {
        guard hasDotSegments(bytes, range) else {
            if range.isEmpty { path.append(UInt8(ascii: "/")) }
            return path.append(bytes, range)
        }
        var kept: [Range<Int>] = []
        let segments = segments(of: bytes, range)
        for (index, segment) in segments.enumerated() {
            let dots = dotCount(of: bytes, segment)
            if dots == 2 { _ = kept.popLast() }
            if dots == nil {
                kept.append(segment)
            } else if index == segments.count - 1 {
                // The path ends with a slash: it names the folder.
                kept.append(segment.upperBound..<segment.upperBound)
            }
        }
        if kept.isEmpty { path.append(UInt8(ascii: "/")) }
        for segment in kept {
            path.append(UInt8(ascii: "/"))
            path.append(bytes, segment)
        }
    }

    private static func hasDotSegments(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes.firstOffset(of: UInt8(ascii: "/"), in: (start + 1)..<range.upperBound) ?? range.upperBound
            if dotCount(of: bytes, (start + 1)..<end) != nil { return true }
            start = end
        }
        return false
    }

    /// Returns the segments of the path in `range`, which is empty or begins with a slash. `/` has one empty segment.
    private static func segments(of bytes: Span<UInt8>, _ range: Range<Int>) -> [Range<Int>] {
        guard !range.isEmpty else { return [] }
        var segments: [Range<Int>] = []
        var start = range.lowerBound + 1
        for index in start...range.upperBound where index == range.upperBound || bytes[index] == UInt8(ascii: "/") {
            segments.append(start..<index)
            start = index + 1
        }
        return segments
    }

    /// Returns 1 or 2 if the segment consists of so many dots, each of which can be encoded as `%2e`, and `nil`
    /// otherwise.
    private static func dotCount(of bytes: Span<UInt8>, _ segment: Range<Int>) -> Int? {
        var dots = 0
        var index = segment.lowerBound
        while index < segment.upperBound {
            if bytes[index] == UInt8(ascii: ".") {
                index += 1
            } else if index + 2 < segment.upperBound, bytes[index] == UInt8(ascii: "%"),
                bytes[index + 1] == UInt8(ascii: "2"), bytes[index + 2] | 0x20 == UInt8(ascii: "e")
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

/// A path whose segments are decoded, so that it can be compared with the path of a rule: `/%76%31/a` is equal to
/// `/v1/a`.
///
/// Some paths have no segments that all servers agree about. A server can decode `%2f` before it splits the path, read
/// `\` or `%5c` as a slash, decode twice (`%252e`), end the path at `%00`, or ignore the parameters of a segment
/// (`..;x`). Such a path is ambiguous: it matches no rule that permits, and every rule that denies.
struct DecodedPath: Equatable, Sendable {
    /// The segments after the first slash, decoded. The last one is empty if the path ends with a slash.
    let segments: [[UInt8]]

    /// - Returns: `nil` for an ambiguous path.
    /// - Parameter path: A path of a ``FetchURL``.
    init?(_ path: String) {
        let bytes = Array(path.utf8)
        var segments: [[UInt8]] = []
        for raw in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let segment = PercentEncoding.decoded(raw)
            if Self.isAmbiguous(segment) { return nil }
            segments.append(segment)
        }
        self.segments = segments
    }

    private static func isAmbiguous(_ segment: [UInt8]) -> Bool {
        for (index, byte) in segment.enumerated() {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"), 0: return true
            case UInt8(ascii: "%"):
                if segment.span.percentEncodedByte(at: index, before: segment.count) != nil { return true }
            default: break
            }
        }
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        return name.count < segment.count && name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
            && !name.isEmpty
    }
}
