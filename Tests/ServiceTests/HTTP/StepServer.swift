import Platform
import Serialization

@testable import HTTP
@testable import Service

/// Responds with the steps that the path specifies.
///
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
    private struct State {
        var parked: [ParkedConnection] = []
        var plans = 0
        var gatedComputations = 0
    }

    let gate = Gate()

    private let state = Monitor(State())

    /// The connections of `/parked`, in the order of their requests.
    var parked: [ParkedConnection] { state.withLock { $0.parked } }

    /// Removes the connections. They refer to their server, which refers to this application.
    func forgetConnections() {
        state.withLock { $0.parked = [] }
    }

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

    static func response(_ text: String) -> Response {
        Response(status: 200, contentType: "text/plain", content: OutputBuffer(text.utf8))
    }

    static func buffers(_ count: Int) -> SharedContent {
        .joining((0..<count).map { SharedContent($0 == 2 ? [] : Array("buffer \($0) ".utf8)) })
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
        http = try HTTPServer(configuration, application: application, lanes: lanes, observer: telemetry)
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

extension HTTPServer {
    /// The number of connections of each loop.
    var connectionsByLoop: [Int] { loops.map(\.connectionCount) }
}
