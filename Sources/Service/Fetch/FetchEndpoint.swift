internal import Fetching
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
                let loop = try service.receivedLoop(head.fields)
                return head.method == "POST"
                    ? post(head, service, access, loop) : try get(head, service, access, loop)
            case .receipt(let name): return try inquire(head, service, access, name, isSlot: false)
            case .slot(let name): return try inquire(head, service, access, name, isSlot: true)
            }
        } catch {
            return .respond(Problem(error).response(requestID: head.requestID.text))
        }
    }

    // MARK: POST

    private func post(
        _ head: borrowing RequestHead,
        _ service: FetchService,
        _ access: AccessGrant,
        _ loop: [String]
    ) -> Plan.Decision {
        let requestID = head.requestID
        do throws(RequestError) {
            try RequestFormat.fetch.check(head.fields)
        } catch {
            return .respond(Problem(error).response(requestID: requestID.text))
        }
        let query = head.target.query ?? ""
        let waiting = Waiting(head.fields, ResultLocation(query: query, hasURL: false))
        let limits = configured.limits
        let maxBytes = Envelope.maxBytes(maxContentBytes: limits.maxContentBytes)
        return .accept(maxContentBytes: maxBytes) { [configured] (text, takeOwnership) throws(RejectionReason) in
            /// - Parameter source: what determines the request; `nil` if it is too long to be kept.
            @Sendable func respond(to call: FetchCall, _ source: RepeatedFetch.Source?) -> Step {
                do throws(FetchCallError) {
                    var pairs = query.isEmpty ? [] : try FetchQuery.pairs(query)
                    try Shard.remove(from: &pairs, of: query)
                    var callerRequest = try service.rules.callerRequest(
                        call,
                        pairs,
                        configured,
                        access,
                        isMember: true,
                        requestID: requestID
                    )
                    callerRequest.loop = loop
                    // The permission to name a partition is that of each request.
                    let isRepeatable = call.partition == nil && !call.hasProfile && !pairs.hasProfile
                    var waiting = waiting
                    waiting.location.namesPartition = call.partition != nil
                    let repeated = isRepeatable ? source : nil
                    return Self.park(callerRequest, waiting, from: repeated, service, requestID)
                } catch {
                    return .done(Problem(error).response(requestID: requestID.text))
                }
            }

            /// - Parameter maxMemberBytes: the length of a member above which the result is `nil`.
            @Sendable func step(_ text: Span<UInt8>, _ memory: any MemoryGrant, maxMemberBytes: Int) -> Step? {
                let source = RepeatedFetch.Source(.post, query, content: text, access)
                if let source, let known = service.repeated(source) {
                    return Self.step(repeating: known, loop, waiting, service, requestID)
                }
                do throws(EnvelopeError) {
                    guard
                        let call = try EnvelopeReader.readCall(
                            text,
                            limits: limits,
                            memory: memory,
                            maxShortMemberBytes: maxMemberBytes
                        )
                    else { return nil }
                    return respond(to: call, source)
                } catch {
                    let problem = Problem(error, of: "the fetch request", as: .invalidFetch)
                    return .done(problem.response(requestID: requestID.text))
                }
            }
            if text.count <= Envelope.maxInlineBytes {
                let memory = InlineMemory(maxBytes: Lane.maxInlineMemoryBytes)
                let result = step(text, memory, maxMemberBytes: Envelope.maxShortMemberBytes)
                if let result, !memory.isExceeded { return result }
            }
            let owned = try takeOwnership()
            // The validation writes a copy; then the content is decoded.
            let memory = try owned.reserve(text.count / 2 * 5)
            return .next(
                on: .compute {
                    let result = owned.withBytes { step($0, memory, maxMemberBytes: .max) }
                    if let denial = memory.denial {
                        return .done(Problem(denial).response(requestID: requestID.text))
                    }
                    guard let result else { preconditionFailure("a member of any length is read") }
                    return result
                }
            )
        }
    }

    /// - Parameters:
    ///   - waiting: when the response is 202, and where the result is available then.
    ///   - source: what determines the request; `nil` if it is not kept for further requests, because something else
    ///     decides too.
    static func park(
        _ callerRequest: CallerRequest,
        _ waiting: Waiting,
        from source: RepeatedFetch.Source? = nil,
        _ service: FetchService,
        _ requestID: RequestID
    ) -> Step {
        if let response = service.cachedResponse(to: callerRequest, from: source) { return .done(response) }
        var callerRequest = callerRequest
        callerRequest.generateReceipt()
        if callerRequest.wait == nil, let preference = waiting.preference {
            callerRequest.wait = .seconds(preference.seconds)
            callerRequest.prefersWait = true
        }
        if callerRequest.wait == nil { callerRequest.wait = callerRequest.waitByDefault }
        if let count = callerRequest.request.content?.count {
            do throws(RejectionReason) {
                // The frame for the fetcher contains a copy until it is sent, and the fetcher has one while it is
                // active.
                callerRequest.memory = try service.account.reserve(3 * count, besides: 0)
            } catch {
                return .done(Problem(error).response(requestID: requestID.text))
            }
        }
        let location = waiting.location
        return .park { [callerRequest] parked in service.thread.join(callerRequest, parked, location: location) }
    }

    /// Responds to a request of which an earlier one is known.
    static func step(
        repeating known: RepeatedFetch,
        ifNoneMatch: [String] = [],
        _ loop: [String],
        _ waiting: Waiting,
        _ service: FetchService,
        _ requestID: RequestID
    ) -> Step {
        if let response = service.cachedResponse(to: known, ifNoneMatch: ifNoneMatch, requestID: requestID) {
            return .done(response)
        }
        var callerRequest = known.callerRequest
        callerRequest.requestID = requestID
        callerRequest.ifNoneMatch = ifNoneMatch
        callerRequest.loop = loop
        return park(callerRequest, waiting, service, requestID)
    }

    // MARK: GET

    private func get(
        _ head: borrowing RequestHead,
        _ service: FetchService,
        _ access: AccessGrant,
        _ loop: [String]
    ) throws(FetchCallError) -> Plan.Decision {
        let requestID = head.requestID
        let query = head.target.query ?? ""
        let waiting = Waiting(head.fields, ResultLocation(query: query, hasURL: true))
        let source = RepeatedFetch.Source(.get, query, access)
        let ifNoneMatch = head.fields.values(of: "If-None-Match")
        if let source, let known = service.repeated(source) {
            return .accept(maxContentBytes: 0) { _, _ in
                Self.step(repeating: known, ifNoneMatch: ifNoneMatch, loop, waiting, service, requestID)
            }
        }
        let (call, pairs) = try FetchQuery.call(in: query)
        var callerRequest = try service.rules.callerRequest(
            call,
            pairs,
            configured,
            access,
            isMember: false,
            requestID: requestID
        )
        callerRequest.ifNoneMatch = ifNoneMatch
        callerRequest.loop = loop
        let repeatable = pairs.hasProfile ? nil : source
        return .accept(maxContentBytes: 0) { [callerRequest] _, _ in
            Self.park(callerRequest, waiting, from: repeatable, service, requestID)
        }
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
        } catch {
            throw .access(error)
        }
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

