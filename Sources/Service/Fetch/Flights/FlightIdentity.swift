internal import Fetching
internal import Serialization

/// The identity of a flight: requests with the same identity can share one.
///
/// It consists of everything that decides which response the origin sends, and is compared completely. A length precedes each part, so
/// that no two lists of parts have the same bytes:
///
///     "GET" "https://a.example/x" 1 "accept" "a/b" – "" – "follow"
///
/// The SHA-256 replaces parts that are long together, and content. The order of fields with different names does not matter, and neither
/// does the case of their names. Options of the serialization are not a part: a response is fetched once, and serialized once for each
/// group of equal options.
struct FlightIdentity: Hashable, Sendable {
    /// The parts; the 32 bytes of their digest if they are longer than ``maxBytes``. Shorter parts have at least seven lengths, so that they
    /// do not look like a digest.
    private let bytes: [UInt8]
    private let hash: Int

    /// The maximum length of parts that are kept, in bytes, inclusive.
    static let maxBytes = 1 << 10

    /// - Parameters:
    ///   - partition: the tenant. Tenants share nothing.
    ///   - cacheKey: the caller's key; `nil` if the URL is the key.
    init(of request: FetchRequest, partition: String, cacheKey: String?, redirects: RedirectMode) {
        var parts = Parts()
        parts.add(request.method)
        parts.add(request.url.text)
        let fields = request.fields
        parts.add(count: fields.count)
        if fields.count == 1 {
            parts.add(lowercasing: fields[0].name)
            parts.add(fields[0].value)
        } else {
            let names = fields.map { $0.name.asciiLowercased }
            for index in fields.indices.sorted(by: { (names[$0], $0) < (names[$1], $1) }) {
                parts.add(names[index])
                parts.add(fields[index].value)
            }
        }
        parts.add(count: request.content == nil ? 0 : 1)
        if let content = request.content { parts.bytes += SHA256.digest(of: content.span) }
        parts.add(partition)
        parts.add(count: cacheKey == nil ? 0 : 1)
        if let cacheKey { parts.add(cacheKey) }
        parts.add(redirects.rawValue)
        bytes = parts.bytes.count <= Self.maxBytes ? parts.bytes : SHA256.digest(of: parts.bytes.span)
        var hasher = Hasher()
        // The bytes are read within the call.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }

    /// An identity that needs little memory.
    var digest: SIMD4<UInt64> {
        let digest = bytes.count == 32 ? bytes : SHA256.digest(of: bytes.span)
        var words = SIMD4<UInt64>()
        for index in 0..<32 { words[index / 8] = words[index / 8] << 8 | UInt64(digest[index]) }
        return words
    }

    static func == (left: FlightIdentity, right: FlightIdentity) -> Bool {
        left.hash == right.hash && left.bytes == right.bytes
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

/// Parts, each of which is preceded by its length.
private struct Parts {
    var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    mutating func add(count: Int) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }

    mutating func add(_ part: String) {
        add(count: part.utf8.count)
        bytes.append(contentsOf: part.utf8)
    }

    mutating func add(lowercasing part: String) {
        add(count: part.utf8.count)
        for byte in part.utf8 { bytes.append(byte.asciiLowercased) }
    }
}
