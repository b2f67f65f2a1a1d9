/// The reason why a worker ended and is replaced. Workers that end because the service stops are not replaced.
package enum WorkerEndReason: String, CaseIterable, Sendable {
    /// It ended, or sent a message, without a job.
    case endedIdle = "ended_idle"
    /// It had ended when a job was to begin, which another worker then did.
    case endedBeforeJob = "ended_before_job"
    /// It ended during a job.
    case endedInJob = "ended_in_job"
    /// Its job took longer than `decodeTimeSeconds`.
    case decodeTime = "decode_time"
    /// Its answer violates the protocol.
    case invalidAnswer = "invalid_answer"
    /// It ended before it was ready, or was not ready in time.
    case notReady = "not_ready"
    /// It started without the part of the sandbox that no worker may lack, and got no job.
    case noSandbox = "no_sandbox"
    /// It has done as many jobs as a worker does.
    case jobLimit = "job_limit"
    /// Its decoder found content corrupt.
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
        case .endedIdle: "ended while it had nothing to do"
        case .endedBeforeJob: "had ended before a job began"
        case .endedInJob: "ended during a job"
        case .decodeTime: "took longer than decode-time-seconds, and was killed"
        case .invalidAnswer: "gave an invalid answer, and was killed"
        case .notReady: "ended before it was ready, or was not ready in time"
        case .noSandbox: "has no seccomp, and was killed"
        case .jobLimit: "has done its number of jobs, and is replaced"
        case .corruptContent: "has decoded corrupt content, and is replaced"
        }
    }
}
