internal import HTTP
internal import Platform
internal import Serialization

/// The facts about one request and its response. They are the only source of the access log and the request metrics.
struct RequestRecord: Sendable {
    var request: Request
    var response: Response

    /// The number of bytes of content that were received.
    var receivedBytes: Int

    var durations: StageDurations

    var end: ConnectionEnd

    /// The time at which the exchange ended.
    var time: MonotonicTime

    /// What the head of the request contains.
    struct Request: Sendable {
        var id: RequestID

        /// The position of the request in a distributed trace; `nil` if the client sent no valid `traceparent`.
        var trace: TraceContext?

        /// The method as it was received; empty if the head was rejected before the method was read.
        var method: String

        /// The path without the query, as it was received; empty if the head was rejected before the path was read.
        var path: String

        var endpoint: Endpoint

        /// The name of the request's token; `nil` if it has none, or the endpoint needs none.
        var tokenName: String?
    }

    struct Response: Sendable {
        /// `nil` if the connection ended before there was a response.
        var status: Int?

        /// The code of the problem; `nil` if the response is not a problem.
        var problem: ProblemCode?

        /// The serializer that produced the value; `nil` if there is no value.
        var serializer: SerializerKind?

        /// The last lane on which the response was computed.
        var lane: Lane

        /// The number of bytes of content that were passed to the library for sending. If `end` reports a lost
        /// connection, the client may have received fewer.
        var sentBytes: Int
    }
}
