import Foundation
import Platform
import Serialization
import Synchronization
import TestSupport
import Testing

@testable import Workers

@Suite(.serialized) struct WorkerPoolTests {
    @Test func `reads in another process`() throws {
        let pool = try TestPool(workers: 2)
        #expect(pool.render("draw one").text == "draw one")
        let content = [UInt8](repeating: 0x20, count: 3 << 20)
        #expect(pool.pool.render(Array("draw ".utf8) + content).text?.utf8.count == 5 + content.count)
        #expect(pool.isWhole())
        #expect(pool.pool.status.sandbox == .full)
    }

    /// Each argument is a system call that a compromised decoder would need.
    @Test(arguments: [
        "openat", "socket", "clone", "execve", "mprotect", "mmap-exec", "mmap-shared", "write-1", "sendto-1",
        "kill-parent", "tgkill-other", "ptrace", "io_uring", "getppid", "capget", "capset", "setpriority", "chown",
        "fcntl", "madvise-free", "madvise-normal", "madvise-remove", "madvise-hugepage", "madvise-fork",
    ])
    func `a worker that makes a forbidden system call is killed, and only its own request fails`(call: String) throws {
        let pool = try TestPool()
        #expect(pool.render(call) == .error(.decoderCrashed))
        #expect(pool.render("draw on").text == "draw on")
    }

    /// The kernel ignores the high half of the advice.
    @Test(arguments: ["madvise-dontneed", "madvise-high"])
    func `a worker can return memory`(call: String) throws {
        let pool = try TestPool()
        guard case .error(.unsupportedPixels(let feature)) = pool.render(call) else {
            Issue.record("the worker was killed")
            return
        }
        #expect(feature.hasPrefix("\(call) gave 0, "))
    }

    @Test(arguments: [
        // No set contains a capability, and none can be gained or used: 1 is EPERM, 13 is EACCES.
        ("capget", 0, 0), ("capset", -1, 1), ("chown", -1, 1), ("setpriority", -1, 13),
        // Three descriptors for standard error output, and the socket: 0b1111. The shared memory is closed.
        ("fcntl", 15, 0),
    ])
    func `without the filter, a worker still has no capability and no other descriptor`(
        call: String,
        result: Int,
        error: Int
    ) throws {
        let pool = try TestPool {
            $0.sandbox.remove(.seccomp)
            $0.allowsUnsandboxed = true
        }
        #expect(pool.render(call) == .error(.unsupportedPixels(feature: "\(call) gave \(result), errno \(error)")))
    }

    /// Testing the bounding set requires root: other users cannot reduce it.
    @Test func `a worker has no capability, and a lower priority than the service`() throws {
        let pool = try TestPool()
        #expect(pool.isWhole())
        let process = try #require(pool.pool.processes.first)
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let sets =
            geteuid() == 0
            ? ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] : ["CapInh", "CapPrm", "CapEff", "CapAmb"]
        for set in sets { #expect(status.contains("\n\(set):\t0000000000000000\n"), "\(set)") }
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        #expect(getpriority(kind, id_t(process)) == min(getpriority(kind, id_t(getpid())) + 5, 19))
    }

    @Test func `a worker can have the priority of the service`() throws {
        let pool = try TestPool { $0.niceness = 0 }
        #expect(pool.isWhole())
        let process = try #require(pool.pool.processes.first)
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        #expect(getpriority(kind, id_t(process)) == getpriority(kind, id_t(getpid())))
    }

    @Test func `the rest of the sandbox also denies the calls for which the filter kills`() throws {
        let pool = try TestPool {
            $0.sandbox.remove(.seccomp)
            $0.allowsUnsandboxed = true
        }
        // 13 is EACCES: Landlock is checked before the exhausted table of descriptors (EMFILE).
        let landlock = pool.render("openat") == .error(.unsupportedPixels(feature: "openat gave -1, errno 13"))
        #expect(landlock || pool.render("openat") == .error(.unsupportedPixels(feature: "openat gave -1, errno 24")))
        #expect(pool.render("socket") == .error(.unsupportedPixels(feature: "socket gave -1, errno 24")))
        #expect(pool.pool.status.sandbox == .none)
    }

    @Test func `without seccomp nothing is read, unless that is allowed`() throws {
        let pool = try TestPool { $0.sandbox.remove(.seccomp) }
        #expect(pool.eventually { $0.sandbox == .none })
        #expect(pool.render("draw one") == .error(.pixelsUnavailable))
        #expect(pool.pool.status.ready == 0)
    }

    @Test func `without Landlock the rest of the sandbox is enough`() throws {
        let pool = try TestPool { $0.sandbox.remove(.landlock) }
        #expect(pool.render("draw one").text == "draw one")
        #expect(pool.pool.status.sandbox == .partial)
    }

