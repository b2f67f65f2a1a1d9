internal import HTTP

extension Configuration {
    /// The number of descriptors that the service needs besides one per connection.
    ///
    /// Two epoll and two event descriptors per HTTP thread (one fewer with libmicrohttpd 0.9.75); an epoll and an event
    /// descriptor for the acceptor; a socket and two memory files per worker, and the other end of the socket while the
    /// worker starts; eleven for the process itself, and a margin. Fetching needs an epoll and an event descriptor, and
    /// the socket of its process. Connections above the maximum for their address are kept for a moment. The listener
    /// of the administration has an acceptor, a loop, and its connections.
    var reservedDescriptors: Int {
        4 * self.threads + 4 * (self.workers + self.factWorkers) + 34 + (fetches ? 4 : 0)
            + (self.maxConnectionsPerAddress > 0 ? self.threads * HTTPServerConfiguration.maxRejectedPerThread : 0)
            + (self.adminAddress.isEmpty ? 0 : Self.maxAdminConnections + 8)
    }

    /// The maximum number of connections of the listener for the administration.
    static let maxAdminConnections = 32

    /// Reduces ``maxConnections`` so that all descriptors fit into `limit`. At least one connection remains.
    mutating func fitConnections(intoOpenFiles limit: Int) {
        self.maxConnections = max(1, min(self.maxConnections, limit - reservedDescriptors))
    }
}
