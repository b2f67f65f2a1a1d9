internal import Glibc

/// How many descriptors this process may have open (`RLIMIT_NOFILE`).
enum OpenFileLimit {
    /// Raises the soft limit so that `connections` fit beside the service's own descriptors, as far as the hard limit allows.
    /// - Returns: how many of them fit, at least one.
    static func raise(forConnections connections: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return connections }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return max(1, min(connections, Int(clamping: limit.rlim_cur) - reserve))
    }

    /// Standard streams, the listening socket, epoll and event descriptors of each thread.
    private static let reserve = 64
}
