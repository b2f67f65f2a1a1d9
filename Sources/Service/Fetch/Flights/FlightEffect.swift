internal import Fetching
internal import Serialization
internal import Synchronization

/// What the caller of ``FlightTable`` must do after a change, in this order.
enum FlightEffect {
    /// Sends a frame to the fetcher.
    case send(FetchCommand)

    /// Delivers the result of a request. No other response follows for its ticket.
    case deliver(ticket: UInt64, FlightResult, FlightFacts)

    /// Delivers a result that was kept, to a request about its receipt.
    case deliverKept(ticket: UInt64, KeptResult)

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
    let content: SharedBytes
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
        switch consume response.content {
        case .buffer(var buffer):
            buffer.shrink()
            content = SharedBytes(buffer)
        case .shared(let buffers):
            var all = OutputBuffer(capacity: buffers.reduce(0) { $0 + $1.count })
            for buffer in buffers { buffer.withBytes { all.append($0) } }
            content = SharedBytes(all)
        case .stream: content = SharedBytes([])
        }
        if case .reserved(let memory) = charge { memory.resize(to: content.count) }
    }

    private init(_ response: RenderedResponse, _ content: SharedBytes, _ upstream: UpstreamPart?) {
        status = response.status
        contentType = response.contentType
        fields = response.fields
        problem = response.problem
        serializer = response.serializer
        // It is a copy, which no cache pays for.
        charge = .pending
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
