/// The reason why content is not an acceptable event stream, and the location of the error.
package typealias EventStreamError = TextError<EventStreamReason>

typealias EventStreamFault = TextFault<EventStreamReason>

package enum EventStreamReason: Equatable, Sendable {
    /// The content is not valid in this charset.
    case invalidEncoding(String)
    /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
    case unsupportedCharset(String)
    /// The content ends before the empty line that ends an event.
    case unfinished(hasEvents: Bool)
    /// No memory was granted (``MemoryGrant``).
    case outOfMemory
}
