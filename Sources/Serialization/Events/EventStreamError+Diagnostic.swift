extension EventStreamReason: TextErrorReason {
    package var remedies: [Remedy.Candidate] {
        switch self {
        case .invalidEncoding, .unsupportedCharset: [.otherCharset, .lenient]
        // Without an event, nothing would remain.
        case .unfinished(let hasEvents): hasEvents ? [.truncated] : []
        case .outOfMemory: []
        }
    }

    package var diagnostic: Diagnostic {
        switch self {
        case .invalidEncoding(let encoding):
            Diagnostic(.eventsInvalidEncoding, "the content is not valid \(encoding.uppercased())")
        case .unsupportedCharset(let label): .unsupportedCharset(label)
        case .unfinished:
            Diagnostic(
                .eventsUnfinished,
                "the content ends before the empty line that ends the last event",
                expected: ["an empty line"]
            )
        case .outOfMemory: .outOfMemory
        }
    }
}
