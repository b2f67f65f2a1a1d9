import Foundation
import Logging
import Serialization
import TestSupport
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

/// The complete service with workers that fail on command, which follows the signature of a GIF.
@Suite struct WorkerResultTests {
    private let http: HTTPServer
    private let pixels: WorkerPool
    private let facts: WorkerPool

    /// - Parameter maxPixelContentBytes: The maximum length of content for the worker that decodes pixels.
    private init(maxPixelContentBytes: Int, account: MemoryAccount) throws {
        var configuration = WorkerConfiguration()
        configuration.executable = LaneServer.worker
        configuration.workers = 1
        configuration.startTimeout = .seconds(60)
        configuration.maxLengths.answer = 4 << 20
        configuration.maxLengths.content = maxPixelContentBytes
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        pixels = try WorkerPool(configuration, log: log)
        configuration.maxLengths.content = 1 << 20
        configuration.decodesPixels = false
        facts = try WorkerPool(configuration, log: log)
        let lanes = Lanes(compute: try ComputeLane(threads: 1, maxWaiting: 8), factWorkers: facts, workers: pixels)
        var httpConfiguration = HTTPServerConfiguration()
        httpConfiguration.port = 0
        let application = DecantApplication(readiness: Readiness(.ready), workers: pixels, factWorkers: facts)
        http = try HTTPServer(httpConfiguration, application: application, lanes: lanes, account: account)
    }

    init() throws {
        try self.init(maxPixelContentBytes: 1 << 20, account: MemoryAccount(maxBytes: 64 << 20))
    }

    private func normalize(_ command: String, _ query: String) throws -> ReceivedResponse {
        let client = try RawClient(port: http.address.port, peer: http)
        let content = "GIF89a\n" + command
        client.send(
            "POST /v1/normalize?\(query) HTTP/1.1\r\nHost: a\r\nContent-Type: image/gif\r\n"
                + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
        )
        return try client.readResponse()
    }

    @Test(arguments: invalidAnswers) func `an invalid answer of a worker fails its request, and nothing else`(
        lie: String
    ) throws {
        for query in ["", "serializer=json,image", "thumbnail=16x16"] {
            let answer = try normalize("lie \(lie)", query)
            #expect(answer.status == 500, "\(query)")
            #expect(answer.text.contains(#""code":"decoder.crashed""#), "\(query)")
            let next = try normalize("draw on", query)
            #expect(next.status == 200, "\(query)")
            let content = Data([0xFF, 0xD8, 0xFF] + "draw on".utf8).base64EncodedString()
            #expect(next.text.contains(#""thumbnails":[{"base64":"\#(content)"}]"#), "\(query)")
        }
    }

    @Test func `without the default thumbnail, the facts of an image that is too long for a worker are read`() throws {
        let small = try Self(maxPixelContentBytes: 100, account: MemoryAccount(maxBytes: 64 << 20))
        let fitting = "draw " + String(repeating: "x", count: 100 - 7 - 5)
        #expect(try small.normalize(fitting, "").text.contains(#"{"thumbnails":[{"base64":"#))
        let answer = try small.normalize(fitting + "x", "")
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""value":{"thumbnails":[]}"#))
        #expect(answer.text.contains(#""code":"image.too_large_to_decode""#))
        #expect(answer.text.contains("100 bytes of memory"))
        let compound = try small.normalize(fitting + "x", "serializer=json,image&view=value")
        #expect(compound.status == 200 && compound.text == #"{"thumbnails":[]}"#)
        let requested = try small.normalize(fitting + "x", "thumbnail=16x16")
        #expect(requested.status == 422)
        #expect(requested.text.contains(#""code":"image.too_large_to_decode""#))
    }

    /// The thumbnail repeats the command. The response needs memory for its Base64 besides that.
    @Test func `the result of a worker is charged to its request`() throws {
        let command = "draw " + String(repeating: "x", count: 400_000)
        let narrow = try Self(maxPixelContentBytes: 1 << 20, account: MemoryAccount(maxBytes: 1_200_000))
        let rejected = try narrow.normalize(command, "thumbnail=16x16")
        #expect(rejected.status == 413, "content, result and response: 400 000, 400 000, and 533 336 bytes")
        let wide = try Self(maxPixelContentBytes: 1 << 20, account: MemoryAccount(maxBytes: 1_600_000))
        #expect(try wide.normalize(command, "thumbnail=16x16").status == 200)
    }
}
