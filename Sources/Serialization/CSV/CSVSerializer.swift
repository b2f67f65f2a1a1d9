/// The serializer `csv`.
enum CSVSerializer: ContentSerializer {
    static var summary: String {
        "CSV and tab-separated values as an array of objects whose names are those of the header."
    }

    // MARK: Selection

    static let selectingTypes = SelectingTypes(names: [MediaType.csv, MediaType.tabSeparated, "application/csv"])

    static func acceptableMediaTypes(under rules: RuleSet) -> MediaTypeSet {
        switch rules {
        case .decant: mediaTypes
        // AFNetworking has no serializer for CSV.
        case .afnetworking: .none
        }
    }

    private static let mediaTypes = selectingTypes.orUndecided

    /// Any text could be CSV.
    static var signatures: [ContentSignature] { [] }

    /// Pages and errors of a server often have the type of the file that was requested.
    static func decision(for content: Span<UInt8>) -> SerializerDecision {
        guard content.mayBeMislabelled, let looksLike = ContentSignature(of: content) else { return .decode(.csv) }
        return .unacceptable(looksLike: looksLike)
    }

    static func proposedType(for content: Span<UInt8>) -> String? {
        content.resemblesCSV ? MediaType.csv : nil
    }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func emptyContent(under rules: RuleSet) -> EmptyContent { .zeroBytes }

    // MARK: Bounds

    static var isText: Bool { true }

    /// Names that repeat in the header take longest.
    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        ResponseSerializer.minShortBytes
    }

    static func maxInlineBytes(of content: Span<UInt8>) -> Int { .max }

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
        do {
            let summary = try CSVReader.read(
                content,
                options: context.options.csvOptions(for: message.type, context.limits, message.memory),
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.charset
            message.contentFacts = .csv(summary.facts)
            return DecodedFacts(nullsDropped: summary.nullsDropped, hints: summary.hints)
        } catch {
            throw message.rejection(of: content, error)
        }
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
    /// Whether content with the type of CSV may be of another format: it begins with markup, with an object of JSON, or
    /// with a byte that is not text. A field may begin with a bracket, a quote or a digit like other JSON.
    fileprivate var mayBeMislabelled: Bool {
        let first = self.indices.first { !self[$0].isJSONWhiteSpace }
        guard let first else { return false }
        switch self[first] {
        case UInt8(ascii: "<"), UInt8(ascii: "{"): return true
        // An array of JSON. A name in brackets is a column of some databases.
        case UInt8(ascii: "["):
            guard first + 1 < count else { return false }
            switch self[first + 1] {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "]"), 0x0A, 0x0D, 0x20:
                return true
            default: return false
            }
        default: return hasBinarySignature
        }
    }

    private var hasBinarySignature: Bool {
        guard let signature = ContentSignature(of: self) else { return false }
        return switch signature {
        case .json, .html, .xml, .xmlPropertyList, .textPropertyList, .svg, .xBitmap: false
        case .binaryPropertyList, .png, .jpeg, .gif, .webp, .bmp, .tiff, .icon, .cursor, .jpegXL, .jpeg2000,
            .photoshop, .avif, .heic, .pdf, .gzip, .zstd, .zip:
            true
        }
    }

    /// Whether the start of the content resembles CSV: several records with the same number of delimiters, of which the
    /// first one is not a sentence.
    fileprivate var resemblesCSV: Bool {
        let text = extracting(first: 4 << 10)
        guard !text.isEmpty, text.indices.allSatisfy({ text[$0] >= 0x20 || 0x09...0x0D ~= text[$0] }) else {
            return false
        }
        let sample = CSVSample(text, from: 0, false)
        guard sample.isConsistent, let delimiter = sample.delimiter else { return false }
        for index in text.indices where text[index] == delimiter {
            return delimiter == 0x09 || index + 1 < text.count && text[index + 1] != 0x20
        }
        return false
    }
}
