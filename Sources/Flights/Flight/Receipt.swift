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

    package init(_ value: UInt64) {
        self.value = value
    }

    package static func < (one: RequestNumber, other: RequestNumber) -> Bool { one.value < other.value }
}

/// The interest of one request in a flight.
final class Receipt: FlightTimer {
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

    /// Its index in the list of its flight.
    fileprivate(set) var index = 0

    var name: ScopedName { callerRequest.scopedReceipt }
    var slot: ScopedName? { callerRequest.scopedSlot }

    /// The time of its next timer.
    var nextTime: MonotonicTime { hasClient ? min(waitEnd, deadline) : deadline }
}

extension Dictionary<RequestNumber, Receipt> {
    /// The requests in the order in which they began to wait.
    var inOrder: [Receipt] { values.sorted { $0.number < $1.number } }
}

/// The requests of a flight, in the order in which they joined. Each is removed in constant time: its element stays
/// empty until the empty ones are the majority.
struct ReceiptList: Sequence, ExpressibleByArrayLiteral {
    private var elements: [Receipt?] = []
    /// The number of requests with each of the options of the flight.
    private var renditionCounts: [Int] = []
    private(set) var count = 0

    init() {}

    init(arrayLiteral elements: Receipt...) {
        for element in elements { append(element) }
    }

    var isEmpty: Bool { count == 0 }

    /// The number of requests with the same options.
    func count(of rendition: Int) -> Int { renditionCounts.indices ~= rendition ? renditionCounts[rendition] : 0 }

    struct Iterator: IteratorProtocol {
        fileprivate var elements: IndexingIterator<[Receipt?]>

        mutating func next() -> Receipt? {
            while let element = elements.next() {
                if let element { return element }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(elements: elements.makeIterator()) }

    mutating func append(_ receipt: Receipt) {
        receipt.index = elements.count
        elements.append(receipt)
        count += 1
        while renditionCounts.count <= receipt.rendition { renditionCounts.append(0) }
        renditionCounts[receipt.rendition] += 1
    }

    /// Removes a receipt, if it is in the list.
    mutating func remove(_ receipt: Receipt) {
        guard elements.indices ~= receipt.index, elements[receipt.index] === receipt else { return }
        elements[receipt.index] = nil
        count -= 1
        renditionCounts[receipt.rendition] -= 1
        guard elements.count > 16, count * 2 < elements.count else { return }
        removeAll { _ in false }
    }

    mutating func removeAll(where isRemoved: (Receipt) -> Bool) {
        let kept = elements.compactMap { $0 }.filter { !isRemoved($0) }
        self = ReceiptList()
        for receipt in kept { append(receipt) }
    }

    /// Removes all receipts but the first, and returns them.
    mutating func removeAllButFirst() -> [Receipt] {
        let all = Array(self)
        self = ReceiptList()
        if let first = all.first { append(first) }
        return Array(all.dropFirst())
    }
}
