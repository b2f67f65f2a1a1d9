extension RenderingError {
    /// An allocation failed, although no limit was exceeded.
    static let outOfMemory = RenderingError.tooLarge(bytes: .max, max: .max)

    /// Creates the error for damage that is not allowed.
    init(_ integrity: ImageIntegrity) {
        switch integrity.verdict {
        case .truncated: self = .truncated(byte: integrity.byte ?? 0)
        case .corrupt, .unchecked, .complete, .missingEnd, .trailingBytes:
            self = .corrupt(byte: integrity.byte, part: integrity.part)
        }
    }
}

extension ImageIntegrity {
    /// Whether the picture itself is damaged.
    var isDamage: Bool { (verdict == .truncated || verdict == .corrupt) && !isPictureWhole }

    /// The same verdict for a picture that is complete.
    var withWholePicture: ImageIntegrity {
        var integrity = self
        integrity.isPictureWhole = true
        return integrity
    }
}
