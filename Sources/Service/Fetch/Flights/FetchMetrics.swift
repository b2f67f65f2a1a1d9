internal import Fetching
internal import Synchronization

/// What is counted about fetches.
struct FetchFigures: Equatable, Sendable {
    /// A flight by the entry of `fetch-allow` that permitted it, and its result.
    struct Outcome: Hashable, Sendable {
        var entry: String
        /// `succeeded`, or the code of the problem.
        var result: String
    }

    /// The phases of an attempt, in the order of ``phases``.
    static let phaseNames: [StaticString] = ["queue", "resolve", "connect", "tls", "first_byte", "transfer"]

    var outcomes: [Outcome: UInt64] = [:]
    var phases = [DurationHistogram](
        repeating: DurationHistogram(buckets: [UInt64](repeating: 0, count: DurationBuckets.count), nanoseconds: 0),
        count: phaseNames.count
    )
    /// Transfers that were started.
    var attempts: UInt64 = 0
    /// Requests that joined the flight of another one.
    var merged: UInt64 = 0
    /// Requests that left a flight, because its response must not be shared.
    var released: UInt64 = 0
    /// Requests that were cancelled, or whose clients disconnected.
    var cancelled: UInt64 = 0
    var superseded: UInt64 = 0
    /// Flights that ended because no request was left.
    var abandoned: UInt64 = 0
    var retries: UInt64 = 0
    /// Flights that were started again, because the fetcher had ended.
    var restarts: UInt64 = 0
    /// Fetchers that ended, by reason.
    var fetcherEnds: [String: UInt64] = [:]

    // The state at the end of the last turn of the fetch thread.

    var queued = 0
    var active = 0
    /// Requests that wait for a result.
    var requests = 0
    var openBreakers = 0
    var halfOpenBreakers = 0
    var isFetcherReady = false
}

/// The counts of fetches, which the fetch thread changes and an HTTP thread reads.
final class FetchMetrics: Sendable {
    private let state = Mutex(FetchFigures())

    var figures: FetchFigures { state.withLock { $0 } }

    func update(_ change: (inout FetchFigures) -> Void) {
        state.withLock { change(&$0) }
    }

    /// Counts the end of a flight.
    func count(entry: String, _ failure: FlightFailure?, queueNanoseconds: UInt64) {
        let result = failure?.code.rawValue ?? "succeeded"
        update { figures in
            figures.outcomes[FetchFigures.Outcome(entry: entry, result: result), default: 0] += 1
            figures.phases[0].record(queueNanoseconds)
        }
    }

    /// Counts the durations of an attempt.
    func record(_ timings: FetchTimings) {
        let durations = [timings.resolve, timings.connect, timings.tls, timings.firstByte, timings.transfer]
        update { figures in
            for (index, duration) in durations.enumerated() {
                if let duration { figures.phases[index + 1].record(duration * 1_000) }
            }
        }
    }
}

extension DurationHistogram {
    fileprivate mutating func record(_ nanoseconds: UInt64) {
        buckets[DurationBuckets.index(ofNanoseconds: nanoseconds)] += 1
        self.nanoseconds &+= nanoseconds
    }
}
