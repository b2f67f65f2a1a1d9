/// The memory that is reserved for a serialization before it begins, in addition to its content and its response.
///
/// Each row covers all usual contents of its kind, and the worst ones except for their growing tables: memory for these
/// is requested as they grow (``MemoryGrant``). Reservation and requests together bound the memory of every content.
/// The rows were found by a search over generated documents, and the tests check them (`docs/memory.md`). The table
/// does not include images: workers decode their pixels.
public enum WorkingMemory: String, Sendable, CaseIterable {
    /// JSON in the order of its members, and records.
    case json = "JSON"
    /// JSON with `keys=sorted` or `canonical=true`.
    case sortedJSON = "JSON, sorted or canonical"
    /// JSON with leniencies or `surrogates=replace`, which may need a repaired copy.
    case lenientJSON = "JSON, repaired"
    /// The serializers `http` and `form`.
    case raw = "raw content"
    /// Property lists in binary, text and XML form.
    case propertyList = "property list"
    /// XML, in both forms.
    case xml = "XML"
    /// XML with `xml-names=clark`, whose names contain namespaces.
    case clarkXML = "XML, names with namespaces"

    /// The reservation per byte of content, in tenths of a byte.
    public var tenthsPerByte: Int {
        switch self {
        case .json: 5
        case .sortedJSON: 25
        case .lenientJSON: 35
        case .raw: 5
        case .propertyList: 35
        case .xml: 35
        case .clarkXML: 60
        }
    }

    /// The bytes that are reserved in addition for each content: for small tables, partly used pages and, in XML, the
    /// tables of distinct names, whose number is limited.
    public var constantBytes: Int {
        switch self {
        case .json, .sortedJSON, .lenientJSON, .raw: 512 << 10
        case .propertyList, .xml, .clarkXML: 10 << 20
        }
    }

    /// Returns the memory that is reserved for content of `contentBytes` bytes, in bytes.
    public func bytes(forContentBytes contentBytes: Int) -> Int {
        let (product, overflow) = contentBytes.multipliedReportingOverflow(by: tenthsPerByte)
        guard !overflow, product / 10 < .max - constantBytes else { return .max }
        // Short contents do not fill the tables.
        return product / 10 + min(constantBytes, max(contentBytes, 32 << 10) * 32)
    }
}
