internal import Fetching
internal import Platform

/// The flights of one origin that wait for a permit, and what is known about the origin.
final class OriginState: FlightTimer {
    let origin: FetchOrigin
    var breaker: CircuitBreaker
    var budget = RetryBudget()

    /// The number of active transfers.
    var active = 0

    /// No transfer begins before this time, because the origin asked for it (`Retry-After`).
    var pauseEnd = MonotonicTime(nanoseconds: 0)

    /// Whether the origin is in the list of those that take turns.
    var hasTurn = false

    /// The content of its flights in memory, in bytes.
    var contentBytes = 0

    /// The flights in the order of their arrival. Those that have left the queue stay until they are reached, or are the majority.
    private var queue: [Flight?] = []
    private var start = 0
    private(set) var waiting = 0

    init(_ origin: FetchOrigin, breaker settings: CircuitBreaker.Settings) {
        self.origin = origin
        breaker = CircuitBreaker(settings: settings)
    }

    var isIdle: Bool { active == 0 && waiting == 0 && contentBytes == 0 }

    func append(_ flight: Flight) {
        queue.append(flight)
        waiting += 1
    }

    /// Removes and returns the next flight.
    /// - Parameter isLIFO: whether it is the latest one.
    func next(isLIFO: Bool) -> Flight? {
        while start < queue.count {
            let flight = isLIFO ? queue.removeLast() : queue[start]
            if !isLIFO {
                queue[start] = nil
                start += 1
            }
            if start == queue.count {
                queue.removeAll(keepingCapacity: true)
                start = 0
            } else if start > 64, start * 2 > queue.count {
                queue.removeFirst(start)
                start = 0
            }
            if let flight {
                waiting -= 1
                return flight
            }
        }
        return nil
    }

    /// Removes a flight that is in the queue.
    func remove(_ flight: Flight) {
        guard let index = queue[start...].firstIndex(where: { $0 === flight }) else { return }
        queue[index] = nil
        waiting -= 1
        if waiting == 0 {
            queue.removeAll(keepingCapacity: true)
            start = 0
        }
    }

    /// Whether no transfer may begin yet.
    func isPaused(at now: MonotonicTime) -> Bool { now < pauseEnd }
}
