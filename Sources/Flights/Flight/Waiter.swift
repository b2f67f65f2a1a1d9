internal import Fetching
package import Platform

/// One object of the table's queue of deadlines.
package class FlightTimer: DeadlineHolder {
    package var heapIndex = -1

    /// The table takes the objects out of the queue itself.
    package func deadlineReached(at now: MonotonicTime) {}
}

/// The number of a request, which is never used again. The caller of the table maps it to what waits for the response.
package struct RequestNumber: Hashable, Comparable, Sendable {
    private let value: UInt64

    package init(_ value: UInt64) { self.value = value }

    package static func < (one: RequestNumber, other: RequestNumber) -> Bool { one.value < other.value }
}

/// A request that waits for the result of a flight: for its client, or, after 202, under its receipt.
final class Waiter: FlightTimer, ListElement {
    let number: RequestNumber
    let callerRequest: CallerRequest
    let deadline: MonotonicTime
    /// Whether it shares a flight that another request has begun.
    var isCollapsed: Bool

    /// The flight, which exists as long as the request waits.
    unowned(safe) var flight: Flight

    /// The index of its options in those of the flight.
    var rendition = 0

    /// The time at which the client receives 202; `never` if it waits for the result.
    var waitEnd: MonotonicTime

    /// Whether a client waits for the response. After 202, the result is kept for it.
    var hasClient = true

    /// The memory of a request without a client.
    var memory: (any FlightMemory)?

    init(
        _ callerRequest: CallerRequest,
        number: RequestNumber,
        flight: Flight,
        at now: MonotonicTime,
        isCollapsed: Bool
    ) {
        self.callerRequest = callerRequest
        self.number = number
        self.flight = flight
        self.isCollapsed = isCollapsed
        deadline = now + callerRequest.timeout
        waitEnd = callerRequest.wait.map { now + $0 } ?? .never
        countsAsClient = callerRequest.wait.map { $0 > .zero } ?? true
    }

    /// Whether it counts as a client of its flight: not without a wait, because its client is about to receive 202.
    var countsAsClient: Bool

    var listIndex = 0

    var name: ScopedName { callerRequest.scopedReceipt }
    var slot: ScopedName? { callerRequest.scopedSlot }

    /// The time of its next timer.
    var nextTime: MonotonicTime { hasClient ? min(waitEnd, deadline) : deadline }
}

extension Dictionary<RequestNumber, Waiter> {
    /// The requests in the order in which they began to wait.
    var inOrder: [Waiter] { values.sorted { $0.number < $1.number } }
}
