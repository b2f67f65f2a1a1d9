internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

/// `GET /v1/image`: requests an image of an origin, and returns one thumbnail of it as bytes.
///
///     parameters of GET /v1/fetch ─┐
///     options of POST /v1/thumbnail ├─► CallerRequest with ImageResponseOptions    ─► flight ─► image, problem or 202
///     fallback, fallback-on, …     ─┘                                              └─► fallback in its place
///
/// Requests of several sizes have the same identity, and are several groups of one flight. The fields that every
/// response has are those of ``ImageSettings/fields(for:)``, which the plan of the request contains.
struct ImageEndpoint: Sendable {
    /// Creates serializers with the options of a thumbnail.
    let configured: ConfiguredSerializer
    /// `nil` if fetching is disabled.
    let service: FetchService?
    let settings: ImageSettings

    func plan(for head: borrowing RequestHead, _ access: AccessGrant) -> Plan.Decision {
        do throws(FetchCallError) {
            guard let service else { throw .notConfigured }
            return try plan(for: head, ResourceRequest(head, service, isInQuery: true), access)
        } catch { return .respond(Problem(error).response(requestID: head.requestID.text)) }
    }

    private func plan(
        for head: borrowing RequestHead,
        _ request: ResourceRequest,
        _ access: AccessGrant
    ) throws(FetchCallError) -> Plan.Decision {
        let source = RepeatedFetch.Source(.image(accept: head.fields.combined("Accept")), request.query, access)
        if let source, let known = request.service.repeated(source) {
            return .accept(maxContentBytes: 0) { _, _ in request.step(repeating: known) }
        }
        let (call, pairs) = try FetchQuery.call(in: request.query)
        let query = try ImageQuery(pairs)
        let (thumbnail, defaults) = try thumbnail(query.options, head.fields)
        if !access.isSigned, !settings.sizes.isUnrestricted {
            if let name = query.parameterWithManyValues(in: call) { throw .parameterNotAllowed(name) }
            var requested = thumbnail.request
            guard settings.sizes.contain(requested) else {
                if thumbnail.isNegotiated { requested.format = nil }
                throw .sizeNotAllowed(requested, allowed: settings.sizes)
            }
        }
        let image = ImageResponseOptions(
            isNegotiated: thumbnail.isNegotiated,
            fallback: query.fallback.map { ImageFallback($0, in: thumbnail) }
        )
        do throws(FetchCallError) {
            var callerRequest = try request.service.rules.callerRequest(
                call,
                thumbnail.serializer,
                defaults,
                access,
                isMember: false,
                requestID: request.requestID
            )
            callerRequest.image = image
            let repeatable = pairs.hasProfile ? nil : source
            return .accept(maxContentBytes: 0) { [callerRequest] _, _ in
                request.step(for: callerRequest, from: repeatable)
            }
        } catch {
            guard error.concernsResource else { throw error }
            let response = Problem(error).response(requestID: request.requestID.text)
            return .respond(image.finish(response, upstreamStatus: nil, request.service.account))
        }
    }

    private func thumbnail(
        _ options: [QueryString.Pair],
        _ fields: borrowing RequestFields
    ) throws(FetchCallError) -> (NegotiatedThumbnail, FetchPreferences) {
        let (serializer, defaults) = try configured.fetching(pairs: options)
        do throws(RequestError) {
            return (try NegotiatedThumbnail(serializer, of: configured, fields), defaults)
        } catch { throw .request(error) }
    }
}

extension FetchCallError {
    /// Whether the resource is not one that can be requested, rather than the request being malformed or not permitted.
    /// A fallback takes the place of the problem.
    fileprivate var concernsResource: Bool {
        switch self {
        case .url, .rejected: true
        case .notConfigured, .loop, .malformedLoop, .field, .ownField, .option, .parameter, .repeatedParameter,
            .missingParameter,
            .unknownParameter, .access,
            .cacheKeyNotAllowed, .purgeNotAllowed, .request, .contentNotAllowed, .contentTooLong, .sizeNotAllowed,
            .parameterNotAllowed:
            false
        }
    }
}
