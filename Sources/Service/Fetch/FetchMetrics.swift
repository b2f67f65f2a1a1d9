internal import Fetching
internal import Flights
internal import Serialization
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
    /// The counts of the table of flights.
    var flights = FlightCounts()
    /// Fetchers that ended, by reason.
    var fetcherEnds: [String: UInt64] = [:]

    // The state at the end of the last iteration of the fetch thread.

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

    func update(_ change: (inout FetchFigures) -> Void) { state.withLock { change(&$0) } }

    /// Counts what a change of the table has led to.
    func record(_ effects: [FlightEffect], _ counts: FlightCounts) {
        update { figures in
            figures.flights = counts
            for effect in effects { figures.record(effect) }
        }
    }
}

extension FetchFigures {
    fileprivate mutating func record(_ effect: FlightEffect) {
        switch effect {
        case .ended(let flight):
            let result = flight.failure?.reason.code.rawValue ?? "succeeded"
            outcomes[FetchFigures.Outcome(entry: flight.entry, result: result), default: 0] += 1
            phases[0].record(flight.facts.queueNanoseconds)
        case .measured(let timings):
            for (index, duration) in timings.all.enumerated() {
                if let duration { phases[index + 1].record(duration * 1_000) }
            }
        case .send, .deliver, .deliverKept, .postpone, .postponeAgain, .reply, .serialize, .drop: break
        }
    }
}

extension DurationHistogram {
    fileprivate mutating func record(_ nanoseconds: UInt64) {
        buckets[DurationBuckets.index(ofNanoseconds: nanoseconds)] += 1
        self.nanoseconds &+= nanoseconds
    }
}
