/// The reason why content is not an acceptable form, and the location of the error.
public struct FormError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// A name or value is not valid in its charset after its escapes are decoded.
        case invalidEncoding(String)
        /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
        case unsupportedCharset(String)
        case keyTooLong(max: Int)
        case tooManyMembers(max: Int)
        /// No memory was granted (``MemoryGrant``).
        case outOfMemory
    }

    public var reason: Reason
    public var location: SourceLocation

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

extension FormError {
    /// The error of content that is not valid in its encoding, or for whose text there is no memory.
    init(_ error: CharsetError, in encoding: String) {
        switch error {
        case .malformed(let offset): self.init(.invalidEncoding(encoding), at: SourceLocation(byte: offset))
        case .unsupported: self.init(.unsupportedCharset(encoding), at: SourceLocation(byte: 0))
        case .outOfMemory: self.init(.outOfMemory, at: SourceLocation(byte: 0))
        }
    }
}
