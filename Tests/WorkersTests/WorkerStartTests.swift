import Foundation
import Serialization
import Synchronization
import Testing

@testable import Workers

/// Tests with workers that cannot be started, or end immediately after their start.
@Suite(.serialized) struct WorkerStartTests {
    /// A file that is created when the gate is opened. Until then, `FaultyWorker` has the fault that its arguments
    /// specify.
    private final class Gate: Sendable {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gate-\(UUID().uuidString)").path

        func open() {
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
        }

        deinit {
            unlink(path)
        }
    }

    private static func pool(
        _ fault: String,
        until gate: Gate,
        workers: Int = 1,
        _ configure: (inout WorkerConfiguration) -> Void = { _ in }
    ) throws -> TestPool {
        try TestPool(workers: workers) {
            $0.arguments = [fault, gate.path]
            // Only this fault lets a start take as long as permitted.
            if fault == "hang" { $0.startTimeout = .milliseconds(500) }
            $0.sandboxRetryInterval = .milliseconds(10)
            configure(&$0)
        }
    }

    @Test(arguments: ["hang", "exit", "garbage", "early"])
    func `a job waits while no worker can be started, and is executed as soon as one is ready`(fault: String) throws {
        let gate = Gate()
        let pool = try Self.pool(fault, until: gate, workers: 2)
        let outcome = Mutex<TestPool.Outcome?>(nil)
        let submission = pool.pool.submit(requestID: "test") { reader in
            let result = TestPool.Outcome(reader.read("draw on".utf8.span, [.oneThumbnail]))
            outcome.withLock { $0 = result }
        }
        #expect(submission.isQueued)
        #expect(pool.eventually { $0.outage == .cannotStart && pool.pool.endsByReason[.notReady, default: 0] > 3 })
        #expect(Set(pool.pool.endsByReason.keys) == [.notReady])
        #expect(pool.pool.status.waiting == 1)
        gate.open()
        #expect(pool.eventually { _ in outcome.withLock { $0 != nil } })
        #expect(outcome.withLock { $0?.text } == "draw on")
        #expect(pool.isWhole())
        #expect(pool.pool.status.outage == nil)
    }

    @Test func `a job that waits for a worker can be withdrawn, and does not begin`() throws {
        let gate = Gate()
        let pool = try Self.pool("exit", until: gate)
        #expect(pool.eventually { $0.outage == .cannotStart })
        let begun = Mutex(0)
        guard case .queued(let id) = pool.pool.submit(requestID: "test", { _ in begun.withLock { $0 += 1 } }) else {
            Issue.record("the job was rejected")
            return
        }
        let ends = pool.pool.endsByReason[.notReady, default: 0]
        #expect(pool.eventually { _ in pool.pool.endsByReason[.notReady, default: 0] > ends })
        #expect(pool.pool.withdraw(id))
        #expect(pool.pool.status.waiting == 0)
        gate.open()
        #expect(pool.render("draw on").text == "draw on")
        #expect(begun.withLock { $0 } == 0)
    }

