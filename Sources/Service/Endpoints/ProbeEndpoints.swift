internal import HTTP
internal import Serialization
internal import Workers

/// `GET /livez` and `GET /readyz`, for programs that monitor the process.
struct ProbeEndpoints: Sendable {
    let readiness: Readiness
    let workers: ServiceParts.Workers

    /// Returns 200, because the process runs and responds.
    func live() -> Response { respond(200, state: "live", reasons: []) }

    /// Returns 503 and the reason while no requests should be sent to the service.
    ///
    /// A busy service is ready: without it, the other replicas would be overloaded. A service that cannot read images
    /// is also ready, because it processes all other requests. It is reported as degraded.
    func ready() -> Response {
        switch readiness.state {
        case .ready: respond(200, state: "ready", reasons: [], workerStates)
        case .starting: respond(503, state: "unavailable", reasons: ["starting"])
        case .draining: respond(503, state: "unavailable", reasons: ["draining"])
        }
    }

    /// The states of the workers that are configured, by the names of their members.
    private var workerStates: [(name: String, state: WorkerState)] {
        let pixels = workers.pixels.map { WorkerState($0.status) } ?? (workers.lackMemory ? .withoutMemory : nil)
        let facts = workers.facts.map { WorkerState($0.status) }
        return [("workers", pixels), ("factWorkers", facts)].compactMap { name, state in state.map { (name, $0) } }
    }

    private func respond(
        _ status: Int,
        state: String,
        reasons: [String],
        _ workers: [(name: String, state: WorkerState)] = []
    ) -> Response {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("status", state)
        if !reasons.isEmpty {
            writer.name("reasons")
            writer.strings(reasons)
        }
        let degraded = workers.filter(\.state.isDegraded).map(\.name)
        if !degraded.isEmpty {
            writer.name("degraded")
            writer.strings(degraded)
        }
        for (name, state) in workers {
            writer.name(name)
            writer.workers(state)
        }
        writer.endObject()
        return Response(status: status, contentType: "application/json", fields: [.noStore], content: writer.finish())
    }
}

/// The state of the workers, as it is reported.
private struct WorkerState {
    var status: WorkerPool.Status
    /// Whether no image can be read.
    var isDegraded: Bool
    /// The reason why the workers are not fully available; `nil` if they are.
    var reason: String?

    init(_ status: WorkerPool.Status) {
        self.status = status
        isDegraded = status.outage != nil
        reason = Self.reason(status)
    }

    private init(withoutWorkers reason: String) {
        status = WorkerPool.Status()
        isDegraded = true
        self.reason = reason
    }

    static let withoutMemory = WorkerState(
        withoutWorkers: "there is not enough memory for a worker: images are not decoded"
    )

    private static func reason(_ status: WorkerPool.Status) -> String? {
        switch status.outage {
        case .starting: return "no worker has started yet"
        case .noSandbox: return "the system has no seccomp: images are not decoded"
        case .cannotStart: return "no worker can be started; the log contains the reason"
        case nil: break
        }
        switch status.sandbox {
        case .none: return "the system has no seccomp, and DECANT_ALLOW_UNSANDBOXED is true"
        case .partial: return "the system lacks a part of the sandbox that is not seccomp; the log names it"
        case .full, .unknown: return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func workers(_ state: WorkerState) {
        beginObject()
        member("ready", state.status.ready)
        member("total", state.status.total)
        member("waiting", state.status.waiting)
        member("sandbox", state.status.sandbox.rawValue)
        member("reason", state.reason)
        endObject()
    }
}
