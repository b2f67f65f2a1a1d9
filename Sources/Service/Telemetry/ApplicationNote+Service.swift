internal import HTTP
internal import Serialization

// The notes of the service, which the HTTP side returns with the record of the exchange. Nearly all of them are
// numbers, so that they need no memory of the heap:
//
//     request    bits 0…7: endpoint
//     response   bits 0…7: code + 1    bits 8…15: serializer + 1    bits 32…63: end of the URN    (0: none)

/// The facts about a request that most requests do not have.
private final class RequestDetails: Sendable {
    let tokenName: String?
    let trace: TraceContext?

    init(tokenName: String?, trace: TraceContext?) {
        self.tokenName = tokenName
        self.trace = trace
    }
}

extension Plan {
    /// - Parameters:
    ///   - endpoint: the endpoint that the log and the metrics name.
    ///   - tokenName: the name of the token that the request has, which the log contains; `nil` if there is none.
    ///   - trace: the position of the request in a distributed trace; `nil` if there is none.
    init(
        endpoint: Endpoint,
        tokenName: String? = nil,
        trace: TraceContext? = nil,
        fields: [HeaderFields.Field] = [],
        decision: consuming Decision
    ) {
        var note = ApplicationNote(number: UInt64(endpoint.rawValue))
        if tokenName != nil || trace != nil { note.object = RequestDetails(tokenName: tokenName, trace: trace) }
        self.init(note: note, fields: fields, decision: decision)
    }
}

extension Response {
    /// The code of the problem that the content describes, for the log and the metrics.
    var problem: ProblemCode? {
        get { note.problem }
        set { note.number = note.number & ~0xFF | (newValue.map { UInt64($0.ordinal) + 1 } ?? 0) }
    }

    /// The serializer that produced the content, for the log and the metrics.
    var serializer: SerializerKind? {
        get { note.serializer }
        set { note.number = note.number & ~0xFF00 | (newValue.map { UInt64($0.ordinal) + 1 } ?? 0) << 8 }
    }

    /// The offset of the URN that identifies the request in the content of a problem; `nil` for everything else.
    var instance: Range<Int>? {
        let end = Int(note.number >> 32)
        return end == 0 ? nil : end - Instance.urnBytes..<end
    }

    /// Sets ``instance``.
    /// - Parameter end: the offset after the URN.
    mutating func setInstance(endingAt end: Int) {
        // The URN is near the beginning of the content.
        note.number = note.number & 0xFFFF_FFFF | UInt64(UInt32(end)) << 32
    }

    /// The part of the content that changes when a stored response is validated; `nil` if the content is not stored.
    var upstream: UpstreamPart? {
        get { note.object as? UpstreamPart }
        set { note.object = newValue }
    }
}

extension ApplicationNote {
    fileprivate var problem: ProblemCode? { ProblemCode(ordinal: UInt8(truncatingIfNeeded: number) &- 1) }

    fileprivate var serializer: SerializerKind? { SerializerKind(ordinal: UInt8(truncatingIfNeeded: number >> 8) &- 1) }
}

extension RequestRecord {
    init(_ record: borrowing ExchangeRecord) {
        let details = record.requestNote.object as? RequestDetails
        self.init(
            request: Request(
                id: record.requestID,
                trace: details?.trace,
                method: record.method,
                path: record.path,
                endpoint: Endpoint(rawValue: UInt8(truncatingIfNeeded: record.requestNote.number)) ?? .none,
                tokenName: details?.tokenName
            ),
            response: Response(
                status: record.status,
                problem: record.responseNote.problem,
                serializer: record.responseNote.serializer,
                lane: record.lane,
                sentBytes: record.sentBytes
            ),
            receivedBytes: record.receivedBytes,
            durations: record.durations,
            end: record.end,
            time: record.time
        )
    }
}
