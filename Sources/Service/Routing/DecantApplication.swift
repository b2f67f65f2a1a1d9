internal import Serialization
internal import Workers

/// The service behind the HTTP side: finds the endpoint of a request, and turns every refusal into a problem.
///
/// HEAD is answered as GET is; the HTTP side leaves the content out. `Accept` is looked at for thumbnails only: there is one
/// representation of everything else, and RFC 9110 §12.4.1 lets a server send it whatever was asked for.
final class DecantApplication: Application {
    private let normalize: NormalizeEndpoint
    private let envelope: EnvelopeEndpoint
    private let thumbnail: ThumbnailEndpoint
    private let probes: ProbeEndpoints
    private let metrics: MetricsEndpoint
    private let serializers: Document
    private let profiles: Document
    private let openAPI: Document

    /// - Parameters:
    ///   - limits: what the service allows at most; a request may lower them.
    ///   - workers: what decodes images; told of by the probe.
    ///   - metrics: the sources of the metrics, apart from `readiness` and `workers`.
    init(
        limits: Limits = Limits(),
        readiness: Readiness,
        workers: WorkerPool? = nil,
        metrics: MetricsSources = MetricsSources()
    ) {
        // Lanes bring a renderer of their own; this one is there so that pixels are asked for at all.
        let renderer = workers.map { _ in RefusingRenderer(.sandboxUnavailable) }
        let configured = ConfiguredSerializer(limits: limits, renderer: renderer)
        normalize = NormalizeEndpoint(configured: configured)
        envelope = EnvelopeEndpoint(configured: configured)
        thumbnail = ThumbnailEndpoint(limits: limits, renderer: renderer)
        probes = ProbeEndpoints(readiness: readiness, workers: workers)
        self.metrics = MetricsEndpoint(readiness: readiness, workers: workers, sources: metrics)
        serializers = .serializers(limits: limits)
        profiles = .profiles(limits: limits)
        openAPI = .openAPI()
    }

    func plan(for head: borrowing RequestHead) -> Plan {
        guard let route = Route(path: head.target.path) else {
            return refuse(
                Problem(
                    .notFound,
                    "nothing has the path '\(head.target.path.excerpt)'; GET /openapi.yaml describes all paths"
                ),
                head
            )
        }
        guard route.methods.contains(head.method) else {
            return refuse(Self.methodNotAllowed(head.method, route), head)
        }
        return switch route {
        case .normalize: normalize.plan(for: head)
        case .envelope: envelope.plan(for: head)
        case .thumbnail: thumbnail.plan(for: head)
        case .serializers: .refuse(serializers.response())
        case .profiles: .refuse(profiles.response())
        case .openAPI: .refuse(openAPI.response())
        case .problems: .refuse(ProblemPages.index())
        case .problem(let code): .refuse(ProblemPages.page(for: code))
        case .live: .refuse(probes.live())
        case .ready: .refuse(probes.ready())
        case .metrics: .refuse(metrics.response())
        case .planned(let path): refuse(Problem(.formNotBuilt, "\(path.rawValue) is not built in this version"), head)
        }
    }

    func refuse(_ refusal: TransportRefusal, requestID: RequestID) -> Response {
        Problem(refusal).response(requestID: requestID.text)
    }

    private static func methodNotAllowed(_ method: String, _ route: Route) -> Problem {
        let allowed = route.methods.joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed,
            "this path does not take \(method.excerpt); it takes \(allowed)",
            expected: route.methods,
            found: method.excerpt
        )
        problem.fields = [.allow(allowed)]
        return problem
    }

    private func refuse(_ problem: Problem, _ head: borrowing RequestHead) -> Plan {
        .refuse(problem.response(requestID: head.requestID.text))
    }
}
