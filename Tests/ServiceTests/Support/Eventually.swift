import Glibc
import Platform

/// Waits until `condition` holds: for an effect of another thread or process, however busy the machine is.
/// - Returns: whether it holds; `false` after half a minute, which is more than any machine needs.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicTime.now + .seconds(30)
    while try !condition() {
        guard MonotonicTime.now < deadline else { return false }
        usleep(2_000)
    }
    return true
}
