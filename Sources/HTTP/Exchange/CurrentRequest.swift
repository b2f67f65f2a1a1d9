internal import Platform
internal import Primitives

/// What an ``Exchange`` knows about its request, from the end of the head to the end of the exchange.
///
/// The value is replaced as a whole, so that nothing of one request is left for the next one.
struct CurrentRequest: ~Copyable {
    /// Whether the method is HEAD, whose response has no content.
    let isHead: Bool

    let isHTTP10: Bool

    /// The representation that the request wants.
    let representation: ResponseRepresentation

    /// The fields of every response.
    let fields: [HeaderFields.Field]

    var record: ExchangeRecord
}

extension CurrentRequest {
    /// Begins a request whose head is complete.
    @inline(__always)
    init(
        _ head: borrowing RequestHead,
        _ plan: borrowing Plan,
        isHTTP10: Bool,
        representation: ResponseRepresentation,
        at now: MonotonicTime
    ) {
        isHead = head.method == "HEAD"
        self.isHTTP10 = isHTTP10
        self.representation = representation
        fields = plan.fields
        record = ExchangeRecord(head, plan.note, at: now)
    }

    /// Begins a request whose head is rejected.
    init(rejectedHeadOf requestID: RequestID, at now: MonotonicTime) {
        isHead = false
        isHTTP10 = false
        representation = ResponseRepresentation()
        fields = []
        record = ExchangeRecord(rejectedHeadOf: requestID, at: now)
    }

    /// The value between two requests.
    static var none: CurrentRequest { CurrentRequest(rejectedHeadOf: .made(0, 0), at: .never) }
}
