import Logging
import Platform
import Serialization
import Synchronization
import Testing

@testable import Service
@testable import Workers

/// The address space of a worker for facts is sufficient for the longest content and the longest facts.
@Suite struct FactWorkerMemoryTests {
    private final class Outcome: Sendable {
        let results = Mutex<[Result<ImageRecord, ImageRejection>]>([])
    }

    /// Returns a PNG with a text of one byte, repeated so often that the content has `count` bytes.
    private static func png(_ byte: UInt8, count: Int) -> [UInt8] {
        func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
            // The checksum of a long text is not checked.
            let checked = Array(type.utf8) + data
            let sum = type == "tEXt" ? 0 : ZlibStream.crc32(checked.span)
            return big(UInt32(data.count)) + checked + big(sum)
        }
        func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        let head: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", big(1) + big(1) + [8, 0, 0, 0, 0])
        let end = chunk("IDAT", [1]) + chunk("IEND", [])
        let text = [UInt8](repeating: byte, count: count - head.count - end.count - 14)
        return head + chunk("tEXt", [0x61, 0] + text) + end
    }

    private func read(_ content: [UInt8]) throws -> Result<ImageRecord, ImageRejection> {
        let configuration = Configuration(resources: .init(cores: 1, memoryBytes: 4 << 30))
        #expect(configuration.limits.maxContentBytes == 32 << 20)
        var workers = WorkerConfiguration.facts(configuration)
        workers.workers = 1
        workers.decodeTimeSeconds = 120
        workers.startTimeout = .seconds(60)
        let pool = try WorkerPool(workers, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let outcome = Outcome()
        var options = SerializationOptions()
        options.decode = .header
        let order = ImageOrder(.value, options, configuration.limits)
        _ = pool.submit(requestID: "test") { reader in
            let results = reader.read(content.span, [order])
            outcome.results.withLock { $0 = results }
        }
        #expect(eventually { outcome.results.withLock { !$0.isEmpty } })
        return try #require(outcome.results.withLock { $0.first })
    }

    @Test(arguments: [0x61, 0x01, 0xE9] as [UInt8], [1 << 20, 32 << 20])
    func `the longest text is read or rejected`(byte: UInt8, count: Int) throws {
        switch try read(Self.png(byte, count: count)) {
        case .success(let record): #expect(count == 1 << 20 && record.json.count > count)
        case .failure(let rejection):
            let reason = ImageError.Reason.tooLargeToDecode(amount: "bytes of results", max: 8 << 20)
            #expect(rejection.error == ImageError(reason) && count == 32 << 20)
        }
    }

    @Test func `the largest directory of an icon is read`() throws {
        let content = [0, 0, 1, 0, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16 * 65_535)
        #expect(throws: Never.self) { try read(content).get() }
    }
}
