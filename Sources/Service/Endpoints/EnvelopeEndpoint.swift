internal import HTTP
internal import Serialization

/// `POST /v1/normalize/envelope`: the upstream response as one JSON object.
struct EnvelopeEndpoint: Sendable {
    let configured: ConfiguredSerializer
    /// Whether the direct form requires the status of the upstream response.
    let requiresStatus: Bool

    func plan(for head: borrowing RequestHead) -> Plan.Decision {
        let requestID = head.requestID
        do {
            try RequestFormat.envelope.check(head.fields)
            let serializer = try configured.serializer(query: head.target.query)
            let maxBytes = Envelope.maxBytes(maxContentBytes: serializer.limits.maxContentBytes)
            let reading = Reading(
                limits: Envelope.limits(of: configured.limits, for: serializer),
                serializer: serializer,
                requestID: requestID,
                requiresStatus: requiresStatus
            )
            return .accept(maxContentBytes: maxBytes) { (text, takeOwnership) throws(RejectionReason) in
                if text.count <= Envelope.maxInlineBytes, let step = try reading.begin(text, takeOwnership) {
                    return step
                }
                return try reading.readOnCompute(try takeOwnership())
            }
        } catch { return .respond(Problem(error).response(requestID: requestID.text)) }
    }
}

/// The steps of one request.
private struct Reading: Sendable {
    let limits: Limits
    let serializer: ResponseSerializer
    let requestID: RequestID
    let requiresStatus: Bool

    func readOnCompute(_ text: OwnedContent) throws(RejectionReason) -> Step {
        let memory = try text.reserve(Envelope.readingBytes(of: text.count))
        return .next(on: .compute { self.respondOnCompute(text, memory) })
    }

    /// Reads an envelope on the HTTP thread.
    /// - Returns: `nil` if this would take too much time.
    func begin(
        _ text: Span<UInt8>,
        _ takeOwnership: () throws(RejectionReason) -> OwnedContent
    ) throws(RejectionReason) -> Step? {
        let envelope: Envelope
        let memory = InlineMemory(maxBytes: Lane.maxInlineMemoryBytes)
        do {
            guard let short = try EnvelopeReader.readShort(text, limits: limits, memory: memory) else { return nil }
            envelope = short
        } catch {
            if !memory.isExceeded, text.count <= Self.maxInlineTrialBytes || !error.isOfOtherContent {
                let response = response(error, text, memory)
                if !memory.isExceeded { return .done(response) }
            }
            return try readOnCompute(try takeOwnership())
        }
        let normalization = Normalization(of: envelope.response, with: serializer, requestID: requestID)
        let decodedBytes = envelope.content?.decodedBytes ?? 0
        return try normalization.begin(envelope.content, in: text, decodedBytes: decodedBytes, takeOwnership)
    }

    /// Reads an envelope on the compute lane.
    private func respondOnCompute(_ text: OwnedContent, _ memory: MemoryReservation) -> Step {
        let envelope: Envelope
        do {
            envelope = try text.withBytes { text throws(EnvelopeError) in
                try EnvelopeReader.read(text, limits: limits, memory: memory)
            }
        } catch {
            if let denial = memory.denial { return .done(Problem(denial).response(requestID: requestID.text)) }
            return .done(text.withBytes { response(error, $0, memory) })
        }
        let normalization = Normalization(of: envelope.response, with: serializer, requestID: requestID)
        return normalization.compute(envelope.content, in: text, memory)
    }

    // MARK: Content without an envelope

    /// The maximum length of content that an HTTP thread tries in the direct form, in bytes, inclusive.
    private static let maxInlineTrialBytes = 2 << 10

    /// The maximum length of content that is tried in the direct form, in bytes, inclusive.
    private static let maxTrialBytes = 1 << 20

    /// Returns the response for an invalid envelope, which proposes the direct form if that accepts the content.
    private func response(_ error: EnvelopeError, _ text: Span<UInt8>, _ memory: any MemoryGrant) -> Response {
        var problem = Problem(error)
        if error.isOfOtherContent, isAcceptedDirectly(text, memory) {
            problem.accepts = .path(Endpoint.normalize.row.paths[0])
        }
        return problem.response(requestID: requestID.text)
    }

    private func isAcceptedDirectly(_ text: Span<UInt8>, _ memory: any MemoryGrant) -> Bool {
        guard !requiresStatus, text.count <= min(Self.maxTrialBytes, serializer.limits.maxContentBytes) else {
            return false
        }
        // An envelope has this type, and the request has no fields of an upstream response.
        let response = UpstreamResponse(statusAssumed: true, fields: .plainJSON)
        do throws(SerializationFailure) {
            _ = try serializer.serialize(response, content: text, memory: memory)
            return true
        } catch { return false }
    }
}
