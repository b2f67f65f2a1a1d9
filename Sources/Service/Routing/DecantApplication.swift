internal import HTTP
internal import Serialization
internal import Workers

/// The application of the HTTP server: it finds the endpoint of a request, and converts every rejection to a problem.
///
/// HEAD is handled like GET, and the HTTP server omits the content. `Accept` is evaluated only for thumbnails:
/// everything else has a single representation, which a server may send regardless of `Accept` (RFC 9110 §12.4.1).
final class DecantApplication: Application {
    private let normalize: NormalizeEndpoint
    private let value: NormalizeEndpoint
    private let message: MessageEndpoint
    private let envelope: EnvelopeEndpoint
    private let thumbnail: ThumbnailEndpoint
    private let fetch: FetchEndpoint
    private let cache: CacheEndpoint
    private let image: ImageEndpoint
    private let imageSettings: ImageSettings
    private let probes: ProbeEndpoints
    private let metrics: MetricsEndpoint
    private let access: AccessControl
    private let serializers: Document
    private let profiles: ProfileRegistry
    private let openAPI: Document
    private let openAPIInJSON: Document
    private let listener: Listener

    /// - Parameters:
    ///   - limits: the maximum limits; a request may lower them.
    ///   - workers: the processes that decode images, whose state the readiness probe reports.
    ///   - lacksMemoryForWorkers: whether there are no workers because there is not enough memory.
    ///   - profiles: the profiles of the service; `nil` for the built-in ones only.
    ///   - fetch: requests resources of origins; `nil` if that is disabled.
    ///   - images: the settings of images that are requested.
    ///   - access: decides which requests are permitted.
    ///   - listener: the listener whose requests this object handles directly.
    ///   - metrics: the sources of the metrics, apart from `readiness`, `workers` and `access`.
    init(
        limits: Limits = Limits(),
        readiness: Readiness,
        workers: WorkerPool? = nil,
        lacksMemoryForWorkers: Bool = false,
        profiles: ProfileRegistry? = nil,
        fetch: FetchService? = nil,
        images: ImageSettings = ImageSettings(),
        access: AccessControl = .unrestricted,
        listener: Listener = .only,
        metrics: MetricsSources = MetricsSources()
    ) {
        // Each lane passes its own renderer. This one only indicates that pixels are available.
        let renderer = workers.map { _ in RejectingRenderer(.sandboxUnavailable) }
        let profiles = profiles ?? ProfileRegistry(limits: limits)
        self.profiles = profiles
        self.access = access
        self.listener = listener
        let configured = ConfiguredSerializer(limits: limits, renderer: renderer, profiles: profiles)
        normalize = NormalizeEndpoint(configured: configured)
        value = NormalizeEndpoint(
            configured: ConfiguredSerializer(limits: limits, renderer: renderer, form: .value, profiles: profiles)
        )
        message = MessageEndpoint(configured: configured)
        envelope = EnvelopeEndpoint(configured: configured)
        let forThumbnails = ConfiguredSerializer(
            limits: limits,
            renderer: renderer,
            form: .thumbnail,
            profiles: profiles
        )
        thumbnail = ThumbnailEndpoint(configured: forThumbnails)
        self.fetch = FetchEndpoint(configured: configured, service: fetch, images: images)
        image = ImageEndpoint(configured: forThumbnails, service: fetch, settings: images)
        imageSettings = images
        cache = CacheEndpoint(service: fetch)
        probes = ProbeEndpoints(
            readiness: readiness,
            workers: workers,
            lacksMemoryForWorkers: lacksMemoryForWorkers
        )
        self.metrics = MetricsEndpoint(readiness: readiness, workers: workers, access: access, sources: metrics)
        serializers = .serializers(limits: limits)
        openAPI = .openAPI()
        openAPIInJSON = .openAPIInJSON()
    }

    func plan(for head: borrowing RequestHead) -> Plan {
        plan(for: head, on: listener)
    }

    /// Decides how a request to `listener` is handled.
    func plan(for head: borrowing RequestHead, on listener: Listener) -> Plan {
        let trace = head.fields.trace
        guard let route = Route(path: head.target.path), listener.serves(route) else {
            let problem = Problem(
                .notFound,
                "there is no path '\(head.target.path.excerpt)'\(listener.restriction); "
                    + "GET /openapi.yaml describes all paths"
            )
            return Plan(endpoint: .none, trace: trace, decision: reject(problem, head))
        }
        let fields = route == .image ? imageSettings.fields(for: head) : []
        guard route.methods.contains(head.method) else {
            let problem = Self.methodNotAllowed(head.method, route)
            return Plan(endpoint: route.endpoint, trace: trace, fields: fields, decision: reject(problem, head))
        }
        let grant: AccessGrant
        do {
            grant = try access.grant(for: head, route.requirement(of: head.method))
        } catch {
            return Plan(
                endpoint: route.endpoint,
                tokenName: error.tokenName,
                trace: trace,
                fields: fields,
                decision: reject(Problem(error), head)
            )
        }
        return Plan(
            endpoint: route.endpoint,
            tokenName: grant.tokenName,
            trace: trace,
            fields: fields,
            decision: decision(for: head, route, grant)
        )
    }

    private func decision(for head: borrowing RequestHead, _ route: Route, _ grant: AccessGrant) -> Plan.Decision {
        switch route {
        case .normalize: normalize.plan(for: head)
        case .value: value.plan(for: head)
        case .message: message.plan(for: head)
        case .envelope: envelope.plan(for: head)
        case .thumbnail: thumbnail.plan(for: head)
        case .fetch: fetch.plan(for: head, .resource, grant)
        case .image: image.plan(for: head, grant)
        case .fetches(let receipt): fetch.plan(for: head, .receipt(receipt), grant)
        case .slots(let slot): fetch.plan(for: head, .slot(slot), grant)
        case .cache: cache.plan(for: head, grant)
        case .serializers: .respond(serializers.response())
        case .profiles: .respond(profiles.set.document.response())
        case .openAPI: .respond(openAPI.response())
        case .openAPIInJSON: .respond(openAPIInJSON.response())
        case .problems: .respond(ProblemPages.index())
        case .problem(let code): .respond(ProblemPages.page(for: code))
        case .live: .respond(probes.live())
        case .ready: .respond(probes.ready())
        case .metrics: .respond(metrics.response())
        }
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        Problem(reason).response(requestID: requestID.text)
    }

    private static func methodNotAllowed(_ method: String, _ route: Route) -> Problem {
        let allowed = route.methods.joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed,
            "this path does not support \(method.excerpt); allowed: \(allowed)",
            expected: route.methods,
            found: method.excerpt
        )
        problem.fields = [.allow(allowed)]
        return problem
    }

    private func reject(_ problem: Problem, _ head: borrowing RequestHead) -> Plan.Decision {
        .respond(problem.response(requestID: head.requestID.text))
    }
}
