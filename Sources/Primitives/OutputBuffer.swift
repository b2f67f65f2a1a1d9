internal import Glibc

/// Bytes on the C heap, so that an HTTP library can take ownership of them without a copy and free them with `free`.
///
/// The buffer has a single owner and grows. The storage always has a capacity of `capacity` bytes, of which the first
/// `count` are initialized.
@safe public struct OutputBuffer: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: the storage has exactly one owner, this value, which cannot be copied.
    @usableFromInline package private(set) var base: UnsafeMutablePointer<UInt8>
    @usableFromInline package var length = 0
    public private(set) var capacity: Int

    /// The number of bytes that were written.
    public package(set) var count: Int {
        @inlinable get { length }
        @inlinable set { length = newValue }
    }

    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        unsafe base = Self.allocate(self.capacity)
    }

    @inlinable public init(_ bytes: some Collection<UInt8>) {
        self.init(capacity: bytes.count)
        append(contentsOf: bytes)
    }

    deinit { unsafe free(base) }

    /// Grows the storage so that `additional` more bytes fit.
    @inlinable public mutating func reserve(_ additional: Int) {
        let (needed, overflow) = count.addingReportingOverflow(additional)
        precondition(!overflow && additional >= 0, "the length fits in memory")
        if needed > capacity { grow(to: needed) }
    }

    /// The capacity after ``reserve(_:)``, in bytes.
    package func capacity(reserving additional: Int) -> Int {
        let needed = count + additional
        return needed > capacity ? grownCapacity(for: needed) : capacity
    }

    private func grownCapacity(for needed: Int) -> Int {
        // Doubling would leave as much memory unused as a large response has.
        let step = capacity < Self.maxDoubledBytes ? capacity : max(Self.maxDoubledBytes / 4, capacity / 8)
        return max(needed, capacity + step)
    }

    @inline(never) @usableFromInline mutating func grow(to needed: Int) {
        let newCapacity = grownCapacity(for: needed)
        let grown = unsafe realloc(base, newCapacity)
        guard let grown = unsafe grown else { preconditionFailure("out of memory: \(newCapacity) bytes of output") }
        unsafe base = grown.bindMemory(to: UInt8.self, capacity: newCapacity)
        capacity = newCapacity
    }

    @inlinable @inline(__always) public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[length] = byte
        length += 1
    }

    @inlinable public mutating func append(contentsOf bytes: some Collection<UInt8>) {
        let added = bytes.count
        reserve(added)
        let room = unsafe UnsafeMutableBufferPointer(start: base + length, count: added)
        let end = unsafe room.update(fromContentsOf: bytes)
        precondition(end == added, "the number of elements is the count of the collection")
        length += added
    }

    @inlinable public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            reserve(source.count)
            unsafe (base + length).initialize(from: start, count: source.count)
            length += source.count
        }
    }

    @inlinable @inline(__always) public mutating func append(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        unsafe (base + length).initialize(from: text.utf8Start, count: text.utf8CodeUnitCount)
        length += text.utf8CodeUnitCount
    }

    /// Removes everything after the first `length` bytes.
    @inlinable public mutating func truncate(to length: Int) {
        precondition(0...count ~= length, "the length is at most that of the buffer")
        self.length = length
    }

    /// Calls `body` with the bytes written so far, which are valid for the duration of the call.
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe UnsafeBufferPointer(start: base, count: count)
        return try unsafe body(bytes.span)
    }

    /// Transfers ownership of the storage, which the new owner releases with `free`. The storage is at most twice as
    /// long as its content, or only slightly longer, so that a response to a slow client does not hold memory that only
    /// writing needed.
    public consuming func take() -> UnsafeMutableRawBufferPointer {
        if capacity > Self.maxSlackBytes, count < capacity / 2 { giveSlackBack() }
        let storage = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
        discard self
        return unsafe storage
    }

    /// Gives unused capacity back, unless it is at most 64 bytes. This is for content that is kept for long.
    public mutating func shrink() { if capacity - count > 64 { giveSlackBack() } }

    /// Transfers ownership of the storage with its full capacity. The new owner releases it with `free`.
    package consuming func takePadded() -> UnsafeMutableRawPointer {
        let storage = unsafe UnsafeMutableRawPointer(base)
        discard self
        return unsafe storage
    }

    /// The capacity, in bytes, from which the storage grows by an eighth: the C library maps such blocks (``Heap``), so
    /// that they grow without a copy.
    private static let maxDoubledBytes = 4 << 20

    /// The maximum capacity, in bytes, that is handed over without shrinking.
    private static let maxSlackBytes = 64 << 10

    @inline(never) private mutating func giveSlackBack() {
        // Storage that cannot be shrunk remains as it is.
        guard let shorter = unsafe realloc(base, max(count, 1)) else { return }
        unsafe base = shorter.bindMemory(to: UInt8.self, capacity: max(count, 1))
        capacity = max(count, 1)
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        guard let storage = unsafe malloc(capacity) else {
            preconditionFailure("out of memory: \(capacity) bytes of output")
        }
        return unsafe storage.bindMemory(to: UInt8.self, capacity: capacity)
    }
}

extension Array<UInt8> {
    public init(_ buffer: borrowing OutputBuffer) {
        self = buffer.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
    }
}
