internal import Serialization
internal import Workers

/// `GET /livez` and `GET /readyz`, for whatever watches over the process.
struct ProbeEndpoints: Sendable {
    let readiness: Readiness
    /// Nil where no image is decoded.
    let workers: WorkerPool?

    /// The process runs and answers.
    func live() -> Response {
        respond(200, state: "live", reasons: [])
    }

    /// 503 with the reason while no requests should be sent here. Being busy is no reason: taking a busy replica out
    /// would drown the others. Nor are workers: without them everything but pixels is answered.
    func ready() -> Response {
        switch readiness.state {
        case .ready: respond(200, state: "ready", reasons: [], workers: workers?.status)
        case .starting: respond(503, state: "unavailable", reasons: ["starting"])
        case .draining: respond(503, state: "unavailable", reasons: ["draining"])
        }
    }

    private func respond(
        _ status: Int,
        state: String,
        reasons: [String],
        workers: WorkerPool.Status? = nil
    ) -> Response {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("status", state)
        if !reasons.isEmpty {
            writer.name("reasons")
            writer.strings(reasons)
        }
        if let workers {
            writer.name("workers")
            writer.workers(workers)
        }
        writer.endObject()
        return Response(
            status: status,
            contentType: "application/json",
            fields: [.noStore],
            content: writer.finish()
        )
    }
}

extension JSONWriter {
    fileprivate mutating func workers(_ status: WorkerPool.Status) {
        beginObject()
        name("ready")
        integer(status.ready)
        name("total")
        integer(status.total)
        name("waiting")
        integer(status.waiting)
        member("sandbox", status.sandbox.rawValue)
        member("reason", Self.reason(status))
        endObject()
    }

    /// Why it is not all that it could be.
    private static func reason(_ status: WorkerPool.Status) -> String? {
        switch status.sandbox {
        case .none where status.ready == 0: "the system has no seccomp: no image is decoded"
        case .none: "the system has no seccomp, and DECANT_ALLOW_UNSANDBOXED is true"
        case .partial: "the system lacks a part of the sandbox that is not seccomp; the log names it"
        case .unknown where status.total > 0: "no worker has started yet"
        case .full, .unknown: nil
        }
    }
}
