/// A serializer of a text format that no signature identifies, and that AFNetworking does not have.
///
/// The rows of such formats answer these questions alike: for example, any text could be of such a format, so that no
/// signature contradicts its media type. A row with another answer conforms to ``ContentSerializer``.
protocol TextFormatSerializer: ContentSerializer {}

extension TextFormatSerializer {
    static var afnetworkingMediaTypes: MediaTypeSet { .none }

    static var signatures: [ContentSignature] { [] }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { false }

    static func emptyContent(under rules: RuleSet) -> EmptyContent { .zeroBytes }

    static var isText: Bool { true }

    static func maxInlineBytes(of content: Span<UInt8>) -> Int { .max }
}
