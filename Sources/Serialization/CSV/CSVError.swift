/// The reason why content is not acceptable CSV, and the location of the error.
public struct CSVError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The content is not valid in this charset.
        case invalidEncoding(String)
        /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
        case unsupportedCharset(String)
        /// A quote begins a field, and no quote ends it.
        case unterminatedQuote
        /// The quote that ends a field is followed by text.
        case textAfterQuote(delimiter: UInt8)
        /// A record has fewer fields than there are columns.
        case tooFewFields(Int, columns: Int)
        /// A record has more fields than there are columns.
        case tooManyFields(columns: Int)
        case keyTooLong(max: Int)
        case tooManyColumns(max: Int)
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
struct CSVFault: Error {
    var reason: CSVError.Reason
    var offset: Int
    var pointer: String?

    static let outOfMemory = CSVFault(.outOfMemory, at: 0)

    init(_ reason: CSVError.Reason, at offset: Int, pointer: String? = nil) {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
    }
}
