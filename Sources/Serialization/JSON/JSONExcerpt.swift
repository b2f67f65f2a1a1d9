/// A short excerpt of a text for display: valid UTF-8, with control characters and invalid bytes escaped.
struct JSONExcerpt: Equatable {
    /// The character at the location, quoted, or `end of content`.
    let found: String

    /// At most 64 bytes: half of them before the location, and half from it.
    let text: String

    private static let maxBytes = 64

    init(_ content: Span<UInt8>, at offset: Int) {
        if offset < content.count {
            found = "'" + Self.printable(content, from: offset, maxBytes: 16, maxCharacters: 1) + "'"
        } else {
            found = "end of content"
        }
        var start = max(0, min(offset, content.count) - Self.maxBytes / 2)
        // Start at a character boundary if possible.
        for _ in 0..<3 where start > 0 && start < content.count && (content[start] & 0xC0) == 0x80 { start -= 1 }
        text = Self.printable(content, from: start, maxBytes: Self.maxBytes, maxCharacters: Self.maxBytes)
    }

    private static func printable(
        _ content: Span<UInt8>,
        from start: Int,
        maxBytes: Int,
        maxCharacters: Int
    ) -> String {
        var text = ""
        var index = start
        for _ in 0..<maxCharacters where index < content.count {
            let piece: String
            let width: Int
            if let scalar = content.scalar(at: index) {
                piece = scalar.isPrintable ? String(Character(scalar)) : "\\u{" + String(scalar.value, radix: 16) + "}"
                width = UTF8.width(scalar)
            } else {
                piece = (content[index] < 16 ? "\\x0" : "\\x") + String(content[index], radix: 16)
                width = 1
            }
            guard text.utf8.count + piece.utf8.count <= maxBytes else { break }
            text += piece
            index += width
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

extension Span<UInt8> {
    /// Returns the character that begins at `index`, or `nil` if the bytes are not UTF-8.
    fileprivate func scalar(at index: Int) -> Unicode.Scalar? {
        var decoder = UTF8()
        var bytes = (index..<Swift.min(index + 4, count)).map { self[$0] }.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return nil }
        return scalar
    }
}
