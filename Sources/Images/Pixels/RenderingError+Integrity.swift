internal import Serialization

extension RenderingError {
    /// An allocation failed, although the estimated memory did not exceed the limit. ``naming(maxMemoryBytes:)`` adds
    /// the limit.
    static let outOfMemory = RenderingError.tooLarge(bytes: .max, max: .max)

    /// Returns the error with the limit that a failed allocation exceeded: that of the process, which the request
    /// names.
    func naming(maxMemoryBytes: Int) -> RenderingError {
        guard case .tooLarge(let bytes, let max) = self, max > maxMemoryBytes else { return self }
        return .tooLarge(bytes: bytes, max: maxMemoryBytes)
    }

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

    /// The same verdict after all pixels were decoded.
    var withPixels: ImageIntegrity {
        var integrity = self
        integrity.checked = .pixels
        return integrity
    }
}
