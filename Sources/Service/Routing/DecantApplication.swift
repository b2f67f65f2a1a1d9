internal import HTTP
internal import Serialization
internal import Workers

/// The application of the HTTP server: it finds the endpoint of a request, and converts every rejection to a problem.
///
/// HEAD is handled like GET, and the HTTP server omits the content. `Accept` is evaluated only for thumbnails and `/`:
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
    private let index: Document
    private let pages: ServicePages?
    private let problemPages: ProblemPages
    private let listener: Listener

    /// - Parameter listener: the listener whose requests this object handles directly.
    init(_ parts: ServiceParts, listener: Listener) {
        self.listener = listener
        access = parts.access
        profiles = parts.options.profiles
        imageSettings = parts.fetching.images
        let configured = parts.configuredSerializer(for: .normalize)
        let requiresStatus = parts.options.requiresUpstreamStatus
        normalize = NormalizeEndpoint(configured: configured, requiresStatus: requiresStatus)
        value = NormalizeEndpoint(configured: parts.configuredSerializer(for: .value), requiresStatus: requiresStatus)
        message = MessageEndpoint(configured: configured)
        envelope = EnvelopeEndpoint(configured: configured, requiresStatus: requiresStatus)
        fetch = FetchEndpoint(configured: configured, service: parts.fetching.service, images: parts.fetching.images)
        let forThumbnails = parts.configuredSerializer(for: .thumbnail)
        thumbnail = ThumbnailEndpoint(configured: forThumbnails, requiresStatus: requiresStatus)
        image = ImageEndpoint(
            configured: forThumbnails,
            service: parts.fetching.service,
            settings: parts.fetching.images
        )
        cache = CacheEndpoint(service: parts.fetching.service)
        probes = ProbeEndpoints(readiness: parts.readiness, workers: parts.workers)
        metrics = MetricsEndpoint(
            readiness: parts.readiness,
            workers: parts.workers,
            access: parts.access,
            sources: parts.metrics
        )
        serializers = .serializers(limits: parts.options.limits)
        openAPI = .openAPI()
        openAPIInJSON = .openAPIInJSON()
        index = .index(parts, on: listener)
        pages = parts.options.pages
        problemPages = ProblemPages(refersToPages: parts.options.pages != nil)
    }

    func plan(for head: borrowing RequestHead) -> Plan { plan(for: head, on: listener) }

    /// Decides how a request to `listener` is handled.
    func plan(for head: borrowing RequestHead, on listener: Listener) -> Plan {
        let trace = head.fields.trace
        let path = head.target.path
        guard let (endpoint, name) = Endpoint.find(path), listener.serves(endpoint.row.audience),
            endpoint != .reference || pages != nil
        else {
            var problem = Problem(
                .notFound,
                "there is no path '\(path.excerpt)'\(listener.restriction); GET /openapi.yaml describes all paths"
            )
            if let nearest = NearestName.nearest(to: path, in: Endpoint.fixedPaths(on: listener)) {
                problem.hint = "Did you mean '\(nearest)'?"
                let supportsMethod = Endpoint.find(nearest)?.endpoint.row.requirement(of: head.method) != nil
                if supportsMethod { problem.accepts = .path(nearest) }
            }
            return Plan(endpoint: .none, trace: trace, decision: reject(problem, head))
        }
        let fields = endpoint == .image ? imageSettings.fields(for: head) : []
        guard let requirement = endpoint.row.requirement(of: head.method) else {
            let problem = Self.methodNotAllowed(head.method, endpoint.row)
            return Plan(endpoint: endpoint, trace: trace, fields: fields, decision: reject(problem, head))
        }
        let grant: AccessGrant
        do {
            grant = try access.grant(for: head, requirement)
        } catch {
            return Plan(
                endpoint: endpoint,
                tokenName: error.tokenName,
                trace: trace,
                fields: fields,
                decision: reject(Problem(error), head)
            )
        }
        return Plan(
            endpoint: endpoint,
            tokenName: grant.tokenName,
            trace: trace,
            fields: fields,
            decision: decision(for: head, endpoint, name, grant)
        )
    }

    /// - Parameter name: the name in the path; empty if there is none.
    private func decision(
        for head: borrowing RequestHead,
        _ endpoint: Endpoint,
        _ name: String,
        _ grant: AccessGrant
    ) -> Plan.Decision {
        switch endpoint {
        case .none: preconditionFailure("no path belongs to this endpoint")
        case .normalize: normalize.plan(for: head)
        case .value: value.plan(for: head)
        case .message: message.plan(for: head)
        case .envelope: envelope.plan(for: head)
        case .thumbnail: thumbnail.plan(for: head)
        case .fetch: fetch.plan(for: head, .resource, grant)
        case .image: image.plan(for: head, grant)
        case .fetches: fetch.plan(for: head, .receipt(name), grant)
        case .slots: fetch.plan(for: head, .slot(name), grant)
        case .cache: cache.plan(for: head, grant)
        case .serializers: .respond(serializers.response())
        case .profiles: .respond(profiles.set.document.response())
        case .openAPI: .respond((head.target.path.hasSuffix(".json") ? openAPIInJSON : openAPI).response())
        case .problems: .respond(ProblemCode(rawValue: name).map(problemPages.page(for:)) ?? problemPages.index())
        case .live: .respond(probes.live())
        case .ready: .respond(probes.ready())
        case .metrics: .respond(metrics.response())
        case .start: .respond(startResponse(to: head))
        case .reference: .respond(pages?.reference.response(to: head) ?? index.response())
        }
    }

    /// Returns the page for a client that prefers HTML, and the index of the endpoints for other clients.
    private func startResponse(to head: borrowing RequestHead) -> Response {
        let accept = head.fields.combined("Accept").map { AcceptField(parsing: $0) }
        var response: Response
        if let pages, accept?.prefersHTML == true {
            response = pages.start.response(to: head)
        } else {
            response = index.response()
        }
        response.append([.varyAccept])
        return response
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        Problem(reason).response(requestID: requestID.text)
    }

    private static func methodNotAllowed(_ method: String, _ row: EndpointRow) -> Problem {
        let allowed = row.methods.joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed,
            "this path does not support \(method.excerpt); allowed: \(allowed)",
            expected: row.methods,
            found: method.excerpt
        )
        problem.fields = [.allow(allowed)]
        return problem
    }

    private func reject(_ problem: Problem, _ head: borrowing RequestHead) -> Plan.Decision {
        .respond(problem.response(requestID: head.requestID.text))
    }
}
