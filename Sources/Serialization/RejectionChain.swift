/// A chain of errors from the outermost to the root, in the order of AFNetworking: an error of decoding wraps the
/// errors of validation, and an error of the status wraps an error of the content type.
struct RejectionChain {
    private(set) var errors: [SerializationError]

    static var none: RejectionChain { RejectionChain([]) }

    init(_ error: SerializationError) { self.init([error]) }

    private init(_ errors: [SerializationError]) { self.errors = errors }

    var isEmpty: Bool { errors.isEmpty }

    /// Adds an error below all others.
    mutating func append(_ root: SerializationError) { errors.append(root) }

    func wrapped(in outermost: SerializationError) -> RejectionChain {
        var chain = self
        chain.errors.insert(outermost, at: 0)
        return chain
    }
}

extension SerializationError {
    var isStatusRejection: Bool { if case .unacceptableStatus = self { true } else { false } }

    var isTypeRejection: Bool { if case .unacceptableMediaType = self { true } else { false } }

    /// Whether a limit, and not the content itself, caused the error.
    var isLimit: Bool {
        switch self {
        case .contentTooLong, .outputTooLong, .outOfMemory: true
        case .unacceptableStatus, .unacceptableMediaType, .unsupportedContentCoding, .coding, .content, .partNotFound:
            false
        }
    }
}
