internal import Serialization

/// `POST /v1/normalize/envelope`: the upstream's response as one JSON object.
struct EnvelopeEndpoint: Sendable {
    private let configured: ConfiguredSerializer

    init(configured: ConfiguredSerializer) {
        self.configured = configured
    }

    func plan(for head: borrowing RequestHead) -> Plan {
        let requestID = head.requestID
        let limits = configured.limits
        do {
            try Self.check(head.fields)
            let serializer = try configured.serializer(query: head.target.query)
            let maxBytes = Envelope.maxBytes(maxContentBytes: serializer.limits.maxContentBytes)
            return .acceptOnLanes(maxContentBytes: maxBytes) { text, lane in
                guard lane.takes(textBytes: text.count) else { return .handOn(to: .compute) }
                var envelopeLimits = limits
                envelopeLimits.maxContentBytes = serializer.limits.maxContentBytes
                return Self.answer(text, limits: envelopeLimits, serializer: serializer, requestID: requestID, on: lane)
            }
        } catch {
            return .refuse(Problem(error).response(requestID: requestID.text))
        }
    }

    private static func check(_ fields: borrowing RequestFields) throws(RequestError) {
        var type: String?
        try fields.forEach { (field, name, value) throws(RequestError) in
            switch field {
            case .contentType: type = type.map { "\($0), \(String(field: value))" } ?? String(field: value)
            case .contentEncoding:
                guard value.equals("identity") else { throw .unsupportedContentCoding(String(field: value)) }
            case .upstreamStatus, .upstreamURL, .upstreamMethod, .upstreamUnknown:
                throw .conflictingField(String(field: name))
            case .other, .host, .connection, .expect, .contentLength, .transferEncoding, .requestID, .traceparent:
                break
            }
        }
        let essence = type.map { UpstreamFieldValue.trimmed(String($0.prefix { $0 != ";" })) }
        guard essence?.equalsIgnoringASCIICase("application/json") == true else {
            throw .unsupportedMediaType(got: type)
        }
    }

    private static func answer(
        _ text: Span<UInt8>,
        limits: Limits,
        serializer: ResponseSerializer,
        requestID: RequestID,
        on lane: Lane
    ) -> Attempt {
        let envelope: Envelope
        do {
            envelope = try EnvelopeReader.read(text, limits: limits)
        } catch {
            return .answered(Problem(error).response(requestID: requestID.text))
        }
        func serialize(_ content: Span<UInt8>?) -> Attempt {
            AnswerResponse.serialize(
                envelope.response,
                content: content,
                with: serializer,
                requestID: requestID,
                on: lane
            )
        }
        return switch envelope.content {
        case .none: serialize(nil)
        case .slice(let range): serialize(text.extracting(range))
        case .bytes(let bytes): serialize(bytes.span)
        }
    }
}
