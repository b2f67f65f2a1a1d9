internal import Primitives

/// A request target in origin form (RFC 9112 §3.2.1), split at the first `?`. Percent-encoding is not decoded.
package struct RequestTarget: Equatable, Sendable {
    package var path: String

    /// The query, without the `?`; `nil` if there is none.
    package var query: String?
}

extension RequestTarget {
    /// Parses a target as it was received.
    ///
    /// The absolute form is also accepted, as RFC 9112 §3.2.2 requires, and is reduced to its path and query. The path
    /// of the asterisk form is `*` (§3.2.4). The authority form is rejected: it is used only with CONNECT, which is not
    /// supported by an origin server. Characters that RFC 3986 requires to be encoded but that some clients send
    /// unencoded (`{`, `|`, `"` …) are accepted.
    /// - Throws: ``FramingError/invalidTarget(offset:)``
    init(parsing target: Span<UInt8>) throws(FramingError) {
        for index in target.indices where !Self.isTargetByte(target[index]) { throw .invalidTarget(offset: index) }
        let start = try Self.pathStart(in: target)
        var end = start
        while end < target.count, target[end] != UInt8(ascii: "?") { end += 1 }
        path = start == end ? "/" : target.text(start..<end)
        query = end < target.count ? target.text((end + 1)..<target.count) : nil
    }

    /// Returns whether a byte is visible ASCII other than `#`: a target contains no fragment (RFC 9112 §3.2).
    private static func isTargetByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") }

    /// Returns the offset of the path.
    private static func pathStart(in target: Span<UInt8>) throws(FramingError) -> Int {
        guard target.count > 0 else { throw .invalidTarget(offset: 0) }
        if target[0] == UInt8(ascii: "/") || (target.count == 1 && target[0] == UInt8(ascii: "*")) { return 0 }
        for scheme in ["http://", "https://"] where target.hasPrefix(scheme) {
            var index = scheme.utf8.count
            while index < target.count, target[index] != UInt8(ascii: "/"), target[index] != UInt8(ascii: "?") {
                index += 1
            }
            // As in `Host`, user information is rejected (RFC 9110 §4.2.4).
            let authority = target.extracting(scheme.utf8.count..<index)
            guard HostSyntax.isValid(authority) else { throw .invalidTarget(offset: scheme.utf8.count) }
            return index
        }
        throw .invalidTarget(offset: 0)
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes begin with `prefix`, which is lower-case ASCII. Letters are compared
    /// case-insensitively.
    fileprivate func hasPrefix(_ prefix: String) -> Bool {
        guard count >= prefix.utf8.count else { return false }
        var index = 0
        for byte in prefix.utf8 {
            guard self[index].asciiLowercased == byte else { return false }
            index += 1
        }
        return true
    }
}
