internal import Primitives

// The URL of a fetch. This is the only parser that decides what a URL means: rules, keys and the request at the origin
// use what it returns, and libcurl receives the text that it writes.
//
//     HTTP://A.example:80/v1/%2E%2E/x/./y?q=%41#part
//     http://a.example/x/y?q=%41
//
// Scheme and host are written in lower case. The default port and the fragment are removed, an empty path becomes `/`,
// and dot segments are removed (RFC 3986 §5.2.4), also if their dots are encoded. Nothing else is changed: other
// escapes in the path and the complete query are sent as they were written, because origins can compare or sign them.
// The canonical text parses to the same URL.
//
// RFC 3986 and WHATWG URL differ in what they accept. Wherever they do, we reject what one of them rejects or reads
// differently:
// - `\` is `/` to WHATWG, and invalid to RFC 3986. Invalid.
// - White space around the URL, tabs and line breaks inside it are removed by WHATWG. Invalid.
// - Bytes outside RFC 3986's alphabet (`|`, `"`, `{`, non-ASCII …) are encoded by WHATWG in the path and the query.
//   Invalid: the caller must encode them.
// - A `%` without two hexadecimal digits is kept by WHATWG. Invalid.
// - `http:a.example`, `http:/a.example` and `http:///a.example` have the host a.example for WHATWG, and none for RFC
//   3986. Invalid.
// - User information is deprecated by RFC 9110 §4.2.4. It is rejected, even if it is empty (`http://@a.example`).
// - An empty port (`http://a.example:/`) is the default port for both. A port with leading zeros is a number for both,
//   but is rejected like an address with leading zeros. Port 0 cannot be connected to.
// - `[` and `]` are only allowed around an IPv6 address by RFC 3986. WHATWG accepts them in paths and queries, and many
//   services use them there (`?filter[name]=x`). They are accepted, because they have no meaning after the authority.
// - `.` and `%2e` are the same for both, but only WHATWG removes `/%2e%2e/`. It is removed, because the origin may do
//   so.
// - Empty segments (`//`) are kept, as in both.
// - Hosts: see `FetchHost`.

/// A URL that can be fetched, in canonical form. Two URLs are equal if their canonical text is.
package struct FetchURL: Hashable, Sendable {
    /// The maximum length of a URL, in bytes. It is inclusive, and applies to the text that is parsed and to the
    /// canonical text.
    package static let maxBytes = 8 * 1024

    /// The origin: scheme, host and port.
    package let origin: FetchOrigin

    /// The canonical text.
    package let text: String

    /// The offset of the path in the text, in bytes.
    private let pathStart: Int

    /// The offset of the end of the path: of `?`, or of the end of the text.
    private let pathEnd: Int

    /// The path without dot segments. It begins with `/`.
    package var path: String { text.utf8.span.text(pathStart..<pathEnd) }

    /// The request target in origin form (RFC 9112 §3.2.1): the path and the query.
    package var target: String {
        let bytes = text.utf8.span
        return bytes.text(pathStart..<bytes.count)
    }
}

