/// Why a content is not acceptable XML, and where.
public struct XMLError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// Not well-formed; ``XMLError/number`` says in which way.
        case malformed
        /// The content ends inside the document, or has none.
        case unexpectedEnd
        /// Something other than comments and processing instructions follows the root element.
        case trailingContent
        /// An end tag whose name is not its start tag's.
        case mismatchedTag
        /// An element has the same attribute twice.
        case duplicateAttribute
        /// A character that XML 1.0 §2.2 does not allow, or a reference to one.
        case invalidCharacter
        /// A sequence of bytes that is no text in the content's encoding.
        case invalidEncoding(String)
        /// The content is in a charset that is not read here.
        case unsupportedCharset(String)
        /// A reference to an entity that the document does not declare.
        case undeclaredEntity
        /// A reference to an entity that stands outside the document. It is never fetched.
        case externalEntity
        /// Entities that refer to themselves, or grow beyond the budget.
        case entityExpansion(max: Int)
        case nestingTooDeep(max: Int)
        /// Attributes of one element, namespace declarations and defaults included.
        case tooManyAttributes(max: Int)
        /// Namespace declarations in scope at one element.
        case tooManyNamespaces(max: Int)
        /// Different names in one document.
        case tooManyNames(max: Int)
        /// Bytes of the different names and namespaces in one document.
        case namesTooLong(max: Int)
        /// A name, as it would be written in the compact form, or a part of one, as it stands.
        case keyTooLong(max: Int)
        /// The document type declaration with its internal subset, quoted text and comments left out.
        case doctypeTooLong(max: Int)
        /// Choices of one enumeration, or of one content model, in the internal subset.
        case tooManyChoices(max: Int)
        /// No memory was granted (``MemoryGrant``).
        case outOfMemory
    }

    public var reason: Reason

    /// libxml2's own number for it (xmlerror.h), or ``stoppedByLimit``.
    public var number: Int

    /// `XML_ERR_USER_STOP`, where a limit of this project is passed.
    public static let stoppedByLimit = 111

    public var location: SourceLocation

    /// What stands at the place: a quoted character, or `end of content`.
    public var found: String?

    /// Where the attribute with the same name is, if the reason is a duplicate.
    public var first: SourceLocation?

    /// What would have been accepted at the place.
    public var expected: [String] = []

    /// At most 64 bytes of the content around the place: valid UTF-8, control characters escaped.
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
}
