internal import Fetching
internal import Serialization

/// The identity of a flight: requests with the same identity can share one.
///
/// It is the SHA-256 of everything that decides which response the origin sends. A length precedes each part, so that no two lists of
/// parts have the same bytes:
///
///     "GET" "https://a.example/x" 1 "accept" "a/b" – "" – "follow"
///
/// The order of fields with different names does not matter, and neither does the case of their names. Options of the serialization are
/// not a part: a response is fetched once, and serialized once for each group of equal options.
struct FlightIdentity: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// - Parameters:
    ///   - partition: the tenant. Tenants share nothing.
    ///   - cacheKey: the caller's key; `nil` if the URL is the key.
    init(of request: FetchRequest, partition: String, cacheKey: String?, redirects: RedirectMode) {
        var hash = PartHash()
        hash.add(request.method)
        hash.add(request.url.text)
        let fields = request.fields.map { (name: Self.lowercased($0.name), value: $0.value) }.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        hash.add(count: fields.count)
        for (_, field) in fields {
            hash.add(field.name)
            hash.add(field.value)
        }
        hash.add(count: request.content == nil ? 0 : 1)
        if let content = request.content { hash.add(content.span) }
        hash.add(partition)
        hash.add(count: cacheKey == nil ? 0 : 1)
        if let cacheKey { hash.add(cacheKey) }
        hash.add(redirects.rawValue)
        words = hash.finalize()
    }

    private static func lowercased(_ name: String) -> String {
        String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}

/// SHA-256 over parts, each of which is preceded by its length.
private struct PartHash {
    private var hash = SHA256()

    mutating func add(count: Int) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        hash.update(bytes.span)
    }

    mutating func add(_ part: Span<UInt8>) {
        add(count: part.count)
        hash.update(part)
    }

    mutating func add(_ part: String) {
        add(part.utf8.span)
    }

    consuming func finalize() -> SIMD4<UInt64> {
        let digest = hash.finalize()
        var words = SIMD4<UInt64>()
        for index in 0..<32 { words[index / 8] = words[index / 8] << 8 | UInt64(digest[index]) }
        return words
    }
}
