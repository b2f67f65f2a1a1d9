import Foundation
import Images
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

    @Test(arguments: [[], ["1", "2", "3", "4", "5"], ["1", "2", "3", "4", "all", "6"]])
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

    private static func render(_ content: [UInt8], _ request: RenderingRequest, in pool: WorkerPool) -> String {
        let outcome = Mutex("")
        let done = DispatchSemaphore(value: 0)
        let submission = pool.submit(requestID: "test") { renderer in
            do throws(RenderingError) {
                let rendering = try renderer.render(content.span, request)
                outcome.withLock { $0 = "\(rendering.thumbnails.count) thumbnails" }
            } catch {
                outcome.withLock { $0 = "\(error)" }
            }
            done.signal()
        }
        if case .rejected(let reason) = submission { return "\(reason)" }
        done.wait()
        return outcome.withLock { $0 }
    }

    private static func request(_ format: ImageFormat) -> RenderingRequest {
        var request = RenderingRequest(format)
        request.decode = .full
        request.phash = true
        request.placeholders = [.average, .dominant, .palette, .blurhash, .thumbhash]
        request.thumbnails = ThumbnailFormat.allCases.map { format in
            var thumbnail = ThumbnailRequest(width: 64, height: 64)
            thumbnail.format = format
            return thumbnail
        }
        return request
    }

    /// A forbidden system call of a decoder would kill the worker.
    @Test func `decodes the warm-up images in the sandbox`() throws {
        let pool = try Self.pool()
        for image in WarmUpImages.all {
            #expect(Self.render(image.content, Self.request(image.format), in: pool) == "3 thumbnails")
        }
        #expect(pool.status.sandbox == .full)
    }

    private static let formats: [String: ImageFormat] = [
        "png": .png, "jpg": .jpeg, "jpeg": .jpeg, "gif": .gif, "bmp": .bmp, "webp": .webp, "ico": .ico,
        "tif": .tiff, "tiff": .tiff,
    ]

    /// No worker may be killed, even if an image is corrupt, or its decoder executes code that the warm-up did not
    /// execute.
    @Test(.needs("images"))
    func `no image of the conformance suites kills a worker`() throws {
        let pool = try Self.pool()
        var decoded = 0
        // Every third image: starting another worker after corrupt content takes most of the time.
        let files = Suites.allFiles(in: "images").sorted { $0.path < $1.path }
        for (index, file) in files.enumerated() where index % 3 == 0 {
            guard let format = Self.formats[file.pathExtension.lowercased()],
                let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize, size < 16 << 10
            else { continue }
            let content = try Array(Data(contentsOf: file))
            var request = Self.request(format)
            request.allowsTruncated = true
            let outcome = Self.render(content, request, in: pool)
            #expect(outcome != "crashed", "\(file.path)")
            decoded += outcome == "3 thumbnails" ? 1 : 0
        }
        #expect(decoded > 30)
    }
}
