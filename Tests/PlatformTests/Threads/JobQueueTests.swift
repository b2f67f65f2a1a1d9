import Platform
import Testing

@Suite struct JobQueueTests {
    @Test func `returns jobs in the order in which they were added`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 1_000)
        // More than the queue removes from its storage at once.
        for job in 0..<300 { #expect(queue.add(job)) }
        #expect(queue.count == 300)
        #expect((0..<300).map { _ in queue.next() } == (0..<300).map { $0 })
        #expect(queue.count == 0)
    }

    @Test func `rejects a job beyond its limit, which is inclusive`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 2)
        #expect(queue.add(1))
        #expect(queue.add(2))
        #expect(!queue.add(3))
        #expect(queue.next() == 1)
        #expect(queue.add(4))
    }

    @Test func `accepts no job after it is closed, and returns those that wait`() {
        let queue = JobQueue<Int>(threads: 1, maxWaiting: 2)
        #expect(queue.add(1))
        queue.close()
        #expect(!queue.add(2))
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
        #expect(queue.add(1))
        guard case .job(1) = queue.rest(until: .never) else {
            Issue.record("nobody took the job")
            return
        }
    }

    @Test func `a resting thread leaves a job to the other threads`() {
        let queue = JobQueue<Int>(threads: 2, maxWaiting: 1)
        #expect(queue.add(1))
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
        // Until the thread rests, the queue accepts jobs.
        let limit = MonotonicTime.now + .seconds(30)
        var isAccepted = true
        while isAccepted, MonotonicTime.now < limit {
            isAccepted = queue.add(2)
            _ = queue.next(until: MonotonicTime(nanoseconds: 0))
        }
        #expect(!isAccepted)
        queue.close()
        resting.join()
    }
}
