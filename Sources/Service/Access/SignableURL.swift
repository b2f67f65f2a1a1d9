internal import Fetching
internal import Serialization

/// The URL of a form of `GET` that can be signed: `https://decant.example/v1/fetch?url=https%3A%2F%2Fa.example%2Fx`.
///
/// The signature covers the target that the service receives: everything from `/v1/` on. What precedes it, such as the
/// path of a proxy that removes it, is not signed. Characters that a client would change before it sends the URL are
/// rejected.
struct SignableURL: Equatable, Sendable {
    /// The part before the target, which is not signed.
    private let base: String

    /// The path and the query without a signature.
    private let target: String

    /// The paths of the forms.
    static let paths = ["/v1/fetch", "/v1/image"]

    /// - Parameter expires: the value of the parameter that is added, in seconds since 1970; `nil` if none is added.
    init(parsing url: String, expires: Int? = nil) throws(SignableURLError) {
        let bytes = Array(url.utf8)
        let question = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        for (index, byte) in bytes.enumerated() where !Self.isAllowed(byte, inQuery: index > question) {
            throw .mustBeEncoded(byte, at: index)
        }
        let path = String(decoding: bytes[..<question], as: UTF8.self)
        guard let suffix = Self.paths.first(where: { path.hasSuffix($0) }) else { throw .otherPath }
        let base = path.dropLast(suffix.utf8.count)
        guard base.isEmpty || base.hasPrefix("http://") || base.hasPrefix("https://") else { throw .otherPath }
        let query = String(decoding: bytes.dropFirst(question + 1), as: UTF8.self)
        let names = try Self.names(in: query)
        guard names.contains("url") else { throw .withoutURL }
        if names.contains("signature") { throw .alreadySigned }
        if expires != nil, names.contains("expires") { throw .expiresTwice }
        self.base = String(base)
        target = "\(suffix)?\(query)" + (expires.map { "&expires=\($0)" } ?? "")
    }

    /// Returns the URL with the signature of the first key.
    func signed(with keys: SigningKeys) -> String { base + keys.sign(target) }

    /// Returns whether a client sends this byte unchanged. The bytes of RFC 3986 §3.4 are, except for the apostrophe,
    /// which browsers encode in a query (WHATWG URL §1.3). Before the query there may be an IPv6 address in brackets.
    private static func isAllowed(_ byte: UInt8, inQuery: Bool) -> Bool {
        switch byte {
        case _ where byte.isLetter || byte.isDecimalDigit: true
        case UInt8(ascii: "["), UInt8(ascii: "]"): !inQuery
        default: "-._~!$&()*+,;=:@/?%".utf8.contains(byte)
        }
    }

    private static func names(in query: String) throws(SignableURLError) -> Set<String> {
        do {
            return Set(try QueryString.pairs(parsing: query).map(\.name))
        } catch { throw .malformedQuery }
    }
}

/// The reason why a URL cannot be signed.
enum SignableURLError: Error, Equatable, Sendable {
    case otherPath
    case withoutURL
    case alreadySigned
    case expiresTwice
    case malformedQuery
    case mustBeEncoded(UInt8, at: Int)

    /// One sentence.
    var message: String {
        switch self {
        case .otherPath:
            "only URLs of GET /v1/fetch and GET /v1/image are signed, such as "
                + "'http://127.0.0.1:8080/v1/fetch?url=https%3A%2F%2Fexample.com%2F'."
        case .withoutURL: "the URL has no parameter 'url'."
        case .alreadySigned: "the URL already has a parameter 'signature'."
        case .expiresTwice: "the URL already has a parameter 'expires'."
        case .malformedQuery: "the query of the URL is malformed: '%' must be followed by two hexadecimal digits."
        case .mustBeEncoded(let byte, let offset):
            "byte \(offset) of the URL must be percent-encoded as %\(Hexadecimal.text(of: [byte]).uppercased()); "
                + "otherwise a client would change the URL before it sends it."
        }
    }
}
