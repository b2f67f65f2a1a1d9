/// Why a content is no text in its charset.
package enum CharsetError: Error, Equatable, Sendable {
    /// A sequence of bytes that spells nothing, or that the end of the content cuts off. `at` is its first byte, counted
    /// from the start of the content.
    case malformed(at: Int)
    /// The charset is not read here: a seven-bit or unsafe one, or the system has no module for it.
    case unsupported(Charset)
}
