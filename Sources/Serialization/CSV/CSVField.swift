/// A field of a record, as a range in the text.
struct CSVField {
    /// The range without quotes around it.
    var start: Int
    var end: Int
    /// Whether the field contains escapes.
    var hasEscapes = false
    /// The offset after the field: of a delimiter, a line end or the end of the text.
    var next: Int
    /// The offset of the first quote in a field that does not begin with one.
    var bareQuote: Int?

    @inline(__always) var isEmpty: Bool { start == end }

    /// Reads the field at `offset`.
    /// - Parameter stops: Those of the text.
    @inline(__always)
    init(
        _ text: Span<UInt8>,
        at offset: Int,
        _ dialect: CSVDialect,
        _ stops: inout CSVStops
    ) throws(CSVFault) {
        start = offset
        end = stops.next(in: text, from: offset)
        next = end
        guard end < text.count, text[end] == dialect.special else { return }
        if dialect.quote == .none {
            skipEscapes(text, dialect, &stops)
        } else if end == offset {
            try readQuoted(text, dialect)
        } else {
            skipQuotes(text, &stops)
        }
    }

    /// Finds the end of a field that contains a quote, but does not begin with it. The quotes are text.
    @inline(never)
    private mutating func skipQuotes(_ text: Span<UInt8>, _ stops: inout CSVStops) {
        bareQuote = end
        while end < text.count, text[end] == CSVDialect.quote { end = stops.next(in: text, from: end + 1) }
        next = end
    }

    /// Finds the end of a field without quotes in which a backslash escapes.
    @inline(never)
    private mutating func skipEscapes(_ text: Span<UInt8>, _ dialect: CSVDialect, _ stops: inout CSVStops) {
        while end < text.count, text[end] == dialect.escape.byte {
            var after = end + 1
            if after < text.count, dialect.isEscape(text[end], before: text[after]) {
                hasEscapes = true
                after = text.lineEnd(at: after) ?? after + 1
            }
            end = stops.next(in: text, from: after)
        }
        next = end
    }

    /// Finds the quote that ends the field.
    private mutating func readQuoted(_ text: Span<UInt8>, _ dialect: CSVDialect) throws(CSVFault) {
        start += 1
        var offset = start
        while true {
            offset = text.offset(of: CSVDialect.quote, or: dialect.escape.byte, from: offset)
            guard offset < text.count else { throw CSVFault(.unterminatedQuote, at: start - 1) }
            let isPair = offset + 1 < text.count && dialect.escape.isEscape(text[offset], before: text[offset + 1])
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
        forEachPiece(text, dialect, in: start..<end) { bytes.append(text, $0) }
    }

    /// Writes the text as a string.
    @inline(__always)
    func write(_ text: Span<UInt8>, _ dialect: CSVDialect, into writer: inout JSONWriter) {
        // The text after the field can be read, too.
        let text = text.extracting(droppingFirst: start)
        if !hasEscapes {
            writer.string(utf8: text, length: end - start)
        } else if dialect.quote == .double {
            writer.string(utf8: text, length: end - start, unescaping: dialect.escape)
        } else {
            writePieces(text, dialect, into: &writer)
        }
    }

    /// Writes a text without quotes in which a backslash escapes.
    /// - Parameter text: The text from the start of the field on.
    @inline(never)
    private func writePieces(_ text: Span<UInt8>, _ dialect: CSVDialect, into writer: inout JSONWriter) {
        writer.beginString()
        forEachPiece(text, dialect, in: 0..<end - start) { piece in
            text.slice(piece) { writer.append(utf8: $0) }
        }
        writer.endString()
    }

    /// Calls `body` with the ranges of the text between the characters that are escapes.
    @inline(__always)
    private func forEachPiece(
        _ text: Span<UInt8>,
        _ dialect: CSVDialect,
        in range: Range<Int>,
        _ body: (Range<Int>) -> Void
    ) {
        let end = range.upperBound
        var pieceStart = range.lowerBound
        var offset = range.lowerBound
        while offset < end {
            offset = text.offset(of: CSVDialect.quote, or: dialect.escape.byte, from: offset)
            guard offset < end else { break }
            if offset + 1 < end, dialect.isEscape(text[offset], before: text[offset + 1]) {
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
