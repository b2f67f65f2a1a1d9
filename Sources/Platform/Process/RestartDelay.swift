/// The time before the next start of a process whose starts have failed.
package enum RestartDelay {
    /// Three failed starts are repeated without a delay; then it grows from 50 ms to two seconds.
    /// - Parameter failures: the number of starts in a row that failed, at least one.
    package static func after(failures: Int) -> Duration {
        failures > 3 ? .milliseconds(min(2_000, 50 << min(failures - 4, 10))) : .zero
    }

    /// A system without seccomp rarely gains it.
    /// - Parameters:
    ///   - failures: the number of starts in a row that failed, at least one.
    ///   - interval: the first delay, of which the last one is thirty times.
    package static func withoutSandbox(failures: Int, interval: Duration) -> Duration {
        interval * min(30, 1 << min(failures - 1, 5))
    }
}
