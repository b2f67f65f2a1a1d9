internal import Serialization

/// Reads the bearer token of a request (RFC 6750 §2.1): `Authorization: Bearer TOKEN`.
///
/// Ambiguities in the standards, and how they are resolved:
/// - RFC 6750 writes the scheme with a capital letter and one space after it. RFC 9110 §11.1 and §11.4 take precedence:
///   schemes are case-insensitive, and one or more spaces follow.
/// - A field without a scheme, or with another scheme, is handled like a missing field (RFC 6750 §3.1). It may contain
///   a token that was sent without its scheme, so that no part of it is reported.
/// - A token in the query or in a form (RFC 6750 §2.2 and §2.3) is not accepted: URLs are logged by proxies.
enum BearerToken {
    /// The maximum length of a token in bytes, inclusive. A longer one is not hashed.
    static let maxBytes = 4 << 10

    private static let scheme: StaticString = "Bearer"

    /// Returns the token in the value of a field, or `nil` if its scheme is not Bearer.
    /// - Throws: ``AccessError/invalidToken`` if the scheme is Bearer, and what follows is not a token
    ///   (`b64token`, which RFC 9110 §11.2 calls `token68`).
    static func range(in value: Span<UInt8>) throws(AccessError) -> Range<Int>? {
        let schemeBytes = scheme.utf8CodeUnitCount
        guard value.count >= schemeBytes, value.extracting(0..<schemeBytes).equals(scheme) else { return nil }
        // Of a field that ends with the scheme, the token is missing.
        guard value.count > schemeBytes else { throw .invalidToken }
        guard value[schemeBytes] == UInt8(ascii: " ") else { return nil }
        var start = schemeBytes
        while start < value.count, value[start] == UInt8(ascii: " ") { start += 1 }
        guard 1...maxBytes ~= value.count - start, value.isToken68(from: start) else { throw .invalidToken }
        return start..<value.count
    }
}
