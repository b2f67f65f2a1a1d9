internal import Serialization

extension ImageError.Reason {
    var problemCode: ProblemCode {
        switch self {
        case .notAnImage: .imageNotAnImage
        case .truncated: .imageTruncated
        case .corrupt: .imageCorrupt
        case .unsupportedPixels: .imageUnsupportedPixels
        case .tooLargeToDecode: .imageTooLargeToDecode
        case .decodeTime: .decodeTime
        case .decoderCrashed: .decoderCrashed
        case .pixelsUnavailable: .sandboxUnavailable
        case .noDecoder: .noWorkers
        // A renderer that defers although the caller can wait is treated as saturated: no other thread can continue.
        case .saturated, .deferred: .saturated
        }
    }

    /// The alternatives that would have been accepted.
    var expected: [String] {
        switch self {
        case .notAnImage: ["an image"]
        case .tooLargeToDecode(let amount, let max): ["at most \(max) \(amount)"]
        case .decodeTime(let seconds): ["at most \(seconds) seconds"]
        case .truncated, .corrupt, .unsupportedPixels, .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated,
            .deferred:
            []
        }
    }
}

extension ImageError {
    /// One sentence with the reason and the position.
    var message: String {
        reason.sentence + (byte.map { " at byte \($0)" } ?? "")
    }
}
