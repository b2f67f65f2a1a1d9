/// The kind of thread on which a step of a computation runs.
package enum Lane: UInt8, CaseIterable, Sendable {
    /// The HTTP thread. A step takes microseconds, and never waits.
    case inline

    /// A thread for steps that take milliseconds. A step never waits.
    case compute

    /// A thread that waits for another process, whose steps take less than a millisecond.
    case facts

    /// A thread that waits for another process, whose steps take any time.
    case pixels

    /// The name in the log and in metrics, in which ``pixels`` is the lane `isolated`.
    package var name: StaticString {
        switch self {
        case .inline: "inline"
        case .compute: "compute"
        case .facts: "facts"
        case .pixels: "isolated"
        }
    }

    /// The maximum size of content that is processed on an HTTP thread, in bytes, inclusive. An application may lower
    /// it for some formats.
    package static let maxInlineBytes = 256 << 10
}

/// The lanes for steps that take too long for an event loop.
package protocol LaneScheduler: Sendable {
    /// Returns the number of jobs that wait for `lane`.
    func waitingJobs(for lane: Lane) -> Int

    /// Executes the steps of a computation until its response is delivered to `parked`, or its client disconnects.
    /// Called on the loop of the connection.
    func begin(_ step: consuming Step, for parked: ParkedConnection)

    /// Rejects new work, and waits until every response has been delivered to its loop, which must still be running.
    func stop()
}
