import Platform
import Testing

@Suite struct MonitorTests {
    @Test func `wakes a thread that waits for a change`() throws {
        let monitor = Monitor(0)
        let thread = try Thread {
            monitor.change { $0 = 1 }
        }
        #expect(monitor.wait(until: .now + .seconds(30)) { $0 == 1 ? 1 : nil } == 1)
        thread.join()
        #expect(monitor.withLock { $0 } == 1)
    }

    @Test func `stops waiting at the time limit`() {
        let monitor = Monitor(0)
        let limit = MonotonicTime.now + .milliseconds(20)
        let result: Int? = monitor.wait(until: limit) { _ in nil }
        #expect(result == nil)
        #expect(MonotonicTime.now >= limit)
    }

    @Test func `does not wait for a condition that is already true`() {
        let monitor = Monitor(7)
        #expect(monitor.wait(until: MonotonicTime(nanoseconds: 0)) { $0 } == 7)
    }

    @Test func `one thread at a time changes the value`() throws {
        let monitor = Monitor(0)
        let threads = try (0..<4).map { _ in
            try Thread {
                for _ in 0..<1_000 { monitor.change { $0 += 1 } }
            }
        }
        threads.forEach { $0.join() }
        #expect(monitor.withLock { $0 } == 4_000)
    }
}
