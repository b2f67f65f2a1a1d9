/// The reason why content is not acceptable CSV, and the location of the error.
package typealias CSVError = TextError<CSVReason>

typealias CSVFault = TextFault<CSVReason>

package enum CSVReason: Equatable, Sendable {
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
    /// The names of the header, which each record repeats, would make the value too long.
    case expansionTooLarge(maxBytes: Int)
    /// No memory was granted (``MemoryGrant``).
    case outOfMemory
}
