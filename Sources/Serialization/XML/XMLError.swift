/// The reason why content is not acceptable XML, and the location of the error.
public struct XMLError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The content is not well-formed; ``XMLError/number`` specifies the error.
        case malformed
        /// The content ends inside the document, or is empty.
        case unexpectedEnd
        /// Something other than comments and processing instructions follows the root element.
        case trailingContent
        /// The name of an end tag differs from that of its start tag.
        case mismatchedTag
        /// An element has the same attribute twice.
        case duplicateAttribute
        /// XML 1.0 §2.2 does not allow this character, or the character that a reference stands for.
        case invalidCharacter
        /// A sequence of bytes is not valid in the encoding of the content.
        case invalidEncoding(String)
        /// The charset of the content is not supported.
        case unsupportedCharset(String)
        /// A reference to the entity of this name, which the document does not declare.
        case undeclaredEntity(String)
        /// A reference to an external entity. External entities are never fetched.
        case externalEntity
        /// Entities refer to themselves, or their expansion exceeds the limit.
        case entityExpansion(max: Int)
        case nestingTooDeep(max: Int)
        /// One element has too many attributes, including namespace declarations and defaults.
        case tooManyAttributes(max: Int)
        /// Too many namespace declarations are in scope at one element.
        case tooManyNamespaces(max: Int)
        /// The document has too many different names.
        case tooManyNames(max: Int)
        /// The different names and namespaces of the document have too many bytes.
        case namesTooLong(max: Int)
        /// A name is too long, as written in the compact layout, or a part of it is too long.
        case keyTooLong(max: Int)
        /// The document type declaration with its internal subset is too long, not counting quoted text and comments.
        case doctypeTooLong(max: Int)
        /// One enumeration or one content model in the internal subset has too many choices.
        case tooManyChoices(max: Int)
        /// No memory was granted (``MemoryGrant``).
        case outOfMemory
    }

    public var reason: Reason

    /// The error number of libxml2 (xmlerror.h), or ``stoppedByLimit``.
    public var number: Int

    /// `XML_ERR_USER_STOP`, if a limit of this project is exceeded.
    public static let stoppedByLimit = 111

    public var location: SourceLocation

    /// The text at the location: a quoted character, or `end of content`.
    public var found: String?

    /// The location of the attribute with the same name, if the reason is a duplicate.
    public var first: SourceLocation?

    /// The texts that would have been accepted at the location.
    public var expected: [String] = []

    /// At most 64 bytes of the content around the location: valid UTF-8, with control characters escaped.
    public var excerpt: String?

    public init(
        _ reason: Reason,
        number: Int,
        at location: SourceLocation,
        found: String? = nil,
        excerpt: String? = nil
    ) {
        self.reason = reason
        self.number = number
        self.location = location
        self.found = found
        self.excerpt = excerpt
    }

    static var outOfMemory: XMLError { XMLError(.outOfMemory, number: stoppedByLimit, at: SourceLocation(byte: 0)) }
}
