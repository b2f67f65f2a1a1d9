internal import Primitives

/// The origin of a URL (RFC 6454 §4): scheme, host and port.
///
/// Permits, queues and circuit breakers belong to an origin, and fields with credentials do not leave it in a redirect.
package struct FetchOrigin: Hashable, Sendable {
    package enum Scheme: Hashable, Sendable {
        case http
        case https

        /// - Parameter text: The scheme in lower case.
        init?(text: String) {
            switch text {
            case "http": self = .http
            case "https": self = .https
            default: return nil
            }
        }

        var text: String {
            switch self {
            case .http: "http"
            case .https: "https"
            }
        }

        var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    package let scheme: Scheme
    package let host: FetchHost

    /// The port to connect to, in 1 to 65535.
    package let port: UInt16

    /// - Parameter port: `nil` for the default port of the scheme.
    package init(scheme: Scheme, host: FetchHost, port: UInt16? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// Appends the description.
    func append(to text: inout [UInt8]) {
        text.append(scheme.text)
        text.append("://")
        appendAuthority(to: &text)
    }

    private func appendAuthority(to text: inout [UInt8]) {
        switch host {
        case .name(let name): text.append(name)
        case .ipv4(let address): address.append(to: &text)
        case .ipv6: text.append(host.description)
        }
        guard port != scheme.defaultPort else { return }
        text.append(UInt8(ascii: ":"))
        text.append(decimal: Int(port))
    }
}

extension FetchOrigin: CustomStringConvertible {
    /// The text of a URL up to its path: `https://a.example:8443`.
    package var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
