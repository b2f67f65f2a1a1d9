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
        // The first letter tells nearly all fields off.
        switch name.count > 0 ? name[0].asciiLowercased : 0 {
        case UInt8(ascii: "c"):
            if name.equals("Content-Type") {
                self = .contentType
            } else if name.equals("Content-Encoding") {
                self = .contentEncoding
            } else {
                return nil
            }
        case UInt8(ascii: "u") where name.count >= 9 && name.extracting(first: 9).equals("Upstream-"):
            self = Self.named(name)
        default:
            return nil
        }
    }

    private static func named(_ name: Span<UInt8>) -> UpstreamField {
        if name.equals("Upstream-Status") { return .status }
        if name.equals("Upstream-URL") { return .url }
        if name.equals("Upstream-Method") { return .method }
        return .unknown
    }
}

extension String {
    /// A field's name or value.
    init(field bytes: Span<UInt8>) {
        self.init(ascii: bytes, 0..<bytes.count)
    }
}
