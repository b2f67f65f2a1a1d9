extension ImageError: ContentError {
    package var diagnostic: Diagnostic {
        guard let byte else { return reasonDiagnostic }
        return reasonDiagnostic.at(SourceLocation(byte: byte))
    }

    /// An image is decoded in the memory of a worker.
    package var isOutOfMemory: Bool { false }

    package var remedies: [Remedy.Candidate] {
        switch reason {
        case .truncated, .corrupt: [.truncated]
        case .unsupportedPixels, .tooLargeToDecode: [.noThumbnail]
        case .notAnImage: [.otherType]
        case .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated, .deferred: []
        }
    }

    private var reasonDiagnostic: Diagnostic {
        let sentence = reason.sentence
        return switch reason {
        case .notAnImage: Diagnostic(.imageNotAnImage, sentence, expected: ["an image"])
        case .truncated: Diagnostic(.imageTruncated, sentence)
        case .corrupt: Diagnostic(.imageCorrupt, sentence)
        case .unsupportedPixels: Diagnostic(.imageUnsupportedPixels, sentence)
        case .tooLargeToDecode(let amount, let max):
            Diagnostic(.imageTooLargeToDecode, sentence, atMost: "\(max) \(amount)")
        case .decodeTime(let seconds): Diagnostic(.decodeTime, sentence, atMost: "\(seconds) seconds")
        case .decoderCrashed: Diagnostic(.decoderCrashed, sentence)
        case .pixelsUnavailable: Diagnostic(.sandboxUnavailable, sentence)
        case .noDecoder: Diagnostic(.noWorkers, sentence)
        // A reader that defers although the caller can wait is treated as saturated: no other thread can continue.
        case .saturated, .deferred: Diagnostic(.saturated, sentence)
        }
    }
}
