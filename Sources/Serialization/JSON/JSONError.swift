/// The reason why a text is not acceptable JSON, and the location of the error.
public struct JSONError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// RFC 8259 does not allow this byte here.
        case unexpectedCharacter(expected: [String])
        /// The text ends inside a value.
        case unexpectedEnd(expected: [String])
        /// Something other than white space follows the value.
        case trailingContent
        /// RFC 8259 §6 does not allow this number (`01`, `1.`, `+1`).
        case invalidNumber
        /// `true`, `false` or `null` is misspelled.
        case invalidLiteral
        /// RFC 8259 §7 does not allow this escape.
        case invalidEscape
        /// A string contains an escaped lone surrogate.
        case loneSurrogate
        /// A string contains an unescaped control character below U+0020.
        case controlCharacter
        /// A sequence of bytes is not valid UTF-8 (or UTF-16, UTF-32 or a charset, if the content was read in that
        /// encoding).
        case invalidEncoding(String)
        /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
        case unsupportedCharset(String)
        /// An object contains this member name twice, and `duplicates` is `reject`.
        case duplicateName(String)
        /// The value is neither an array nor an object, and `fragments` is `false`.
        case topLevelScalar
        /// No double is near this number, so RFC 8785 has no form for it.
        case numberNotRepresentable
        case nestingTooDeep(max: Int)
        case numberTooLong(max: Int)
        case keyTooLong(max: Int)
        case tooManyMembers(max: Int)
        /// No memory was granted (``MemoryGrant``).
        case outOfMemory
    }

    public var reason: Reason
    public var location: SourceLocation

    /// The location of the first member with the same name, if the reason is a duplicate.
    public var first: SourceLocation?

    /// The text at the location: a quoted character, or `end of content`.
    public var found: String?

    /// At most 64 bytes of the content around the location: valid UTF-8, with control characters escaped.
    public var excerpt: String?

    public init(_ reason: Reason, at location: SourceLocation, found: String? = nil, excerpt: String? = nil) {
        self.reason = reason
        self.location = location
        self.found = found
        self.excerpt = excerpt
    }
}

extension JSONError {
    /// The error of content that is not valid in its encoding, or for whose text there is no memory.
    init(_ error: TranscodingError) {
        switch error.cause {
        case .malformed: self.init(.invalidEncoding(error.encoding), at: error.location)
        case .unsupported: self.init(.unsupportedCharset(error.encoding), at: error.location)
        case .outOfMemory: self.init(.outOfMemory, at: error.location)
        }
    }
}
