internal import Fetching
internal import HTTP
internal import Serialization
internal import Synchronization

/// What the caller of ``FlightTable`` must do after a change, in this order.
enum FlightEffect {
    /// Sends a frame to the fetcher.
    case send(FetchCommand)

    /// Delivers the result of a request. No other response follows for its ticket.
    case deliver(ticket: UInt64, FlightResult, FlightFacts)

    /// Delivers a result that was kept, to a request about its receipt.
    case deliverKept(ticket: UInt64, KeptResult, FlightFacts)

    /// Delivers 202. The result is kept under the name of the receipt.
    /// - Parameter stale: the stored image that is being validated; `nil` if there is none.
    case postpone(ticket: UInt64, receipt: String, isPreference: Bool, stale: RenderedResponse? = nil)

    /// Delivers 202 to a request about a receipt.
    /// - Parameter isImage: whether the result will be an image.
    case postponeAgain(ticket: UInt64, receipt: String, isImage: Bool)

    /// Delivers the reply to a request about a receipt or a slot.
    case reply(ticket: UInt64, FlightReply)

    /// Decodes a response once for a group of requests; ``FlightTable/serialized(job:_:at:)`` follows.
    case serialize(FlightJob)

    /// Drops a serialization whose result is not needed, unless it has begun. Its result is ignored.
    case drop(job: UInt64)

    /// A flight has ended.
    case log(FlightLog)
}

/// The reply to a request about a receipt or a slot.
enum FlightReply: Equatable {
    case cancelled(Int)
    /// Nothing has this name.
    case missing
}

/// The result of a request.
enum FlightResult {
    case rendered(RenderedResponse)
    case failed(FlightFailure)
}

/// One serialization.
struct FlightJob {
    let number: UInt64
    let order: FetchOrder
    let response: UpstreamResponse
    /// Whether the result is kept below a stored response.
    let isKept: Bool
    let content: NormalizedContent
    /// The thumbnails of the same image; `nil` if the response is not a thumbnail.
    let renderings: RenderingBatch?
    /// The request that caused it; `nil` if no client waits for it.
    var ticket: UInt64?
}

/// A response that several clients receive.
final class RenderedResponse: Sendable {
    let status: Int
    let contentType: StaticString?
    let fields: [HeaderFields.Field]
    /// The content; that of a problem after ``beforeInstance`` and the URN of one request.
    let content: SharedBytes
    /// The content of a problem before the URN that identifies the request; `nil` if the content is the same for all requests.
    private let beforeInstance: [UInt8]?
    let problem: ProblemCode?
    let serializer: SerializerKind?
    /// The part of the content that changes when the stored response is validated; `nil` if there is none.
    let upstream: UpstreamPart?
    /// How its memory is charged.
    let charge: ResponseCharge

    private let decoding = Atomic<UInt64>(0)

    /// The time for computing it, in nanoseconds.
    var decodingNanoseconds: UInt64 { decoding.load(ordering: .relaxed) }

    func note(decodingNanoseconds: UInt64) {
        decoding.store(decodingNanoseconds, ordering: .relaxed)
    }

    init(_ response: consuming Response) {
        status = response.status
        contentType = response.contentType
        fields = response.fields
        problem = response.problem
        serializer = response.serializer
        charge = response.charge
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
        if case .reserved(let memory) = charge { memory.resize(to: count) }
    }

    /// The length of the content that each request receives, in bytes.
    var count: Int { content.count + (beforeInstance.map { $0.count + Instance.urnBytes } ?? 0) }

    /// Returns the content that a request receives. A problem has the identifier of this request, not that of the one for which it was made.
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
        // It is a copy, which no cache pays for.
        charge = .pending
        beforeInstance = response.beforeInstance
        self.content = content
        self.upstream = upstream
    }

    /// Returns the response with another object `upstream`.
    func replacing(_ part: UpstreamPart, by facts: UpstreamFacts) -> RenderedResponse {
        let (content, part) = part.replaced(by: facts, in: content)
        return RenderedResponse(self, content, part)
    }

    /// Whether other requests with the same options may receive it later. A problem names its request.
    var isStorable: Bool { problem == nil }
}

/// What is logged about a flight.
struct FlightLog: Sendable {
    /// The entry of `fetch-allow` that permitted the URL.
    var entry: String
    var facts: FlightFacts
    /// The number of requests that received the result.
    var receipts: Int
    /// `nil` if the origin responded.
    var failure: FlightFailure?
    /// The cause in words, which callers do not see.
    var cause = ""
    var contentBytes = 0
}
