/// The serializer `plist`.
enum PropertyListSerializer: ContentSerializer {
    static var summary: String {
        "Property lists in binary form, in XML, and in the text forms of OpenStep and GNUstep."
    }

    // MARK: Selection

    /// None of these is registered.
    static let selectingTypes = SelectingTypes(names: ["application/x-plist", "application/x-bplist"])

    /// XML property lists are often labelled as XML.
    static let mediaTypes = MediaTypeSet(
        types: selectingTypes.names + XMLSerializer.selectingTypes.names + MediaType.undecided,
        suffixes: XMLSerializer.selectingTypes.suffixes
    )

    /// `AFPropertyListResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    static let afnetworkingMediaTypes = MediaTypeSet(types: ["application/x-plist"])

    static var signatures: [ContentSignature] { [.xmlPropertyList, .binaryPropertyList, .textPropertyList] }

    static func decision(for content: Span<UInt8>) -> SerializerDecision { .decode(.plist) }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { !signatures.contains(signature) }

    static func emptyContent(under rules: RuleSet) -> EmptyContent {
        switch rules {
        case .decant: .zeroBytes
        // Zero bytes are not a property list.
        case .afnetworking: .missing
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
        do {
            let options = context.options.propertyListOptions(
                for: message.type,
                limits: context.limits,
                memory: message.memory
            )
            let summary = try PropertyListReader.read(
                content,
                options: options,
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.charset
            return DecodedFacts(nullsDropped: summary.nullsDropped, hints: summary.hints)
        } catch { throw message.rejection(of: content, error) }
    }
}
