/// The reason why content is not an acceptable form, and the location of the error.
package typealias FormError = TextError<FormReason>

typealias FormFault = TextFault<FormReason>

package enum FormReason: Equatable, Sendable {
    /// A name or value is not valid in its charset after its escapes are decoded.
    case invalidEncoding(String)
    /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
    case unsupportedCharset(String)
    case keyTooLong(max: Int)
    case tooManyMembers(max: Int)
    /// No memory was granted (``MemoryGrant``).
    case outOfMemory
}
