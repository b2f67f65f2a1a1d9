internal import HTTP
internal import Serialization

/// `POST /v1/normalize/envelope`: the upstream response as one JSON object.
struct EnvelopeEndpoint: Sendable {
    private let configured: ConfiguredSerializer

    init(configured: ConfiguredSerializer) {
        self.configured = configured
    }

    func plan(for head: borrowing RequestHead) -> Plan.Decision {
        let requestID = head.requestID
        let limits = configured.limits
        do {
            try RequestFormat.envelope.check(head.fields)
            let serializer = try configured.serializer(query: head.target.query)
            let maxBytes = Envelope.maxBytes(maxContentBytes: serializer.limits.maxContentBytes)
            var envelopeLimits = limits
            envelopeLimits.maxContentBytes = serializer.limits.maxContentBytes
            return .accept(maxContentBytes: maxBytes) {
                [envelopeLimits] (text, takeOwnership) throws(RejectionReason) in
                if text.count <= Envelope.maxInlineBytes,
                    let step = try Self.begin(text, takeOwnership, limits: envelopeLimits, serializer, requestID)
                {
                    return step
                }
                return try Self.readOnCompute(try takeOwnership(), limits: envelopeLimits, serializer, requestID)
            }
        } catch {
            return .respond(Problem(error).response(requestID: requestID.text))
        }
    }

    private static func readOnCompute(
        _ text: OwnedContent,
        limits: Limits,
        _ serializer: ResponseSerializer,
        _ requestID: RequestID
    ) throws(RejectionReason) -> Step {
        // The validation writes a copy, and the content is decoded after that.
        let memory = try text.reserve(text.count / 2 * 5)
        return .next(on: .compute { respondOnCompute(text, memory, limits: limits, serializer, requestID) })
    }

    /// Reads an envelope on the HTTP thread.
    /// - Returns: `nil` if this would take too much time.
    private static func begin(
        _ text: Span<UInt8>,
        _ takeOwnership: () throws(RejectionReason) -> OwnedContent,
        limits: Limits,
        _ serializer: ResponseSerializer,
        _ requestID: RequestID
    ) throws(RejectionReason) -> Step? {
        let envelope: Envelope
        let memory = InlineMemory(maxBytes: Lane.maxInlineMemoryBytes)
        do {
            guard let short = try EnvelopeReader.readShort(text, limits: limits, memory: memory) else { return nil }
            envelope = short
        } catch {
            if memory.isExceeded {
                return try readOnCompute(try takeOwnership(), limits: limits, serializer, requestID)
            }
            return .done(Problem(error).response(requestID: requestID.text))
        }
        let normalization = Normalization(of: envelope.response, with: serializer, requestID: requestID)
        switch envelope.content {
        case .none:
            return try normalization.begin(nil) { () throws(RejectionReason) in
                .none(try takeOwnership().reserve(0))
            }
        case .slice(let range):
            return try normalization.begin(text.extracting(range)) { () throws(RejectionReason) in
                .slice(try takeOwnership(), range)
            }
        case .bytes(let bytes):
            return try normalization.begin(bytes.span) { () throws(RejectionReason) in
                .bytes(bytes, try takeOwnership().reserve(bytes.count))
            }
        }
    }

    /// Reads an envelope on the compute lane.
    private static func respondOnCompute(
        _ text: OwnedContent,
        _ memory: MemoryReservation,
        limits: Limits,
        _ serializer: ResponseSerializer,
        _ requestID: RequestID
    ) -> Step {
        let envelope: Envelope
        do {
            envelope = try text.withBytes { text throws(EnvelopeError) in
                try EnvelopeReader.read(text, limits: limits, memory: memory)
            }
        } catch {
            if let denial = memory.denial { return .done(Problem(denial).response(requestID: requestID.text)) }
            return .done(Problem(error).response(requestID: requestID.text))
        }
        let content: NormalizedContent =
            switch envelope.content {
            case .none: .none(memory)
            case .slice(let range): .slice(text, range)
            case .bytes(let bytes): .bytes(bytes, memory)
            }
        // The remaining memory is that of the decoded content.
        memory.resize(to: envelope.decodedBytes)
        return Normalization(of: envelope.response, with: serializer, requestID: requestID).compute(content)
    }
}
