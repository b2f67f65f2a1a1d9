extension Configuration {
    /// The number of descriptors that the service needs besides one per connection.
    ///
    /// An epoll and an event descriptor per HTTP thread; a socket and two memory files per worker, and the other end of the
    /// socket while the worker starts; eleven for the process itself, and some more as a margin.
    var reservedDescriptors: Int { 2 * threads + 4 * workers + 32 }

    /// Reduces ``maxConnections`` so that all descriptors fit into `limit`. At least one connection remains.
    mutating func fitConnections(intoOpenFiles limit: Int) {
        maxConnections = max(1, min(maxConnections, limit - reservedDescriptors))
    }
}