/// The field `Prefer: respond-async, wait=10` (RFC 7240): the response is 202 if there is no result after that time.
struct WaitPreference: Equatable, Sendable {
    /// The time, in seconds.
    let seconds: Int

    /// - Returns: `nil` if the client does not prefer an asynchronous response.
    init?(_ fields: borrowing RequestFields) {
        self.init(fields.values(of: "Prefer"))
    }

    init?(_ values: [String]) {
        var isAsynchronous = false
        var seconds: Int?
        for preference in values.flatMap({ $0.parts(separatedBy: ",") }) {
            // Parameters follow a semicolon.
            let parts = preference.parts(separatedBy: ";", maxSplits: 1, omittingEmpty: false)[0]
                .parts(separatedBy: "=", maxSplits: 1)
            let name = parts.first.map { String($0).trimmingBlanks().lowercased() } ?? ""
            var value = parts.count > 1 ? String(parts[1]).trimmingBlanks() : ""
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            switch name {
            case "respond-async": isAsynchronous = true
            // RFC 7240 §2: the first one counts.
            case "wait" where seconds == nil:
                seconds = value.decimal().map { min($0, FetchCall.maxSeconds) }
            default: break
            }
        }
        guard isAsynchronous else { return nil }
        self.seconds = seconds ?? 0
    }
}

/// The query of `GET /v1/fetch`, and of receipts and slots.
enum FetchQuery {
    /// The parameters of signatures, which are verified before.
    private static let signature = ["expires", "signature"]

    /// The names of the parameters that are not options.
    static let names = FetchParameter.queryNames + signature + [Shard.name]

    /// Returns the call, and the options.
    static func call(in query: String) throws(FetchCallError) -> (FetchCall, [QueryString.Pair]) {
        var call = FetchCall()
        var options: [QueryString.Pair] = []
        // At most a dozen, so that a set would be slower.
        var seen: [String] = []
        var pairs = try pairs(query)
        try Shard.remove(from: &pairs, of: query)
        for (name, value) in pairs {
            let parameter = FetchParameter.inQuery(name)
            guard parameter != nil || signature.contains(name) else {
                options.append((name, value))
                continue
            }
            guard !seen.contains(name) else { throw .repeatedParameter(name) }
            seen.append(name)
            switch parameter?.row.value {
            case nil: break
            case .preference(.fields):
                call.preferences.fields.append(HeaderFields.Field(name: "Accept", value: value))
            case let type?:
                guard type.set(value, in: &call) else { throw invalid(name, value, type.allowed) }
            }
        }
        guard seen.contains("url") else { throw .missingParameter("url") }
        return (call, options)
    }

    /// Returns the partition that a request for a receipt or a slot names.
    static func partition(in query: String) throws(FetchCallError) -> PartitionName? {
        var partition: PartitionName?
        var pairs = try pairs(query)
        try Shard.remove(from: &pairs, of: query)
        for (name, value) in pairs {
            guard name == "partition" else { throw .unknownParameter(name, known: ["partition", Shard.name]) }
            guard partition == nil else { throw .repeatedParameter(name) }
            partition = try Self.partition(parsing: value)
        }
        return partition
    }

    static func partition(parsing value: String) throws(FetchCallError) -> PartitionName {
        guard let partition = PartitionName(parsing: value) else {
            throw invalid("partition", value, [FetchCall.nameSyntax])
        }
        return partition
    }

    /// Returns the parameters of a query.
    static func pairs(_ query: String) throws(FetchCallError) -> [QueryString.Pair] {
        do throws(OptionError) {
            return try QueryString.pairs(parsing: query)
        } catch {
            throw .option(error)
        }
    }

    private static func invalid(_ name: String, _ value: String, _ allowed: [String]) -> FetchCallError {
        .parameter(name, got: value, expected: allowed.joined(separator: ", "), isMember: false)
    }
}

extension FetchCall {
    /// Whether the request depends on a profile, which can be replaced.
    fileprivate var hasProfile: Bool { options.contains { $0.name == OptionName.profile.rawValue } }
}

extension [QueryString.Pair] {
    /// Whether the request depends on a profile, which can be replaced.
    var hasProfile: Bool { contains { $0.name == OptionName.profile.rawValue } }
}
