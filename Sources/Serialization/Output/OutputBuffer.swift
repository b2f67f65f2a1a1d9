internal import Glibc

/// Bytes on the C heap, so that an HTTP library can take ownership of them without a copy and free them with `free`.
///
/// The buffer has a single owner and grows. The storage always has a capacity of `capacity` bytes, of which the first
/// `count` are initialized.
@safe public struct OutputBuffer: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: the storage has exactly one owner, this value, which cannot be copied.
    package private(set) var base: UnsafeMutablePointer<UInt8>
    public package(set) var count = 0
    public private(set) var capacity: Int

    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        unsafe base = Self.allocate(self.capacity)
    }

    public init(_ bytes: some Collection<UInt8>) {
        self.init(capacity: bytes.count)
        append(contentsOf: bytes)
    }

    deinit {
        unsafe free(base)
    }

    /// Grows the storage so that `additional` more bytes fit.
    public mutating func reserve(_ additional: Int) {
        let (needed, overflow) = count.addingReportingOverflow(additional)
        precondition(!overflow && additional >= 0, "the length fits in memory")
        if needed > capacity { grow(to: needed) }
    }

    /// The capacity after ``reserve(_:)``, in bytes.
    func capacity(reserving additional: Int) -> Int {
        let needed = count + additional
        return needed > capacity ? grownCapacity(for: needed) : capacity
    }

    private func grownCapacity(for needed: Int) -> Int {
        // Doubling would leave as much memory unused as a large response has.
        let step = capacity < Self.maxDoubledBytes ? capacity : max(Self.maxDoubledBytes / 4, capacity / 8)
        return max(needed, capacity + step)
    }

    @inline(never) private mutating func grow(to needed: Int) {
        let newCapacity = grownCapacity(for: needed)
        let grown = unsafe realloc(base, newCapacity)
        guard let grown = unsafe grown else { preconditionFailure("out of memory: \(newCapacity) bytes of output") }
        unsafe base = grown.bindMemory(to: UInt8.self, capacity: newCapacity)
        capacity = newCapacity
    }

    @inline(__always) public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count += 1
    }

    public mutating func append(contentsOf bytes: some Collection<UInt8>) {
        let added = bytes.count
        reserve(added)
        let room = unsafe UnsafeMutableBufferPointer(start: base + count, count: added)
        let end = unsafe room.update(fromContentsOf: bytes)
        precondition(end == added, "the number of elements is the count of the collection")
        count += added
    }

    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            reserve(source.count)
            unsafe memcpy(base + count, start, source.count)
            count += source.count
        }
    }

    /// Appends `range` of `text` as vectors. Up to sixteen bytes beyond the end of the range are read.
    @inline(__always) mutating func append(_ range: Range<Int>, ofPadded text: Span<UInt8>) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= text.count - 16,
            "sixteen bytes can be read beyond the range"
        )
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let source = unsafe JSONSource(bytes)
            _ = fill(range.count + 16) { sink in
                var done = 0
                repeat {
                    sink.put(source.vector(at: range.lowerBound &+ done), at: done)
                    done &+= 16
                } while done < range.count
                return (range.count, ())
            }
        }
    }

    @inline(__always) public mutating func append(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        unsafe memcpy(base + count, text.utf8Start, text.utf8CodeUnitCount)
        count += text.utf8CodeUnitCount
    }

    /// Appends a member's name in quotes and the colon after it.
    @inline(__always) mutating func append(name: StaticString, afterComma: Bool) {
        let length = name.utf8CodeUnitCount
        reserve(length + 4)
        var end = unsafe base + count
        if afterComma {
            unsafe end.pointee = UInt8(ascii: ",")
            unsafe end += 1
        }
        unsafe end[0] = UInt8(ascii: "\"")
        unsafe memcpy(end + 1, name.utf8Start, length)
        unsafe end[length + 1] = UInt8(ascii: "\"")
        unsafe end[length + 2] = UInt8(ascii: ":")
        unsafe count = end - base + length + 3
    }

    /// Appends a number that has `digits` decimal digits.
    mutating func append(decimal number: UInt, digits: Int) {
        reserve(digits)
        var rest = number
        var end = unsafe base + count + digits
        for _ in 0..<digits {
            unsafe end -= 1
            unsafe end.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }

    /// Appends the first `length` bytes of `text`, valid UTF-8, as a JSON string.
    @inline(__always) mutating func append(string text: Span<UInt8>, length: Int, afterComma: Bool) {
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let text = unsafe JSONText(bytes, count: length)
            _ = fill(text.maxBytes + 3) { sink in
                var written = 0
                if afterComma {
                    sink.put(UInt8(ascii: ","), at: 0)
                    written = 1
                }
                sink.put(UInt8(ascii: "\""), at: written)
                written = text.write(into: sink, at: written + 1)
                sink.put(UInt8(ascii: "\""), at: written)
                return (written + 1, ())
            }
        }
    }

    /// Appends the first `length` bytes of `text`, valid UTF-8, as a piece of a JSON string.
    package mutating func append(escaping text: Span<UInt8>, length: Int) {
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let text = unsafe JSONText(bytes, count: length)
            _ = fill(text.maxBytes) { sink in (text.write(into: sink, at: 0), ()) }
        }
    }

    /// Lets `body` write up to `room` bytes at the end of the buffer. `body` returns the number of bytes written.
    @inline(__always) mutating func fill<Result, Failure: Error>(
        _ room: Int,
        _ body: (JSONSink) throws(Failure) -> (bytes: Int, Result)
    ) throws(Failure) -> (bytes: Int, Result) {
        reserve(room)
        // The storage cannot move while `body` runs, because nothing else has access to it.
        let filled = try unsafe body(JSONSink(base + count, capacity: room))
        precondition(0...room ~= filled.bytes, "at most as many bytes were written as reserved")
        count += filled.bytes
        return filled
    }

    /// Removes everything after the first `length` bytes.
    public mutating func truncate(to length: Int) {
        precondition(0...count ~= length, "the length is at most that of the buffer")
        count = length
    }

    /// Calls `body` with the bytes written so far, which are valid for the duration of the call.
    public func withBytes<Result: ~Copyable, Failure: Error>(
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

    /// Gives unused capacity back, if it is more than an eighth of the content. This is for content that is kept for long.
    public mutating func shrink() {
        if capacity - count > max(count / 8, 64) { giveSlackBack() }
    }

    /// Transfers ownership of the storage with its full capacity. The new owner releases it with `free`.
    consuming func takePadded() -> UnsafeMutableRawPointer {
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
