/// A field of a record, as a range in the text.
struct CSVField {
    /// The range without quotes around it.
    var start: Int
    var end: Int
    /// Whether the field contains escaped quotes.
    var hasEscapes = false
    /// The offset after the field: of a delimiter, a line end or the end of the text.
    var next: Int
    /// The offset of the first quote in a field that does not begin with one.
    var bareQuote: Int?

    @inline(__always) var isEmpty: Bool { start == end }

    /// Reads the field at `offset`.
    @inline(__always)
    init(_ text: Span<UInt8>, at offset: Int, _ dialect: CSVDialect) throws(CSVFault) {
        start = offset
        let stop = text.offsetOfStop(from: offset, dialect.delimiter)
        guard stop < text.count, text[stop] == CSVDialect.quote else {
            end = stop
            next = stop
            return
        }
        end = stop
        next = stop
        if stop == offset {
            try readQuoted(text, dialect)
        } else {
            skipQuotes(text, dialect)
        }
    }

    /// Finds the end of a field that contains a quote, but does not begin with it. The quotes are text.
    private mutating func skipQuotes(_ text: Span<UInt8>, _ dialect: CSVDialect) {
        bareQuote = end
        while end < text.count, text[end] == CSVDialect.quote {
            end = text.offsetOfStop(from: end + 1, dialect.delimiter)
        }
        next = end
    }

    /// Finds the quote that ends the field.
    private mutating func readQuoted(_ text: Span<UInt8>, _ dialect: CSVDialect) throws(CSVFault) {
        start += 1
        // Without backslashes, only quotes are searched.
        let escape = dialect.hasBackslash ? UInt8(ascii: "\\") : CSVDialect.quote
        var offset = start
        while true {
            offset = text.offset(of: CSVDialect.quote, or: escape, from: offset)
            guard offset < text.count else { throw CSVFault(.unterminatedQuote, at: start - 1) }
            let isPair = offset + 1 < text.count && text.isEscape(at: offset)
            if isPair {
                hasEscapes = true
                offset += 2
            } else if text[offset] == CSVDialect.quote {
                break
            } else {
                // A backslash before any other character is text.
                offset += 1
            }
        }
        end = offset
        next = offset + 1
        guard next < text.count else { return }
        switch text[next] {
        case 0x0A, 0x0D, dialect.delimiter: return
        default: throw CSVFault(.textAfterQuote(delimiter: dialect.delimiter), at: next)
        }
    }

    /// Appends the text without escapes.
    func decode(_ text: Span<UInt8>, _ dialect: CSVDialect, into bytes: inout [UInt8]) {
        guard hasEscapes else { return bytes.append(text, start..<end) }
        forEachPiece(text, dialect) { bytes.append(text, $0) }
    }

    /// Writes the text as a string.
    @inline(__always)
    func write(_ text: Span<UInt8>, _ dialect: CSVDialect, into writer: inout JSONWriter) {
        guard hasEscapes else {
            // The text after the field can be read, too.
            return writer.string(utf8: text.extracting(droppingFirst: start), length: end - start)
        }
        writePieces(text, dialect, into: &writer)
    }

    /// Writes a text with escapes. Short pieces are collected, because a field may consist of escapes.
    @inline(never)
    private func writePieces(_ text: Span<UInt8>, _ dialect: CSVDialect, into writer: inout JSONWriter) {
        var collected: [UInt8] = []
        collected.reserveCapacity(Self.maxCollectedBytes)
        writer.beginString()
        forEachPiece(text, dialect) { piece in
            if collected.count + piece.count > Self.maxCollectedBytes {
                writer.append(utf8: collected.span)
                collected.removeAll(keepingCapacity: true)
            }
            if piece.count > Self.maxCollectedBytes {
                text.slice(piece) { writer.append(utf8: $0) }
            } else {
                collected.append(text, piece)
            }
        }
        writer.append(utf8: collected.span)
        writer.endString()
    }

    private static let maxCollectedBytes = 512

    /// Calls `body` with the ranges of the text between the characters that are escapes.
    @inline(__always)
    private func forEachPiece(_ text: Span<UInt8>, _ dialect: CSVDialect, _ body: (Range<Int>) -> Void) {
        let escape = dialect.hasBackslash ? UInt8(ascii: "\\") : CSVDialect.quote
        var pieceStart = start
        var offset = start
        while offset < end {
            offset = text.offset(of: CSVDialect.quote, or: escape, from: offset)
            guard offset < end else { break }
            if text.isEscape(at: offset), offset + 1 < end {
                body(pieceStart..<offset)
                pieceStart = offset + 1
                offset += 2
            } else {
                offset += 1
            }
        }
        body(pieceStart..<end)
    }
}

extension Span<UInt8> {
    /// Returns whether the quote or backslash at `offset`, which is not the last byte, escapes the next byte.
    @inline(__always) fileprivate func isEscape(at offset: Int) -> Bool {
        let next = self[offset + 1]
        return next == CSVDialect.quote || next == UInt8(ascii: "\\") && self[offset] == next
    }

    /// Returns the offset of the next delimiter, quote or line end; the end of the text if there is none.
    @inline(__always) func offsetOfStop(from start: Int, _ delimiter: UInt8) -> Int {
        var offset = start
        while let vector = vector(at: offset) {
            let stops = ByteMask(
                (vector .== SIMD16(repeating: delimiter)) .| (vector .== SIMD16(repeating: 0x0A))
                    .| (vector .== SIMD16(repeating: 0x0D)) .| (vector .== SIMD16(repeating: CSVDialect.quote))
            )
            if !stops.isEmpty { return offset &+ stops.first }
            offset &+= 16
        }
        while offset < count {
            switch self[offset] {
            case delimiter, 0x0A, 0x0D, CSVDialect.quote: return offset
            default: offset += 1
            }
        }
        return offset
    }
}
