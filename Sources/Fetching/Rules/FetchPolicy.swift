// Decides whether a URL may be fetched: all settings that allow and deny, in one place.
//
//     admit(url, method)  ─►  Admission  ─►  check(resolved addresses)  ─►  check(address of the socket)
//     method, fetch-deny, fetch-allow, literal addresses
//
// Example: with fetch-allow=*, https://b.example/ is admitted by the entry `*`. If b.example resolves to 93.184.215.14
// and 10.0.0.1, the check rejects it, because every address must pass; the caller receives fetch.resolve_failed, as for
// a name that does not exist. With fetch-allow=*,b.example it is fetch.address_not_allowed, and
// fetch-allow-addresses=10.0.0.1 allows both.
//
// Ambiguities, and how we resolve them:
// - A host is named only by an entry of fetch-allow that matches the complete URL, not by one of fetch-allow-redirects:
//   a redirect never leads to a private address unless the address could also be requested directly.
// - `*.a.example` names the hosts below a.example. The owner of that zone decides which addresses they have.
// - A host that is an address is checked in the same way, and earlier; its rejection can be explained to the caller,
//   who wrote the address.

/// The settings that decide whether a URL may be fetched.
///
/// **Invariant.** Nothing is requested without an ``Admission``, of the first URL and of each URL that it redirects to:
/// `fetch-deny` does not match, `fetch-allow` does (for a redirect, or `fetch-allow-redirects`), and a host that is an
/// address passes ``AddressRules``. The decision depends on the URL, the method and these settings alone; what no rule
/// allows is rejected. `FetchPolicyTests`, `RedirectRulesTests` and `FetchURLOracle` (FuzzFetchURL) check this.
package struct FetchPolicy: Equatable, Sendable {
    /// `fetch-allow`. Fetching is disabled if it is empty.
    package var allow: HostRules

    /// `fetch-deny`.
    package var deny: HostRules

    /// `fetch-allow-redirects`: what is allowed only as the target of a redirect.
    package var allowRedirects: HostRules

    package var methods: FetchMethods

    package var addresses: AddressRules

    package init(
        allow: HostRules,
        deny: HostRules,
        allowRedirects: HostRules,
        methods: FetchMethods,
        addresses: AddressRules
    ) {
        self.allow = allow
        self.deny = deny
        self.allowRedirects = allowRedirects
        self.methods = methods
        self.addresses = addresses
    }

    /// The permission to fetch a URL, as far as it can be decided before its host is resolved.
    package struct Admission: Equatable, Sendable {
        /// The origin that the permission is for.
        package let origin: FetchOrigin

        /// The entry of `fetch-allow` or `fetch-allow-redirects` that matches, as it was written.
        package let entry: String

        /// Whether an entry of `fetch-allow` other than `*` matches, so that `fetch-allow-addresses` applies.
        package let hostIsNamed: Bool
    }
}

extension FetchPolicy {
    /// Decides whether a URL may be requested.
    /// - Parameter isRedirect: Whether the URL is the target of a redirect, so that `fetch-allow-redirects` applies.
    ///   The method is not checked in this case: a redirect can only change an allowed method to GET.
    package func admit(_ url: FetchURL, method: String, isRedirect: Bool = false) throws(FetchRejection) -> Admission {
        guard !allow.isEmpty else { throw .notConfigured }
        guard isRedirect || methods.contains(method) else { throw .methodNotAllowed(method) }
        if let entry = deny.denial(of: url) { throw .hostDenied(url.origin, entry: entry.text) }

        let allowed = allow.permission(for: url)
        guard let entry = allowed ?? (isRedirect ? allowRedirects.permission(for: url) : nil) else {
            throw .hostNotAllowed(url.origin, isRedirect: isRedirect)
        }
        let admission = Admission(origin: url.origin, entry: entry.text, hostIsNamed: allowed?.namesHost ?? false)
        if let address = url.origin.host.address {
            do throws(AddressRejection) {
                try addresses.check(address, port: url.origin.port, hostIsNamed: admission.hostIsNamed)
            } catch { throw .addressNotAllowed(error, hostIsNamed: admission.hostIsNamed) }
        }
        return admission
    }
}
