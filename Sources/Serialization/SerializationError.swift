/// One error of the chain.
public enum SerializationError: Error, Equatable, Sendable {
    /// The status code is not acceptable (AFNetworking's −1011).
    case unacceptableStatus(Int, acceptable: StatusCodes, url: String?)

    /// The media type is not acceptable (AFNetworking's −1016). `got` is `nil` if the upstream sent no type.
    /// `looksLike` is the type that was detected from the content; `nil` if none was detected.
    case unacceptableMediaType(got: String?, acceptable: [String], looksLike: String?, url: String?)

    /// The content has a coding that is not known.
    case unsupportedContentCoding(String)

    /// A content coding could not be decoded.
    case coding(CodingError)

    /// The content is not what its serializer accepts, or its pixels are not available.
    case content(AnyContentError)

    /// The value does not have the part that the caller selects.
    case partNotFound(PartNotFound)

    /// The content is longer than ``Limits/maxContentBytes``.
    case contentTooLong(max: Int)

    /// The value would be longer than ``Limits/maxOutputBytes``.
    case outputTooLong(max: Int)

    /// The serialization needs more memory than was granted (``MemoryGrant``).
    case outOfMemory
}

/// The rejection of a response: the complete chain of errors, and the facts that were determined before it.
public struct SerializationFailure: Error, Sendable {
    /// The errors, from the outermost to the root. Never empty.
    public var chain: [SerializationError]

    /// The errors of each component of a compound, in the order in which the components were tried.
    public var attempts: [(serializer: SerializerKind?, chain: [SerializationError])] = []

    /// The normalized value, as JSON text, if the status was rejected and the content was decoded.
    public var value: [UInt8]?

    /// The declared type and the type that the content has instead, if the content could not be decoded for that
    /// reason.
    public var mismatch: TypeMismatch?

    /// Whether the content is a damaged image that would be accepted with `truncated=allow`, which was tried.
    public var acceptsTruncated = false

    /// The components of a compound that precede the one that must read an image.
    var tried = CompoundProgress()

    public var upstream: UpstreamFacts
    public var warnings: [Warning] = []

    /// Whether there is a value, which does not have the selected part.
    var lacksPart: Bool { chain.contains { if case .partNotFound = $0 { true } else { false } } }

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

    /// The media type that was detected from the content.
    public var looksLike: String

    public init(declared: String, looksLike: String) {
        self.declared = declared
        self.looksLike = looksLike
    }
}
