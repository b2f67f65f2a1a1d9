internal import CScheduler
internal import Glibc

/// The number of processors that this process can use.
package enum ProcessorCount {
    /// The number of processors on which the calling thread may run, at least 1. Affinity masks, cpusets and containers
    /// restrict it.
    package static var available: Int {
        var words = 16
        while words <= maxWords {
            if let count = count(words: words) { return max(count, 1) }
            // sched_getaffinity(2): the kernel supports more processors than the set can contain.
            guard errno == EINVAL else { break }
            words *= 2
        }
        return max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    }

    /// The maximum size of the set: 65 536 processors, more than any kernel supports.
    private static let maxWords = 1_024

    /// Returns the number of processors that a set of this size contains; `nil` if the call fails (the reason is in
    /// `errno`).
    private static func count(words: Int) -> Int? {
        var set = [UInt64](repeating: 0, count: words)
        let result = unsafe set.withUnsafeMutableBytes { set -> Int32 in
            guard let start = set.baseAddress else { return -1 }
            // The call writes at most `set.count` bytes.
            return unsafe sched_getaffinity(0, set.count, start)
        }
        return result == 0 ? set.reduce(0) { $0 + $1.nonzeroBitCount } : nil
    }
}
