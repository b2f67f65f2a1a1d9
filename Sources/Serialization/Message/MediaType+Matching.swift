/// The content formats that serializers read.
enum ContentFormat: String, Sendable, CaseIterable {
    case json
    /// Several JSON texts in one content. They become an array.
    case records
    case xml
    case plist
    case image
}

extension MediaType {
    /// The format that the type, or else its suffix, indicates. `nil` if it indicates none that a serializer reads.
    var format: ContentFormat? {
        switch essence {
        case "application/json", "text/json", "application/json-rpc", "application/jsonrequest": .json
        case let essence where Self.javaScript.contains(essence): .json
        case let essence where Self.records.contains(essence): .records
        case let essence where Self.xml.contains(essence): .xml
        case let essence where Self.propertyLists.contains(essence): .plist
        default: type == "image" ? .image : suffixFormat
        }
    }

    /// The format that the suffix indicates: RFC 6839 §3.1 (`+json`), RFC 7303 §4.2 (`+xml`), RFC 8091 (`+json-seq`).
    private var suffixFormat: ContentFormat? {
        switch suffix {
        case "json": .json
        case "json-seq": .records
        case "xml": .xml
        default: nil
        }
    }

    /// Whether servers use the type for any content, so that only the content can decide.
    var isUndecided: Bool {
        Self.undecided.contains(essence)
    }

    /// Whether null and absent members have different meanings in content of this type.
    var nullsCarryMeaning: Bool {
        Self.withMeaningfulNulls.contains(essence)
    }

    /// The types whose nulls are kept by default, because null and absent members have different meanings in their
    /// content.
    package static let withMeaningfulNulls = [
        // RFC 7946 §3.2: a feature has a geometry, which may be null.
        "application/geo+json",
        // RFC 7396: null removes a member.
        "application/merge-patch+json",
        // RFC 6902 §4: `value` is required, and null is a value.
        "application/json-patch+json",
        // JSON:API 1.1 §7: null empties a relationship.
        "application/vnd.api+json",
        // GraphQL §7.1: null reports a field that failed.
        "application/graphql-response+json",
        // JSON-LD 1.1 §4.1: null removes a term of the context.
        "application/ld+json",
        // JSON-RPC 2.0 §5: `id` and `result` may be null.
        "application/json-rpc", "application/jsonrequest",
    ]

    /// Whether the type is used for scripts, and therefore also for JSONP.
    var isJavaScript: Bool { Self.javaScript.contains(essence) }

    /// The way in which content of this type separates several JSON values. `nil` if it is a single value.
    var recordFormat: JSONReader.RecordFormat? {
        guard format == .records else { return nil }
        return essence == "application/json-seq" || suffix == "json-seq" ? .sequence : .lines
    }

    static let undecided = ["text/plain", "application/octet-stream", "binary/octet-stream"]

    /// RFC 7303, and the type under which OPML is served.
    static let xml = ["application/xml", "text/xml", "text/x-opml"]

    /// None of these is registered.
    static let propertyLists = ["application/x-plist", "application/x-bplist"]

    /// RFC 9239 §6, and the legacy names that the WHATWG MIME Sniffing Standard lists.
    static let javaScript = [
        "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript",
        "application/x-ecmascript", "text/ecmascript", "text/x-ecmascript", "text/x-javascript", "text/jscript",
        "text/livescript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2", "text/javascript1.3",
        "text/javascript1.4", "text/javascript1.5",
    ]

    /// The NDJSON family. `application/json-seq` is registered by RFC 7464; the others are not registered.
    static let records = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/json-seq",
    ]
}
