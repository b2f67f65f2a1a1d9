internal import HTTP
internal import Serialization

/// The steps of one `POST /v1/fetch`, whose content describes the request for the resource.
struct PostedFetch: Sendable {
    let request: ResourceRequest
    let configured: ConfiguredSerializer
    let access: AccessGrant

    /// The first step, on the HTTP thread. It reads short content; the compute lane reads other content.
    func begin(
        _ text: Span<UInt8>,
        _ takeOwnership: () throws(RejectionReason) -> OwnedContent
    ) throws(RejectionReason) -> Step {
        if text.count <= Envelope.maxInlineBytes {
            let memory = InlineMemory(maxBytes: Lane.maxInlineMemoryBytes)
            let step = read(text, memory, maxShortMemberBytes: Envelope.maxShortMemberBytes)
            if let step, !memory.isExceeded { return step }
        }
        let owned = try takeOwnership()
        // The validation writes a copy; then the content is decoded.
        let memory = try owned.reserve(text.count / 2 * 5)
        return .next(on: .compute { self.compute(owned, memory) })
    }

    private func compute(_ owned: OwnedContent, _ memory: MemoryReservation) -> Step {
        let step = owned.withBytes { read($0, memory, maxShortMemberBytes: .max) }
        if let denial = memory.denial { return .done(Problem(denial).response(requestID: request.requestID.text)) }
        guard let step else { preconditionFailure("a member of any length is read") }
        return step
    }

    /// - Returns: `nil` if a member is longer than `maxShortMemberBytes`.
    private func read(_ text: Span<UInt8>, _ memory: any MemoryGrant, maxShortMemberBytes: Int) -> Step? {
        let source = RepeatedFetch.Source(.post, request.query, content: text, access)
        if let source, let known = request.service.repeated(source) { return request.step(repeating: known) }
        do throws(EnvelopeError) {
            let call = try EnvelopeReader.readCall(
                text,
                limits: configured.limits,
                memory: memory,
                maxShortMemberBytes: maxShortMemberBytes
            )
            return call.map { step(for: $0, from: source) }
        } catch {
            let problem = Problem(error, of: "the fetch request", as: .invalidFetch)
            return .done(problem.response(requestID: request.requestID.text))
        }
    }

    /// - Parameter source: what determines the request; `nil` if it is too long to be kept.
    private func step(for call: FetchCall, from source: RepeatedFetch.Source?) -> Step {
        do throws(FetchCallError) {
            var pairs = request.query.isEmpty ? [] : try FetchQuery.pairs(request.query)
            try Shard.remove(from: &pairs, of: request.query)
            let callerRequest = try request.service.rules.callerRequest(
                call,
                pairs,
                configured,
                access,
                isMember: true,
                requestID: request.requestID
            )
            var located = request
            located.waiting.location.namesPartition = call.partition != nil
            // The permission to name a partition is that of each request.
            let isRepeatable = call.partition == nil && !call.hasProfile && !pairs.hasProfile
            return located.step(for: callerRequest, from: isRepeatable ? source : nil)
        } catch { return .done(Problem(error).response(requestID: request.requestID.text)) }
    }
}

extension FetchCall {
    /// Whether the request depends on a profile, which can be replaced.
    fileprivate var hasProfile: Bool { options.contains { $0.name == OptionName.profile.rawValue } }
}
