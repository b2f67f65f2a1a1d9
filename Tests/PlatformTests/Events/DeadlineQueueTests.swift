import Testing

@testable import Platform

struct DeadlineQueueTests {
    private final class Holder: DeadlineHolder {
        let name: Int
        var heapIndex = -1
        var deadline: UInt64 = 0

        init(name: Int) {
            self.name = name
        }

        func deadlineReached(at now: MonotonicTime) {}
    }

    @Test func `an empty queue has no deadline`() {
        var queue = DeadlineQueue()
        #expect(queue.first == .never)
        let isEmpty = queue.next(at: .never) == nil
        #expect(isEmpty)
    }

    @Test func `returns an object at its deadline, and not before`() throws {
        var queue = DeadlineQueue()
        let holder = Holder(name: 1)
        queue.set(holder, to: MonotonicTime(nanoseconds: 10))
        #expect(queue.first == MonotonicTime(nanoseconds: 10))
        let early = queue.next(at: MonotonicTime(nanoseconds: 9)) == nil
        #expect(early)
        let due = queue.next(at: MonotonicTime(nanoseconds: 10)) === holder
        #expect(due)
        #expect(holder.heapIndex == -1)
        #expect(queue.first == .never)
    }

    /// Compares random changes with a list that is searched linearly.
    @Test(arguments: [UInt64](1...20))
    func `keeps the order after any changes`(seed: UInt64) {
        var random = Generator(state: seed)
        var queue = DeadlineQueue()
        let holders = (0..<64).map { Holder(name: $0) }
        var expected: [Int: UInt64] = [:]
        for _ in 0..<2_000 {
            let holder = holders[Int(random.next() % 64)]
            switch random.next() % 4 {
            case 0:
                queue.remove(holder)
                expected[holder.name] = nil
            case 1:
                let now = random.next() % 1_000
                let holder = queue.next(at: MonotonicTime(nanoseconds: now)) as? Holder
                let earliest = expected.values.min()
                if let holder {
                    #expect(expected[holder.name] == earliest && earliest ?? .max <= now)
                    expected[holder.name] = nil
                } else {
                    #expect(earliest ?? .max > now)
                }
            default:
                let time = random.next() % 1_000
                queue.set(holder, to: MonotonicTime(nanoseconds: time))
                expected[holder.name] = time
            }
            #expect(queue.first.nanoseconds == expected.values.min() ?? MonotonicTime.never.nanoseconds)
        }
        for time in expected.values.sorted() {
            #expect(queue.first.nanoseconds == time)
            let holder = queue.next(at: queue.first) as? Holder
            #expect(holder.map { expected[$0.name] } == time)
        }
        #expect(queue.first == .never)
    }

    private struct Generator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
