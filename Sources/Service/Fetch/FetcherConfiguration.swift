internal import Fetching
internal import Platform

/// What a ``FetcherProcess`` starts, and its time limits.
struct FetcherConfiguration: Sendable {
    /// The settings that are passed to the program, without the process ID, the sandbox and the listeners, which
    /// ``FetcherProcess`` and ``FetchService`` add.
    var settings: FetcherSettings

    /// Whether a fetcher is used even if the system has no seccomp (`allow-unsandboxed`).
    var allowsUnsandboxed: Bool

    /// The program. By default `decant-fetcher` in the folder of this program.
    var executable = Self.defaultExecutable

    /// The arguments before those of the settings, for tests. Default none.
    var arguments: [String] = []

    /// The parts of the sandbox that are requested. Default all.
    var sandbox = SandboxParts.all

    /// The interval of pings. Default 1 s.
    var pingInterval: Duration = .seconds(1)

    /// The longest time without a frame from a fetcher that has been pinged, after which it is killed. Default 3 s.
    ///
    /// It is also the maximum time for the start of a fetcher, which is doubled after each late start, up to four times
    /// this value.
    var silenceLimit: Duration = .seconds(3)

    /// The delay after the first start without seccomp. It doubles after each further one, up to 30 times this value.
    /// Default 1 s.
    var sandboxRetryInterval: Duration = .seconds(1)

    static let defaultExecutable = ChildProcess.programBeside("decant-fetcher")
}
