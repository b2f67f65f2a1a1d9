import Fetching
import Testing

@Suite struct MemoryPressureTests {
    private static let second: UInt64 = 1_000_000_000

    @Test(arguments: [
        (0, MemoryPressure.Action.none), (900, .none), (901, .evict), (950, .evict), (951, .empty), (2000, .empty),
    ])
    func `the share of the limit decides`(usedBytes: Int, action: MemoryPressure.Action) {
        #expect(MemoryPressure.action(usedBytes: usedBytes, limitBytes: 1000, lastAction: nil, now: 0) == action)
    }

    @Test func `without a limit, there is no pressure`() {
        #expect(MemoryPressure.action(usedBytes: .max, limitBytes: nil, lastAction: nil, now: 0) == .none)
        #expect(MemoryPressure.action(usedBytes: 1, limitBytes: 0, lastAction: nil, now: 0) == .none)
        #expect(MemoryPressure.action(usedBytes: 1 << 50, limitBytes: .max, lastAction: nil, now: 0) == .none)
        #expect(MemoryPressure.action(usedBytes: .max, limitBytes: .max, lastAction: nil, now: 0) == .empty)
    }

    @Test(arguments: [(UInt64(0), MemoryPressure.Action.none), (29_999_999_999, .none), (30_000_000_000, .empty)])
    func `there is one action in 30 seconds`(passed: UInt64, action: MemoryPressure.Action) {
        let lastAction = 5 * Self.second
        #expect(
            MemoryPressure.action(usedBytes: 100, limitBytes: 100, lastAction: lastAction, now: lastAction + passed)
                == action
        )
    }
}
