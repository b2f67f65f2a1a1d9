/// An error in decoding content in its charset.
package enum CharsetError: Error, Equatable, Sendable {
    /// A sequence of bytes that is malformed, or truncated by the end of the content. `at` is the offset of its first
    /// byte from the start of the content.
    case malformed(at: Int)
    /// The charset is not supported: it is a seven-bit or unsafe one, or the system has no module for it.
    case unsupported(Charset)
}
