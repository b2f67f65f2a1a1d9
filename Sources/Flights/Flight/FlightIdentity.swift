package import Fetching
internal import Primitives

/// The identity of a flight: requests with the same identity can share one.
///
/// It consists of everything that decides which response the origin sends, and is compared completely:
///
///     "GET" "https://a.example/x" 1 "accept" "a/b" – "" – "follow"
///
/// The SHA-256 replaces parts that are long together, and content. The order of fields with different names does not
/// matter, and neither does the case of their names. Options of the serialization are not a part: a response is fetched
/// once, and serialized once for each group of equal options.
package struct FlightIdentity: Hashable, Sendable {
    /// The parts; the 32 bytes of their digest if they are longer than ``maxBytes``. The parts alone are longer than a
    /// digest: seven lengths of four bytes, a method, a URL and a mode.
    private let parts: HashedBytes

    /// The maximum length of parts that are kept, in bytes, inclusive.
    static let maxBytes = 1 << 10

    /// - Parameters:
    ///   - partition: the tenant. Tenants share nothing.
    ///   - cacheKey: the caller's key; `nil` if the URL is the key.
    package init(of request: FetchRequest, partition: String, cacheKey: String?, redirects: RedirectMode) {
        var parts = KeyParts(capacity: 512)
        parts.add(request.method)
        parts.add(request.url.text)
        let fields = request.fields
        parts.add(count: fields.count)
        if fields.count == 1 {
            parts.add(fields[0].name.asciiLowercased)
            parts.add(fields[0].value)
        } else {
            let names = fields.map { $0.name.asciiLowercased }
            for index in fields.indices.sorted(by: { (names[$0], $0) < (names[$1], $1) }) {
                parts.add(names[index])
                parts.add(fields[index].value)
            }
        }
        parts.add(count: request.content == nil ? 0 : 1)
        if let content = request.content { parts.add(SHA256.digest(of: content.span).span) }
        parts.add(partition)
        parts.add(count: cacheKey == nil ? 0 : 1)
        if let cacheKey { parts.add(cacheKey) }
        parts.add(redirects.rawValue)
        let bytes = parts.bytes
        self.parts = HashedBytes(bytes.count <= Self.maxBytes ? bytes : SHA256.digest(of: bytes.span))
    }

    /// An identity that needs little memory.
    var digest: SIMD4<UInt64> { SIMD4(sha256Of: parts.bytes.span) }
}
