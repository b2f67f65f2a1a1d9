import Platform
import Synchronization
import Testing

@Suite struct SystemRandomPoolTests {
    @Test func `numbers do not repeat, over many reads and several threads`() throws {
        let all = Mutex<[UInt64]>([])
        let threads = try (0..<4).map { _ in
            try Thread {
                var pool = SystemRandomPool()
                let numbers = (0..<1_000).map { _ in pool.next() }
                all.withLock { $0 += numbers }
            }
        }
        for thread in threads { thread.join() }
        let numbers = all.withLock { $0 }
        #expect(numbers.count == 4_000 && Set(numbers).count == 4_000)
        // Each bit is 1 in about half of them: ten standard deviations.
        for bit in 0..<64 {
            let ones = numbers.count { $0 >> bit & 1 == 1 }
            #expect(1_680...2_320 ~= ones, "bit \(bit)")
        }
    }
}
