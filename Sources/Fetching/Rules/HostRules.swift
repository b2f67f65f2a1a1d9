internal import Primitives

// A list of URLs by host, as in fetch-allow, fetch-deny and fetch-allow-redirects. Its entries are separated by commas:
//
//     *                              every host
//     a.example                      this host
//     *.a.example                    every name below a.example, but not a.example itself
//     a.example:8080                 this host at this port
//     https://a.example:8443/v1/     this scheme, host and port, and every path below /v1/
//     [2606:4700::1]                 this address
//
// Host, scheme, port and path can be combined. The same list is used in two ways, and each has its own reading of what
// an entry leaves open, so that a mistake rejects too much:
//
//                        as a permission                            as a denial
//     no port            80 and 443; with a scheme, its default     every port
//     /v1/               /v1/ and below, not /v1                    /v1 and below; empty segments, and
//                                                                   parameters of segments (;x), are ignored
//     ambiguous path     does not match an entry with a path        matches every entry with a path
//
// Example: in fetch-allow, https://a.example:8443/v1/ matches https://a.example:8443/v1/x, and neither /v10/, /v1/../x
// nor /v1/..%2fx.
//
// Ambiguities, and how we resolve them:
// - Paths are compared by segments, after dot segments have been removed and escapes have been decoded (RFC 3986
//   §6.2.2.2), and case-sensitively. `DecodedPath` describes the paths that have more than one meaning.
// - `/` is no restriction: https://a.example/ is the same as https://a.example.
// - An entry never has user information, a query or a fragment. They are errors, as are entries that could never match,
//   such as `localhost`, `127.1` and paths with dot segments.

/// A list of URLs by host, scheme, port and path.
package struct HostRules: Equatable, Sendable {
    /// One entry of a list.
    package struct Entry: Equatable, Sendable {
        enum Host: Equatable, Sendable {
            case any
            case exactly(FetchHost)
            /// The names below a name.
            case below(String)
        }

        /// The entry as it was written, for metrics and logs.
        package let text: String

        let host: Host
        let scheme: FetchOrigin.Scheme?
        let port: UInt16?
        /// `nil` if every path matches.
        let path: DecodedPath?

        /// Whether the entry names hosts: every entry does except those whose host is `*`.
        package var namesHost: Bool { host != .any }
    }

    package let entries: [Entry]

    package init(_ entries: [Entry] = []) { self.entries = entries }

    var isEmpty: Bool { entries.isEmpty }
}

extension HostRules {
    /// Returns the entry that permits a URL: the first one that names the host, or else the first one that matches;
    /// `nil` if there is none.
    package func permission(for url: FetchURL) -> Entry? {
        let path = decodedPath(of: url)
        var permission: Entry?
        for entry in entries where entry.permits(url, path) {
            if entry.namesHost { return entry }
            permission = permission ?? entry
        }
        return permission
    }

    /// Returns the first entry that denies a URL, or `nil` if there is none.
    package func denial(of url: FetchURL) -> Entry? {
        guard !entries.isEmpty else { return nil }
        let path = decodedPath(of: url)
        return entries.first { $0.denies(url, path) }
    }

    /// Returns the path of a URL; `nil` if it is ambiguous, or if no entry has a path with which it is compared.
    private func decodedPath(of url: FetchURL) -> DecodedPath? {
        entries.contains { $0.path != nil } ? DecodedPath(url.path) : nil
    }
}

extension HostRules.Entry {
    /// - Parameter path: The path of `url`, or `nil` if it is ambiguous.
    fileprivate func permits(_ url: FetchURL, _ path: DecodedPath?) -> Bool {
        guard matchesHost(of: url), scheme == nil || scheme == url.origin.scheme else { return false }
        if let port {
            guard port == url.origin.port else { return false }
        } else if let scheme {
            guard scheme.defaultPort == url.origin.port else { return false }
        } else {
            guard url.origin.port == 80 || url.origin.port == 443 else { return false }
        }
        guard let required = self.path?.segments else { return true }
        guard let segments = path?.segments else { return false }
        // A trailing slash is an empty segment, which stands for everything below.
        return required.last == []
            ? segments.count >= required.count && segments.starts(with: required.dropLast())
            : segments.starts(with: required)
    }

    /// - Parameter path: The path of `url`, or `nil` if it is ambiguous.
    fileprivate func denies(_ url: FetchURL, _ path: DecodedPath?) -> Bool {
        guard matchesHost(of: url), scheme == nil || scheme == url.origin.scheme, port == nil || port == url.origin.port
        else { return false }
        guard let required = self.path?.segments, let segments = path?.segments else { return true }
        return Self.names(of: segments).starts(with: Self.names(of: required))
    }

    /// Returns the segments without their parameters, which some servers ignore (`/private;x/`), and without those of
    /// which nothing remains.
    private static func names(of segments: [[UInt8]]) -> [ArraySlice<UInt8>] {
        segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }.filter { !$0.isEmpty }
    }

    private func matchesHost(of url: FetchURL) -> Bool {
        switch host {
        case .any: return true
        case .exactly(let host): return host == url.origin.host
        case .below(let name):
            guard case .name(let host) = url.origin.host else { return false }
            return host.hasSuffix("." + name)
        }
    }
}
