import Glibc
import Testing

@testable import Platform

struct EventLoopTests {
    private final class Recorder: EventHandler {
        var events: [Events] = []
        var action: () -> Void = {}

        func handle(_ events: Events) {
            self.events.append(events)
            action()
        }
    }

    private struct Ends: ~Copyable {
        let near: FileDescriptor
        let far: FileDescriptor
    }

    private static func socketPair() -> Ends {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return Ends(
            near: FileDescriptor(owning: ends[0], name: "near"),
            far: FileDescriptor(owning: ends[1], name: "far")
        )
    }

    private static let past = MonotonicTime(nanoseconds: 0)

    @Test func `notifies repeatedly while a descriptor is readable`() throws {
        let loop = try EventLoop()
        let ends = Self.socketPair()
        let recorder = Recorder()
        _ = try loop.add(ends.near.number, for: .readable, recorder)
        loop.runOnce(until: Self.past)
        #expect(recorder.events == [])
        try ends.far.writeAll([1].span)
        loop.runOnce(until: .never)
        loop.runOnce(until: .never)
        #expect(recorder.events == [.readable, .readable])
    }

    /// The handler must be released even if the loop does not run again.
    @Test func `releases the handler of a registration that was removed`() throws {
        let loop = try EventLoop()
        let ends = Self.socketPair()
        weak var released: Recorder?
        func register() throws {
            let recorder = Recorder()
            released = recorder
            loop.remove(try loop.add(ends.near.number, for: .readable, recorder))
        }
        try register()
        #expect(released == nil)
    }

    @Test func `calls work that was submitted before an iteration, and work that wakes it, in order`() throws {
        final class Calls: @unchecked Sendable {
            var numbers: [Int] = []
        }
        let loop = try EventLoop()
        let calls = Calls()
        // The first submission comes before the wait. The others come from a thread that cannot know whether the loop
        // waits.
        loop.submit { calls.numbers.append(0) }
        loop.runOnce(until: .never)
        #expect(calls.numbers == [0])
        let thread = try Thread {
            for number in 1...1_000 { loop.submit { calls.numbers.append(number) } }
        }
        while calls.numbers.count <= 1_000 { loop.runOnce(until: .never) }
        thread.join()
        #expect(calls.numbers == Array(0...1_000))
        // Work that is submitted by work is called in the next iteration, which does not wait.
        loop.submit { loop.submit { calls.numbers.append(1_001) } }
        loop.runOnce(until: .never)
        loop.runOnce(until: .never)
        #expect(calls.numbers.last == 1_001)
    }

    @Test func `notifies once of a change if it is edge-triggered`() throws {
        let loop = try EventLoop()
        let ends = Self.socketPair()
        let recorder = Recorder()
        _ = try loop.add(ends.near.number, for: [.endOfStream, .edgeTriggered], recorder)
        // Bytes are not an end of stream.
        try ends.far.writeAll([1].span)
        loop.runOnce(until: Self.past)
        #expect(recorder.events == [])
        shutdown(ends.far.number, Int32(SHUT_WR))
        loop.runOnce(until: .never)
        loop.runOnce(until: Self.past)
        #expect(recorder.events == [.endOfStream])
    }

    @Test func `delivers nothing after a registration has ended, not even in the same iteration`() throws {
        let loop = try EventLoop()
        let first = Self.socketPair()
        let second = Self.socketPair()
        let recorders = [Recorder(), Recorder()]
        var registrations = [
            try loop.add(first.near.number, for: .readable, recorders[0]),
            try loop.add(second.near.number, for: .readable, recorders[1]),
        ]
        // The handler that is notified first ends both registrations.
        for recorder in recorders {
            recorder.action = {
                for registration in registrations { loop.remove(registration) }
                registrations = []
            }
        }
        try first.far.writeAll([1].span)
        try second.far.writeAll([1].span)
        loop.runOnce(until: .never)
        loop.runOnce(until: Self.past)
        #expect(recorders.flatMap { $0.events }.count == 1)
    }

    @Test func `calls submitted work in its order, from any thread`() throws {
        let loop = try EventLoop()
        let seen = Monitor<[Int]>([])
        let threads = try (0..<4).map { thread in
            try Thread {
                for index in 0..<1_000 {
                    loop.submit { seen.withLock { $0.append(thread * 1_000 + index) } }
                }
            }
        }
        while seen.withLock({ $0.count }) < 4_000 { loop.runOnce(until: .now + .seconds(30)) }
        for thread in threads { thread.join() }
        for thread in 0..<4 {
            let own = seen.withLock { $0.filter { $0 / 1_000 == thread } }
            #expect(own == own.sorted())
        }
    }

    /// Otherwise the loop would serve the connections of another thread only when its next client arrives.
    @Test func `wakes up for work that is submitted during a call`() throws {
        let loop = try EventLoop()
        let count = Monitor(0)
        loop.submit { loop.submit { count.withLock { $0 += 1 } } }
        loop.runOnce(until: .never)
        loop.runOnce(until: .never)
        #expect(count.withLock { $0 } == 1)
    }

    /// A deadline that is computed from a time before the wait may already have passed.
    @Test func `its time is the end of the last wait`() throws {
        let loop = try EventLoop()
        let start = MonotonicTime.now
        loop.runOnce(until: start + .milliseconds(20))
        #expect(loop.now >= start + .milliseconds(20))
    }
}
