internal import Platform

/// The reason why a fetcher ended, or could not be started. The raw values are labels of metrics.
enum FetcherEndReason: String, CaseIterable, Sendable {
    /// The program could not be started.
    case cannotStart = "cannot_start"
    /// The process ended, or closed its socket, before it was ready.
    case notReady = "not_ready"
    /// The process was not ready in time, and was killed.
    case late
    /// The process ended, or closed its socket.
    case ended
    /// The process did not respond to pings, and was killed.
    case silent
    /// The process sent bytes that are not valid frames, and was killed.
    case invalidFrame = "invalid_frame"
    /// The system has no seccomp, and the process was killed.
    case noSandbox = "no_sandbox"
    /// The owner of the process rejected a frame that cannot follow the earlier ones, and the process was killed.
    case misbehaved

    /// Whether a process will hardly be there in a few seconds.
    var isLasting: Bool {
        switch self {
        case .cannotStart, .noSandbox: true
        case .notReady, .late, .ended, .silent, .invalidFrame, .misbehaved: false
        }
    }
}

extension FetcherEndReason: CustomStringConvertible {
    /// The predicate of a sentence about the fetcher, for the log.
    var description: String {
        switch self {
        case .cannotStart: "cannot be started"
        case .notReady: "ended before it was ready"
        case .late: "was not ready in time, and was killed"
        case .ended: "ended"
        case .silent: "did not respond, and was killed"
        case .invalidFrame: "sent an invalid frame, and was killed"
        case .noSandbox: "has no seccomp, and was killed"
        case .misbehaved: "sent a frame out of order, and was killed"
        }
    }
}

struct FetcherEnd: Equatable, Sendable {
    var reason: FetcherEndReason

    /// Details for the log: the error that made the start fail, or the one of a frame.
    var detail: String?

    /// How the process ended; `nil` if there was none.
    var process: ProcessEnd?
}
