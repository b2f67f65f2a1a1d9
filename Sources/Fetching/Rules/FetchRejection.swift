/// The reason why the policy rejects a fetch.
package enum FetchRejection: Error, Equatable, Sendable {
    /// `fetch-allow` is empty.
    case notConfigured
    case methodNotAllowed(String)
    /// No entry of `fetch-allow` matches, nor one of `fetch-allow-redirects` if the URL is the target of a redirect.
    case hostNotAllowed(FetchOrigin, isRedirect: Bool)
    /// An entry of `fetch-deny` matches.
    case hostDenied(FetchOrigin, entry: String)
    /// The host is an address that is not allowed.
    case addressNotAllowed(AddressRejection, hostIsNamed: Bool)
}

extension FetchRejection {
    /// The reason in words, which only the log may contain; `nil` if callers receive everything that is known.
    package var cause: String? {
        switch self {
        case .addressNotAllowed(let rejection, _): rejection.description
        case .hostDenied(_, let entry): "fetch-deny has \(entry)"
        case .notConfigured, .methodNotAllowed, .hostNotAllowed: nil
        }
    }
}
