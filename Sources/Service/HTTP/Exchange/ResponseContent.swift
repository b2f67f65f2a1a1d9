internal import Fetching
internal import Glibc
internal import Platform
internal import Serialization
internal import Synchronization

/// The content of a response.
enum ResponseContent: ~Copyable, Sendable {
    /// A buffer of which the library takes ownership.
    case buffer(OutputBuffer)

    /// Buffers that several responses share, in order. At most ``maxSharedBuffers`` are sent without a copy.
    case shared([SharedBytes])

    /// The maximum number of shared buffers that are sent without a copy. The library keeps a list of them in the small memory of the
    /// connection.
    static let maxSharedBuffers = 16

    /// Whether other responses have the same content.
    var isShared: Bool {
        switch self {
        case .shared: true
        case .buffer: false
        }
    }

    /// The size in bytes.
    var count: Int {
        switch self {
        case .buffer(let buffer): buffer.count
        case .shared(let buffers): buffers.reduce(0) { $0 + $1.count }
        }
    }
}

/// Immutable bytes with several owners. Their memory is released with the last reference.
///
/// @unchecked Sendable: the bytes do not change between `init` and `deinit`.
@safe final class SharedBytes: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    /// What was computed of the bytes.
    private struct Derived {
        var compressed: SharedBytes?
        var digest: [UInt8]?
        /// Pays for the bytes, and for what was computed of them.
        var charge: CacheCharge?
    }

    private let derived = Mutex(Derived())

    init(_ buffer: consuming OutputBuffer) {
        unsafe bytes = buffer.take()
    }

    convenience init(_ bytes: some Collection<UInt8>) {
        self.init(OutputBuffer(bytes))
    }

    deinit {
        // The buffer from which the bytes were taken has allocated them with `malloc`.
        unsafe free(bytes.baseAddress)
    }

    var count: Int { unsafe bytes.count }

    /// The memory of the bytes, in bytes.
    var heapBytes: Int { unsafe Heap.usableBytes(of: bytes.baseAddress) }

    /// Keeps `charge`, which pays for the bytes in the cache, as long as somebody uses them.
    func keep(_ charge: CacheCharge) {
        derived.withLock { derived in
            derived.charge = charge
            if let compressed = derived.compressed { charge.resize(to: charge.bytes + compressed.heapBytes) }
        }
    }

    /// The bytes as gzip, which are compressed once; `nil` if there is no memory.
    var compressed: SharedBytes? {
        derived.withLock { derived in
            if derived.compressed == nil, let buffer = withBytes({ GzipMember.compress($0) }) {
                let compressed = SharedBytes(buffer)
                derived.compressed = compressed
                if let charge = derived.charge { charge.resize(to: charge.bytes + compressed.heapBytes) }
            }
            return derived.compressed
        }
    }

    /// Whether the bytes as gzip, if `compressed` is true, and the digest of what is sent, are known. If another thread computes them, they
    /// are not known yet.
    func has(compressed: Bool, digest: Bool) -> Bool {
        let sent: SharedBytes?
        if compressed {
            guard let known = derived.withLockIfAvailable({ $0.compressed }) else { return false }
            sent = known
        } else {
            sent = self
        }
        guard digest else { return sent != nil }
        return sent?.derived.withLockIfAvailable { $0.digest != nil } ?? false
    }

    /// The digest of the bytes with SHA-256, which is computed once.
    var digest: [UInt8] {
        derived.withLock { derived in
            if let digest = derived.digest { return digest }
            let digest = withBytes { SHA256.digest(of: $0) }
            derived.digest = digest
            return digest
        }
    }

    /// Calls `body` with the bytes, which are valid for the duration of the call.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(self.bytes)
        return try unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes throws(Failure) in try unsafe body(bytes.span)
        }
    }

    /// The bytes, which are valid as long as this object.
    var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(bytes) }
}
