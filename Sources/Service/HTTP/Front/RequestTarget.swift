internal import Serialization

/// A request target in origin form (RFC 9112 §3.2.1), split at the first `?` and otherwise raw: nothing is decoded.
struct RequestTarget: Equatable, Sendable {
    var path: String

    /// What follows the `?`, without it; nil where there is none.
    var query: String?
}

extension RequestTarget {
    /// Reads a target as it was sent.
    ///
    /// The absolute form is taken too, as a server must (RFC 9112 §3.2.2), and reduced to its path and query;
    /// `*` is a path of its own (§3.2.4). The authority form belongs to CONNECT, which is not for an origin server.
    /// Bytes that RFC 3986 wants escaped but clients send as they are (`{`, `|`, `"` …) are let through.
    init(parsing target: Span<UInt8>) throws(FramingError) {
        for index in target.indices where !Self.isTargetByte(target[index]) {
            throw .invalidTarget(offset: index)
        }
        let start = try Self.pathStart(in: target)
        var end = start
        while end < target.count, target[end] != UInt8(ascii: "?") {
            end += 1
        }
        path = start == end ? "/" : String(ascii: target, start..<end)
        query = end < target.count ? String(ascii: target, (end + 1)..<target.count) : nil
    }

    /// Visible ASCII except `#`: a fragment is never sent (RFC 9112 §3.2).
    private static func isTargetByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    /// Where the path begins.
    private static func pathStart(in target: Span<UInt8>) throws(FramingError) -> Int {
        guard target.count > 0 else { throw .invalidTarget(offset: 0) }
        if target[0] == UInt8(ascii: "/") || (target.count == 1 && target[0] == UInt8(ascii: "*")) { return 0 }
        for scheme in ["http://", "https://"] where target.hasPrefix(scheme) {
            var index = scheme.utf8.count
            while index < target.count, target[index] != UInt8(ascii: "/"), target[index] != UInt8(ascii: "?") {
                index += 1
            }
            // No user information (RFC 9110 §4.2.4), as in `Host`.
            let authority = target.extracting(scheme.utf8.count..<index)
            guard HostSyntax.isValid(authority) else { throw .invalidTarget(offset: scheme.utf8.count) }
            return index
        }
        throw .invalidTarget(offset: 0)
    }
}

extension Span<UInt8> {
    /// Whether the bytes begin with `prefix`, which is lower-case ASCII; letters compare without case.
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

extension String {
    /// A part of `bytes` as text. Sequences that are no UTF-8 become U+FFFD.
    init(ascii bytes: Span<UInt8>, _ range: Range<Int>) {
        // Copied within the call that lends the bytes.
        self = unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// A field's name or value.
    init(field bytes: Span<UInt8>) {
        self.init(ascii: bytes, 0..<bytes.count)
    }
}
