/// The reason why a worker ended and is replaced. Workers that end because the service stops are not replaced.
package enum WorkerEndReason: String, CaseIterable, Sendable {
    /// The worker ended, or sent a message, while it had no job.
    case endedIdle = "ended_idle"
    /// The worker had ended before its job began. Another worker executed the job.
    case endedBeforeJob = "ended_before_job"
    /// The worker ended during a job.
    case endedInJob = "ended_in_job"
    /// A job took longer than `decodeTimeSeconds`.
    case decodeTime = "decode_time"
    /// The worker's answer violated the protocol.
    case invalidAnswer = "invalid_answer"
    /// The worker ended before it was ready, or was not ready in time.
    case notReady = "not_ready"
    /// The worker could not install the seccomp filter, which is required, and received no job.
    case noSandbox = "no_sandbox"
    /// The worker has executed `maxJobs` jobs.
    case jobLimit = "job_limit"
    /// The decoder found corrupt content.
    case corruptContent = "corrupt_content"

    /// Whether the end is a fault, and not part of normal operation.
    var isFailure: Bool {
        switch self {
        case .endedIdle, .endedBeforeJob, .endedInJob, .decodeTime, .invalidAnswer, .notReady: true
        // Logged once, when the sandbox changes.
        case .noSandbox: false
        case .jobLimit, .corruptContent: false
        }
    }
}

extension WorkerEndReason: CustomStringConvertible {
    /// The predicate of a sentence about the worker, for the log.
    package var description: String {
        switch self {
        case .endedIdle: "ended while it was idle"
        case .endedBeforeJob: "had ended before a job began"
        case .endedInJob: "ended during a job"
        case .decodeTime: "took longer than decode-time-seconds, and was killed"
        case .invalidAnswer: "sent an invalid answer, and was killed"
        case .notReady: "ended before it was ready, or was not ready in time"
        case .noSandbox: "has no seccomp, and was killed"
        case .jobLimit: "has executed its maximum number of jobs, and is replaced"
        case .corruptContent: "has decoded corrupt content, and is replaced"
        }
    }
}
