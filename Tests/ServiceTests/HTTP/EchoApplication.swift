import Serialization
import Synchronization

@testable import HTTP
@testable import Service

/// Responds with parts of the request:
///
/// - `POST /echo`: the content.
/// - `/head`: the method, path, query, declared length, identifier and fields, one per line.
/// - `/gated`: the content, after the gate is open.
/// - `/large`: 32 MiB of content.
/// - `/shared`: the same 32 MiB, which exist once.
/// - Any other path is rejected with 404 as soon as the head is received.
struct EchoApplication: Application {
    var maxContentBytes = 1 << 20
    let gate = Gate()

    private static let large = [UInt8](repeating: 0x78, count: 32 << 20)
    private static let shared = SharedContent(large)

    func plan(for head: borrowing RequestHead) -> Plan {
        Plan(endpoint: .none, decision: decision(for: head))
    }

    private func decision(for head: borrowing RequestHead) -> Plan.Decision {
        switch head.target.path {
        case "/echo":
            return .accept(maxContentBytes: maxContentBytes) { content, _ in
                .done(Self.response(200) { $0.append(content) })
            }
        case "/head":
            let lines =
                [
                    head.method, head.target.path, head.target.query ?? "(none)",
                    head.declaredContentBytes.map { String($0) } ?? "(none)", head.requestID.text,
                ] + head.fields.all.fields.map { "\($0.name): \($0.value)" }
            return .accept(maxContentBytes: maxContentBytes) { _, _ in
                .done(Self.response(200) { $0.append(contentsOf: lines.joined(separator: "\n").utf8) })
            }
        case "/gated":
            return .accept(maxContentBytes: maxContentBytes) { content, _ in
                gate.pass()
                return .done(Self.response(200) { $0.append(content) })
            }
        case "/large":
            return .accept(maxContentBytes: 0) { _, _ in
                .done(Self.response(200) { $0.append(contentsOf: Self.large) })
            }
        case "/shared":
            return .accept(maxContentBytes: 0) { _, _ in
                .done(Response(status: 200, contentType: "text/plain", content: .shared(Self.shared)))
            }
        default:
            return .respond(Self.response(404) { $0.append("not found") })
        }
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        switch reason {
        case .malformedFraming(let error):
            Self.response(error.diagnostic.code.definition.type.status) { $0.append(contentsOf: "\(error)".utf8) }
        case .contentTooLarge, .neverFits: Self.response(413) { $0.append(contentsOf: "\(reason)".utf8) }
        case .saturated, .overloaded, .computeLaneFull, .queueTimeout, .tooManyConnections, .draining:
            Self.response(503) { $0.append(contentsOf: "\(reason)".utf8) }
        }
    }

    private static func response(_ status: Int, write: (inout OutputBuffer) -> Void) -> Response {
        var content = OutputBuffer()
        write(&content)
        return Response(status: status, contentType: "text/plain", content: content)
    }
}

/// A server on a free port of this machine, with an ``EchoApplication``.
struct TestServer {
    let http: HTTPServer
    private let application: EchoApplication
    var port: UInt16 { http.address.port }

    init(maxContentBytes: Int = 1 << 20, _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.threads = 2
        configure(&configuration)
        application = EchoApplication(maxContentBytes: maxContentBytes)
        http = try HTTPServer(configuration, application: application, lanes: Lanes())
    }

    /// Opens the gate for the requests to `/gated`.
    func openGate() {
        application.gate.open()
    }

    func connect(receiveBufferBytes: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBufferBytes: receiveBufferBytes, peer: http)
    }

    /// Sends `text` on a new connection, and reads until the server closes the connection.
    func exchange(_ text: String) throws -> String {
        let client = try connect()
        client.send(text)
        return try client.readToEnd()
    }
}
