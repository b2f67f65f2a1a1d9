/// Why content is no acceptable property list, and where.
public struct PropertyListError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// Neither a signature of the binary form, nor markup, nor anything of the text form: nothing, or white space.
        case notAPropertyList
        /// `bplist` followed by a version other than `0` and any character.
        case unsupportedVersion(String)
        /// The content ends inside a value.
        case unexpectedEnd(expected: [String])
        /// A character that the text form does not allow at this place.
        case unexpectedCharacter(expected: [String])
        /// An element that the XML form does not allow at this place, or text between elements.
        case unexpectedElement(expected: [String])
        /// Something other than white space and comments follows the value.
        case trailingContent
        /// The markup is not well-formed XML, or is XML that is refused.
        case malformedXML(XMLError.Reason)
        /// The last 32 bytes of the binary form say something that the content does not hold.
        case invalidTrailer
        /// An offset or a reference leads to no object, or an object passes the end of the objects.
        case invalidReference
        /// Objects share bytes: together they are longer than the content.
        case overlappingObjects
        /// No object begins with this byte.
        case unknownMarker(UInt8)
        /// A string that is not in the encoding that it claims.
        case invalidString
        /// Half of a surrogate pair on its own.
        case loneSurrogate
        /// A sequence of bytes that is not in the encoding of the text.
        case invalidEncoding(String)
        /// An escape that the text form does not have.
        case invalidEscape
        case invalidNumber
        /// Not a date, or one outside of the years 0 to 9999, which RFC 3339 cannot say.
        case invalidDate
        /// Data that is neither Base64 nor pairs of hexadecimal digits.
        case invalidData
        /// A dictionary's key is not a string.
        case invalidKey
        /// A dictionary has this key twice, and `duplicates` is `reject`.
        case duplicateKey(String)
        /// An object contains itself.
        case cycle
        /// `archive=resolve`, and the archive refers to something that it does not hold.
        case invalidArchive
        /// Shared objects, each written where it is referred to, would make more than this.
        case expansionTooLarge(maxBytes: Int)
        case nestingTooDeep(max: Int)
        case numberTooLong(max: Int)
        case keyTooLong(max: Int)
        case tooManyMembers(max: Int)
        /// No memory was granted (``MemoryGrant``).
        case outOfMemory
        case tooManyObjects(max: Int)
    }

    public var reason: Reason

    /// Line and column are nil in the binary form.
    public var location: SourceLocation

    /// The position of the key that a duplicate repeats; `nil` for other errors.
    public var first: SourceLocation?

    /// What stands at the place: a quoted character, or `end of content`. Nil in the binary form.
    public var found: String?

    /// At most 64 bytes of the content around the place. Nil in the binary form.
    public var excerpt: String?

    public init(_ reason: Reason, at location: SourceLocation, found: String? = nil, excerpt: String? = nil) {
        self.reason = reason
        self.location = location
        self.found = found
        self.excerpt = excerpt
    }
}

/// What a step refuses: the reason, and the offset in the bytes that it reads. ``PropertyListError`` tells the rest.
struct PropertyListFault: Error, Equatable {
    var reason: PropertyListError.Reason
    var offset: Int
    /// RFC 6901, in the source's own structure. Nil where the fault belongs to no value.
    var pointer: String?
    /// The offset of the key that a duplicate repeats.
    var first: Int?

    init(_ reason: PropertyListError.Reason, at offset: Int, pointer: String? = nil, first: Int? = nil) {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
        self.first = first
    }
}
