/// One link of the chain: what one stage refused.
public enum SerializationError: Error, Equatable, Sendable {
    /// The status code is not acceptable (AFNetworking's −1011).
    case unacceptableStatus(Int, acceptable: StatusCodes, url: String?)

    /// The media type is not acceptable (AFNetworking's −1016). `got` is nil where the upstream sent none.
    /// `looksLike` names what the content's own signature says, where it says something.
    case unacceptableMediaType(got: String?, acceptable: [String], looksLike: String?, url: String?)

    /// The content has a coding that is not known.
    case unsupportedContentCoding(String)

    /// A content coding could not be undone.
    case coding(CodingError)

    /// The content is not what the JSON serializer accepts.
    case json(JSONError)

    /// The content is not what the XML serializers accept.
    case xml(XMLError)

    /// The content is not what the property list serializer accepts.
    case plist(PropertyListError)

    /// The content is not what the image serializer accepts, or its pixels were not to be had.
    case image(ImageError)

    /// The content is longer than ``Limits/maxContentBytes``.
    case contentTooLong(max: Int)

    /// The value would be longer than ``Limits/maxOutputBytes``.
    case outputTooLong(max: Int)

    /// The serialization needs more memory than was granted (``MemoryGrant``).
    case outOfMemory
}

/// A response that was refused: the whole chain, and all that was learnt on the way.
public struct SerializationFailure: Error, Sendable {
    /// From the outermost error to the root. Never empty.
    public var chain: [SerializationError]

    /// What each component of a compound said, in the order they were tried.
    public var attempts: [(serializer: SerializerChoice.Component, chain: [SerializationError])] = []

    /// The normalized value, as JSON text, where the status was refused and the content still decoded.
    public var value: [UInt8]?

    /// The declared type and the type that the content has instead, if the content could not be decoded for that reason.
    public var mismatch: TypeMismatch?

    public var upstream: UpstreamFacts
    public var warnings: [Warning] = []

    public init(_ chain: [SerializationError], upstream: UpstreamFacts) {
        precondition(!chain.isEmpty, "a failure has at least one error")
        self.chain = chain
        self.upstream = upstream
    }
}

/// A declared media type that the content contradicts.
public struct TypeMismatch: Equatable, Sendable {
    /// The media type of the `Content-Type` field or of the option `type`, without parameters.
    public var declared: String

    /// The media type that the signature of the content has.
    public var looksLike: String

    public init(declared: String, looksLike: String) {
        self.declared = declared
        self.looksLike = looksLike
    }
}
