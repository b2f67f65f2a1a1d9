internal import CScheduler
internal import Glibc

/// How many processors there are for this process.
enum ProcessorCount {
    /// Those that the calling thread may run on: what taskset, cpusets and containers leave of the machine's. At least one.
    static var available: Int {
        var words = 16
        while words <= maxWords {
            if let count = count(words: words) { return max(count, 1) }
            // sched_getaffinity(2): the kernel has room for more processors than the set.
            guard errno == EINVAL else { break }
            words *= 2
        }
        return max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    }

    /// 65 536 processors: more than any kernel is built for.
    private static let maxWords = 1_024

    /// Nil where the call fails; `errno` says why.
    private static func count(words: Int) -> Int? {
        var set = [UInt64](repeating: 0, count: words)
        let result = unsafe set.withUnsafeMutableBytes { set -> Int32 in
            guard let start = set.baseAddress else { return -1 }
            // The call writes no more than it is told that there is.
            return unsafe sched_getaffinity(0, set.count, start)
        }
        return result == 0 ? set.reduce(0) { $0 + $1.nonzeroBitCount } : nil
    }
}
