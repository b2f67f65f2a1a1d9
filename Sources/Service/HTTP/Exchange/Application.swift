internal import Serialization

/// What answers requests: the one thing that the HTTP side knows of the rest of the service.
protocol Application: Sendable {
    /// Decides from the head alone: refuse, or take the content and answer. Called once a request, on an HTTP thread.
    func plan(for head: borrowing RequestHead) -> Plan

    /// The answer to what the HTTP side refuses by itself. `requestID` also names the occurrence.
    func refuse(_ refusal: TransportRefusal, requestID: RequestID) -> Response
}

/// What happens to a request whose head is in.
enum Plan: ~Copyable {
    /// Final at once; content that still comes is discarded (bounded) so that the client receives the answer.
    case refuse(Response)

    /// Content of at most `maxContentBytes`, and of what the budget can hold, is collected, then `answer` is called once with all of it.
    case accept(maxContentBytes: Int, answer: @Sendable (Span<UInt8>) -> Response)

    /// The same for an answer that may be too much for an HTTP thread: `answer` is called on one lane after another until
    /// it is done.
    case acceptOnLanes(maxContentBytes: Int, answer: LaneAnswer)
}

/// Works an answer out on a lane, or says which is the next.
typealias LaneAnswer = @Sendable (Span<UInt8>, Lane) -> Attempt

/// What came of an answer on a lane.
enum Attempt: ~Copyable {
    case answered(Response)

    /// It is too much for that lane. Never said on ``Lane/isolated(_:)`` and ``Lane/refused(_:)``.
    case handOn(to: Lane.Kind)
}

/// A request that the HTTP side rejects before the application sees its content.
enum TransportRefusal: Equatable, Sendable {
    /// The framing breaks RFC 9112 or can be read in two ways, or the head is too large: 400, 414, 431, 501 or 505, and the connection
    /// closes.
    case malformedFraming(FramingError)

    /// The content is, or is declared, longer than the plan allows, or than `maxBufferedBytes`. 413.
    case contentTooLarge(maxBytes: Int)

    /// All of the service's content memory is taken (`maxBufferedBytes`). 503 with `Retry-After`.
    case saturated

    /// As many answers wait for a thread of the compute lane as may (`threads`). 503 with `Retry-After`.
    case computeLaneFull

    /// The client's address has as many connections as it may have (`maxConnectionsPerAddress`). 503, and the connection closes.
    case tooManyConnections

    /// The service is stopping, and the answer was not computed in time. 503, and the connection closes.
    case draining
}
