internal import Serialization

extension ImageError {
    /// The reason in words, with the position.
    var diagnostic: Diagnostic {
        let sentence = reason.sentence + (byte.map { " at byte \($0)" } ?? "")
        return switch reason {
        case .notAnImage: Diagnostic(.imageNotAnImage, sentence, expected: ["an image"])
        case .truncated: Diagnostic(.imageTruncated, sentence)
        case .corrupt: Diagnostic(.imageCorrupt, sentence)
        case .unsupportedPixels: Diagnostic(.imageUnsupportedPixels, sentence)
        case .tooLargeToDecode(let amount, let max):
            Diagnostic(.imageTooLargeToDecode, sentence, expected: ["at most \(max) \(amount)"])
        case .decodeTime(let seconds): Diagnostic(.decodeTime, sentence, expected: ["at most \(seconds) seconds"])
        case .decoderCrashed: Diagnostic(.decoderCrashed, sentence)
        case .pixelsUnavailable: Diagnostic(.sandboxUnavailable, sentence)
        case .noDecoder: Diagnostic(.noWorkers, sentence)
        // A renderer that defers although the caller can wait is treated as saturated: no other thread can continue.
        case .saturated, .deferred: Diagnostic(.saturated, sentence)
        }
    }
}
