extension RenderingError {
    /// There is no memory, though no limit forbids it.
    static let outOfMemory = RenderingError.tooLarge(bytes: .max, max: .max)

    /// The error that damage is where it is not allowed.
    init(_ integrity: ImageIntegrity) {
        switch integrity.verdict {
        case .truncated: self = .truncated(byte: integrity.byte ?? 0)
        case .corrupt, .unchecked, .complete, .missingEnd, .trailingBytes:
            self = .corrupt(byte: integrity.byte, part: integrity.part)
        }
    }
}

extension ImageIntegrity {
    /// Whether the picture itself suffers.
    var isDamage: Bool { (verdict == .truncated || verdict == .corrupt) && !isPictureWhole }

    /// The same finding, of which the picture does not suffer.
    var withWholePicture: ImageIntegrity {
        var integrity = self
        integrity.isPictureWhole = true
        return integrity
    }
}
