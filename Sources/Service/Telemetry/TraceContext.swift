internal import HTTP
internal import Serialization
internal import Synchronization

/// The position of a request in a distributed trace (W3C Trace Context, field `traceparent`).
struct TraceContext: Equatable, Sendable {
    /// The identifier of the trace: the high and the low 64 bits, not both zero.
    var traceID: (high: UInt64, low: UInt64)

    /// The identifier of the caller's span, not zero.
    var parentID: UInt64

    /// The identifier of the span that represents this request, not zero.
    var spanID: UInt64

    static func == (left: TraceContext, right: TraceContext) -> Bool {
        left.traceID == right.traceID && left.parentID == right.parentID && left.spanID == right.spanID
    }
}

extension RequestFields {
    /// The position of the request in its trace, with a new span; `nil` if there is no valid `traceparent`.
    var trace: TraceContext? {
        let (entry, isRepeated) = onlyEntry(of: .traceparent)
        // W3C Trace Context §3.2.1: if there are several fields, all of them are ignored.
        guard let entry, !isRepeated else { return nil }
        return TraceContext(parsing: head.span.extracting(entry.valueRange), spanID: SpanIDGenerator.next())
    }
}

/// A generator of span identifiers for all threads: 64 bits, not zero (W3C Trace Context §3.2.2.4). They are distinct,
/// but not secret.
private enum SpanIDGenerator {
    private static let state: Atomic<UInt64> = {
        var system = SystemRandomNumberGenerator()
        return Atomic(system.next())
    }()

    static func next() -> UInt64 {
        max(SplitMix64.mix(state.wrappingAdd(SplitMix64.increment, ordering: .relaxed).newValue), 1)
    }
}
