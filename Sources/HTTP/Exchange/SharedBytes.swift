internal import Glibc
internal import Platform
package import Primitives
internal import Synchronization

/// The memory of shared bytes in the account of another module, which is released with the last reference.
package protocol MemoryCharge: AnyObject, Sendable {
    /// The number of bytes that are charged. What is computed of the bytes is charged in addition.
    var bytes: Int { get }

    func resize(to bytes: Int)
}

/// Immutable bytes with several owners. Their memory is released with the last reference.
///
/// @unchecked Sendable: the bytes do not change between `init` and `deinit`.
@safe package final class SharedBytes: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    /// What was computed of the bytes.
    private struct Derived {
        var compressed: SharedBytes?
        var digest: [UInt8]?
        /// Pays for the bytes, and for what was computed of them.
        var charge: (any MemoryCharge)?
    }

    private let derived = Mutex(Derived())

    package init(_ buffer: consuming OutputBuffer) {
        unsafe bytes = buffer.take()
    }

    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(OutputBuffer(bytes))
    }

    deinit {
        // The buffer from which the bytes were taken has allocated them with `malloc`.
        unsafe free(bytes.baseAddress)
    }

    package var count: Int { unsafe bytes.count }

    /// The memory of the bytes, in bytes.
    package var heapBytes: Int { unsafe Heap.usableBytes(of: bytes.baseAddress) }

    /// Retains `charge`, which pays for the bytes in a cache, as long as somebody uses them.
    package func attach(_ charge: any MemoryCharge) {
        derived.withLock { derived in
            derived.charge = charge
            if let compressed = derived.compressed { charge.resize(to: charge.bytes + compressed.heapBytes) }
        }
    }

    /// The bytes as gzip, which are compressed once; `nil` if there is no memory.
    package var compressed: SharedBytes? {
        derived.withLock { derived in
            if derived.compressed == nil, let buffer = withBytes({ GzipMember.compress($0) }) {
                let compressed = SharedBytes(buffer)
                derived.compressed = compressed
                if let charge = derived.charge { charge.resize(to: charge.bytes + compressed.heapBytes) }
            }
            return derived.compressed
        }
    }

    /// Whether the bytes as gzip, if `compressed` is true, and the digest of what is sent, are known. If another thread
    /// computes them, they are not known yet.
    package func has(compressed: Bool, digest: Bool) -> Bool {
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
    package var digest: [UInt8] {
        derived.withLock { derived in
            if let digest = derived.digest { return digest }
            let digest = withBytes { SHA256.digest(of: $0) }
            derived.digest = digest
            return digest
        }
    }

    /// Calls `body` with the bytes, which are valid for the duration of the call.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(self.bytes)
        return try unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes throws(Failure) in try unsafe body(bytes.span)
        }
    }

    /// The bytes, which are valid as long as this object.
    var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(bytes) }
}
