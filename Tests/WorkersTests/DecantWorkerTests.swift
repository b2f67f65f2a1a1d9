import Foundation
import Logging
import Serialization
import Synchronization
import TestSupport
import Testing

@testable import Worker
@testable import Workers

/// Tests `decant-worker`, with the readers of the service.
@Suite struct DecantWorkerTests {
    private static func pool() throws -> WorkerPool {
        try TestPool { $0.executable = WorkerConfiguration.defaultExecutable }.pool
    }

    @Test func `the program is beside the one that starts it`() {
        #expect(WorkerConfiguration.defaultExecutable.hasSuffix("/decant-worker"))
        #expect(FileManager.default.isExecutableFile(atPath: WorkerConfiguration.defaultExecutable))
    }

    @Test(arguments: [[], ["1", "2", "3", "4", "5", "6"], ["1", "2", "3", "4", "all", "6", "7"]])
    func `a person who starts the program learns that it is internal`(arguments: [String]) throws {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: WorkerConfiguration.defaultExecutable)
        process.arguments = arguments
        process.standardError = errors
        try process.run()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "decant-worker: decant starts this program; it is not meant to be invoked directly\n")
        #expect(process.terminationStatus == 2)
    }

    /// A PNG of 375 bytes whose compressed EXIF has 2 550 entries without a type.
    private static let manyFlaws = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAABKHpUWHRSYXcgcHJvZmlsZSB0eXBlIGV4aWYAAHja7cyxCYAwAEXBPlNkhK+G\
        YMaxUHADxxfsbMXyXvvgyn6dR6m1LulTK220MW9J1jwdPSMfKvkpEAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAg\
        EAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCAQC\
        gUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAgEAgEAoFAIBAIBAKBQCAQ\
        CAQCgUCg97wBn7T/1Q/ytoAAAAAKSURBVHicY2AAAAACAAFIr6RxAAAAAElFTkSuQmCC
        """

    @Test func `an image with more broken entries than bytes is read`() throws {
        let content = try [UInt8](#require(Data(base64Encoded: Self.manyFlaws)))
        let pool = try Self.pool()
        let warnings = Mutex(0)
        let done = DispatchSemaphore(value: 0)
        let submission = pool.submit(requestID: "test") { reader in
            var order = Self.order
            order.thumbnails = []
            if case .success(let record)? = reader.read(content.span, [order]).first {
                warnings.withLock { $0 = record.findings.warnings.count }
            }
            done.signal()
        }
        guard case .queued = submission else {
            Issue.record("rejected")
            return
        }
        done.wait()
        // Sixteen are listed, the others are counted.
        #expect(warnings.withLock { $0 } == 17)
        #expect(pool.endsByReason == [:])
    }

    private static func read(_ content: [UInt8], _ order: ImageOrder, in pool: WorkerPool) -> String {
        let outcome = Mutex("")
        let done = DispatchSemaphore(value: 0)
        let submission = pool.submit(requestID: "test") { reader in
            let text =
                switch reader.read(content.span, [order]).first {
                case .success(let record)?: "\(record.thumbnails.count) thumbnails"
                case .failure(let rejection)?: "\(rejection.error.reason)"
                case nil: "nothing"
                }
            outcome.withLock { $0 = text }
            done.signal()
        }
        if case .rejected(let reason) = submission { return "\(reason)" }
        done.wait()
        return outcome.withLock { $0 }
    }

    private static var order: ImageOrder {
        var options = SerializationOptions()
        options.decode = .full
        options.fingerprints = .phash
        options.placeholders = [.average, .dominant, .palette, .blurhash, .thumbhash]
        options.thumbnails = ThumbnailFormat.allCases.map { format in
            var thumbnail = ThumbnailRequest(width: 64, height: 64)
            thumbnail.format = format
            return thumbnail
        }
        return ImageOrder(.value, options, Limits())
    }

    /// A forbidden system call of a decoder would kill the worker.
    @Test func `decodes the warm-up images in the sandbox`() throws {
        let pool = try Self.pool()
        for content in WarmUpImages.all { #expect(Self.read(content, Self.order, in: pool) == "3 thumbnails") }
        #expect(pool.status.sandbox == .full)
    }

    private static let names = ["png", "jpg", "jpeg", "gif", "bmp", "webp", "ico", "tif", "tiff"]

    /// No worker may be killed, even if an image is corrupt, or its decoder executes code that the warm-up did not
    /// execute.
    @Test(.needs("images"))
    func `no image of the conformance suites kills a worker`() throws {
        let pool = try Self.pool()
        var decoded = 0
        // Every third image: starting another worker after corrupt content takes most of the time.
        let files = Suites.allFiles(in: "images").sorted { $0.path < $1.path }
        for (index, file) in files.enumerated() where index % 3 == 0 {
            guard Self.names.contains(file.pathExtension.lowercased()),
                let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize, size < 16 << 10
            else { continue }
            let content = try Array(Data(contentsOf: file))
            var order = Self.order
            order.truncated = .allow
            let outcome = Self.read(content, order, in: pool)
            #expect(outcome != "decoderCrashed", "\(file.path)")
            decoded += outcome == "3 thumbnails" ? 1 : 0
        }
        #expect(decoded > 30)
    }
}
