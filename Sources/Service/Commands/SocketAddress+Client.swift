internal import Glibc
internal import HTTP

extension SocketAddress {
    /// The URL of the root: `http://127.0.0.1:8080`, `http://[::1]:8080`; `unix:` and the path of a Unix domain socket,
    /// which has no URL.
    var url: String { family == AF_UNIX ? "\(self)" : "http://\(self)" }

    /// The value of `Host` in a request.
    var authority: String { family == AF_UNIX ? "localhost" : "\(self)" }

    /// The address at which a client on this machine reaches a service that listens on this address: the loopback
    /// address for a wildcard.
    var reachable: SocketAddress {
        guard family != AF_UNIX else { return self }
        let loopback =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: host
            }
        // A numeric address can always be parsed.
        return (try? SocketAddress(parsing: loopback, port: port)) ?? self
    }
}
