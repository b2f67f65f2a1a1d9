internal import Serialization

/// The fields of a request that speak of the upstream's response.
enum UpstreamField: Equatable, Sendable {
    case contentType
    case contentEncoding
    case status
    case url
    case method
    /// The prefix `Upstream-` is ours: a name that we do not know is a mistake, and ignoring it would change the answer.
    case unknown

    /// Nil for a field that has nothing to do with the upstream.
    init?(_ name: Span<UInt8>) {
        if name.equals("content-type") {
            self = .contentType
        } else if name.equals("content-encoding") {
            self = .contentEncoding
        } else if name.count >= 9, name.extracting(first: 9).equals("upstream-") {
            self = Self.named(name)
        } else {
            return nil
        }
    }

    private static func named(_ name: Span<UInt8>) -> UpstreamField {
        if name.equals("upstream-status") { return .status }
        if name.equals("upstream-url") { return .url }
        if name.equals("upstream-method") { return .method }
        return .unknown
    }
}

extension String {
    /// The value of `Content-Type`. The commonest is a literal, which costs no memory.
    init(mediaType bytes: Span<UInt8>) {
        let json: StaticString = "application/json"
        // `index` is below both counts.
        let isJSON =
            bytes.count == json.utf8CodeUnitCount && bytes.indices.allSatisfy { unsafe bytes[$0] == json.utf8Start[$0] }
        self = isJSON ? "application/json" : String(field: bytes)
    }

    /// A field's name or value.
    init(field bytes: Span<UInt8>) {
        self.init(ascii: bytes, 0..<bytes.count)
    }
}
