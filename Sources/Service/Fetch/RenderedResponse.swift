internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization
internal import Synchronization

/// A response that several clients receive.
final class RenderedResponse: Sendable {
    let status: Int
    let contentType: StaticString?
    let fields: [HeaderFields.Field]
    /// The content; that of a problem after ``beforeInstance`` and the URN of one request.
    let content: SharedBytes
    /// The content of a problem before the URN that identifies the request; `nil` if the content is the same for all
    /// requests.
    private let beforeInstance: [UInt8]?
    let problem: ProblemCode?
    let serializer: SerializerKind?
    /// The part of the content that changes when the stored response is validated; `nil` if there is none.
    let upstream: UpstreamPart?
    let entityTag: String?
    /// How its memory is charged until a cache pays for it.
    private let ownCharge: ResponseCharge
    private let isPaid = Atomic<Bool>(false)

    /// How its memory is charged.
    var charge: ResponseCharge { isPaid.load(ordering: .relaxed) ? .once : ownCharge }

    private let decoding = Atomic<UInt64>(0)

    /// The time for computing it, in nanoseconds.
    var decodingNanoseconds: UInt64 { decoding.load(ordering: .relaxed) }

    func add(decodingNanoseconds: UInt64) {
        decoding.store(decodingNanoseconds, ordering: .relaxed)
    }

    /// - Parameter tag: what the entity tag depends on; `nil` if the response of the origin is not stored.
    init(_ response: consuming Response, _ tag: RenditionTag?) {
        status = response.status
        contentType = response.contentType
        fields = response.fields
        problem = response.problem
        serializer = response.serializer
        ownCharge = response.charge
        upstream = response.upstream
        let instance = response.instance
        let all: SharedBytes
        switch response.takeContent() {
        case .buffer(var buffer):
            buffer.shrink()
            all = SharedBytes(buffer)
        case .shared(let buffers):
            var joined = OutputBuffer(capacity: buffers.reduce(0) { $0 + $1.count })
            for buffer in buffers { buffer.withBytes { joined.append($0) } }
            all = SharedBytes(joined)
        }
        if let instance {
            var after = OutputBuffer(capacity: all.count - instance.upperBound)
            all.withBytes { after.append($0.extracting(instance.upperBound...)) }
            content = SharedBytes(after)
            beforeInstance = all.withBytes { bytes in (0..<instance.lowerBound).map { bytes[$0] } }
        } else {
            (beforeInstance, content) = (nil, all)
        }
        if problem == nil, let tag {
            entityTag = tag.text(
                of: RenderedParts(
                    status: status,
                    contentType: contentType,
                    fields: fields,
                    content: content,
                    upstream: upstream
                )
            )
        } else {
            entityTag = nil
        }
        if case .reserved(let memory) = ownCharge { memory.resize(to: count) }
    }

    /// The length of the content that each request receives, in bytes.
    var count: Int { content.count + (beforeInstance.map { $0.count + Instance.urnBytes } ?? 0) }

    /// Returns the content that a request receives. A problem has the identifier of this request, not that of the one
    /// for which it was made.
    func content(for requestID: RequestID) -> ResponseContent {
        guard let beforeInstance else { return .shared([content]) }
        return .shared([SharedBytes(beforeInstance + Instance.urn(requestID: requestID.text).utf8), content])
    }

    private init(_ response: RenderedResponse, _ content: SharedBytes, _ upstream: UpstreamPart?) {
        status = response.status
        contentType = response.contentType
        fields = response.fields
        problem = response.problem
        serializer = response.serializer
        entityTag = response.entityTag.map { _ in
            RenditionTag.response.text(
                of: RenderedParts(
                    status: response.status,
                    contentType: response.contentType,
                    fields: response.fields,
                    content: content,
                    upstream: upstream
                )
            )
        }
        ownCharge = .pending
        beforeInstance = response.beforeInstance
        self.content = content
        self.upstream = upstream
    }

    /// Returns the response with another object `upstream`; `nil` if the content is too long to be copied here.
    func replacing(_ part: UpstreamPart, by facts: UpstreamFacts) -> RenderedResponse? {
        guard content.count <= Lane.maxInlineBytes else { return nil }
        let (content, part) = part.replaced(by: facts, in: content)
        return RenderedResponse(self, content, part)
    }
}

extension RenderedResponse: FlightResponse {
    var unchargedBytes: Int {
        if case .pending = charge { count } else { 0 }
    }

    var heapBytes: Int {
        var bytes = content.heapBytes + fields.heapBytes
        if let upstream { bytes += (upstream.facts.head?.fields.heapBytes ?? 0) + CacheCost.upstreamBytes }
        return bytes
    }

    /// The links of a feed are resolved with the URL.
    var dependsOnURL: Bool { serializer == .feed }

    var verdict: RenditionVerdict {
        guard problem != nil else { return .usable }
        return status == 422 ? .rejected : .unknown
    }

    func retain(_ charge: CacheCharge) {
        content.attach(charge)
        isPaid.store(true, ordering: .relaxed)
        if case .reserved(let memory) = ownCharge { memory.resize(to: 0) }
    }

    func describing(
        _ stored: StoredResponse,
        _ path: ResponsePath,
        for request: any RenditionRequest
    ) -> (any FlightResponse)? {
        guard let upstream else { return self }
        let facts = upstream.facts.replacing(
            HeaderFields(stored.head.fields),
            request.inService.serializer.options.upstreamHeaders,
            url: path.url,
            history: path.history.map { PrecedingResponse($0) }
        )
        return replacing(upstream, by: facts)
    }
}
