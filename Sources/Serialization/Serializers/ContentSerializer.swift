/// One serializer: a reader of content with everything that the rest of the program needs to know about it.
///
/// A conforming type is a row of a table whose key is ``SerializerKind``. No requirement has a default, so that a new
/// row does not compile until it answers every question; only the rows of text formats share some answers
/// (``TextFormatSerializer``). Requirements are static: a row has no state.
protocol ContentSerializer {
    // MARK: Description

    /// One sentence for people that describes the content and the value.
    static var summary: String { get }

    // MARK: Selection

    /// The media types with which `auto` selects this serializer. No other serializer has any of them.
    static var selectingTypes: SelectingTypes { get }

    /// The media types that are acceptable unless `accept-types` overrides them.
    static var mediaTypes: MediaTypeSet { get }

    /// Those of the serializers of AFNetworking, which replace them under its rules.
    static var afnetworkingMediaTypes: MediaTypeSet { get }

    /// The signatures with which `auto` selects this serializer for content whose type is missing or not specific.
    static var signatures: [ContentSignature] { get }

    /// Returns the decision of `auto` for content whose type selects this serializer.
    static func decision(for content: Span<UInt8>) -> SerializerDecision

    /// Returns the media type that a problem proposes for content without a signature that resembles what this
    /// serializer reads; `nil` if it does not, or content of this kind always has a signature.
    static func proposedType(for content: Span<UInt8>) -> String?

    /// Returns whether content with a signature cannot be of `type`, which selects this serializer; `false` if this is
    /// not certain.
    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool

    /// Returns whether content with a signature that could not be decoded as `type`, which selects this serializer, is
    /// of another type. The content may be damaged, so this is true only if no content with the signature can have the
    /// type.
    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool

    /// Returns the content for which an acceptable response is `empty`.
    static func emptyContent(under rules: RuleSet) -> EmptyContent

    // MARK: Bounds

    /// Whether the content is text, so that it has a charset.
    static var isText: Bool { get }

    /// Returns the length up to which the worst content takes at most ``ResponseSerializer/maxShortInstructions``
    /// (`Benchmarks/README.md`), in bytes, inclusive.
    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int

    /// Returns the same length for this content, which is not longer than ``maxInlineBytes(of:_:)``; `.max` if the
    /// content has no influence.
    static func maxInlineBytes(of content: Span<UInt8>) -> Int

    /// The memory that is reserved before decoding. Everything beyond it is taken as it grows (``MemoryBudget``).
    static var reservation: Reservation { get }

    // MARK: Reading

    /// Decodes the content, and writes the value. After an error, the writer may contain a part of it.
    /// - Parameters:
    ///   - message: the message, to which the charset, warnings and further facts are added.
    ///   - context: the source of options and limits.
    ///   - reader: the reader of images; `nil` if this thread must not read them.
    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts
}

extension ContentSerializer {
    /// Returns the media types that are acceptable unless `accept-types` overrides them.
    static func acceptableMediaTypes(under rules: RuleSet) -> MediaTypeSet {
        switch rules {
        case .decant: mediaTypes
        case .afnetworking: afnetworkingMediaTypes
        }
    }
}

/// The results of decoding other than the value.
struct DecodedFacts {
    /// The number of nulls that were removed.
    var nullsDropped = 0
    /// The number of members and elements that were left out of the value; `nil` until they are.
    var omitted: Int?
    /// The JSON object that contains the types of the source; `nil` if there are none.
    var hints: [UInt8]?
}

/// The content for which an acceptable response has nothing to decode.
enum EmptyContent {
    /// None: missing content is decoded, like zero bytes.
    case never
    /// Only missing content: zero bytes are decoded.
    case missing
    case zeroBytes
    /// Zero bytes, and a single space.
    case oneSpace
    /// Zero bytes, and white space of JSON.
    case whiteSpace
}

/// The media types with which `auto` selects a serializer.
struct SelectingTypes: Sendable {
    /// `type/subtype`, in lower case.
    var names: [String] = []
    /// `image` for `image/*`. A name takes precedence.
    var ranges: [String] = []
    /// `json` for `+json`. A name or a range takes precedence.
    var suffixes: [String] = []

    static let none = SelectingTypes()

    /// These types, and those that are not specific.
    var orUndecided: MediaTypeSet {
        MediaTypeSet(types: names + MediaType.undecided, suffixes: suffixes, ranges: ranges)
    }
}

extension MediaTypeSet {
    /// The media types that `serializer=auto` accepts: those that select a serializer, and those that are not specific.
    public static let auto: MediaTypeSet = {
        var all = SelectingTypes()
        for kind in SerializerKind.allCases {
            let types = kind.serializer.selectingTypes
            all.names += types.names
            all.ranges += types.ranges
            all.suffixes += types.suffixes
        }
        return all.orUndecided
    }()
}

extension MediaType {
    /// The serializer that the type, or else its suffix, selects; `nil` if it selects none.
    var serializer: SerializerKind? {
        if let kind = Self.kindsByName[essence] { return kind }
        let type = type
        if let (_, kind) = Self.kindsByRange.first(where: { $0.range == type }) { return kind }
        guard let suffix else { return nil }
        return Self.kindsBySuffix.first { $0.suffix == suffix }?.kind
    }

    private static let kindsByName = Dictionary(
        uniqueKeysWithValues: SerializerKind.allCases.flatMap { kind in
            kind.serializer.selectingTypes.names.map { ($0, kind) }
        }
    )

    private static let kindsByRange = SerializerKind.allCases.flatMap { kind in
        kind.serializer.selectingTypes.ranges.map { (range: $0, kind: kind) }
    }

    private static let kindsBySuffix = SerializerKind.allCases.flatMap { kind in
        kind.serializer.selectingTypes.suffixes.map { (suffix: $0, kind: kind) }
    }
}

extension MediaType {
    /// Returns the media type of the format that the content resembles, for a proposal; `nil` if it is not recognized.
    package static func proposed(for content: Span<UInt8>) -> String? {
        if let looksLike = ContentSignature(of: content) { return looksLike.mediaType }
        for kind in SerializerKind.allCases { if let type = kind.serializer.proposedType(for: content) { return type } }
        return nil
    }
}

extension ContentSignature {
    /// The serializer that reads content with this signature; `nil` if none does.
    var serializer: SerializerKind? { SerializerKind.allCases.first { $0.serializer.signatures.contains(self) } }
}
