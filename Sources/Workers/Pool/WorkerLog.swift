internal import Glibc
package import Logging
internal import Platform
internal import Synchronization

/// The log lines about workers, and the number of workers that ended.
package final class WorkerLog: Sendable {
    private let log: Logger
    /// The sandbox of the last worker that started; `nil` until one has started.
    private let parts = Mutex<SandboxParts?>(nil)
    /// The number of workers that ended, by reason.
    private let ends = Monitor<[WorkerEndReason: Int]>([:])

    package init(_ log: Logger) { self.log = log }

    func started(_ process: pid_t, _ parts: SandboxParts, isUsed: Bool) {
        let isNew = self.parts.withLock { known in
            defer { known = parts }
            return known != parts
        }
        log.debug("worker started", metadata: ["worker": .stringConvertible(Int(process)), "sandbox": "\(parts.list)"])
        guard isNew else { return }
        if !parts.contains(.seccomp) {
            if isUsed {
                log.critical("images are read WITHOUT A SANDBOX, because DECANT_ALLOW_UNSANDBOXED is true")
            } else {
                log.error("this system has no seccomp: images are not read")
            }
        } else if !SandboxParts.all.subtracting(parts).isEmpty {
            log.warning(
                "the sandbox of the workers is incomplete on this system",
                metadata: ["missing": "\(SandboxParts.all.subtracting(parts).list)", "inForce": "\(parts.list)"]
            )
        }
    }

    /// Counts and logs the end of a worker that is replaced.
    /// - Parameters:
    ///   - detail: a detail of the reason, for the log.
    ///   - requestID: the identifier of the request whose job the worker was executing; `nil` if it was idle.
    func ended(
        _ process: pid_t,
        _ reason: WorkerEndReason,
        detail: String? = nil,
        _ end: ProcessEnd?,
        requestID: String?
    ) {
        ends.withLock { $0[reason, default: 0] += 1 }
        guard reason.isFailure else {
            log.debug("a worker \(reason)", metadata: ["worker": .stringConvertible(Int(process))])
            return
        }
        var metadata: Logger.Metadata = ["worker": .stringConvertible(Int(process))]
        if let requestID { metadata["request"] = "\(requestID)" }
        if let detail { metadata["detail"] = "\(detail)" }
        if let end {
            metadata["end"] = "\(end)"
            if !end.lastWords.isEmpty { metadata["lastWords"] = "\(end.lastWords)" }
        }
        log.warning("a worker \(reason)", metadata: metadata)
    }

    /// The number of workers that ended, by reason. A reason that has not occurred is absent.
    var endsByReason: [WorkerEndReason: Int] { ends.withLock { $0 } }

    func cannotStart(_ reason: String, retry: Int) {
        log.error("a worker cannot be started: \(reason)", metadata: ["attempt": .stringConvertible(retry)])
    }
}
