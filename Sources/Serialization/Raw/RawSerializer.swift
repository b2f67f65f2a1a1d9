/// The serializer `http`, which only validates the response.
enum RawSerializer: ContentSerializer {
    static var summary: String { "Validation only: the raw content in Base64, and as text if it is text." }

    // MARK: Selection

    static var selectingTypes: SelectingTypes { .none }

    static var mediaTypes: MediaTypeSet { .any }

    static var afnetworkingMediaTypes: MediaTypeSet { .any }

    static var signatures: [ContentSignature] { [] }

    static func decision(for content: Span<UInt8>) -> SerializerDecision { .decode(.http) }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func emptyContent(under rules: RuleSet) -> EmptyContent {
        switch rules {
        case .decant: .zeroBytes
        // The raw content of zero bytes is a value.
        case .afnetworking: .missing
        }
    }

    // MARK: Bounds

    static var isText: Bool { true }

    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        type.charset == nil ? 24 << 10 : ResponseSerializer.maxShortTranscodedBytes
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
        message.charset = try RawContent.write(
            content,
            charset: message.isUnicodeText
                ? UnicodeEncoding.utf8.rawValue : message.type.isNeverText ? nil : message.type.charset,
            // The value of AFNetworking's serializer is the data.
            keepsBytes: context.options.rules == .afnetworking,
            into: &writer,
            limits: context.limits,
            warnings: &message.warnings
        )
        message.warnOfMismatch(content)
        return DecodedFacts()
    }
}
