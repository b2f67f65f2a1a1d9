internal import HTTP

extension Lane {
    /// The memory that reading an envelope on an HTTP thread may use beyond its length, in bytes, inclusive: as for
    /// JSON (``ResponseSerializer/inlineMemoryBytes(for:of:)``).
    static let maxInlineMemoryBytes = 4 * maxInlineBytes
}
