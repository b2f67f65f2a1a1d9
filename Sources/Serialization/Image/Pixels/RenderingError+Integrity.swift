extension RenderingError {
    /// The error that damage is where it is not allowed.
    init(_ integrity: ImageIntegrity) {
        switch integrity.verdict {
        case .truncated: self = .truncated(byte: integrity.byte ?? 0)
        case .corrupt, .unchecked, .complete, .trailingBytes:
            self = .corrupt(byte: integrity.byte, part: integrity.part)
        }
    }
}

extension ImageIntegrity {
    /// Whether the image itself suffers.
    var isDamage: Bool { verdict == .truncated || verdict == .corrupt }
}
