/// The serializer `xml`, with which the media types of XML are selected.
enum XMLSerializer: ContentSerializer {
    static var summary: String { "XML 1.0 as an object: attributes @name, text #text, repeated elements as arrays." }

    // MARK: Selection

    /// RFC 7303 (§4.2: `+xml`), and the type under which OPML is served.
    static let selectingTypes = SelectingTypes(
        names: ["application/xml", "text/xml", "text/x-opml"],
        suffixes: ["xml"]
    )

    static let mediaTypes = selectingTypes.orUndecided

    /// `AFXMLParserResponseSerializer.init` and `AFXMLDocumentResponseSerializer.init`, AFURLResponseSerialization.m
    /// of 4.0.
    static let afnetworkingMediaTypes = MediaTypeSet(types: ["application/xml", "text/xml"])

    static var signatures: [ContentSignature] { [.xml] }

    static func decision(for content: Span<UInt8>) -> SerializerDecision {
        // XML property lists are often labelled as XML.
        .decode(ContentSignature(of: content) == .xmlPropertyList ? .plist : .xml)
    }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool {
        switch signature {
        case .xml, .svg, .xmlPropertyList: false
        // XHTML looks like HTML.
        case .html: type.essence != "application/xhtml+xml"
        default: true
        }
    }

    static func emptyContent(under rules: RuleSet) -> EmptyContent {
        switch rules {
        case .decant: .zeroBytes
        // AFNetworking's XML serializers decode any content, even zero bytes, and check for neither.
        case .afnetworking: .never
        }
    }

    // MARK: Bounds

    static var isText: Bool { true }

    /// The cost of names does not show in the length.
    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        ResponseSerializer.minShortBytes
    }

    static func maxInlineBytes(of content: Span<UInt8>) -> Int { .max }

    static var reservation: Reservation { .init(perByte: 4.5, constantBytes: 10 << 20) }

    // MARK: Reading

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        try read(content, of: &message, context, .compact, into: &writer)
    }

    fileprivate static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ layout: XMLReader.Options.Layout,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        do {
            let summary = try XMLReader.read(
                content,
                options: context.options.xmlOptions(layout, limits: context.limits, memory: message.memory),
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.encoding
            message.contentFacts = .xml(summary.facts)
            return DecodedFacts(hints: summary.hints)
        } catch { throw message.rejection(of: content, error) }
    }
}

/// The serializer `xml-document`, which is only chosen by name.
enum XMLDocumentSerializer: ContentSerializer {
    static var summary: String { "XML 1.0 without loss: a tree of all elements, attributes and texts." }

    static var selectingTypes: SelectingTypes { .none }

    static var mediaTypes: MediaTypeSet { XMLSerializer.mediaTypes }

    static var afnetworkingMediaTypes: MediaTypeSet { XMLSerializer.afnetworkingMediaTypes }

    static var signatures: [ContentSignature] { [] }

    static func decision(for content: Span<UInt8>) -> SerializerDecision { .decode(.xmlDocument) }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func emptyContent(under rules: RuleSet) -> EmptyContent { XMLSerializer.emptyContent(under: rules) }

    static var isText: Bool { true }

    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        XMLSerializer.maxInlineBytes(of: type, options)
    }

    static func maxInlineBytes(of content: Span<UInt8>) -> Int { .max }

    static var reservation: Reservation { XMLSerializer.reservation }

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        try XMLSerializer.read(content, of: &message, context, .document, into: &writer)
    }
}
