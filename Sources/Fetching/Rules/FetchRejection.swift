/// The reason why the policy rejects a fetch.
///
/// What a caller receives is ``code``, ``settings`` and ``explanation``. ``cause`` is for the log.
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
    /// The code of the problem.
    package var code: StaticString {
        switch self {
        case .notConfigured: "fetch.not_configured"
        case .methodNotAllowed: "fetch.method_not_allowed"
        case .hostNotAllowed, .hostDenied: "fetch.host_not_allowed"
        case .addressNotAllowed: "fetch.address_not_allowed"
        }
    }

    /// The settings that can allow the fetch, all of which are needed. There are none if nothing can allow it.
    package var settings: [String] {
        switch self {
        case .notConfigured: ["fetch-allow"]
        case .methodNotAllowed: ["fetch-methods"]
        case .hostNotAllowed(_, let isRedirect): isRedirect ? ["fetch-allow-redirects"] : ["fetch-allow"]
        case .hostDenied: ["fetch-deny"]
        case .addressNotAllowed(let rejection, let hostIsNamed): rejection.settings(hostIsNamed: hostIsNamed)
        }
    }

    /// A sentence for the caller.
    package var explanation: String {
        switch self {
        case .notConfigured: "Fetching is disabled. It is enabled by fetch-allow."
        case .methodNotAllowed(let method): "The method \(method) is not allowed by fetch-methods."
        case .hostNotAllowed(let origin, isRedirect: false): "No entry of fetch-allow matches this URL at \(origin)."
        case .hostNotAllowed(let origin, isRedirect: true):
            "No entry of fetch-allow or fetch-allow-redirects matches the redirect to \(origin)."
        case .hostDenied(let origin, _): "An entry of fetch-deny matches this URL at \(origin)."
        case .addressNotAllowed(let rejection, let hostIsNamed): rejection.explanation(hostIsNamed: hostIsNamed)
        }
    }

    /// The reason in words, for the log only.
    package var cause: String {
        switch self {
        case .addressNotAllowed(let rejection, _): rejection.description
        case .hostDenied(_, let entry): "fetch-deny has \(entry)"
        case .notConfigured, .methodNotAllowed, .hostNotAllowed: explanation
        }
    }
}

extension AddressRejection {
    /// The settings that can allow a host that is an address.
    fileprivate func settings(hostIsNamed: Bool) -> [String] {
        switch self {
        case .ownListener: []
        case .denied: ["fetch-deny-addresses"]
        case .metadata, .reserved, .notGlobalUnicast, .isatap:
            hostIsNamed ? ["fetch-allow-addresses"] : ["fetch-allow", "fetch-allow-addresses"]
        }
    }

    fileprivate func explanation(hostIsNamed: Bool) -> String {
        let naming = hostIsNamed ? "" : ", if an entry of fetch-allow other than * names it"
        switch self {
        case .ownListener: return "The address is one of this service."
        case .denied: return "fetch-deny-addresses contains the address."
        case .metadata:
            return
                "The address is that of a metadata service. fetch-allow-addresses can allow it by an entry of exactly "
                + "this address\(naming)."
        case .reserved, .notGlobalUnicast, .isatap:
            return "The address is not that of a public server. fetch-allow-addresses can allow it\(naming)."
        }
    }
}
