package import Primitives

// The keys of stored responses.
//
//     index key      partition, GET, URL                  the names in Vary of the newest response
//     primary key    index key, fields of the request     the variants
//     VaryKey        the values of the fields that Vary names
//
// Example: tenant-7 fetches https://a.example/x with `Accept-Language: de`, `X-Flag: 1` and `Color: red`, and the
// response has `Vary: Accept-Language`. Its index key holds accept-language. Its primary key contains x-flag, because
// many origins use such fields without saying so: a caller that sends `X-Flag: 2` must not receive this response. Color
// is not a part of it (RFC 9111 §2), unless `cache-key-fields=all`: then all fields are.
//
// A length precedes each part, so that no two lists of parts have the same bytes. Keys are compared as a whole.
//
// Ambiguities, and how we resolve them:
// - The order of fields with different names does not matter, and neither does the case of their names. Values are
//   exact.
// - A caller's key replaces the URL, but only at the URL's origin: it cannot select another site's response.

/// The request fields that are a part of the primary key (`cache-key-fields`).
package enum CacheKeyFields: String, Equatable, Sendable, CaseIterable {
    /// All fields except conditions and those that `Vary` names.
    case all
    /// Fields that `Vary` names, and those that say who sends the request or what it is about
    /// (``CacheKey/alwaysDistinguishes(_:)``).
    case vary
}

/// A key of stored responses: an index key or a primary key.
package struct CacheKey: Hashable, Sendable {
    private let text: HashedBytes

    package var bytes: [UInt8] { text.bytes }

    /// The hash of the bytes, which was computed once.
    package var hashValue: Int { text.hash }

    package func hash(into hasher: inout Hasher) { hasher.combine(text.hash) }

    /// The maximum length of directives that are ignored in a second lookup, in bytes.
    private static let maxDirectiveBytes = 128

    /// Returns the fields of a request that are a part of primary keys: all but conditions, because the responses to a
    /// caller's conditions are not stored (``CachePolicy/receive(_:for:_:)``).
    static func keyFields(_ fields: [HeaderFields.Field]) -> [HeaderFields.Field] {
        guard fields.contains(where: { mayBeAddressedToCaches($0.name) }) else { return fields }
        return fields.filter { !conditionNames.contains($0.name.asciiLowercased) }
    }

    private static let conditionNames: [String] = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    /// Returns the fields without `Cache-Control` and `Pragma`, if they have only directives of requests (RFC 9111
    /// §5.2.1, RFC 5861 §4). These are addressed to caches, and permit the response to a request without them. Not the
    /// reverse: an origin may use them.
    /// - Returns: `nil` if there are no such fields, or if they have anything else.
    package static func withoutDirectives(_ fields: [HeaderFields.Field]) -> [HeaderFields.Field]? {
        guard fields.contains(where: { mayBeAddressedToCaches($0.name) }) else { return nil }
        var directiveBytes = 0
        let kept = fields.filter { field in
            switch field.name.asciiLowercased {
            case "cache-control", "pragma":
                directiveBytes += field.name.utf8.count + field.value.utf8.count
                return !CacheControl.hasOnlyRequestDirectives(field.value)
            default: return true
            }
        }
        let hasOthers = kept.contains { ["cache-control", "pragma"].contains($0.name.asciiLowercased) }
        return kept.count == fields.count || hasOthers || directiveBytes > maxDirectiveBytes ? nil : kept
    }

    /// The index key of a URL.
    package init(partition: String, url: FetchURL) { self.init(partition: partition, kind: "url", url.text, "") }

    /// The index key of a caller's key (`cacheKey`).
    package init(partition: String, origin: FetchOrigin, cacheKey: String) {
        self.init(partition: partition, kind: "key", origin.description, cacheKey)
    }

    /// The index key of a URL, or of the caller's key at its origin.
    package init(partition: String, url: FetchURL, cacheKey: String?) {
        if let cacheKey {
            self.init(partition: partition, origin: url.origin, cacheKey: cacheKey)
        } else {
            self.init(partition: partition, url: url)
        }
    }

    private init(partition: String, kind: String, _ first: String, _ second: String) {
        var parts = KeyParts(capacity: 32 + partition.utf8.count + first.utf8.count + second.utf8.count)
        parts.add("GET")
        parts.add(kind)
        parts.add(partition)
        parts.add(first)
        parts.add(second)
        text = HashedBytes(parts.bytes)
    }

    private init(_ parts: KeyParts) { text = HashedBytes(parts.bytes) }

    /// Returns the primary key below this index key.
    /// - Parameters:
    ///   - fields: The fields that are sent to the origin.
    ///   - names: The names in `Vary` of the newest response.
    package func primaryKey(
        _ fields: [HeaderFields.Field],
        excluding names: VaryNames,
        keyFields: CacheKeyFields
    ) -> CacheKey {
        // Lower case is computed before the fields are sorted. Few requests have more than two fields here.
        var kept: [(name: String, index: Int)] = []
        var capacity = 4 + bytes.count
        let fields =
            switch keyFields {
            case .all: Self.keyFields(fields)
            case .vary: fields.filter { Self.alwaysDistinguishes($0.name) }
            }
        for index in fields.indices {
            let name = fields[index].name.asciiLowercased
            if names.names.contains(name) { continue }
            kept.append((name, index))
            capacity += 8 + name.utf8.count + fields[index].value.utf8.count
        }
        if kept.count > 1 { kept.sort { $0 < $1 } }
        var parts = KeyParts(capacity: capacity)
        parts.add(bytes.span)
        for (name, index) in kept {
            parts.add(name)
            parts.add(fields[index].value)
        }
        return CacheKey(parts)
    }

    /// Returns whether a field distinguishes stored responses although the origin does not name it in `Vary`. An origin
    /// that uses it in silence must not let one caller receive the response to another, or decide what others receive:
    /// RFC 9111 protects `Authorization` only, and origins have many other names for credentials and versions.
    static func alwaysDistinguishes(_ name: String) -> Bool {
        let lowercased = name.asciiLowercased
        let text = lowercased.utf8.span
        if text.hasText("accept", at: 0) || text.hasText("x-", at: 0) { return true }
        for offset in 0..<text.count {
            for part in distinguishingParts where text.hasText(part, at: offset) { return true }
        }
        return false
    }

    /// Parts of names that say who sends a request, and of names by which origins change the resource, in lower case.
    private static let distinguishingParts: [StaticString] = [
        "auth", "cookie", "token", "key", "secret", "password", "session", "credential", "signature", "account",
        "user", "client", "tenant", "version", "host", "origin", "forward", "url", "path", "method",
    ]

    /// Returns whether a name has the first letter of one of these fields, which few others have.
    private static func mayBeAddressedToCaches(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "c"), UInt8(ascii: "p"), UInt8(ascii: "i"), UInt8(ascii: "C"), UInt8(ascii: "P"),
            UInt8(ascii: "I"):
            true
        default: false
        }
    }
}
