internal import HTTP
internal import Serialization

/// One of the listeners of the service, which differ in the paths that they serve.
enum Listener: Sendable {
    /// The only listener, which serves all paths.
    case only

    /// The listener for everybody, beside that of the administration (`admin-address`).
    case main

    /// The listener of the administration.
    case administration

    /// Whether the listener serves the endpoints for `audience`. Probes are served by all of them: the load balancer
    /// must check the listener that it uses.
    func serves(_ audience: EndpointRow.Audience) -> Bool {
        switch (self, audience) {
        case (.only, _), (_, .everybody), (.main, .callers), (.administration, .administration): true
        case (.main, .administration), (.administration, .callers): false
        }
    }

    /// The end of the sentence that reports an unknown path.
    var restriction: String {
        switch self {
        case .only: ""
        case .main: " on this address; metrics and the administration of the cache have their own (admin-address)"
        case .administration: " on this address, which is for probes, metrics and the administration of the cache"
        }
    }
}

/// The application of the listener of the administration.
struct AdministrationApplication: Application {
    let service: DecantApplication

    func plan(for head: borrowing RequestHead) -> Plan { service.plan(for: head, on: .administration) }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        service.response(rejecting: reason, requestID: requestID)
    }
}
