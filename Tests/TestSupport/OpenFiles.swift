import Glibc

/// The limit on open files of this process and of the processes that it starts (getrlimit(2)).
public enum OpenFiles {
    /// Raises the limit, up to the hard limit, if fewer than `count` files can be open.
    /// - Returns: whether `count` files can be open, including those that are open now.
    public static func permit(_ count: UInt) -> Bool {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        guard limit.rlim_cur < count else { return true }
        guard limit.rlim_max >= count else { return false }
        limit.rlim_cur = rlim_t(count)
        return setrlimit(resource, &limit) == 0
    }
}
