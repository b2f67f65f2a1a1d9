package import Platform

/// The facts about one request and its response. An exchange creates its record once, when it ends.
package struct ExchangeRecord: Sendable {
    package var requestID: RequestID

    /// The method as it was received; empty if the head was rejected before the method was read.
    package var method: String

    /// The path without the query, as it was received; empty if the head was rejected before the path was read.
    package var path: String

    /// What the application noted about the request; empty if the head was rejected.
    package var requestNote: ApplicationNote

    /// The status of the response; `nil` if the connection ended before there was one.
    package var status: Int?

    /// What the application noted about the response; empty if the connection ended before there was one.
    package var responseNote: ApplicationNote

    /// The last lane on which the response was computed.
    package var lane: Lane

    /// The number of bytes of content that were received.
    package var receivedBytes: Int

    /// The number of bytes of content that were passed to the library for sending. If `end` reports a lost connection, the client may have
    /// received fewer.
    package var sentBytes: Int

    package var durations: StageDurations

    package var end: ConnectionEnd

    /// The time at which the exchange ended.
    package var time: MonotonicTime
}

/// The durations of the stages of one exchange, in nanoseconds. A stage that did not take place has the duration 0.
package struct StageDurations: Equatable, Sendable {
    /// The time from the end of the head to the end of the content.
    package var receiving: UInt64 = 0

    /// The time in the queue of the compute lane.
    package var waitingForCompute: UInt64 = 0

    /// The time in the queue of the isolated lane.
    package var waitingForWorker: UInt64 = 0

    /// The time of waiting for an origin, with that for decoding its response.
    package var fetching: UInt64 = 0

    /// The time for computing the response, on all lanes together.
    package var decoding: UInt64 = 0

    /// The time from passing the response to the library to its last byte.
    package var sending: UInt64 = 0

    /// The time from the end of the head to the end of the exchange.
    package var total: UInt64 = 0
}

/// The state of the connection when an exchange ended.
package enum ConnectionEnd: UInt8, CaseIterable, Sendable {
    /// The response was sent, and the connection stays open for the next request.
    case kept
    /// The response was sent, and the connection is closed.
    case closed
    /// The client closed or reset the connection before it had received the response.
    case clientGone
    /// A time limit expired, because the client was too slow.
    case timedOut
    /// The service stopped before the response was sent.
    case stopped
    /// The response could not be completed.
    case aborted

    /// The name in the log and in metrics.
    package var name: StaticString {
        switch self {
        case .kept: "kept"
        case .closed: "closed"
        case .clientGone: "client_gone"
        case .timedOut: "timed_out"
        case .stopped: "stopped"
        case .aborted: "aborted"
        }
    }
}
