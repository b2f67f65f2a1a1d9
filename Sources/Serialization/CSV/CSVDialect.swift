/// The characters that structure a text of records.
struct CSVDialect: Equatable {
    static let quote = UInt8(ascii: "\"")

    /// The character between fields.
    var delimiter: UInt8
    let quote: CSVQuote
    let escape: CSVEscape
    /// The byte that is searched in addition to delimiters and line ends: that of quotes or escapes. If there is none,
    /// it is one that UTF-8 does not contain.
    let special: UInt8
    /// The offset of the first record: after a `sep=` line.
    var start = 0

    /// - Parameter isTabbed: Whether the media type is that of tab-separated values.
    init(_ option: CSVDelimiter, _ quote: CSVQuote, _ escape: CSVEscape, isTabbed: Bool, of text: Span<UInt8>) {
        self.quote = quote
        self.escape = escape
        special = quote == .double ? Self.quote : escape == .backslash ? escape.byte : 0xFF
        let line = Self.separatorLine(text)
        start = line?.end ?? 0
        switch option {
        case .character(let character): delimiter = character
        case .auto:
            let declared = line?.delimiter ?? (isTabbed ? 0x09 : nil)
            delimiter = declared ?? CSVSample(text, from: start, quote, escape).delimiter ?? UInt8(ascii: ",")
        }
    }

    /// Whether a backslash escapes characters of fields without quotes.
    var escapesUnquoted: Bool { quote == .none && escape == .backslash }

    /// Returns whether `byte` is an escape of the byte after it, in a field with quotes or if there are no quotes.
    func isEscape(_ byte: UInt8, before next: UInt8) -> Bool {
        guard escapesUnquoted else { return escape.isEscape(byte, before: next) }
        switch next {
        case delimiter, 0x0A, 0x0D, Self.quote, escape.byte: return byte == escape.byte
        default: return false
        }
    }

    /// Reads a first line such as `sep=;`, which spreadsheet programs write for themselves.
    private static func separatorLine(_ text: Span<UInt8>) -> (delimiter: UInt8, end: Int)? {
        guard text.count >= 5 else { return nil }
        let isQuoted = text[0] == quote
        var index = isQuoted ? 1 : 0
        for letter in "sep=".utf8 {
            guard text[index].asciiLowercased == letter else { return nil }
            index += 1
        }
        guard index < text.count, text[index].canDelimitFields else { return nil }
        let delimiter = text[index]
        index += 1
        if isQuoted {
            guard index < text.count, text[index] == quote else { return nil }
            index += 1
        }
        return text.lineEnd(at: index).map { (delimiter, $0) }
    }
}

/// The first records of a text, from which its delimiter is determined.
///
/// Each candidate is counted in each record, outside of quotes. A candidate that occurs equally often in all records is
/// preferred to one that does not, then the one that occurs more often. Among equals, a tab is the most probable one,
/// because text contains it least often, and a comma the least probable. If each comma is between two digits and
/// another candidate occurs equally often in all records, the commas are decimal ones.
struct CSVSample {
    private static let candidates: [UInt8] = [0x09, UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: ",")]
    private static let maxRecords = 16
    private static let maxBytes = 16 << 10

    /// The counts of the candidates in the records that are complete, but at least in the first one.
    private var records: [[Int]] = []
    /// Whether each comma is between two digits.
    private var hasOnlyDecimalCommas = true

    init(_ text: Span<UInt8>, from start: Int, _ quote: CSVQuote, _ escape: CSVEscape) {
        let end = min(text.count, start + Self.maxBytes)
        var counts = Self.none
        var offset = start
        var isInQuotes = false
        /// Whether the byte before this offset is a quote that ended quoted text.
        var followsQuotes = false
        /// Whether a quote at this offset begins a field.
        var beginsField = true
        while offset < end, records.count < Self.maxRecords {
            let byte = text[offset]
            offset += 1
            if isInQuotes {
                if byte == CSVDialect.quote {
                    isInQuotes = false
                    followsQuotes = true
                } else if escape == .backslash, byte == UInt8(ascii: "\\") {
                    offset += 1
                }
                continue
            }
            defer { followsQuotes = false }
            switch byte {
            case 0x0A, 0x0D:
                // An empty line says nothing.
                if !beginsField || counts != Self.none { records.append(counts) }
                counts = Self.none
                beginsField = true
            // The second one of two quotes in a field continues it.
            case CSVDialect.quote where quote == .double && (beginsField || followsQuotes):
                isInQuotes = true
                beginsField = false
            case UInt8(ascii: "\\") where quote == .none && escape == .backslash:
                offset += 1
                beginsField = false
            default:
                let candidate = Self.candidates.firstIndex(of: byte)
                if let candidate { counts[candidate] += 1 }
                if byte == UInt8(ascii: ","), !text.isBetweenDigits(offset - 1) { hasOnlyDecimalCommas = false }
                beginsField = candidate != nil
            }
        }
        let isComplete = offset >= text.count && !isInQuotes
        if records.isEmpty || isComplete && counts != Self.none { records.append(counts) }
    }

    private static let none = candidates.map { _ in 0 }

    /// The most probable delimiter; `nil` if no candidate occurs in the first record.
    var delimiter: UInt8? {
        var best: (index: Int, isConsistent: Bool, count: Int)?
        for index in Self.candidates.indices {
            let count = records[0][index]
            guard count > 0 else { continue }
            let isConsistent = records.allSatisfy { $0[index] == count }
            if let best, best.isConsistent, hasOnlyDecimalCommas, Self.candidates[index] == UInt8(ascii: ",") {
                continue
            }
            if let best, (best.isConsistent ? 1 : 0, best.count) >= (isConsistent ? 1 : 0, count) { continue }
            best = (index, isConsistent, count)
        }
        return best.map { Self.candidates[$0.index] }
    }

    /// Whether a delimiter occurs equally often in several records.
    var isConsistent: Bool {
        records.count > 1
            && Self.candidates.indices.contains { index in
                records[0][index] > 0 && records.allSatisfy { $0[index] == records[0][index] }
            }
    }
}

extension Span<UInt8> {
    /// Whether the bytes before and after an offset are decimal digits.
    fileprivate func isBetweenDigits(_ offset: Int) -> Bool {
        guard offset > 0, offset + 1 < count else { return false }
        return self[offset - 1].isDecimalDigit && self[offset + 1].isDecimalDigit
    }
}
