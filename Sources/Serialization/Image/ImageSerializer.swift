enum ImageSerializer: ContentSerializer {
    static var summary: String {
        "Images, whose format is detected from the content: the facts of the header, and thumbnails."
    }

    // MARK: Selection

    static let selectingTypes = SelectingTypes(ranges: ["image"])

    static let mediaTypes = selectingTypes.orUndecided

    /// `AFImageResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    static let afnetworkingMediaTypes = MediaTypeSet(types: [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap",
    ])

    static let signatures: [ContentSignature] = [
        .svg, .png, .jpeg, .gif, .webp, .bmp, .tiff, .icon, .avif, .heic, .cursor, .xBitmap, .jpegXL, .jpeg2000,
        .photoshop,
    ]

    static func decision(for content: Span<UInt8>) -> SerializerDecision { .decode(.image) }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool {
        !signatures.contains(signature)
            || uniqueNames.contains(signature.mediaType) && uniqueNames.contains(type.essence)
                && signature.mediaType != type.essence
    }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { !signatures.contains(signature) }

    /// The media types of image formats that have only one name.
    private static let uniqueNames = ["image/png", "image/jpeg", "image/gif", "image/webp"]

    static func emptyContent(under rules: RuleSet) -> EmptyContent { .zeroBytes }

    // MARK: Bounds

    static var isText: Bool { false }

    /// Every length: another thread reads the image.
    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int { 1 << 40 }

    static func maxInlineBytes(of content: Span<UInt8>) -> Int { .max }

    /// The length of usual facts. Workers read the image, in memory of their own.
    static var reservation: Reservation { .init(perByte: 0, constantBytes: 2560) }

    // MARK: Reading

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        do {
            writer.image(try context.imageRecord(.value, content, of: &message, with: reader))
            return DecodedFacts()
        } catch { throw SerializationError(error) }
    }
}
