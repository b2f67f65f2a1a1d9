import Platform
import Serialization
import Synchronization

@testable import Service

/// Responds with the steps that the path specifies.
///
/// - `/generated/N`: N bytes, which a producer on the compute lane appends in pieces of ``pieceBytes``.
/// - `/failing/N`: the same, after which the producer fails.
/// - `/open`: a stream that the test appends to (``openStreams``).
/// - `/shared/N`: N shared buffers, the third of which is empty.
/// - `/parked`: a response that the test delivers (``parked``).
/// - `/large/N`: N bytes.
/// - `/computed`: the path, on the compute lane.
/// - `/gated`: the same, after the gate is open.
/// - `/busy`: the path, after the HTTP thread has computed for two milliseconds.
/// - `/forged`: a response with a field that the library rejects.
/// - Any other path: the path.
///
/// The endpoint of every path is `normalize`, so that a test can distinguish it from that of a rejected head.
final class StepApplication: Application {
    static let pieceBytes = 10_000

    private struct State {
        var streams: [ResponseStream] = []
        var parked: [ParkedConnection] = []
        var maxHeldBytes = 0
        var plans = 0
        var gatedComputations = 0
    }

    let gate = Gate()

    private let state = Monitor(State())

    /// The streams of `/open`, in the order of their requests.
    var openStreams: [ResponseStream] { state.withLock { $0.streams } }

    /// The connections of `/parked`, in the order of their requests.
    var parked: [ParkedConnection] { state.withLock { $0.parked } }

    /// Removes the connections. They refer to their server, which refers to this application.
    func forgetConnections() {
        state.withLock { $0.parked = [] }
    }

    /// The maximum number of bytes that a generated stream held after a piece.
    var maxHeldBytes: Int { state.withLock { $0.maxHeldBytes } }

    /// The number of computations of `/gated` that have begun.
    var gatedComputations: Int { state.withLock { $0.gatedComputations } }

    /// The number of requests whose heads are complete.
    var plans: Int { state.withLock { $0.plans } }

    func plan(for head: borrowing RequestHead) -> Plan {
        state.withLock { $0.plans += 1 }
        let path = head.target.path
        let parts = path.split(separator: "/")
        let count = parts.last.flatMap { Int($0) } ?? 0
        let decision = Plan.Decision.accept(maxContentBytes: 1 << 20) { [self] _, _ in
            switch parts.first {
            case "generated": return .stream(Self.head(), producer(of: count, fails: false))
            case "failing": return .stream(Self.head(), producer(of: count, fails: true))
            case "open":
                let stream = ResponseStream()
                state.change { $0.streams.append(stream) }
                return .done(Self.response(stream))
            case "shared":
                return .done(Response(status: 200, contentType: "text/plain", content: .shared(Self.buffers(count))))
            case "unmodified":
                return .done(Response(status: 304, contentType: "text/plain", content: .shared(Self.buffers(count))))
            case "parked":
                return .park { [state] parked in state.change { $0.parked.append(parked) } }
            case "large":
                var content = OutputBuffer(capacity: count)
                content.append(contentsOf: [UInt8](repeating: 0x78, count: count))
                return .done(Response(status: 200, contentType: "text/plain", content: content))
            case "computed": return .next(on: .compute { .done(Self.response(path)) })
            case "gated":
                return .next(
                    on: .compute { [gate, state] in
                        state.withLock { $0.gatedComputations += 1 }
                        gate.pass()
                        return .done(Self.response(path))
                    }
                )
            case "busy":
                let end = MonotonicTime.now + .milliseconds(2)
                while MonotonicTime.now < end {}
                return .done(Self.response(path))
            case "forged":
                var response = Self.response(path)
                response.fields = [HeaderFields.Field(name: "X-Forged", value: "a\r\nb: c")]
                return .done(response)
            default:
                return .done(Self.response(path))
            }
        }
        return Plan(endpoint: .normalize, decision: decision)
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        var response = Self.response("\(reason)")
        response.status = 503
        return response
    }

    private func producer(of total: Int, fails: Bool) -> StreamProducer {
        let appended = Atomic<Int>(0)
        return { [self] stream in
            // The producer is never called concurrently.
            let start = appended.load(ordering: .relaxed)
            let count = min(Self.pieceBytes, total - start)
            stream.append(SharedBytes(Self.bytes(start..<start + count)))
            appended.store(start + count, ordering: .relaxed)
            state.withLock { $0.maxHeldBytes = max($0.maxHeldBytes, stream.heldBytes) }
            guard start + count == total else { return .more }
            return fails ? .failed : .complete
        }
    }

    private static func head() -> Response {
        Response(status: 200, contentType: "text/plain", content: OutputBuffer(capacity: 0))
    }

    static func response(_ stream: ResponseStream) -> Response {
        Response(status: 200, contentType: "text/plain", content: .stream(ResponseStream.Receiver(of: stream)))
    }

    static func response(_ text: String) -> Response {
        Response(status: 200, contentType: "text/plain", content: OutputBuffer(text.utf8))
    }

    /// Returns the bytes at these offsets of generated content. All parts of it differ.
    static func bytes(_ range: Range<Int>) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    static func buffers(_ count: Int) -> [SharedBytes] {
        (0..<count).map { SharedBytes($0 == 2 ? [] : Array("buffer \($0) ".utf8)) }
    }
}

/// A server on a free port of this machine, with a ``StepApplication``.
struct StepServer {
    let http: HTTPServer
    let application = StepApplication()
    let lanes: Lanes

    init(
        telemetry: Telemetry = Telemetry(),
        computeThreads: Int = 2,
        _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.threads = 2
        configure(&configuration)
        lanes = Lanes(compute: try ComputeLane(threads: computeThreads, maxWaiting: 100))
        http = try HTTPServer(configuration, application: application, lanes: lanes, telemetry: telemetry)
    }

    /// Sends a request on a new connection.
    func get(
        _ path: String,
        method: String = "GET",
        version: String = "1.1",
        fields: String = "",
        receiveBufferBytes: Int32? = nil
    ) throws -> RawClient {
        let client = try RawClient(port: http.address.port, receiveBufferBytes: receiveBufferBytes, peer: http)
        client.send("\(method) \(path) HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n")
        return client
    }
}
