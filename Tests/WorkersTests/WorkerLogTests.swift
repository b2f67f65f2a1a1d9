import Logging
import Platform
import Serialization
import Synchronization
import Testing

@testable import Workers

@Suite struct WorkerLogTests {
    private static let incomplete: SandboxParts = .all.subtracting(.landlock)

    @Test(
        arguments: [
            ([.all, .all], []), ([incomplete, incomplete], [.warning]), ([.all, incomplete, .all], [.warning]),
            ([.all.subtracting(.seccomp)], [.error]),
        ] as [([SandboxParts], [Logger.Level])]
    )
    func `a sandbox that is incomplete on this system is logged once`(parts: [SandboxParts], levels: [Logger.Level]) {
        let lines = Lines()
        let log = WorkerLog(Logger(label: "test") { _ in lines })
        for parts in parts { log.started(1, parts, isUsed: false) }
        #expect(lines.all.map(\.level) == levels)
        if levels == [.warning] {
            #expect(lines.all[0].metadata["missing"] == .string(SandboxParts.landlock.list))
            #expect(lines.all[0].metadata["inForce"] == .string(Self.incomplete.list))
        }
    }

    @Test func `a local worker that cannot be started is tried once per image`() {
        var configuration = TestPool.configuration()
        configuration.executable = "/nonexistent/decant-worker"
        let lines = Lines()
        let reader = LocalWorker(configuration, log: Logger(label: "test") { _ in lines })
        for count in 1...3 {
            #expect(TestPool.Outcome(reader.read([UInt8]().span, [.oneThumbnail])) == .error(.noDecoder))
            #expect(lines.all.map(\.level) == Array(repeating: .error, count: count))
        }
    }

    /// The delay between starts grows to two seconds: if images waited for it, this would take minutes.
    @Test func `images do not wait for the next start of a local worker that cannot be started`() {
        var configuration = TestPool.configuration()
        configuration.executable = "/nonexistent/decant-worker"
        let lines = Lines()
        let reader = LocalWorker(configuration, log: Logger(label: "test") { _ in lines })
        for _ in 0..<200 {
            #expect(TestPool.Outcome(reader.read([UInt8]().span, [.oneThumbnail])) == .error(.noDecoder))
        }
        #expect(lines.all.count < 200)
    }

    /// The lines above the level of debugging.
    private final class Lines: LogHandler, Sendable {
        private let lines = Mutex<[(level: Logger.Level, metadata: Logger.Metadata)]>([])

        var all: [(level: Logger.Level, metadata: Logger.Metadata)] { lines.withLock { $0 } }

        var logLevel: Logger.Level {
            get { .info }
            set { _ = newValue }
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set { _ = newValue }
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set { _ = newValue }
        }

        func log(event: LogEvent) {
            lines.withLock { $0.append((event.level, event.metadata ?? [:])) }
        }
    }
}
