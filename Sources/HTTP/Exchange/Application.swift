package import Primitives

/// The application that responds to requests.
package protocol Application: Sendable {
    /// Decides from the head how the request is handled.
    ///
    /// Called once per request, on an HTTP thread.
    func plan(for head: borrowing RequestHead) -> Plan

    /// Returns the response to a request that this module or a lane rejects. `requestID` also identifies the
    /// occurrence.
    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response
}

/// The decision about a request whose head is complete.
package struct Plan: ~Copyable {
    package enum Decision: ~Copyable {
        /// The response depends on the head alone. Content that is still received is discarded, within limits, so that
        /// the client receives the response.
        case respond(Response)

        /// Content of at most `maxContentBytes` bytes is collected, if the ``MemoryAccount`` allows it. Then
        /// `firstStep` is called once with the complete content.
        case accept(maxContentBytes: Int, firstStep: FirstStep)
    }

    /// What the application knows about the request when the exchange is complete.
    package var note: ApplicationNote

    /// The fields of every response to the request, also of those that this module or a lane creates. A value of `Vary`
    /// is appended to that of the response.
    package var fields: [HeaderFields.Field] = []

    package var decision: Decision

    package init(note: ApplicationNote, fields: [HeaderFields.Field] = [], decision: consuming Decision) {
        self.note = note
        self.fields = fields
        self.decision = decision
    }
}

/// The reason why this module or a lane rejects a request without the application.
package enum RejectionReason: Error, Equatable, Sendable {
    /// The framing violates RFC 9112 or is ambiguous, or the head is too large. 400, 414, 431, 501 or 505, and the
    /// connection is closed.
    case malformedFraming(FramingError)

    /// The received or declared length of the content exceeds the limit of the plan, or `maxBufferedBytes`. 413.
    case contentTooLarge(maxBytes: Int)

    /// Other requests use the memory (`maxBufferedBytes`). 503 with `Retry-After`.
    case saturated

    /// The content, its decoding and its response together may exceed the total memory (`maxBufferedBytes`). 413.
    case neverFits(neededBytes: Int, maxBytes: Int)

    /// The HTTP thread has used too much processor time in one iteration, and the content would have to wait for the
    /// compute lane. 503 with `Retry-After`.
    case overloaded

    /// The queue of the compute lane is full. 503 with `Retry-After`.
    case computeLaneFull

    /// The request has waited in the queue of a lane for the maximum time (`queueTimeoutSeconds`). 503 with
    /// `Retry-After`.
    case queueTimeout(Lane)

    /// The client's address has the maximum number of connections (`maxConnectionsPerAddress`). 503, and the connection
    /// is closed.
    case tooManyConnections

    /// The service is stopping, and the response was not computed in time. 503, and the connection is closed.
    case draining
}
