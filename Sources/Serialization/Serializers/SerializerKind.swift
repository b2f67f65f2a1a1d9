/// A serializer that can be chosen by name. The raw value is its name in the option `serializer`, in responses, in the
/// log and in metrics.
public enum SerializerKind: String, Sendable, CaseIterable {
    /// Validation only: the raw content in Base64, and as text if it is text.
    case http
    /// JSON (RFC 8259).
    case json
    /// XML 1.0, as an object that is easy for programs to read.
    case xml
    /// XML 1.0, lossless.
    case xmlDocument = "xml-document"
    /// Property lists: binary, XML, and the text formats of OpenStep and GNUstep.
    case plist
    /// Images: the facts in their headers, and thumbnails.
    case image
    /// Forms (WHATWG URL Standard §5.1).
    case form
    /// Finished event streams (HTML Standard §9.2).
    case events
    /// CSV (RFC 4180) and tab-separated values.
    case csv
    /// Feeds: RSS, Atom and JSON Feed, in the shape of JSON Feed.
    case feed
}

extension SerializerKind {
    /// Everything else about the serializer. This is the only switch over kinds, which a test checks.
    @inline(__always) var serializer: any ContentSerializer.Type {
        switch self {
        case .http: RawSerializer.self
        case .json: JSONSerializer.self
        case .xml: XMLSerializer.self
        case .xmlDocument: XMLDocumentSerializer.self
        case .plist: PropertyListSerializer.self
        case .image: ImageSerializer.self
        case .form: FormSerializer.self
        case .events: EventStreamSerializer.self
        case .csv: CSVSerializer.self
        case .feed: FeedSerializer.self
        }
    }

    /// One sentence for people that describes the content and the value.
    public var summary: String { serializer.summary }

    /// Returns the media types that the serializer accepts unless `accept-types` overrides them.
    ///
    /// With ``RuleSet/decant`` a response without a type is acceptable as well.
    public func acceptableMediaTypes(under rules: RuleSet) -> MediaTypeSet {
        serializer.acceptableMediaTypes(under: rules)
    }
}
