/// The memory that one serialization needs besides the content and the response, in the worst case that is known.
///
/// Each row of the table is a bound for every content of its kind, found by a search over generated documents and checked
/// by the tests (`docs/memory.md`). The memory of images is not in it: their pixels are decoded by workers.
public enum WorkingMemory: String, Sendable, CaseIterable {
    /// JSON in UTF-8 in the order of its members, and records.
    case json = "JSON"
    /// JSON with `keys=sorted` or `canonical=true`.
    case sortedJSON = "JSON, sorted or canonical"
    /// JSON with leniencies or `surrogates=replace`, which may need a repaired copy.
    case lenientJSON = "JSON, repaired"
    /// JSON in UTF-16 or UTF-32, or in another charset.
    case transcodedJSON = "JSON, transcoded"
    /// The `http` serializer.
    case raw = "raw content"
    case binaryPropertyList = "binary property list"
    case resolvedBinaryPropertyList = "binary property list, archive resolved"
    case textPropertyList = "text property list"
    case resolvedTextPropertyList = "text property list, archive resolved"
    case xmlPropertyList = "XML property list"
    case xml = "XML"

    /// Tenths of a byte for each byte of the content.
    public var tenthsPerByte: Int {
        switch self {
        case .json: 55
        case .sortedJSON: 65
        case .lenientJSON: 75
        case .transcodedJSON: 55
        case .raw: 5
        case .binaryPropertyList: 35
        case .resolvedBinaryPropertyList: 120
        case .textPropertyList: 140
        case .resolvedTextPropertyList: 300
        case .xmlPropertyList: 140
        case .xml: 200
        }
    }

    /// What every serialization may need, in bytes: small tables, and pages of which a part is used.
    public static let constantBytes = 256 << 10

    /// The most memory that is needed for a content of `contentBytes` bytes, in bytes.
    public func bytes(forContentBytes contentBytes: Int) -> Int {
        let (product, overflow) = contentBytes.multipliedReportingOverflow(by: tenthsPerByte)
        return overflow ? .max : product / 10 + Self.constantBytes
    }

    /// The memory that a serializer needs for content of `contentBytes` bytes, in bytes.
    ///
    /// Whether a text has to be transcoded is known from its charset only for some formats, so the rows of JSON are
    /// chosen by options, and `isTranscoded` by the caller.
    /// - Parameter kind: the serializer; nothing is known of images here.
    public static func bytes(
        forContentBytes contentBytes: Int,
        kind: SerializerKind,
        options: SerializationOptions,
        isTranscoded: Bool
    ) -> Int {
        rows(kind, options, isTranscoded: isTranscoded).map { $0.bytes(forContentBytes: contentBytes) }.max() ?? 0
    }

    /// The rows that a content of this kind may need.
    private static func rows(
        _ kind: SerializerKind,
        _ options: SerializationOptions,
        isTranscoded: Bool
    ) -> [WorkingMemory] {
        switch kind {
        case .http: return [.raw]
        case .json:
            var rows: [WorkingMemory] = [.json]
            if options.keys == .sorted || options.canonical { rows.append(.sortedJSON) }
            if !options.leniencies.isEmpty || options.surrogates == .replace { rows.append(.lenientJSON) }
            if isTranscoded { rows.append(.transcodedJSON) }
            return rows
        case .plist:
            return options.archive == .resolve
                ? [.resolvedBinaryPropertyList, .resolvedTextPropertyList, .xmlPropertyList]
                : [.binaryPropertyList, .textPropertyList, .xmlPropertyList]
        case .xml, .xmlDocument: return [.xml]
        case .image: return []
        }
    }
}
