/// Why a text is not acceptable JSON, and where.
public struct JSONError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// A byte that no rule of RFC 8259 allows at this place.
        case unexpectedCharacter(expected: [String])
        /// The text ends inside a value.
        case unexpectedEnd(expected: [String])
        /// Something other than white space follows the value.
        case trailingContent
        /// A number that RFC 8259 §6 does not allow (`01`, `1.`, `+1`).
        case invalidNumber
        /// `true`, `false` or `null`, misspelt.
        case invalidLiteral
        /// An escape that RFC 8259 §7 does not allow.
        case invalidEscape
        /// Half of a surrogate pair, escaped, on its own.
        case loneSurrogate
        /// A control character below U+0020 in a string, unescaped.
        case controlCharacter
        /// A sequence of bytes that is not UTF-8 (or UTF-16, UTF-32 or a charset where the content was read in
        /// these).
        case invalidEncoding(String)
        /// The content is not valid UTF-8, and its label names a charset that is unknown or not read here.
        case unsupportedCharset(String)
        /// An object has this member name twice, and `duplicates` is `reject`.
        case duplicateName(String)
        /// The value is neither array nor object, and `fragments` is false.
        case topLevelScalar
        /// A number that no double comes near, so that RFC 8785 has no form for it.
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

    /// Where the member with the same name is, if the reason is a duplicate.
    public var first: SourceLocation?

    /// What stands at the place: a quoted character, or `end of content`.
    public var found: String?

    /// At most 64 bytes of the content around the place: valid UTF-8, control characters escaped.
    public var excerpt: String?

    public init(_ reason: Reason, at location: SourceLocation, found: String? = nil, excerpt: String? = nil) {
        self.reason = reason
        self.location = location
        self.found = found
        self.excerpt = excerpt
    }
}
