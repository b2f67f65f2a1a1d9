internal import Glibc

/// How many processors there are for this process.
enum ProcessorCount {
    /// What sysconf(3) says of those online, at least one.
    static var available: Int {
        max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    }
}
