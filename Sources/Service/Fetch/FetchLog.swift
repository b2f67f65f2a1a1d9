internal import Fetching
internal import Flights
internal import Logging
internal import Platform
internal import Serialization

/// The lines of the log about fetches. No line contains a URL: URLs can contain secrets.
struct FetchLog: Sendable {
    private let log: Logger?

    /// - Parameter log: `nil` if nothing is logged.
    init(_ log: Logger? = nil) { self.log = log }

    /// A fetch that ended: failures of origins at `info`, with their causes, and everything else at `debug`.
    func ended(_ flight: FlightLog) {
        guard let log else { return }
        let reason = flight.failure?.reason
        let level: Logger.Level = reason?.row(flight.facts).isNotable == true ? .info : .debug
        guard log.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "entry": "\(flight.entry)",
            "result": "\(reason?.code.rawValue ?? "succeeded")",
            "attempts": .stringConvertible(flight.facts.attempts),
            "receipts": .stringConvertible(flight.requests),
            "bytes": .stringConvertible(flight.contentBytes),
        ]
        if let status = flight.facts.status { metadata["status"] = .stringConvertible(status) }
        if let phase = flight.facts.phase { metadata["phase"] = "\(phase.name)" }
        if let cause = flight.failure?.cause, !cause.isEmpty { metadata["cause"] = "\(cause)" }
        if case .redirect(.notAllowed(let rejection))? = reason {
            metadata["cause"] = "\(rejection.cause ?? rejection.diagnostic.sentence)"
        }
        log.log(level: level, "a fetch has ended", metadata: metadata)
    }

    func ready(_ sandbox: SandboxParts, process: Int32?) {
        log?.info(
            "the fetcher is ready",
            metadata: ["sandbox": "\(sandbox.list)", "process": .stringConvertible(process ?? 0)]
        )
    }

    func died(_ end: FetcherEnd) {
        var metadata: Logger.Metadata = ["reason": "\(end.reason.rawValue)"]
        if let detail = end.detail { metadata["detail"] = "\(detail)" }
        if let process = end.process {
            metadata["end"] = "\(process)"
            if !process.lastWords.isEmpty { metadata["lastWords"] = "\(process.lastWords)" }
        }
        log?.error("the fetcher \(end.reason.description)", metadata: metadata)
    }

    func failed(_ error: SystemError) {
        log?.error("the fetcher cannot be watched", metadata: ["detail": "\(error.description)"])
    }
}
