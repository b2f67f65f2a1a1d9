/// The reason why content is not an acceptable event stream, and the location of the error.
public struct EventStreamError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The content is not valid in this charset.
        case invalidEncoding(String)
        /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
        case unsupportedCharset(String)
        /// The content ends before the empty line that ends an event.
        case unfinished
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

/// An error at an offset in the text.
struct EventStreamFault: Error {
    var reason: EventStreamError.Reason
    var offset: Int
    var pointer: String?

    static let outOfMemory = EventStreamFault(.outOfMemory, at: 0)

    init(_ reason: EventStreamError.Reason, at offset: Int, pointer: String? = nil) {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
    }
}
