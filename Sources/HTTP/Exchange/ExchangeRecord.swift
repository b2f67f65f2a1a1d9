package import Platform

/// The facts about one request and its response. It begins with the head of the request, and is complete when the
/// exchange ends.
package struct ExchangeRecord: ~Copyable, Sendable {
    package let requestID: RequestID

    /// The method as it was received; empty if the head was rejected before the method was read.
    package let method: String

    /// The path without the query, as it was received; empty if the head was rejected before the path was read.
    package let path: String

    /// What the application noted about the request; empty if the head was rejected.
    package let requestNote: ApplicationNote

    /// The status of the response; `nil` if the connection ended before there was one.
    package private(set) var status: Int?

    /// What the application noted about the response; empty if the connection ended before there was one.
    package private(set) var responseNote = ApplicationNote()

    /// The last lane on which the response was computed.
    package private(set) var lane = Lane.inline

    /// The number of bytes of content that were received.
    package internal(set) var receivedBytes = 0

    /// The number of bytes of content that were passed to the library for sending. If `end` reports a lost connection,
    /// the client may have received fewer.
    package private(set) var sentBytes = 0

    package internal(set) var durations = StageDurations()

    /// The time at which the head was complete.
    let start: MonotonicTime

    /// The time at which the exchange ended.
    package private(set) var time = MonotonicTime.never

    /// How the exchange ended. If the connection is lost and the service has not ended it, its client has.
    package private(set) var end = ConnectionEnd.clientGone

    /// Whether the service has ended the connection.
    private var isEndedByService = false

    /// Begins the record of a request whose head is complete.
    @inline(__always) init(_ head: borrowing RequestHead, _ note: ApplicationNote, at now: MonotonicTime) {
        requestID = head.requestID
        method = head.method
        path = head.target.path
        requestNote = note
        start = now
    }

    /// Begins the record of a request whose head is rejected.
    init(rejectedHeadOf requestID: RequestID, at now: MonotonicTime) {
        self.requestID = requestID
        method = ""
        path = ""
        requestNote = ApplicationNote()
        start = now
    }

    /// Adds the lane that the computation of the response has reached, and the durations of its stages.
    mutating func add(_ progress: (lane: Lane, durations: StageDurations)) {
        lane = progress.lane
        durations.waitingForCompute = progress.durations.waitingForCompute
        durations.waitingForWorker = progress.durations.waitingForWorker
        durations.decoding += progress.durations.decoding
        durations.fetching = progress.durations.fetching
    }

    /// Notes why the service ends the connection before the response is sent. Only the first reason counts.
    mutating func note(earlyEnd reason: ConnectionEnd) {
        guard !isEndedByService else { return }
        isEndedByService = true
        end = reason
    }

    /// Completes the record.
    /// - Parameters:
    ///   - sending: the response; `nil` if the connection ended before there was one.
    ///   - end: how the exchange ended if the response was sent; `nil` if the connection is lost.
    mutating func complete(_ sending: consuming ExchangePhase.Sending?, _ end: ConnectionEnd?, at now: MonotonicTime) {
        if let end { self.end = end }
        time = now
        durations.total = now.nanoseconds(since: start)
        guard let sending else { return }
        status = sending.status
        responseNote = sending.note
        sentBytes = sending.sentBytes
        durations.sending = now.nanoseconds(since: sending.start)
    }
}

/// The durations of the stages of one exchange, in nanoseconds. A stage that did not take place has the duration 0.
package struct StageDurations: Equatable, Sendable {
    /// The time from the end of the head to the end of the content.
    package var receiving: UInt64 = 0

    /// The time in the queue of the compute lane.
    package var waitingForCompute: UInt64 = 0

    /// The time in the queues of the lanes that wait for other processes.
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
