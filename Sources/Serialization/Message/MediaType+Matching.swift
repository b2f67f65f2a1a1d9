/// The families of content that serializers read.
enum ContentFormat: String, Sendable, CaseIterable {
    case json
    /// Several JSON texts in one content, which become an array.
    case records
    case xml
    case plist
    case image
}

extension MediaType {
    /// What the type, or else its suffix, says the content is. Nil where it says nothing that a serializer reads.
    var format: ContentFormat? {
        switch essence {
        case "application/json", "text/json": .json
        case let essence where Self.javaScript.contains(essence): .json
        case let essence where Self.records.contains(essence): .records
        case "application/xml", "text/xml": .xml
        case let essence where Self.propertyLists.contains(essence): .plist
        default: type == "image" ? .image : suffixFormat
        }
    }

    /// RFC 6839 §3.1 (`+json`), RFC 7303 §4.2 (`+xml`), RFC 8091 (`+json-seq`).
    private var suffixFormat: ContentFormat? {
        switch suffix {
        case "json": .json
        case "json-seq": .records
        case "xml": .xml
        default: nil
        }
    }

    /// Types that servers give to anything, so that only the content can tell.
    var isUndecided: Bool {
        Self.undecided.contains(essence)
    }

    /// Whether null differs from absent in this type.
    var nullsCarryMeaning: Bool {
        Self.withMeaningfulNulls.contains(essence)
    }

    /// The types in which null differs from absent: in GeoJSON a feature must have a geometry, which may be null (RFC 7946 §3.2); a merge
    /// patch removes with null (RFC 7396); JSON:API empties a relationship with it.
    package static let withMeaningfulNulls = [
        "application/geo+json", "application/merge-patch+json", "application/vnd.api+json",
    ]

    /// A type that scripts are served under, and JSONP with them.
    var isJavaScript: Bool { Self.javaScript.contains(essence) }

    /// How content of this type holds several JSON values; nil where it is one.
    var recordFormat: JSONReader.RecordFormat? {
        guard format == .records else { return nil }
        return essence == "application/json-seq" || suffix == "json-seq" ? .sequence : .lines
    }

    static let undecided = ["text/plain", "application/octet-stream", "binary/octet-stream"]

    /// Neither has a registration.
    static let propertyLists = ["application/x-plist", "application/x-bplist"]

    /// RFC 9239 §6, and the legacy names that the WHATWG MIME Sniffing Standard lists.
    static let javaScript = [
        "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript",
        "application/x-ecmascript", "text/ecmascript", "text/x-ecmascript", "text/x-javascript", "text/jscript",
        "text/livescript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2", "text/javascript1.3",
        "text/javascript1.4", "text/javascript1.5",
    ]

    /// The NDJSON family; `application/json-seq` is RFC 7464, the others have no registration.
    static let records = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/json-seq",
    ]
}
