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
        case .sortedJSON: 55
        case .lenientJSON: 85
        case .transcodedJSON: 65
        case .raw: 5
        case .binaryPropertyList: 35
        case .resolvedBinaryPropertyList: 120
        case .textPropertyList: 210
        case .resolvedTextPropertyList: 360
        case .xmlPropertyList: 140
        case .xml: 240
        }
    }

    /// What every serialization may need, in bytes: small tables, and pages of which a part is used.
    public static let constantBytes = 256 << 10

    /// Whether the number of objects is limited, and with it the memory for them, however long the content is.
    private var hasLimitedObjects: Bool {
        switch self {
        case .json, .sortedJSON, .lenientJSON, .transcodedJSON, .raw, .xml, .xmlPropertyList: false
        case .binaryPropertyList, .resolvedBinaryPropertyList, .textPropertyList, .resolvedTextPropertyList: true
        }
    }

    /// The bytes that one object of a property list needs at most, in lists and tables of all steps.
    private static let bytesPerObject = 64

    /// The most memory that is needed for a content of `contentBytes` bytes, in bytes.
    public func bytes(forContentBytes contentBytes: Int) -> Int {
        let (product, overflow) = contentBytes.multipliedReportingOverflow(by: tenthsPerByte)
        guard !overflow else { return .max }
        var bytes = product / 10
        if hasLimitedObjects {
            // Beside its objects, a property list needs its texts once, and references of a byte as four.
            bytes = min(bytes, contentBytes * 6 + PropertyListGraph.maxObjects * Self.bytesPerObject)
        }
        return bytes + Self.constantBytes
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
