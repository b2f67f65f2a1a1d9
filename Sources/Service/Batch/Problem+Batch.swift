internal import Batch
internal import HTTP
internal import Serialization

extension Problem {
    /// The problem of an item whose response cannot be read.
    init(_ error: BatchItemError) {
        switch error {
        case .tooLong(let maxBytes):
            self.init(
                .contentTooLarge,
                "the item is longer than the allowed \(maxBytes) bytes (max-content-bytes)",
                expected: ["at most \(maxBytes) bytes"]
            )
        case .malformed(let fault): self.init(.invalidBatchItem, fault, in: "the item")
        }
    }

    /// The problem of an input that cannot be read any further.
    /// - Parameter name: the name of the input.
    init(_ error: BatchInputError, in name: String) {
        switch error {
        case .system(let reason): self.init(.unreadableBatchInput, reason)
        case .unsupported(let reason): self.init(.unreadableBatchInput, "\(name): \(reason)")
        case .malformed(let fault): self.init(.unreadableBatchInput, fault, in: name)
        }
    }

    private init(_ code: ProblemCode, _ fault: BatchFault, in subject: String) {
        var diagnostic = Diagnostic(code, "\(subject): \(fault.sentence), at byte \(fault.byte)")
        diagnostic.location = SourceLocation(byte: fault.byte)
        self.init(Link(diagnostic))
    }
}
