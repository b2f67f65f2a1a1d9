/// Grants the memory that a serialization needs beyond what was reserved for it (``ResponseSerializer/memoryBytes(for:of:)``).
///
/// A reservation covers most contents of its kind. What only unusual contents need (tables of many member names, long responses, text
/// in another charset) is requested before it is used, in blocks.
public protocol MemoryGrant: AnyObject, Sendable {
    /// Requests `bytes` bytes more, which belong to the serialization until its response has been sent.
    /// - Returns: `false` if there is no memory. Then the serialization fails with ``SerializationError/outOfMemory``.
    func grow(by bytes: Int) -> Bool
}
