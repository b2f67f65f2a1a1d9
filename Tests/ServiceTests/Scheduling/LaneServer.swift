import Foundation
import Logging
import Serialization
import Synchronization

@testable import HTTP
@testable import Service
@testable import Workers

/// Responds on the lane that the path specifies.
///
/// - `POST /inline`: the content.
/// - `POST /compute`: the content, after the number of milliseconds at its beginning.
/// - `POST /render`: the result of a worker that fails on command.
/// - `POST /facts`: the same, of a worker for facts.
/// - `POST /both`: the same as `/render`, after a step on the compute lane.
/// - `POST /gated`: the same as `/both`, after the gate is open.
final class LaneApplication: Application {
    let gate = Gate()
    private let computations = Atomic<Int>(0)

    /// The number of computations that have begun on the compute lane.
    var computed: Int { computations.load(ordering: .relaxed) }

    func plan(for head: borrowing RequestHead) -> Plan {
        let path = head.target.path
        let decision = Plan.Decision.accept(maxContentBytes: 1 << 20) {
            [self] (content, keep) throws(RejectionReason) in
            switch path {
            case "/compute", "/both", "/gated":
                let content = try keep()
                return .next(on: .compute { self.compute(path, content) })
            case "/render":
                return Self.isolate(try keep())
            case "/facts":
                let content = try keep()
                return .next(on: .facts { reader in .done(content.withBytes { Self.read($0, reader) }) })
            default:
                return .done(Self.response(200) { $0.append(content) })
            }
        }
        return Plan(endpoint: .none, decision: decision)
    }

    private func compute(_ path: String, _ content: OwnedContent) -> Step {
        computations.add(1, ordering: .relaxed)
        if path == "/gated" { gate.pass() }
        guard path == "/compute" else { return Self.isolate(content) }
        let response = content.withBytes { content in
            let text = content.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            usleep((useconds_t(text.prefix { $0 != " " }) ?? 0) * 1_000)
            return Self.response(200) { $0.append(content) }
        }
        return .done(response)
    }

    private static func isolate(_ content: OwnedContent) -> Step {
        .next(on: .pixels { reader in .done(content.withBytes { read($0, reader) }) })
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        Self.response(503) { $0.append(contentsOf: "\(reason)".utf8) }
    }

    private static func read(_ content: Span<UInt8>, _ reader: any ImageReader) -> Response {
        var options = SerializationOptions()
        options.thumbnails = [ThumbnailRequest(width: 16, height: 16)]
        switch reader.read(content, [ImageOrder(.value, options, Limits())]).first {
        case .success(let record)?:
            return response(200) { $0.append(contentsOf: record.thumbnails[0].content.dropFirst(3)) }
        case .failure(let rejection)?:
            let reason = rejection.error.reason
            return response(reason.isUnavailable ? 503 : 500) { $0.append(contentsOf: "\(reason)".utf8) }
        case nil: return response(500) { _ in }
        }
    }

    private static func response(_ status: Int, write: (inout OutputBuffer) -> Void) -> Response {
        var content = OutputBuffer()
        write(&content)
        return Response(status: status, contentType: "text/plain", content: content)
    }
}

/// A server on a free port of this machine, with a ``LaneApplication``.
struct LaneServer {
    let http: HTTPServer
    let application = LaneApplication()
    let pool: WorkerPool?
    /// The worker for facts, which executes the same commands.
    let factPool: WorkerPool?
    let lanes: Lanes

    init(
        workers: Int,
        factWorkers: Int = 0,
        maxWaiting: Int = 8,
        _ configure: (inout WorkerConfiguration) -> Void = { _ in }
    ) throws {
        try self.init(workers: workers, factWorkers: factWorkers, maxWaiting: maxWaiting, configure) {
            (_: inout HTTPServerConfiguration) in
        }
    }

    init(workers: Int, maxWaiting: Int = 8, http configureHTTP: (inout HTTPServerConfiguration) -> Void) throws {
        try self.init(workers: workers, maxWaiting: maxWaiting, { _ in }, configureHTTP)
    }

    init(
        workers: Int,
        factWorkers: Int = 0,
        maxWaiting: Int = 8,
        _ configure: (inout WorkerConfiguration) -> Void,
        _ configureHTTP: (inout HTTPServerConfiguration) -> Void
    ) throws {
        var configuration = WorkerConfiguration()
        configuration.executable = Self.worker
        configuration.arguments = []
        configuration.workers = workers
        configuration.maxLengths.content = 1 << 20
        configuration.maxLengths.answer = 4 << 20
        // On a busy machine, a worker may need seconds to start.
        configuration.startTimeout = .seconds(60)
        configure(&configuration)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        pool = workers > 0 ? try WorkerPool(configuration, log: log) : nil
        configuration.workers = factWorkers
        factPool = factWorkers > 0 ? try WorkerPool(configuration, log: log) : nil
        var httpConfiguration = HTTPServerConfiguration()
        httpConfiguration.port = 0
        httpConfiguration.threads = 2
        // Its first images wait for the start of a worker.
        httpConfiguration.timeouts.queue = .seconds(600)
        configureHTTP(&httpConfiguration)
        let compute = try ComputeLane(threads: 2, maxWaiting: maxWaiting)
        lanes = Lanes(compute: compute, factWorkers: factPool, workers: pool)
        http = try HTTPServer(httpConfiguration, application: application, lanes: lanes)
    }

    /// The worker, which is next to the executable that runs the tests.
    static let worker = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("FaultyWorker").path

    func connect() throws -> RawClient {
        try RawClient(port: http.address.port, peer: http)
    }

    /// Sends one request on a new connection, and returns the response.
    func post(_ path: String, _ content: String) throws -> ReceivedResponse {
        let client = try connect()
        client.send(Self.request(path, content))
        return try client.readResponse()
    }

    static func request(_ path: String, _ content: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
    }
}

extension ImageError.Reason {
    /// Whether no worker accepted the job.
    fileprivate var isUnavailable: Bool {
        self == .pixelsUnavailable || self == .noDecoder || self == .saturated
    }
}
