internal import Glibc

extension SocketAddress {
    /// `http://127.0.0.1:8080`, `http://[::1]:8080`.
    var url: String { "http://\(self)" }

    /// Where a client on this machine reaches a service that listens here: every address includes the loopback's.
    var reachable: SocketAddress {
        let loopback =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: host
            }
        // A numeric address parses.
        return (try? SocketAddress(parsing: loopback, port: port)) ?? self
    }
}
