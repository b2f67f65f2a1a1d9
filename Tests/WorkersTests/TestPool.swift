import Foundation
import Logging
import Serialization
import Synchronization

@testable import Workers

/// A pool of workers that fail on command.
struct TestPool {
    let pool: WorkerPool

    init(workers: Int = 1, _ configure: (inout WorkerConfiguration) -> Void = { _ in }) throws {
        var configuration = Self.configuration(workers: workers)
        configure(&configuration)
        pool = try WorkerPool(configuration, log: Self.log)
    }

    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func configuration(workers: Int = 1) -> WorkerConfiguration {
        var configuration = WorkerConfiguration(
            workers: workers,
            memoryBytes: 512 << 20,
            decodeTimeSeconds: 10,
            allowsUnsandboxed: false,
            maxWaitingJobs: 64,
            maxLengths: .init(content: 8 << 20, answer: 8 << 20)
        )
        configuration.executable = Self.executable.path
        configuration.arguments = []
        // On a busy machine, a worker may need seconds to start. Tests of late workers have a shorter limit.
        configuration.startTimeout = .seconds(60)
        return configuration
    }

    /// The executable, which is next to the one that runs the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("FaultyWorker")

    enum Outcome: Equatable, Sendable {
        case record(ImageRecord)
        case error(ImageError.Reason)

        /// The first of several results.
        init(_ results: [WorkerAnswer.Result]) {
            switch results.first {
            case .success(let record)?: self = .record(record)
            case .failure(let rejection)?: self = .error(rejection.error.reason)
            case nil: self = .error(.notAnImage)
            }
        }

        /// The text after the first bytes of the thumbnail.
        var text: String? {
            guard case .record(let record) = self, let thumbnail = record.thumbnails.first else { return nil }
            return String(decoding: thumbnail.content.dropFirst(3), as: UTF8.self)
        }
    }

    /// Reads `content` with one thumbnail, and waits for the result.
    func render(_ content: String) -> Outcome {
        pool.render(Array(content.utf8))
    }

    /// Waits for `condition`, for at least 60 s, because machines may be busy.
    func eventually(_ condition: (WorkerPool.Status) -> Bool) -> Bool {
        for _ in 0..<12_000 {
            if condition(pool.status) { return true }
            usleep(5_000)
        }
        return false
    }

    /// Waits until all workers are ready. Returns whether they are.
    func isWhole() -> Bool {
        eventually { $0.ready == $0.total }
    }
}

extension WorkerPool {
    func render(_ content: [UInt8]) -> TestPool.Outcome {
        let outcome = Mutex<TestPool.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        let submission = submit(requestID: "test") { reader in
            let result = TestPool.Outcome(reader.read(content.span, [.oneThumbnail]))
            outcome.withLock { $0 = result }
            done.signal()
        }
        if case .rejected(let reason) = submission { return .error(reason) }
        done.wait()
        return outcome.withLock { $0 } ?? .error(.deferred)
    }
}

extension ImageOrder {
    static var oneThumbnail: ImageOrder {
        var options = SerializationOptions()
        options.thumbnails = [ThumbnailRequest(width: 16, height: 16)]
        return ImageOrder(.value, options, Limits())
    }
}
