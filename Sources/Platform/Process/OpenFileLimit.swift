internal import Glibc

/// The maximum number of open file descriptors of this process (`RLIMIT_NOFILE`, getrlimit(2)).
package enum OpenFileLimit {
    /// Raises the soft limit to `count`, or to the hard limit if that is lower. Does not lower it.
    /// - Returns: the soft limit that is in effect afterwards.
    package static func raise(to count: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        // Both calls access one `rlimit`, which outlives them.
        guard unsafe getrlimit(resource, &limit) == 0 else { return count }
        let wanted = min(rlim_t(max(count, 0)), limit.rlim_max)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The soft limit; `Int.max` if there is none, and `nil` if it cannot be read.
    package static var current: Int? {
        var limit = rlimit()
        // The call writes one `rlimit`, which outlives it.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
