/// Grants the memory that a serialization needs beyond what was reserved for it
/// (``ResponseSerializer/memoryBytes(for:of:)``).
///
/// A reservation covers most contents of its kind. The additional memory of unusual contents (tables of many member
/// names, long responses, text in another charset) is requested in blocks before it is used.
public protocol MemoryGrant: AnyObject, Sendable {
    /// Requests `bytes` more bytes, which belong to the serialization until its response has been sent.
    /// - Returns: `false` if there is no memory. The serialization then fails with ``SerializationError/outOfMemory``.
    func grow(by bytes: Int) -> Bool

    /// Asks whether `bytes` bytes of the content may be read once more, for example to locate an error.
    /// - Returns: `false` if this would occupy the thread for too long. The serialization then fails with
    ///   ``SerializationError/outOfMemory``, and can be repeated on another thread.
    func permitsReadingAgain(_ bytes: Int) -> Bool
}

extension MemoryGrant {
    public func permitsReadingAgain(_ bytes: Int) -> Bool { true }
}

/// Grants everything, and limits nothing: for the command line, tests, benchmarks and fuzz targets. The service bounds
/// every serialization.
public final class UnlimitedMemory: MemoryGrant {
    public static let shared = UnlimitedMemory()

    private init() {}

    public func grow(by bytes: Int) -> Bool { true }
}

extension MemoryGrant where Self == UnlimitedMemory {
    public static var unlimited: UnlimitedMemory { .shared }
}
