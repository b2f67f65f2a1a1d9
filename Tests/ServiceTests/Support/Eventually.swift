import Glibc

@testable import Service

/// Waits until `condition` holds: for what another thread or process does, however busy the machine is.
/// - Returns: whether it came to hold; false after half a minute, which no machine needs.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Deadline.now + TimeLimit(.seconds(30))
    while try !condition() {
        guard Deadline.now < deadline else { return false }
        usleep(2_000)
    }
    return true
}
