extension EventStreamError: ContentError {
    package var diagnostic: Diagnostic { reasonDiagnostic.at(location, found: found, excerpt: excerpt) }

    package var isOutOfMemory: Bool { reason == .outOfMemory }

    package var remedies: [Remedy.Candidate] {
        switch reason {
        case .invalidEncoding, .unsupportedCharset: [.otherCharset, .lenient]
        case .unfinished: [.truncated]
        case .outOfMemory: []
        }
    }

    private var reasonDiagnostic: Diagnostic {
        switch reason {
        case .invalidEncoding(let encoding):
            Diagnostic(.eventsInvalidEncoding, "the content is not valid \(encoding.uppercased())")
        case .unsupportedCharset(let label):
            Diagnostic(
                .charsetUnsupported,
                "the charset '\(label.excerpt)' is not supported, and the content is not valid UTF-8"
            )
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
