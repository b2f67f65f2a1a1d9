import Fetching
import Foundation
import Glibc
import Platform
import Testing

@testable import HTTP
@testable import Service

/// The supervision of the fetcher, with a manual clock. The processes are real.
@Suite struct FetcherProcessTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func time(_ milliseconds: Int64) -> MonotonicTime { start + .milliseconds(milliseconds) }

    private static func process(
        _ executable: String = FetcherConfiguration.defaultExecutable,
        _ configure: (inout FetcherConfiguration) -> Void = { _ in }
    ) -> FetcherProcess {
        var configuration = FetcherConfiguration()
        configuration.executable = executable
        // The thread of a test may end before the process.
        configuration.sandbox = .all.subtracting(.parentBound)
        configure(&configuration)
        return FetcherProcess(configuration, now: start)
    }

    /// Receives until an event satisfies `condition`, in real time, for up to 60 s.
    private static func events(
        of process: FetcherProcess,
        at now: MonotonicTime,
        until condition: (FetcherProcess.Event) -> Bool
    ) -> [FetcherProcess.Event] {
        var events: [FetcherProcess.Event] = []
        while !events.contains(where: condition) {
            var event = pollfd(fd: process.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 60_000) > 0 else { return events }
            events += process.readable(at: now)
        }
        return events
    }

    private static func isReady(_ event: FetcherProcess.Event) -> Bool {
        if case .ready = event { true } else { false }
    }

    private static func isDead(_ event: FetcherProcess.Event) -> Bool {
        if case .died = event { true } else { false }
    }

    private static func reason(_ event: FetcherProcess.Event?) -> FetcherEndReason? {
        if case .died(let end)? = event { end.reason } else { nil }
    }

    /// Starts a process and waits until it is ready, at the given time.
    private static func started(at now: MonotonicTime = start) throws -> FetcherProcess {
        let process = process()
        #expect(process.handle(at: now) == [.started])
        try #require(events(of: process, at: now, until: isReady).contains(where: isReady))
        return process
    }

    /// Pings the process at `now`, and waits for the pong.
    private static func ping(_ process: FetcherProcess, at now: MonotonicTime) {
        #expect(process.handle(at: now) == [])
        while process.isAwaitingPong {
            var event = pollfd(fd: process.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 60_000) > 0 else { return }
            #expect(process.readable(at: now) == [])
        }
    }

    @Test func `the program is next to this one`() {
        #expect(FetcherConfiguration.defaultExecutable.hasSuffix("/decant-fetcher"))
        #expect(FileManager.default.isExecutableFile(atPath: FetcherConfiguration.defaultExecutable))
    }

    @Test func `a process becomes ready, and executes commands`() throws {
        let process = Self.process()
        #expect(process.deadline == Self.start)
        #expect(process.descriptor == nil)
        #expect(!process.send(.cancel(id: 1)))
        #expect(process.handle(at: Self.time(0)) == [.started])
        #expect(!process.isReady)
        let events = Self.events(of: process, at: Self.time(1), until: Self.isReady)
        #expect(events == [.ready(sandbox: .all.subtracting(.parentBound))])
        #expect(process.isReady)

        let start = try FetchStart(
            FetchRequest(method: "GET", url: FetchURL(parsing: "http://10.0.0.1/")),
            partition: "",
            hostIsNamed: false,
            timeouts: FetchStart.Timeouts(resolve: 1_000, connect: 1_000, idle: 1_000, total: 1_000),
            slowestBytesPerSecond: 0
        )
        #expect(process.send(.start(id: 5, start)))
        let replies = Self.events(of: process, at: Self.time(2)) {
            if case .reply = $0 { true } else { false }
        }
        guard case .reply(.failed(5, let report))? = replies.first else {
            Issue.record("\(replies)")
            return
        }
        #expect(report.failure == .addressNotAllowed)
    }

    @Test func `a process is pinged each second, and lives as long as it responds`() throws {
        let process = try Self.started()
        for second in 1...10 {
            let now = Self.time(Int64(second) * 1_000)
            #expect(process.deadline == now)
            Self.ping(process, at: now)
        }
        #expect(process.isReady)
    }

    @Test func `a process that is silent for three seconds is killed and replaced at once`() throws {
        let process = try Self.started()
        let first = try #require(process.process)
        kill(first, SIGSTOP)
        for second in 1...3 {
            #expect(process.handle(at: Self.time(Int64(second) * 1_000)) == [])
        }
        #expect(process.deadline == Self.time(4_000))
        let events = process.handle(at: Self.time(4_000))
        #expect(events.map { Self.reason($0) } == [.silent])
        #expect(!process.isReady && process.process == nil)
        #expect(process.descriptor != nil, "it can still be removed from an event loop")
        #expect(process.deadline == Self.time(4_000))
        #expect(process.handle(at: Self.time(4_000)) == [.started])
        #expect(process.process != first)
        #expect(Self.events(of: process, at: Self.time(4_001), until: Self.isReady).contains(where: Self.isReady))
    }

    @Test func `a pong that waits in the socket counts, however late the owner is`() throws {
        let process = try Self.started()
        #expect(process.handle(at: Self.time(1_000)) == [])
        var event = pollfd(fd: process.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        #expect(poll(&event, 1, 60_000) == 1)
        #expect(process.handle(at: Self.time(60_000)) == [])
        #expect(process.isReady)
    }

    @Test func `a process that is killed is replaced`() throws {
        let process = try Self.started()
        kill(try #require(process.process), SIGKILL)
        let events = Self.events(of: process, at: Self.time(5_000), until: Self.isDead)
        guard case .died(let end)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(end.reason == .ended)
        #expect(end.process?.signal == SIGKILL)
        #expect(process.consecutiveFailures == 0)
        #expect(process.handle(at: Self.time(5_000)) == [.started])
    }

    @Test func `processes that end early are replaced three times at once, and then after a growing delay`() {
        let process = Self.process("/bin/true")
        var now = Self.start
        var delays: [UInt64] = []
        for _ in 0..<11 {
            #expect(process.handle(at: now) == [.started])
            let events = Self.events(of: process, at: now, until: Self.isDead)
            #expect(events.map { Self.reason($0) } == [.notReady])
            delays.append(process.deadline.nanoseconds(since: now) / 1_000_000)
            now = process.deadline
        }
        #expect(delays == [0, 0, 0, 50, 100, 200, 400, 800, 1_600, 2_000, 2_000])
    }

    @Test func `a program that does not exist is reported, and tried again`() {
        let process = Self.process("/nonexistent/decant-fetcher")
        for failure in 1...4 {
            let events = process.handle(at: process.deadline)
            #expect(events.map { Self.reason($0) } == [.cannotStart])
            #expect(process.consecutiveFailures == failure)
            #expect(process.descriptor == nil)
        }
        #expect(process.deadline == Self.time(50))
    }

    @Test func `a process that is not ready in time is killed, and its successors have more time`() {
        let process = Self.process("/bin/sh") { $0.arguments = ["-c", "exec sleep 600"] }
        var now = Self.start
        for seconds: Int64 in [3, 6, 12, 12] {
            now = process.deadline
            #expect(process.handle(at: now) == [.started])
            #expect(process.deadline == now + .seconds(seconds))
            now = process.deadline
            #expect(process.handle(at: now).map { Self.reason($0) } == [.late])
        }
    }

    @Test func `a process without seccomp is not used, unless that is configured`() {
        for isAllowed in [false, true] {
            let process = Self.process {
                $0.sandbox = .noNewPrivileges
                $0.allowsUnsandboxed = isAllowed
            }
            #expect(process.handle(at: Self.start) == [.started])
            let events = Self.events(of: process, at: Self.start) { Self.isReady($0) || Self.isDead($0) }
            if isAllowed {
                #expect(events == [.ready(sandbox: .noNewPrivileges)])
            } else {
                #expect(events.map { Self.reason($0) } == [.noSandbox])
                #expect(process.deadline == Self.time(1_000))
            }
        }
    }

    private static let ready = FetchReply.ready(sandbox: SandboxParts.all.rawValue).frame.bytes
    private static let pong = FetchReply.pong(sequence: 1).frame.bytes
    private static let end = FetchReply.end(id: 1, FetchEnd(contentBytes: 0, timings: FetchTimings())).frame.bytes

    @Test(arguments: [
        pong, end, ready + ready, ready + pong, Array("not a frame, but sixteen bytes".utf8),
        ready + [255, 255, 255, 255, 18, 0, 0, 0] + [UInt8](repeating: 0, count: 8),
    ])
    func `a process that sends forged frames is killed`(bytes: [UInt8]) {
        let digits = bytes.map { byte in "\\0" + [6, 3, 0].map { String(byte >> $0 & 7) }.joined() }.joined()
        let process = Self.process("/bin/sh") { $0.arguments = ["-c", "printf %b '\(digits)' >&3; exec sleep 600"] }
        #expect(process.handle(at: Self.start) == [.started])
        let events = Self.events(of: process, at: Self.start, until: Self.isDead)
        #expect(Self.reason(events.last) == .invalidFrame, "\(events)")
        #expect(process.process == nil)
    }

    @Test func `a process that misbehaves is killed on demand`() throws {
        let process = try Self.started()
        let events = process.replace(because: "a frame out of order", at: Self.time(5_000))
        #expect(events.map { Self.reason($0) } == [.misbehaved])
        #expect(process.deadline == Self.time(5_000))
    }

    @Test func `commands that the process does not receive wait, and are sent later`() throws {
        let process = try Self.started()
        let first = try #require(process.process)
        kill(first, SIGSTOP)
        let request = FetchRequest(
            method: "POST",
            url: try FetchURL(parsing: "http://10.0.0.1/"),
            content: [UInt8](repeating: 1, count: 1 << 20)
        )
        let start = try FetchStart(
            request,
            partition: "",
            hostIsNamed: false,
            timeouts: FetchStart.Timeouts(resolve: 1_000, connect: 1_000, idle: 1_000, total: 1_000),
            slowestBytesPerSecond: 0
        )
        for id in 1...4 { #expect(process.send(.start(id: UInt64(id), start))) }
        #expect(process.wantsWrite)
        kill(first, SIGCONT)
        var replies = 0
        while replies < 4 {
            var event = pollfd(
                fd: process.descriptor ?? -1,
                events: Int16(POLLIN) | (process.wantsWrite ? Int16(POLLOUT) : 0),
                revents: 0
            )
            guard poll(&event, 1, 60_000) > 0 else { break }
            if event.revents & Int16(POLLOUT) != 0 { process.writable() }
            if event.revents & Int16(POLLIN) != 0 { replies += process.readable(at: Self.start).count }
        }
        #expect(replies == 4)
        #expect(!process.wantsWrite)
    }

    @Test func `a process is not replaced after the stop`() throws {
        let process = try Self.started()
        process.stop()
        #expect(process.deadline == .never)
        #expect(process.process == nil)
        #expect(process.handle(at: Self.time(100_000)) == [])
        #expect(!process.send(.cancel(id: 1)))
    }
}
