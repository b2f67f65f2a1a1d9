internal import Primitives

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
