/// The reason why content is not an acceptable property list, and the location of the error.
public struct PropertyListError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The content has neither a signature of the binary format, nor markup, nor text of the text format: it is
        /// empty or white space.
        case notAPropertyList
        /// The version after `bplist` is not `0` and any character.
        case unsupportedVersion(String)
        /// The content ends inside a value.
        case unexpectedEnd(expected: [String])
        /// The text format does not allow this character here.
        case unexpectedCharacter(expected: [String])
        /// The XML format does not allow this element here, or there is text between elements.
        case unexpectedElement(expected: [String])
        /// Something other than white space and comments follows the value.
        case trailingContent
        /// The markup is not well-formed XML, or is rejected XML.
        case malformedXML(XMLError.Reason)
        /// The trailer of the binary format, its last 32 bytes, does not match the content.
        case invalidTrailer
        /// An offset or a reference does not lead to an object, or an object extends beyond the end of the objects.
        case invalidReference
        /// Objects share bytes: their total length exceeds that of the content.
        case overlappingObjects
        /// No object begins with this byte.
        case unknownMarker(UInt8)
        /// A string is not valid in its declared encoding.
        case invalidString
        /// A string contains a lone surrogate.
        case loneSurrogate
        /// A sequence of bytes is not valid in the encoding of the text.
        case invalidEncoding(String)
        /// The text format does not have this escape.
        case invalidEscape
        case invalidNumber
        /// The text is not a date, or the year is outside 0 to 9999, the range of RFC 3339.
        case invalidDate
        /// The data is neither Base64 nor pairs of hexadecimal digits.
        case invalidData
        /// A key of a dictionary is not a string.
        case invalidKey
        /// A dictionary contains this key twice, and `duplicates` is `reject`.
        case duplicateKey(String)
        /// An object contains itself.
        case cycle
        /// With `archive=resolve`, the archive refers to an object that it does not contain.
        case invalidArchive
        /// Shared objects, each written at every reference, would make the value longer than this.
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

    /// The location. Line and column are `nil` in the binary format.
    public var location: SourceLocation

    /// The offset of the key that a duplicate repeats; `nil` for other errors.
    public var first: SourceLocation?

    /// The text at the location: a quoted character, or `end of content`. `nil` in the binary format.
    public var found: String?

    /// At most 64 bytes of the content around the location. `nil` in the binary format.
    public var excerpt: String?

    public init(_ reason: Reason, at location: SourceLocation, found: String? = nil, excerpt: String? = nil) {
        self.reason = reason
        self.location = location
        self.found = found
        self.excerpt = excerpt
    }
}

extension PropertyListError {
    /// The error of content that is not valid in its encoding, or for whose text there is no memory.
    init(_ error: TranscodingError) {
        switch error.cause {
        case .malformed: self.init(.invalidEncoding(error.encoding), at: error.location)
        case .unsupported: self.init(.invalidEncoding(error.encoding), at: error.location)
        case .outOfMemory: self.init(.outOfMemory, at: error.location)
        }
    }
}

/// The error of one step: the reason, and the offset in the bytes that the step reads. ``PropertyListError`` adds the
/// details.
struct PropertyListFault: Error, Equatable {
    var reason: PropertyListError.Reason
    var offset: Int
    /// The JSON Pointer (RFC 6901) in the structure of the source. `nil` if the fault belongs to no value.
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
