import Platform
import Testing

@Suite struct JobQueueTests {
    @Test func `returns jobs in the order in which they were added`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 1_000)
        // More jobs than the queue removes from its storage at once.
        for job in 0..<300 { #expect(queue.add(job) != nil) }
        #expect(queue.count == 300)
        #expect((0..<300).map { _ in queue.next() } == (0..<300).map { $0 })
        #expect(queue.count == 0)
    }

    @Test func `rejects a job beyond its limit, which is inclusive`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 2)
        #expect(queue.add(1) != nil)
        #expect(queue.add(2) != nil)
        #expect(queue.add(3) == nil)
        #expect(queue.next() == 1)
        #expect(queue.add(4) != nil)
    }

    @Test func `accepts no job after it is closed, and returns those that wait`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 2)
        #expect(queue.add(1) != nil)
        queue.close()
        #expect(queue.add(2) == nil)
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
    }

    @Test func `a thread waits for a job only until its time limit`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 1)
        guard case .nothing = queue.next(until: .now + .milliseconds(1)) else {
            Issue.record("an empty queue had a job")
            return
        }
    }

    @Test func `a resting thread takes a job that no other thread can process`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 1)
        #expect(queue.add(1) != nil)
        guard case .job(1) = queue.rest(until: .never) else {
            Issue.record("no thread took the job")
            return
        }
    }

    @Test func `a resting thread leaves a job to the other threads`() {
        let queue = JobQueue<Int>(threads: 2, maxWaiting: 1)
        #expect(queue.add(1) != nil)
        guard case .nothing = queue.rest(until: .now + .milliseconds(1)) else {
            Issue.record("a resting thread took the job of another")
            return
        }
        #expect(queue.next() == 1)
    }

    @Test func `rejects jobs while all threads rest`() throws {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 1)
        let resting = try Thread {
            while case .job = queue.rest(until: .never) {}
        }
        // The queue accepts jobs until the thread rests.
        let limit = MonotonicTime.now + .seconds(30)
        var isAccepted = true
        while isAccepted, MonotonicTime.now < limit {
            isAccepted = queue.add(2) != nil
            _ = queue.next(until: MonotonicTime(nanoseconds: 0))
        }
        #expect(!isAccepted)
        queue.close()
        resting.join()
    }

    @Test func `a job remains in the queue if the thread cannot process it`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 1)
        #expect(queue.add(1) != nil)
        guard case .nothing = queue.next(until: .never, if: { false }) else {
            Issue.record("the job was taken")
            return
        }
        #expect(queue.count == 1)
        queue.close()
        guard case .job(1) = queue.next(until: .never, if: { false }) else {
            Issue.record("the job was lost")
            return
        }
    }

    @Test func `a pausing thread leaves jobs in the queue, where they can be withdrawn`() throws {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 2)
        let first = try #require(queue.add(1))
        guard case .nothing = queue.pause(until: .now + .milliseconds(1)) else {
            Issue.record("a pausing thread took a job")
            return
        }
        #expect(queue.withdraw(first))
        #expect(queue.add(2) != nil)
        queue.close()
        guard case .job(2) = queue.pause(until: .never), case .closed = queue.pause(until: .never) else {
            Issue.record("the closed queue did not return its jobs")
            return
        }
    }

    @Test func `a withdrawn job is not returned, and no longer counts`() throws {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 3)
        let ids = try (1...3).map { try #require(queue.add($0)) }
        #expect(queue.withdraw(ids[1]))
        #expect(!queue.withdraw(ids[1]))
        #expect(queue.count == 2)
        #expect(queue.add(4) != nil)
        #expect((0..<3).map { _ in queue.next() } == [1, 3, 4])
        #expect(!queue.withdraw(ids[0]))
    }

    /// Compares the queue with an array.
    @Test(arguments: 0..<20) func `adding, taking and withdrawing in any order keep the order of the others`(
        seed: UInt64
    ) {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 200)
        var random = SplitMix64(state: seed)
        var model: [Int] = []
        var ids: [Int: JobQueue<Int>.JobID] = [:]
        for job in 0..<5_000 {
            switch random.next() % 8 {
            case 0..<4:
                let id = queue.add(job)
                #expect((id != nil) == (model.count < 200))
                if let id {
                    model.append(job)
                    ids[job] = id
                }
            case 4..<6 where !model.isEmpty:
                let withdrawn = model.remove(at: Int(random.next() % UInt64(model.count)))
                #expect(queue.withdraw(ids[withdrawn]!))
            case 6 where !model.isEmpty:
                #expect(queue.next() == model.removeFirst())
            default:
                // The job was taken or withdrawn before, or was never added.
                let other = Int(random.next() % 5_000)
                if !model.contains(other), let id = ids[other] { #expect(!queue.withdraw(id)) }
            }
            #expect(queue.count == model.count)
        }
        queue.close()
        var rest: [Int] = []
        while let job = queue.next() { rest.append(job) }
        #expect(rest == model)
    }
}

/// A reproducible generator of random numbers.
private struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
