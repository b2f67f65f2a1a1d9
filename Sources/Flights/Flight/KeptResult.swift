internal import Fetching
internal import Platform

/// The result of a request whose client has received 202.
package final class KeptResult: FlightTimer {
    package let callerRequest: CallerRequest
    let identity: FlightIdentity
    package let result: FlightResult
    private let facts: FlightFacts
    /// Whether other requests receive it.
    let isShared: Bool
    /// Whether a request has received it.
    var isDelivered = false
    /// The keys of the hops of its flight.
    let lookups: [CacheLookup]
    /// The time of the cache when the flight began.
    let began: UInt64
    private let memory: any FlightMemory

    init(
        _ callerRequest: CallerRequest,
        _ flight: Flight,
        _ result: FlightResult,
        _ facts: FlightFacts,
        _ memory: any FlightMemory,
        isShared: Bool
    ) {
        self.callerRequest = callerRequest
        identity = flight.identity
        lookups = flight.route.lookups
        began = flight.began
        self.result = result
        self.facts = facts
        self.memory = memory
        self.isShared = isShared
    }

    var name: ScopedName { ScopedName(partition: callerRequest.partition, name: callerRequest.receipt) }

    /// Returns what is known about the flight, for a request that receives the result now.
    func facts(at now: MonotonicTime) -> FlightFacts {
        var facts = facts
        facts.cache = facts.cache?.aged(to: now)
        return facts
    }
}
