internal import HTTP
internal import Platform
internal import Serialization

/// The facts about one request and its response. They are the only source of the access log and the request metrics.
struct RequestRecord: Sendable {
    var requestID: RequestID

    /// The position of the request in a distributed trace; `nil` if the client sent no valid `traceparent`.
    var trace: TraceContext?

    /// The method as it was received; empty if the head was rejected before the method was read.
    var method: String

    /// The path without the query, as it was received; empty if the head was rejected before the path was read.
    var path: String

    var endpoint: Endpoint

    /// The name of the request's token; `nil` if it has none, or the endpoint needs none.
    var tokenName: String?

    /// The status of the response; `nil` if the connection ended before there was one.
    var status: Int?

    /// The code of the problem; `nil` if the response is not a problem.
    var problem: ProblemCode?

    /// The serializer that produced the value; `nil` if there is no value.
    var serializer: SerializerKind?

    /// The last lane on which the response was computed.
    var lane: Lane

    /// The number of bytes of content that were received.
    var receivedBytes: Int

    /// The number of bytes of content that were passed to the library for sending. If `end` reports a lost connection, the client may have
    /// received fewer.
    var sentBytes: Int

    var durations: StageDurations

    var end: ConnectionEnd

    /// The time at which the exchange ended.
    var time: MonotonicTime
}

/// The endpoint of a request. The log and the metrics use its name.
enum Endpoint: UInt8, CaseIterable, Sendable {
    /// The head was rejected, or the path is unknown.
    case none
    case normalize
    case value
    case message
    case envelope
    case thumbnail
    case fetch
    case image
    case fetches
    case slots
    case cache
    case serializers
    case profiles
    case openAPI
    case problems
    case live
    case ready
    case metrics

    /// The name in the log and in metrics.
    var name: StaticString {
        switch self {
        case .none: "none"
        case .normalize: "normalize"
        case .value: "value"
        case .message: "message"
        case .envelope: "envelope"
        case .thumbnail: "thumbnail"
        case .fetch: "fetch"
        case .image: "image"
        case .fetches: "fetches"
        case .slots: "slots"
        case .cache: "cache"
        case .serializers: "serializers"
        case .profiles: "profiles"
        case .openAPI: "openapi"
        case .problems: "problems"
        case .live: "livez"
        case .ready: "readyz"
        case .metrics: "metrics"
        }
    }
}
