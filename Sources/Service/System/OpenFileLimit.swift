internal import Glibc

/// How many descriptors this process may have open (`RLIMIT_NOFILE`).
enum OpenFileLimit {
    /// Raises the soft limit so that `connections` fit beside `reserve`, as far as the hard limit allows.
    /// - Returns: how many of them fit, at least one.
    static func raise(forConnections connections: Int, reserve: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return connections }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return max(1, min(connections, Int(clamping: limit.rlim_cur) - reserve))
    }

    /// The service's own descriptors: an epoll and an event descriptor for each HTTP thread; a socket and two pieces of memory for
    /// each worker, and while it starts the socket's other end; eleven of the process itself, and some room.
    static func reserve(threads: Int, workers: Int) -> Int {
        2 * threads + 4 * workers + 32
    }
}
