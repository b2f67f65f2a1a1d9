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
    let content: SharedContent
    /// The content of a problem before the URN that identifies the request; `nil` if the content is the same for all
    /// requests.
    private let beforeInstance: SharedContent?
    let problem: ProblemCode?
    let serializer: SerializerKind?
    /// The part of the content that changes when the stored response is validated; `nil` if there is none.
    let upstream: UpstreamPart?
    /// The hash of what does not change when the stored response is validated; `nil` if the response of the origin is
    /// not stored, or this is a problem.
    private let contentHash: UInt128?
    /// How its memory is charged until a cache pays for it.
    private let ownCharge: ResponseCharge
    private let isPaid = Atomic<Bool>(false)

    /// How its memory is charged.
    var charge: ResponseCharge { isPaid.load(ordering: .relaxed) ? .once : ownCharge }

    private let decoding = Atomic<UInt64>(0)

    /// The time for computing it, in nanoseconds.
    var decodingNanoseconds: UInt64 { decoding.load(ordering: .relaxed) }

    func add(decodingNanoseconds: UInt64) { decoding.store(decodingNanoseconds, ordering: .relaxed) }

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
        let all: SharedContent
        switch response.takeContent() {
        case .buffer(var buffer):
            buffer.shrink()
            all = SharedContent(buffer)
        case .shared(let shared): all = shared
        }
        if let instance {
            beforeInstance = all.extracting(0..<instance.lowerBound)
            content = all.extracting(instance.upperBound..<all.count)
        } else {
            (beforeInstance, content) = (nil, all)
        }
        contentHash = problem == nil ? tag?.hash(of: content, without: upstream) : nil
        if case .reserved(let memory) = ownCharge { memory.resize(to: count) }
    }

    /// The length of the content that each request receives, in bytes.
    var count: Int { content.count + (beforeInstance.map { $0.count + Instance.urnBytes } ?? 0) }

    /// Returns the content that a request receives. A problem has the identifier of this request, not that of the one
    /// for which it was made.
    func content(for requestID: RequestID) -> ResponseContent {
        guard let beforeInstance else { return .shared(content) }
        let urn = SharedContent(Instance.urn(requestID: requestID.text).utf8)
        return .shared(.joining([beforeInstance, urn, content]))
    }

    /// Creates the response that describes the same content otherwise.
    private init(_ response: RenderedResponse, _ content: SharedContent, _ upstream: UpstreamPart) {
        status = response.status
        contentType = response.contentType
        fields = response.fields
        problem = response.problem
        serializer = response.serializer
        contentHash = response.contentHash
        // What it shares with the other response is paid for.
        ownCharge = .pending
        beforeInstance = response.beforeInstance
        self.content = content
        self.upstream = upstream
    }

    /// Returns the response with another object `upstream`.
    func replacing(_ part: UpstreamPart, by facts: UpstreamFacts) -> RenderedResponse {
        let (content, part) = part.replaced(by: facts, in: content)
        return RenderedResponse(self, content, part)
    }
}

extension RenderedResponse: FlightResponse {
    var unchargedBytes: Int { if case .pending = charge { content.ownBytes } else { 0 } }

    var entityTag: String? { contentHash.map { RenditionTag.text(of: self, $0) } }

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
    ) -> any FlightResponse {
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
