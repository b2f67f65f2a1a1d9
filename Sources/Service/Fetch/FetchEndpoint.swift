internal import Flights
internal import HTTP
internal import Serialization

/// `POST /v1/fetch`, `GET /v1/fetch`, and the receipts and slots of their requests.
///
/// **Invariant.** Each request receives one response: a rejection, a response of the cache, or what ``FetchThread``
/// delivers to its parked connection. The permission, the partition and the entity tags are those of the request
/// itself, also if everything else is known from an earlier one (``RepeatedFetch``). A request without the permission
/// `fetch` reaches only results with a generated receipt. `FetchServiceTests`, `RepeatedFetchTests` and
/// `AccessServerTests` check this.
struct FetchEndpoint: Sendable {
    let configured: ConfiguredSerializer
    /// `nil` if fetching is disabled.
    let service: FetchService?
    /// The settings of images, whose results have receipts too.
    let images: ImageSettings

    /// What a request is about.
    enum Subject: Sendable {
        case resource
        case receipt(String)
        case slot(String)
    }

    func plan(for head: borrowing RequestHead, _ subject: Subject, _ access: AccessGrant) -> Plan.Decision {
        do throws(FetchCallError) {
            guard let service else { throw .notConfigured }
            switch subject {
            case .resource:
                let isPost = head.method == "POST"
                let request = try ResourceRequest(head, service, isInQuery: !isPost)
                return isPost ? post(head, request, access) : try get(request, access)
            case .receipt(let name): return try inquire(head, service, access, name, isSlot: false)
            case .slot(let name): return try inquire(head, service, access, name, isSlot: true)
            }
        } catch { return .respond(Problem(error).response(requestID: head.requestID.text)) }
    }

    private func post(
        _ head: borrowing RequestHead,
        _ request: ResourceRequest,
        _ access: AccessGrant
    ) -> Plan.Decision {
        do throws(RequestError) {
            try RequestFormat.fetch.check(head.fields)
        } catch { return .respond(Problem(error).response(requestID: request.requestID.text)) }
        let posted = PostedFetch(request: request, configured: configured, access: access)
        let maxBytes = Envelope.maxBytes(maxContentBytes: configured.limits.maxContentBytes)
        return .accept(maxContentBytes: maxBytes) { (text, takeOwnership) throws(RejectionReason) in
            try posted.begin(text, takeOwnership)
        }
    }

    private func get(_ request: ResourceRequest, _ access: AccessGrant) throws(FetchCallError) -> Plan.Decision {
        let source = RepeatedFetch.Source(.get, request.query, access)
        if let source, let known = request.service.repeated(source) {
            return .accept(maxContentBytes: 0) { _, _ in request.step(repeating: known) }
        }
        let (call, pairs) = try FetchQuery.call(in: request.query)
        let callerRequest = try request.service.rules.callerRequest(
            call,
            pairs,
            configured,
            access,
            isMember: false,
            requestID: request.requestID
        )
        let repeatable = pairs.hasProfile ? nil : source
        return .accept(maxContentBytes: 0) { _, _ in request.step(for: callerRequest, from: repeatable) }
    }

    // MARK: Receipts and slots

    private func inquire(
        _ head: borrowing RequestHead,
        _ service: FetchService,
        _ access: AccessGrant,
        _ name: String,
        isSlot: Bool
    ) throws(FetchCallError) -> Plan.Decision {
        let query = head.target.query ?? ""
        let requested = try FetchQuery.partition(in: query)
        let scoped: ScopedName
        // Who knows a generated receipt needs no permission: it cannot be guessed.
        let isPermitted = access.has(.fetch)
        do throws(AccessError) {
            if !isPermitted, !CallerRequest.looksGenerated(name) { try access.require(.fetch) }
            scoped = ScopedName(partition: try access.partition(requested: requested).text, name: name)
        } catch { throw .access(error) }
        let inquiry: FetchThread.Inquiry =
            if head.method != "DELETE" {
                .result(
                    scoped,
                    onlyGenerated: !isPermitted,
                    location: ResultLocation(query: query, hasURL: false, namesPartition: requested != nil),
                    imageFields: images.fields(for: head)
                )
            } else if isSlot {
                .cancelSlot(scoped)
            } else {
                .cancelReceipt(scoped)
            }
        return .accept(maxContentBytes: 0) { _, _ in .park { parked in service.thread.respond(to: inquiry, parked) } }
    }
}
