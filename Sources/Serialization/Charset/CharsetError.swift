/// An error in decoding content in its charset.
package enum CharsetError: Error, Equatable, Sendable {
    /// A sequence of bytes that is malformed, or truncated by the end of the content. `at` is the offset of its first
    /// byte from the start of the content.
    case malformed(at: Int)
    /// The charset is recognized, but not supported.
    case unsupported(Charset)
    /// No memory was granted for the text (``MemoryGrant``).
    case outOfMemory
}
