/// A reason for which content of a text format is not acceptable. Each format has those of its charset and of memory.
package protocol TextErrorReason: Equatable, Sendable {
    /// The content is not valid in this charset.
    static func invalidEncoding(_ charset: String) -> Self

    /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
    static func unsupportedCharset(_ label: String) -> Self

    /// No memory was granted (``MemoryGrant``).
    static var outOfMemory: Self { get }

    /// The account of the reason, without a location.
    var diagnostic: Diagnostic { get }

    /// ``ContentError/remedies``
    var remedies: [Remedy.Candidate] { get }
}

/// The reason why content of a text format is not acceptable, and the location of the error.
package struct TextError<Reason: TextErrorReason>: ContentError {
    package var reason: Reason
    package var location: SourceLocation

    /// The text at the location: a quoted character, or `end of content`.
    package var found: String?

    /// At most 64 bytes of the content around the location: valid UTF-8, with control characters escaped.
    package var excerpt: String?

    package init(_ reason: Reason, at location: SourceLocation, found: String? = nil, excerpt: String? = nil) {
        self.reason = reason
        self.location = location
        self.found = found
        self.excerpt = excerpt
    }

    /// The error of content that is not valid in its encoding, or for whose text there is no memory.
    init(_ error: TranscodingError) {
        switch error.cause {
        case .malformed: self.init(.invalidEncoding(error.encoding), at: error.location)
        case .unsupported: self.init(.unsupportedCharset(error.encoding), at: error.location)
        case .outOfMemory: self = .outOfMemory
        }
    }

    static var outOfMemory: TextError { TextError(.outOfMemory, at: SourceLocation(byte: 0)) }

    package var diagnostic: Diagnostic { reason.diagnostic.at(location, found: found, excerpt: excerpt) }

    package var isOutOfMemory: Bool { reason == .outOfMemory }

    package var remedies: [Remedy.Candidate] { reason.remedies }
}

/// An error at an offset in the text of a format.
struct TextFault<Reason: TextErrorReason>: Error {
    var reason: Reason
    var offset: Int
    var pointer: String?

    static var outOfMemory: TextFault { TextFault(.outOfMemory, at: 0) }

    init(_ reason: Reason, at offset: Int, pointer: String? = nil) {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
    }
}