extension FetchURL {
    package static func == (left: FetchURL, right: FetchURL) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension FetchURL {
    /// Parses an absolute URL.
    package init(parsing text: String) throws(FetchURLError) { try self.init(parsing: text.utf8.span) }

    /// Parses an absolute URL.
    package init(parsing bytes: Span<UInt8>) throws(FetchURLError) {
        guard bytes.count <= Self.maxBytes else { throw .tooLong(bytes: bytes.count, max: Self.maxBytes) }
        try Self.checkAlphabet(bytes)
        let scheme = try Self.scheme(of: bytes)
        let start = scheme.text.utf8.count + 3
        var authorityEnd = start
        while authorityEnd < bytes.count, !bytes[authorityEnd].endsAuthority { authorityEnd += 1 }
        origin = try Self.origin(scheme, bytes, start..<authorityEnd)

        let end = bytes.firstOffset(of: UInt8(ascii: "#"), in: authorityEnd..<bytes.count) ?? bytes.count
        let pathEnd = bytes.firstOffset(of: UInt8(ascii: "?"), in: authorityEnd..<end) ?? end
        var canonical: [UInt8] = []
        // A port and a slash may be added, and an IPv6 address may become longer.
        canonical.reserveCapacity(bytes.count + 32)
        origin.append(to: &canonical)
        pathStart = canonical.count
        canonical.appendRemovingDotSegments(of: bytes, authorityEnd..<pathEnd)
        if canonical.count == pathStart { canonical.append(UInt8(ascii: "/")) }
        self.pathEnd = canonical.count
        // The query with its question mark.
        canonical.append(bytes, pathEnd..<end)
        text = String(decoding: canonical, as: UTF8.self)

        // An empty path is one byte longer in canonical form.
        guard canonical.count <= Self.maxBytes else { throw .tooLong(bytes: canonical.count, max: Self.maxBytes) }
    }

    /// Resolves a reference relative to this URL (RFC 3986 §5.2.2), for example the `Location` of a redirect.
    /// - Throws: An error whose offset refers to the absolute URL.
    package func resolving(_ reference: String) throws(FetchURLError) -> FetchURL {
        let bytes = reference.utf8.span
        guard bytes.count <= Self.maxBytes else { throw .tooLong(bytes: bytes.count, max: Self.maxBytes) }
        if Self.hasScheme(bytes) { return try FetchURL(parsing: reference) }
        let absolute: String
        switch bytes.isEmpty ? nil : bytes[0] {
        case nil, UInt8(ascii: "#"): return self
        case UInt8(ascii: "/") where bytes.count > 1 && bytes[1] == UInt8(ascii: "/"):
            absolute = "\(origin.scheme.text):\(reference)"
        case UInt8(ascii: "/"): absolute = "\(origin)\(reference)"
        case UInt8(ascii: "?"): absolute = "\(origin)\(path)\(reference)"
        default:
            // RFC 3986 §5.2.3: the reference replaces everything after the last slash.
            let path = path
            let folder = path.utf8.prefix(through: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex)
            absolute = "\(origin)\(Substring(folder))\(reference)"
        }
        return try FetchURL(parsing: absolute)
    }

    /// Rejects bytes outside the alphabet of RFC 3986 §2, incomplete escapes, and a second `#`.
    private static func checkAlphabet(_ bytes: Span<UInt8>) throws(FetchURLError) {
        var hasFragment = false
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard bytes.percentEncodedByte(at: index, before: bytes.count) != nil else {
                    throw .malformedEscape(at: index)
                }
            } else if byte == UInt8(ascii: "#") {
                // RFC 3986 §3.5: a fragment contains no "#".
                guard !hasFragment else { throw .invalidByte(byte, at: index) }
                hasFragment = true
            } else if !byte.isURLByte {
                throw .invalidByte(byte, at: index)
            }
        }
    }

    private static func scheme(of bytes: Span<UInt8>) throws(FetchURLError) -> FetchOrigin.Scheme {
        guard hasScheme(bytes), let colon = bytes.firstOffset(of: UInt8(ascii: ":"), in: 0..<bytes.count) else {
            throw .missingScheme
        }
        let text = bytes.lowercasedText(0..<colon)
        guard let scheme = FetchOrigin.Scheme(text: text) else { throw .unsupportedScheme(text) }
        for index in (colon + 1)...(colon + 2) {
            guard index < bytes.count, bytes[index] == UInt8(ascii: "/") else { throw .missingAuthority(at: index) }
        }
        return scheme
    }

    /// Returns whether `bytes` begins with a scheme (RFC 3986 §3.1) and a colon.
    private static func hasScheme(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isLetter { continue }
            guard index > 0 else { return false }
            if byte == UInt8(ascii: ":") { return true }
            guard
                byte.isDecimalDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: ".")
            else { return false }
        }
        return false
    }

    private static func origin(
        _ scheme: FetchOrigin.Scheme,
        _ bytes: Span<UInt8>,
        _ authority: Range<Int>
    ) throws(FetchURLError) -> FetchOrigin {
        if let sign = bytes.firstOffset(of: UInt8(ascii: "@"), in: authority) { throw .credentials(at: sign) }
        let hostEnd = Authority.hostEnd(bytes, authority)
        let host: FetchHost
        do throws(FetchHostError) {
            host = try FetchHost(parsing: bytes, authority.lowerBound..<hostEnd)
        } catch { throw .host(error) }
        return FetchOrigin(scheme: scheme, host: host, port: try port(bytes, hostEnd..<authority.upperBound))
    }

    /// Parses what follows the host: nothing, or a colon and the port. An empty port is `nil`.
    private static func port(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchURLError) -> UInt16? {
        guard let colon = range.first else { return nil }
        guard bytes[colon] == UInt8(ascii: ":") else { throw .malformedPort(at: colon) }
        let digits = (colon + 1)..<range.upperBound
        guard !digits.isEmpty else { return nil }
        switch Authority.port(bytes, digits) {
        case .valid(let port): return port
        case .malformed: throw .malformedPort(at: digits.lowerBound)
        case .outOfRange: throw .portOutOfRange(at: digits.lowerBound)
        }
    }
}

/// The parts of an authority, in URLs and in entries of `fetch-allow`.
enum Authority {
    enum Port {
        case valid(UInt16)
        case malformed
        case outOfRange
    }

    /// Returns the end of the host: after the `]` of an IPv6 address, or before the colon of the port.
    static func hostEnd(_ bytes: Span<UInt8>, _ authority: Range<Int>) -> Int {
        guard let first = authority.first, bytes[first] == UInt8(ascii: "[") else {
            return bytes.firstOffset(of: UInt8(ascii: ":"), in: authority) ?? authority.upperBound
        }
        return bytes.firstOffset(of: UInt8(ascii: "]"), in: authority).map { $0 + 1 } ?? authority.upperBound
    }

    /// Parses the digits of a port: 1 to 65535, without leading zeros.
    static func port(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> Port {
        for index in digits where !bytes[index].isDecimalDigit { return .malformed }
        guard digits.count == 1 || bytes[digits.lowerBound] != UInt8(ascii: "0") else { return .malformed }
        guard let port = bytes.canonicalDecimal(digits, max: 65_535), port > 0 else { return .outOfRange }
        return .valid(UInt16(port))
    }
}

extension FetchURL: CustomStringConvertible {
    /// The canonical text. It can contain secrets, and must not be logged.
    package var description: String { text }
}

extension UInt8 {
    /// Whether the byte ends an authority (RFC 3986 §3.2).
    var endsAuthority: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#") }

    /// Whether the byte is unreserved or reserved (RFC 3986 §2.2, §2.3).
    package var isURLByte: Bool {
        if isLetter || isDecimalDigit { return true }
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"),
            UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "="):
            return true
        default: return false
        }
    }
}
