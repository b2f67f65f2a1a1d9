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
    private let charge = Mutex<(any MemoryCharge)?>(nil)

    package init(_ buffer: consuming OutputBuffer) { unsafe bytes = buffer.take() }

    package convenience init(_ bytes: some Collection<UInt8>) { self.init(OutputBuffer(bytes)) }

    deinit {
        // The buffer from which the bytes were taken has allocated them with `malloc`.
        unsafe free(bytes.baseAddress)
    }

    package var count: Int { unsafe bytes.count }

    /// The memory of the bytes, in bytes.
    package var heapBytes: Int { unsafe Heap.usableBytes(of: bytes.baseAddress) }

    /// Retains `charge`, which pays for the bytes in a cache, as long as somebody uses them.
    package func attach(_ charge: any MemoryCharge) { self.charge.withLock { $0 = charge } }

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