    @Test func `jobs that exceed the limit of the queue are rejected while no worker can be started`() throws {
        let pool = try Self.pool("exit", until: Gate()) { $0.maxWaitingJobs = 2 }
        for _ in 0..<2 { #expect(pool.pool.submit(requestID: "test") { _ in }.isQueued) }
        #expect(pool.render("draw on") == .error(.saturated))
    }

    @Test(arguments: ["/nowhere", "/bin/false"])
    func `a pool whose program cannot be started stops, and calls every job`(program: String) throws {
        let pool = try TestPool(workers: 2) {
            $0.executable = program
        }
        let outcomes = Mutex([TestPool.Outcome]())
        for _ in 0..<10 {
            let submission = pool.pool.submit(requestID: "test") { reader in
                let outcome = TestPool.Outcome(reader.read("draw on".utf8.span, [.oneThumbnail]))
                outcomes.withLock { $0.append(outcome) }
            }
            #expect(submission.isQueued)
        }
        #expect(pool.eventually { $0.outage == .cannotStart })
        #expect(pool.pool.status.waiting == 10)
        pool.pool.stop()
        #expect(outcomes.withLock { $0 } == Array(repeating: .error(.saturated), count: 10))
        #expect(pool.pool.processes == [])
    }

    @Test func `jobs are rejected immediately while there is no seccomp, and the start is repeated`() throws {
        let gate = Gate()
        let pool = try Self.pool("unsandboxed", until: gate, workers: 2)
        #expect(pool.eventually { $0.outage == .noSandbox })
        #expect(pool.render("draw on") == .error(.pixelsUnavailable))
        #expect(pool.eventually { _ in pool.pool.endsByReason[.noSandbox, default: 0] > 4 })
        #expect(pool.render("draw on") == .error(.pixelsUnavailable))
        #expect(pool.pool.status.sandbox == .none)
        #expect(pool.pool.status.ready == 0)
        gate.open()
        #expect(pool.isWhole())
        #expect(pool.render("draw on").text == "draw on")
        #expect(pool.pool.status.sandbox == .full)
        #expect(pool.pool.status.outage == nil)
    }

    @Test func `the delay before a start without seccomp is repeated grows`() throws {
        let pool = try Self.pool("unsandboxed", until: Gate()) { $0.sandboxRetryInterval = .seconds(600) }
        #expect(pool.eventually { $0.outage == .noSandbox })
        for _ in 0..<10 { #expect(pool.render("draw on") == .error(.pixelsUnavailable)) }
        #expect(pool.pool.endsByReason == [.noSandbox: 1])
    }

    @Test func `no job fails if twenty workers are killed one after another`() throws {
        let pool = try TestPool(workers: 2)
        for round in 0..<20 {
            #expect(pool.isWhole())
            for process in pool.pool.processes { kill(process, SIGKILL) }
            // A worker that was killed may have accepted the job.
            let outcome = pool.render("draw \(round)")
            #expect(outcome.text == "draw \(round)" || outcome == .error(.decoderCrashed))
        }
        #expect(pool.isWhole())
        #expect(pool.render("draw on").text == "draw on")
    }

    @Test func `workers that are killed in every state are replaced`() throws {
        let pool = try TestPool(workers: 2)
        let isDone = Mutex(false)
        let killed = Mutex(0)
        let killer = Thread {
            while !isDone.withLock({ $0 }) {
                for process in pool.pool.processes where kill(process, SIGKILL) == 0 {
                    killed.withLock { $0 += 1 }
                }
                usleep(1_000)
            }
        }
        killer.start()
        let others = Mutex([TestPool.Outcome]())
        let done = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 3) { client in
            while killed.withLock({ $0 }) < 20 {
                let (jobIsWithdrawn, outcome) = pool.pool.renderOrWithdraw("draw \(client)")
                guard !jobIsWithdrawn else { continue }
                switch outcome {
                case .record: done.withLock { $0 += 1 }
                case .error(.decoderCrashed), .error(.saturated): break
                case let outcome?: others.withLock { $0.append(outcome) }
                case nil: break
                }
            }
        }
        isDone.withLock { $0 = true }
        #expect(others.withLock { $0 } == [])
        #expect(pool.isWhole())
        #expect(pool.render("draw on").text == "draw on")
    }
}

extension WorkerPool {
    /// Reads `content`. Withdraws the job if it does not begin within 0.1 s.
    fileprivate func renderOrWithdraw(_ content: String) -> (isWithdrawn: Bool, outcome: TestPool.Outcome?) {
        let outcome = Mutex<TestPool.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        let submission = submit(requestID: "test") { reader in
            let result = TestPool.Outcome(reader.read(content.utf8.span, [.oneThumbnail]))
            outcome.withLock { $0 = result }
            done.signal()
        }
        switch submission {
        case .rejected(let reason): return (false, .error(reason))
        case .queued(let id):
            if done.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
                if withdraw(id) { return (true, nil) }
                done.wait()
            }
            return (false, outcome.withLock { $0 })
        }
    }
}
