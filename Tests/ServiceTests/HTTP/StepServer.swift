import Platform
import Serialization
import Synchronization

@testable import Service

/// Responds with the steps that the path specifies.
///
/// - `/generated/N`: N bytes that a producer on the compute lane appends in pieces of ``pieceBytes``.
/// - `/failing/N`: the same, and then the producer fails.
/// - `/open`: a stream that the test appends to (``openStreams``).
/// - `/shared/N`: N shared buffers, the third of which is empty.
/// - `/parked`: a response that the test delivers (``parked``).
/// - Any other path: the path.
final class StepApplication: Application {
    static let pieceBytes = 10_000

    private struct State {
        var streams: [ResponseStream] = []
        var parked: [ParkedConnection] = []
        var maxHeldBytes = 0
        var abandonedProducers = 0
    }

    private let state = Monitor(State())

    /// The streams of `/open`, in the order of their requests.
    var openStreams: [ResponseStream] { state.withLock { $0.streams } }

    /// The connections of `/parked`, in the order of their requests.
    var parked: [ParkedConnection] { state.withLock { $0.parked } }

    /// The maximum number of bytes that a generated stream held after a piece.
    var maxHeldBytes: Int { state.withLock { $0.maxHeldBytes } }

    func plan(for head: borrowing RequestHead) -> Plan {
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
                return .done(Response(status: 200, contentType: "text/plain", content: .stream(stream)))
            case "shared":
                return .done(Response(status: 200, contentType: "text/plain", content: .shared(Self.buffers(count))))
            case "parked":
                return .park { [state] parked in state.change { $0.parked.append(parked) } }
            default:
                return .done(Self.response(path))
            }
        }
        return Plan(endpoint: .none, decision: decision)
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        var response = Self.response("\(reason)")
        response.status = 503
        return response
    }

    private func producer(of total: Int, fails: Bool) -> StreamProducer {
        let appended = Atomic<Int>(0)
        return { [self] stream in
            // One call at a time.
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

    static func response(_ text: String) -> Response {
        Response(status: 200, contentType: "text/plain", content: OutputBuffer(text.utf8))
    }

    /// The bytes at these offsets of generated content. No two parts of it look the same.
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

    init(_ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.threads = 2
        configure(&configuration)
        let lanes = Lanes(compute: try ComputeLane(threads: 2, maxWaiting: 100))
        http = try HTTPServer(configuration, application: application, lanes: lanes)
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
