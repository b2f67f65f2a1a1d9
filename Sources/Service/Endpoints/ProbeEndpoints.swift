internal import Serialization

/// `GET /livez` and `GET /readyz`, for whatever watches over the process.
struct ProbeEndpoints: Sendable {
    let readiness: Readiness

    /// The process runs and answers.
    func live() -> Response {
        respond(200, state: "live", reasons: [])
    }

    /// 503 with the reason while no requests should be sent here. Being busy is no reason: taking a busy replica out
    /// would drown the others.
    func ready() -> Response {
        switch readiness.state {
        case .ready: respond(200, state: "ready", reasons: [])
        case .starting: respond(503, state: "unavailable", reasons: ["starting"])
        case .draining: respond(503, state: "unavailable", reasons: ["draining"])
        }
    }

    private func respond(_ status: Int, state: String, reasons: [String]) -> Response {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("status", state)
        if !reasons.isEmpty {
            writer.name("reasons")
            writer.strings(reasons)
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
