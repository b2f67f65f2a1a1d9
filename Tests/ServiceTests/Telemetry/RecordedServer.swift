import Foundation
import Platform

@testable import HTTP
@testable import Service

/// A server whose records a test reads from the access log.
final class RecordedServer {
    let http: HTTPServer
    private let telemetry: Telemetry
    private let pipe: LogPipe
    private let queue: LogQueue

    /// A record without its identifiers and durations.
    struct Record: Equatable {
        var method: String
        var path: String
        var endpoint = "normalize"
        var token: String?
        var status: Int?
        var code: String?
        var lane = "inline"
        var received = 0
        var sent = 0
        var end: String
    }

    init(
        _ application: any Application,
        lanes: Lanes = Lanes(),
        _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.threads = 2
        configure(&configuration)
        pipe = try LogPipe()
        queue = try LogQueue(writingTo: pipe.writer) { Array("dropped \($0)\n".utf8) }
        telemetry = Telemetry(accessLog: (queue, .json))
        http = try HTTPServer(configuration, application: application, lanes: lanes, observer: telemetry)
    }

    deinit {
        // Otherwise the thread of the queue would write the records that a test has not read to the next file with the
        // number of this pipe, which can be that of another test.
        pipe.closeReader()
        queue.close(within: .seconds(60))
    }

    func connect(receiveBufferBytes: Int32? = nil) throws -> RawClient {
        try RawClient(port: http.address.port, receiveBufferBytes: receiveBufferBytes, peer: http)
    }

    /// Sends `text` on a new connection.
    func send(_ text: String, receiveBufferBytes: Int32? = nil) throws -> RawClient {
        let client = try connect(receiveBufferBytes: receiveBufferBytes)
        client.send(text)
        return client
    }

    /// Waits for the next record.
    func next() throws -> Record {
        try Self.record(pipe.line())
    }

    /// Stops the server.
    /// - Returns: the records that have not been read.
    func stop() throws -> [Record] {
        http.stop()
        queue.close(within: .seconds(60))
        let end = Array("end\n".utf8)
        _ = write(pipe.writer, end, end.count)
        var records: [Record] = []
        while true {
            let line = pipe.line()
            if line == "end\n" { return records }
            records.append(try Self.record(line))
        }
    }

    /// The durations of all requests together, in nanoseconds.
    var durations: StageDurations {
        let counts = telemetry.requestCounts
        return StageDurations(
            receiving: counts.durations(of: .receive).nanoseconds,
            waitingForCompute: counts.durations(of: .computeQueue).nanoseconds,
            waitingForWorker: counts.durations(of: .workerQueue).nanoseconds,
            decoding: counts.durations(of: .decode).nanoseconds,
            sending: counts.durations(of: .send).nanoseconds,
            total: Endpoint.allCases.reduce(0) { $0 + counts.durations(of: $1).nanoseconds }
        )
    }

    private static func record(_ line: String) throws -> Record {
        struct Line: Decodable {
            var method: String
            var path: String
            var endpoint: String
            var token: String?
            var status: Int?
            var code: String?
            var lane: String
            var bytesIn: Int
            var bytesOut: Int
            var end: String
        }
        let parsed = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        return Record(
            method: parsed.method,
            path: parsed.path,
            endpoint: parsed.endpoint,
            token: parsed.token,
            status: parsed.status,
            code: parsed.code,
            lane: parsed.lane,
            received: parsed.bytesIn,
            sent: parsed.bytesOut,
            end: parsed.end
        )
    }
}

extension StageDurations {
    /// The sum of the stages, which do not overlap.
    var sum: UInt64 { receiving + waitingForCompute + waitingForWorker + decoding + sending }
}
