enum CSVSerializer: TextFormatSerializer {
    static var summary: String {
        "CSV and tab-separated values as an array of objects whose names are those of the header."
    }

    // MARK: Selection

    static let selectingTypes = SelectingTypes(names: [MediaType.csv, MediaType.tabSeparated, "application/csv"])

    static let mediaTypes = selectingTypes.orUndecided

    /// Pages and errors of a server often have the type of the file that was requested.
    static func decision(for content: Span<UInt8>) -> SerializerDecision {
        guard let looksLike = ContentSignature(of: content) else { return .decode(.csv) }
        let isCSV =
            [.xBitmap, .textPropertyList].contains(looksLike) || looksLike == .json && content.mayBeginRecord
        return isCSV ? .decode(.csv) : .unacceptable(looksLike: looksLike)
    }

    static func proposedType(for content: Span<UInt8>) -> String? { content.resemblesCSV ? MediaType.csv : nil }

    // MARK: Bounds

    /// Names that repeat in the header take longest.
    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        ResponseSerializer.minShortBytes
    }

    static var reservation: Reservation { .init(perByte: 1.5, constantBytes: 512 << 10) }

    // MARK: Reading

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        guard content.count <= CSVReader.maxBytes else { throw .contentTooLong(max: CSVReader.maxBytes) }
        var options = context.options.csvOptions(for: message.type, context.limits, message.memory)
        options.isTruncated = message.isTruncated
        do {
            let summary = try CSVReader.read(
                content,
                options: options,
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.charset
            message.contentFacts = .csv(summary.facts)
            return DecodedFacts(nullsDropped: summary.nullsDropped, hints: summary.hints)
        } catch { throw message.rejection(of: content, error) }
    }
}

extension SerializationOptions {
    /// Returns the options for the CSV reader.
    fileprivate func csvOptions(
        for type: DeclaredType,
        _ limits: Limits,
        _ memory: any MemoryGrant
    ) -> CSVReader.Options {
        var options = CSVReader.Options(memory: memory)
        options.delimiter = csvDelimiter
        options.quote = csvQuote
        options.escape = csvEscape
        // RFC 4180 §3: the parameter has the values `present` and `absent`.
        let declared = type.mediaType?.parameters.first { $0.name.asciiLowercased == "header" }?.value
        options.header = csvHeader ?? declared.flatMap { CSVHeader(rawValue: $0.asciiLowercased) } ?? .present
        options.empty = csvEmpty
        options.nulls = nullPolicy(for: type)
        options.isTabbed = type.essence == MediaType.tabSeparated
        options.hints = hints
        options.leniencies = leniencies
        options.limits = limits
        return options
    }
}

extension MediaType {
    package static let csv = "text/csv"
    fileprivate static let tabSeparated = "text/tab-separated-values"
}

extension Span<UInt8> {
    /// Whether content that begins like JSON may be CSV. A field may begin with a quote or a digit, and names in
    /// brackets are the columns of some databases. An array of JSON has another second byte, or ends with a bracket.
    fileprivate var mayBeginRecord: Bool {
        let (encoding, markBytes) = UnicodeEncoding.detect(self)
        guard encoding == .utf8 else { return false }
        let text = extracting(droppingFirst: markBytes)
        guard let first = text.indices.first(where: { !text[$0].isJSONWhiteSpace }) else { return true }
        switch text[first] {
        case UInt8(ascii: "{"): return false
        case UInt8(ascii: "["):
            guard first + 1 < text.count else { return false }
            switch text[first + 1] {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "]"), 0x09, 0x0A, 0x0D, 0x20:
                return false
            default:
                let last = text.indices.last { !text[$0].isJSONWhiteSpace }
                return last.map { text[$0] } != UInt8(ascii: "]")
            }
        default: return true
        }
    }

    /// Whether the start of the content resembles CSV: several records with the same number of delimiters, of which the
    /// first one is not a sentence.
    fileprivate var resemblesCSV: Bool {
        let text = extracting(first: 4 << 10)
        guard !text.isEmpty, text.indices.allSatisfy({ text[$0] >= 0x20 || 0x09...0x0D ~= text[$0] }) else {
            return false
        }
        let sample = CSVSample(text, from: 0, .double, .quote)
        guard sample.isConsistent, let delimiter = sample.delimiter else { return false }
        for index in text.indices where text[index] == delimiter {
            return delimiter == 0x09 || index + 1 < text.count && text[index + 1] != 0x20
        }
        return false
    }
}
