internal import Glibc

extension SocketAddress {
    /// The URL of the root: `http://127.0.0.1:8080`, `http://[::1]:8080`.
    var url: String { "http://\(self)" }

    /// The address at which a client on this machine reaches a service that listens on this address: the loopback address for a wildcard.
    var reachable: SocketAddress {
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
