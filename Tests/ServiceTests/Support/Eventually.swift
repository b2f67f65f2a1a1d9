import Glibc
import Platform

/// Waits for an effect of another thread or process, for at most 30 s, because machines may be busy.
/// - Returns: whether `condition` is true.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicTime.now + .seconds(30)
    while try !condition() {
        guard MonotonicTime.now < deadline else { return false }
        usleep(2_000)
    }
    return true
}
