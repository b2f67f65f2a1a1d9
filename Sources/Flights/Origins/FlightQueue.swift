/// Flights in the order of their arrival. A flight is in at most one queue.
///
/// Each knows its index, and is removed in constant time: its element stays empty until it is reached, or until the
/// empty ones are the majority.
struct FlightQueue {
    private var flights: [Flight?] = []
    private var start = 0
    /// The index of the first element.
    private var base = 0
    private(set) var count = 0

    mutating func append(_ flight: Flight) {
        flight.queueIndex = base + flights.count
        flights.append(flight)
        count += 1
    }

    /// Removes and returns the next flight.
    /// - Parameter isLIFO: whether it is the latest one.
    mutating func next(isLIFO: Bool = false) -> Flight? {
        while start < flights.count {
            let flight = isLIFO ? flights.removeLast() : flights[start]
            if !isLIFO {
                flights[start] = nil
                start += 1
            }
            if let flight {
                count -= 1
                compact()
                return flight
            }
        }
        compact()
        return nil
    }

    /// Removes a flight, if it is in the queue.
    mutating func remove(_ flight: Flight) {
        let index = flight.queueIndex - base
        guard index >= start, index < flights.count, flights[index] === flight else { return }
        flights[index] = nil
        count -= 1
        compact()
    }

    private mutating func compact() {
        guard count == 0 || (flights.count > 64 && count * 2 < flights.count) else { return }
        let remaining = flights.compactMap { $0 }
        base += flights.count
        flights.removeAll(keepingCapacity: true)
        start = 0
        count = 0
        for flight in remaining { append(flight) }
    }
}
