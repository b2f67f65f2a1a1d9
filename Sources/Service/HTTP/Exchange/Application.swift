internal import Serialization

/// The application that responds to requests: the only part of the rest of the service that the HTTP side uses.
protocol Application: Sendable {
    /// Decides from the head alone whether the request is rejected, or its content is accepted.
    ///
    /// Called once per request, on an HTTP thread.
    func plan(for head: borrowing RequestHead) -> Plan

    /// Returns the response to a request that the HTTP side rejects. `requestID` also identifies the occurrence.
    func refuse(_ refusal: TransportRefusal, requestID: RequestID) -> Response
}

/// The decision about a request whose head is complete.
enum Plan: ~Copyable {
    /// The request is rejected with this response. Content that is still received is discarded, within limits, so that
    /// the client receives the response.
    case refuse(Response)

    /// Content of at most `maxContentBytes` is collected, if the ``ContentBudget`` allows it. Then `answer` is called
    /// once with all of it.
    case accept(maxContentBytes: Int, answer: @Sendable (Span<UInt8>) -> Response)

    /// Content is collected as for ``accept(maxContentBytes:answer:)``, but its response may take too long for an HTTP
    /// thread: `answer` is called on one lane after another until it returns a response.
    case acceptOnLanes(maxContentBytes: Int, answer: LaneAnswer)
}

/// Computes a response on a lane, or returns the next lane.
typealias LaneAnswer = @Sendable (Span<UInt8>, Lane) -> Attempt

/// The result of computing a response on a lane.
enum Attempt: ~Copyable {
    case answered(Response)

    /// The computation takes too long for this lane. Never returned on ``Lane/isolated(_:)`` and ``Lane/refused(_:)``.
    case handOn(to: Lane.Kind)
}

/// The reason why the HTTP side rejects a request itself.
enum TransportRefusal: Equatable, Sendable {
    /// The framing violates RFC 9112 or is ambiguous, or the head is too large. 400, 414, 431, 501 or 505, and the
    /// connection is closed.
    case malformedFraming(FramingError)

    /// The received or declared length of the content exceeds the limit of the plan, or `maxBufferedBytes`. 413.
    case contentTooLarge(maxBytes: Int)

    /// All of the memory for content is in use (`maxBufferedBytes`). 503 with `Retry-After`.
    case saturated

    /// The queue of the compute lane is full; its capacity depends on `threads`. 503 with `Retry-After`.
    case computeLaneFull

    /// The client's address has the maximum number of connections (`maxConnectionsPerAddress`). 503, and the connection
    /// is closed.
    case tooManyConnections

    /// The service is stopping, and the response was not computed in time. 503, and the connection is closed.
    case draining
}
