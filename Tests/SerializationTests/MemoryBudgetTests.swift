import Synchronization
import Testing

@testable import Serialization

struct MemoryBudgetTests {
    /// Grants a given number of bytes in total, and records the requests.
    private final class Grants: MemoryGrant {
        private let requested = Mutex<[Int]>([])
        private let maxBytes: Int

        init(bytes: Int) {
            maxBytes = bytes
        }

        var requests: [Int] { requested.withLock { $0 } }

        func grow(by bytes: Int) -> Bool {
            requested.withLock { requests in
                guard bytes <= maxBytes - requests.reduce(0, +) else { return false }
                requests.append(bytes)
                return true
            }
        }
    }

    /// The owner of a budget, because expectations copy values.
    private final class Owner {
        private var budget: MemoryBudget

        init(_ grant: any MemoryGrant, reserved bytes: Int) {
            budget = MemoryBudget(grant, reserved: bytes)
        }

        var bytes: Int { budget.bytes }

        func take(_ count: Int) -> Bool { budget.take(count) }
        func release(_ count: Int) { budget.release(count) }
        func grow(to total: Int) -> Bool { budget.grow(to: total) }
        func reserve(_ array: inout [UInt64], _ count: Int) -> Bool { budget.reserve(&array, count) }
    }

    @Test func `what was reserved needs no request, and what was released can be taken again`() {
        let grants = Grants(bytes: 0)
        let budget = Owner(grants, reserved: 100)
        #expect(budget.take(60))
        #expect(budget.take(40))
        #expect(!budget.take(1))
        budget.release(50)
        #expect(budget.take(50))
        #expect(!budget.take(1))
    }

    @Test func `memory is requested in blocks of at least 8 KiB and an eighth`() {
        let grants = Grants(bytes: .max)
        let budget = Owner(grants, reserved: 100)
        #expect(budget.take(101))
        #expect(grants.requests == [8 << 10])
        #expect(budget.take(8 << 10 - 1))
        #expect(grants.requests.count == 1)
        #expect(budget.grow(to: 1 << 20))
        #expect(budget.bytes == 1 << 20)
        #expect(budget.grow(to: 1 << 20 + 1))
        #expect(grants.requests.last == 128 << 10)
    }

    @Test func `a request that is denied, or a sum that overflows, takes nothing`() {
        let grants = Grants(bytes: 10_000)
        let budget = Owner(grants, reserved: 0)
        #expect(!budget.take(10_001))
        #expect(!budget.take(.max))
        #expect(budget.take(10_000))
        #expect(!budget.take(.max))
        #expect(budget.bytes == 10_000)
        let unlimited = Owner(.unlimited, reserved: 100)
        #expect(unlimited.take(.max - 1))
        #expect(!unlimited.take(2))
    }

    @Test func `an array that grows takes the memory of its former elements too`() {
        let grants = Grants(bytes: .max)
        let budget = Owner(grants, reserved: 1_000)
        var array: [UInt64] = []
        let isFirst = budget.reserve(&array, 64)
        #expect(isFirst)
        #expect(grants.requests.isEmpty)
        array = Array(repeating: 0, count: array.capacity)
        // 64 elements of 8 bytes, while there are twice as many.
        let isSecond = budget.reserve(&array, 1)
        #expect(isSecond)
        #expect(!grants.requests.isEmpty)
        #expect(array.capacity >= 128)
    }

    @Test func `an array does not grow if there is no memory`() {
        let budget = Owner(Grants(bytes: 0), reserved: 100)
        var array: [UInt64] = []
        let isReserved = budget.reserve(&array, 64)
        #expect(!isReserved)
        #expect(array.capacity == 0)
    }
}
