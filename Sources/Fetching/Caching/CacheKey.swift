package import Primitives

// The keys of stored responses.
//
//     index key      partition, GET, URL                  the names in Vary of the newest response
//     primary key    index key, fields of the request     the variants
//     VaryKey        the values of the fields that Vary names
//
// Example: tenant-7 fetches https://a.example/x with `Accept-Language: de` and `X-Flag: 1`, and the response has `Vary:
// Accept-Language`. Its index key holds accept-language. Its primary key contains x-flag, because the origin may use it
// without saying so: a caller that sends `X-Flag: 2` must not receive this response. With cache-key-fields=vary, the
// primary key contains no field.
//
// A length precedes each part, so that no two lists of parts have the same bytes. Keys are compared as a whole.
//
// Ambiguities, and how we resolve them:
// - The order of fields with different names does not matter, and neither does the case of their names. Values are exact.
// - A caller's key replaces the URL, but only at the URL's origin: it cannot select another site's response.

/// The request fields that are a part of the primary key (`cache-key-fields`).
package enum CacheKeyFields: String, Equatable, Sendable, CaseIterable {
    /// All fields except those in ``CacheKey/excludedNames`` and those that `Vary` names.
    case all
    /// No field but those that `Vary` names, as in other caches.
    case vary
}

/// A key of stored responses: an index key or a primary key.
package struct CacheKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The bytes as a whole: the default would pass them to the hasher one by one.
    package func hash(into hasher: inout Hasher) {
        // The bytes are read within the call.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// The maximum length of the directives that are not a part of primary keys, in bytes. An origin may reject longer ones.
    private static let maxDirectiveBytes = 128

    /// Returns the fields of a request that are a part of primary keys. The others are addressed to caches, and select no other
    /// representation.
    ///
    /// Conditions are not a part: their responses are not stored (``CachePolicy/receive(_:for:_:)``). `Cache-Control` and `Pragma` are one
    /// if they have anything but the directives of requests (RFC 9111 §5.2.1, RFC 5861 §4): an origin may use the rest.
    static func keyFields(_ fields: [HeaderFields.Field]) -> [HeaderFields.Field] {
        var directiveBytes = 0
        var directives: [HeaderFields.Field] = []
        var kept: [HeaderFields.Field] = []
        for field in fields {
            switch field.name.asciiLowercased {
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range": break
            case "cache-control", "pragma":
                directives.append(field)
                directiveBytes += field.name.utf8.count + field.value.utf8.count
            default: kept.append(field)
            }
        }
        let areExcluded =
            directiveBytes <= maxDirectiveBytes
            && directives.allSatisfy { CacheControl.hasOnlyRequestDirectives($0.value) }
        return areExcluded ? kept : kept + directives
    }

    /// The index key of a URL.
    package init(partition: String, url: FetchURL) {
        self.init(partition: partition, kind: "url", url.text, "")
    }

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
        var parts = KeyParts()
        for part in ["GET", kind, partition, first, second] { parts.add(part) }
        bytes = parts.bytes
    }

    private init(_ parts: KeyParts) {
        bytes = parts.bytes
    }

    /// Returns the primary key below this index key.
    /// - Parameters:
    ///   - fields: The fields that are sent to the origin.
    ///   - names: The names in `Vary` of the newest response.
    package func primaryKey(
        _ fields: [HeaderFields.Field],
        excluding names: VaryNames,
        keyFields: CacheKeyFields
    ) -> CacheKey {
        var parts = KeyParts()
        parts.add(bytes.span)
        switch keyFields {
        case .vary: break
        case .all:
            let kept = Self.keyFields(fields).map { (name: $0.name.asciiLowercased, value: $0.value) }
                .filter { !names.names.contains($0.name) }
                .enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            for (_, field) in kept {
                parts.add(field.name)
                parts.add(field.value)
            }
        }
        return CacheKey(parts)
    }
}

/// Parts of a key, each after its length in four bytes.
struct KeyParts {
    private(set) var bytes: [UInt8] = []

    mutating func add(count: Int) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }

    mutating func add(_ part: Span<UInt8>) {
        add(count: part.count)
        bytes.reserveCapacity(bytes.count + part.count)
        for index in part.indices { bytes.append(part[index]) }
    }

    mutating func add(_ part: String) {
        add(count: part.utf8.count)
        bytes += part.utf8
    }
}
