/// A chain of errors from the outermost to the root, in the order of AFNetworking: an error of decoding wraps the
/// errors of validation, and an error of the status wraps an error of the content type.
struct RejectionChain {
    private(set) var errors: [SerializationError]

    static var none: RejectionChain { RejectionChain([]) }

    init(_ error: SerializationError) {
        self.init([error])
    }

    private init(_ errors: [SerializationError]) {
        self.errors = errors
    }

    var isEmpty: Bool { errors.isEmpty }

    /// Adds an error below all others.
    mutating func append(_ root: SerializationError) {
        errors.append(root)
    }

    func wrapped(in outermost: SerializationError) -> RejectionChain {
        var chain = self
        chain.errors.insert(outermost, at: 0)
        return chain
    }
}

extension SerializationError {
    var isStatusRejection: Bool {
        switch self {
        case .unacceptableStatus: true
        case .unacceptableMediaType, .unsupportedContentCoding, .coding, .json, .xml, .plist, .image,
            .contentTooLong, .outputTooLong, .outOfMemory:
            false
        }
    }

    var isTypeRejection: Bool {
        switch self {
        case .unacceptableMediaType: true
        case .unacceptableStatus, .unsupportedContentCoding, .coding, .json, .xml, .plist, .image,
            .contentTooLong, .outputTooLong, .outOfMemory:
            false
        }
    }
}