    @Test(
        arguments: ["segfault", "abort", "exit", "allocate", "huge", "unasked"] + invalidAnswers.map { "lie \($0)" }
    )
    func `if a worker ends or sends an invalid answer, only its own request fails`(fault: String) throws {
        let pool = try TestPool()
        #expect(pool.render(fault) == .error(.decoderCrashed))
        #expect(pool.render("draw on").text == "draw on")
    }

    @Test(arguments: ["loop", "stop"]) func `a worker that is late is killed`(fault: String) throws {
        let pool = try TestPool { $0.decodeTimeSeconds = 1 }
        let outcome = pool.render(fault)
        // A worker may not stop itself, because that system call is forbidden.
        #expect(outcome == .error(fault == "loop" ? .decodeTime(seconds: 1) : .decoderCrashed))
        #expect(pool.render("draw on").text == "draw on")
    }

    @Test func `the output of a worker is limited`() throws {
        let pool = try TestPool()
        guard case .error(.unsupportedPixels(let feature)) = pool.render("shout") else {
            Issue.record("the worker did not survive writing too much")
            return
        }
        // 4 KiB in lines of 13 bytes, the last of which is truncated. 1 is EPERM, because the memory is sealed.
        #expect(feature == "shout gave 316, errno 1")
    }

    @Test func `content that is too long is rejected before it is passed to a worker`() throws {
        let pool = try TestPool { $0.maxLengths.content = 4096 }
        #expect(
            pool.pool.render([UInt8](repeating: 0x20, count: 4097))
                == .error(.tooLargeToDecode(amount: "bytes of memory", max: 4096))
        )
        #expect(pool.render("draw " + String(repeating: "x", count: 4091)).text?.utf8.count == 4096)
    }

    @Test func `a worker is replaced after its jobs, and after corrupt content`() throws {
        let pool = try TestPool { $0.maxJobs = 3 }
        #expect(pool.isWhole())
        var processes: Set<pid_t> = Set(pool.pool.processes)
        #expect(processes.count == 1)
        for _ in 0..<6 {
            #expect(pool.render("draw").text == "draw")
        }
        #expect(pool.isWhole())
        processes.formUnion(pool.pool.processes)
        #expect(processes.count >= 2)
        let before = pool.pool.processes
        #expect(pool.render("corrupt") == .error(.corrupt(part: "IDAT")))
        #expect(pool.eventually { _ in pool.pool.processes.count == 1 && pool.pool.processes != before })
    }

    @Test(arguments: [
        ("segfault", WorkerEndReason.endedInJob), ("openat", .endedInJob), ("loop", .decodeTime),
        ("lie no json", .invalidAnswer), ("corrupt", .corruptContent), ("draw", .jobLimit),
    ])
    func `the end of a worker is counted with its reason`(job: String, reason: WorkerEndReason) throws {
        let pool = try TestPool {
            $0.maxJobs = 1
            $0.decodeTimeSeconds = 1
        }
        #expect(pool.pool.endsByReason == [:])
        _ = pool.render(job)
        #expect(pool.eventually { _ in !pool.pool.endsByReason.isEmpty })
        #expect(pool.pool.endsByReason == [reason: 1])
    }

    /// A trial of a remedy, or the step of another client, reads in the same job.
    @Test func `a worker that has read corrupt content reads nothing else, in the same job either`() throws {
        let pool = try TestPool()
        #expect(pool.isWhole())
        let processes = Mutex<[[pid_t]]>([])
        let done = DispatchSemaphore(value: 0)
        let submission = pool.pool.submit(requestID: "test") { reader in
            for text in ["draw", "corrupt", "draw"] {
                _ = reader.read(Array(text.utf8).span, [.oneThumbnail])
                processes.withLock { $0.append(pool.pool.processes) }
            }
            done.signal()
        }
        guard case .queued = submission else {
            Issue.record("rejected")
            return
        }
        done.wait()
        let found = processes.withLock { $0 }
        #expect(found.count == 3 && found[0] == found[1] && found[1] != found[2])
        #expect(pool.eventually { _ in pool.pool.endsByReason == [.corruptContent: 1] })
    }

    /// A ``LocalWorker`` has no queue of jobs.
    @Test func `a worker without a queue is replaced after corrupt content, too`() {
        let supervisor = WorkerSupervisor(TestPool.configuration(), log: WorkerLog(TestPool.log))
        func outcome(_ text: String) -> TestPool.Outcome {
            TestPool.Outcome(supervisor.read(Array(text.utf8).span, [.oneThumbnail]))
        }
        #expect(outcome("draw 1").text == "draw 1")
        let process = supervisor.process
        #expect(outcome("corrupt") == .error(.corrupt(part: "IDAT")))
        #expect(outcome("draw 2").text == "draw 2")
        #expect(process != nil && supervisor.process != process)
        supervisor.stop()
    }

    @Test func `a worker that ends without a job is counted, and one that the service stops is not`() throws {
        let pool = try TestPool()
        #expect(pool.isWhole())
        for process in pool.pool.processes { kill(process, SIGKILL) }
        #expect(pool.eventually { _ in !pool.pool.endsByReason.isEmpty } && pool.isWhole())
        pool.pool.stop()
        #expect(pool.pool.endsByReason == [.endedIdle: 1])
        #expect(pool.pool.status.dead == 1)
    }

    @Test func `a worker that is never ready is counted`() throws {
        let pool = try TestPool { $0.executable = "/bin/false" }
        #expect(pool.eventually { _ in pool.pool.endsByReason[.notReady, default: 0] > 1 })
        #expect(Set(pool.pool.endsByReason.keys) == [.notReady])
    }

    @Test func `workers have resident memory until they end`() throws {
        let pool = try TestPool(workers: 2)
        #expect(pool.isWhole())
        #expect(pool.pool.status.idle == 2)
        #expect(pool.pool.residentBytes > 2 << 20)
        pool.pool.stop()
        #expect(pool.pool.residentBytes == 0)
    }

    @Test func `no request fails if an idle worker is killed`() throws {
        let pool = try TestPool(workers: 2)
        #expect(pool.isWhole())
        let processes = pool.pool.processes
        #expect(processes.count == 2)
        for process in processes { kill(process, SIGKILL) }
        // A worker that is ending may still accept a job, which cannot be distinguished from one that has begun.
        #expect(pool.eventually { _ in processes.allSatisfy(Self.hasEnded) })
        #expect(pool.render("draw on").text == "draw on")
        let isWhole = pool.eventually { status in
            status.ready == 2 && pool.pool.processes.count == 2 && Set(pool.pool.processes).isDisjoint(with: processes)
        }
        #expect(isWhole)
    }

    /// Returns whether a process has ended, even if its parent has not waited for it yet.
    private static func hasEnded(_ process: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return status.split(separator: ")").last?.hasPrefix(" Z") == true
    }

    @Test func `if workers are killed under load, only their current requests fail`() throws {
        let pool = try TestPool(workers: 2) { $0.maxWaitingJobs = 1_000 }
        #expect(pool.isWhole())
        let isDone = Mutex(false)
        let killed = Mutex(0)
        let killer = Foundation.Thread {
            while !isDone.withLock({ $0 }) {
                usleep(20_000)
                // If workers never become ready, jobs are rejected, which is not tested here.
                guard pool.isWhole(), let process = pool.pool.processes.randomElement() else { continue }
                if kill(process, SIGKILL) == 0 { killed.withLock { $0 += 1 } }
            }
        }
        killer.start()
        let lost = Mutex(0)
        let others = Mutex([TestPool.Outcome]())
        DispatchQueue.concurrentPerform(iterations: 4) { client in
            // Repeats until some workers have been killed, however fast they are.
            var job = 0
            while job < 250 || job < 100_000 && killed.withLock({ $0 }) <= 5 {
                let text = "spin 1 \(client) \(job)"
                job += 1
                let outcome = pool.render(text)
                if outcome.text == text { continue }
                if outcome == .error(.decoderCrashed) {
                    lost.withLock { $0 += 1 }
                } else {
                    others.withLock { $0.append(outcome) }
                }
            }
        }
        isDone.withLock { $0 = true }
        #expect(others.withLock { $0 } == [])
        #expect(killed.withLock { $0 } > 5)
        #expect(lost.withLock { $0 } <= killed.withLock { $0 })
        #expect(pool.isWhole())
    }

    @Test func `jobs that exceed the limit of the queue are rejected`() throws {
        let pool = try TestPool {
            $0.maxWaitingJobs = 2
            $0.decodeTimeSeconds = 600
        }
        for waiting in 0...2 {
            let submission = pool.pool.submit(requestID: "test") { reader in
                _ = reader.read("loop".utf8.span, [.oneThumbnail])
            }
            #expect(submission.isQueued)
            // The worker has the first job. The others wait.
            #expect(pool.eventually { $0.busy == 1 && $0.waiting == waiting })
        }
        #expect(pool.render("draw on") == .error(.saturated))
        #expect(pool.pool.status.waiting == 2)
    }

    @Test(.timeLimit(.minutes(5))) func `a pool that stops calls every job, and leaves no process`() throws {
        // The jobs would take longer than the time limit of this test.
        let pool = try TestPool(workers: 2) { $0.decodeTimeSeconds = 600 }
        #expect(pool.isWhole())
        let called = Mutex(0)
        for _ in 0..<10 {
            let submission = pool.pool.submit(requestID: "test") { reader in
                _ = reader.read("loop".utf8.span, [.oneThumbnail])
                called.withLock { $0 += 1 }
            }
            #expect(submission.isQueued)
        }
        #expect(pool.eventually { $0.busy == 2 && $0.waiting == 8 })
        pool.pool.stop()
        #expect(called.withLock { $0 } == 10)
        #expect(pool.pool.processes == [])
        #expect(pool.render("draw") == .error(.saturated))
    }
}

extension WorkerPool.Submission {
    var isQueued: Bool {
        switch self {
        case .queued: true
        case .rejected: false
        }
    }
}
