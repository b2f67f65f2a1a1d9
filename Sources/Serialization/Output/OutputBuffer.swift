internal import Glibc

/// Bytes on the C heap, so that an HTTP library can take them over without a copy and free them with `free`.
///
/// Unique and growing; the storage always has room for `capacity` bytes, of which the first `count` are set.
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
        precondition(!overflow && additional >= 0, "a reservation is a length in memory")
        if needed > capacity { grow(to: needed) }
    }

    /// The capacity after ``reserve(_:)``, in bytes.
    func capacity(reserving additional: Int) -> Int {
        let needed = count + additional
        return needed > capacity ? grownCapacity(for: needed) : capacity
    }

    private func grownCapacity(for needed: Int) -> Int {
        // Doubling would keep as much memory unused as a large response has.
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
        precondition(end == added, "a collection has as many elements as it counts")
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

    /// Appends `range` of `text` in vectors, beyond whose end sixteen bytes more are read.
    @inline(__always) mutating func append(_ range: Range<Int>, ofPadded text: Span<UInt8>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= text.count - 16, "there are bytes to read beyond")
        unsafe text.withUnsafeBufferPointer { bytes in
            // Alive for the call.
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

    /// Appends a member's name in its quotes and the colon after it.
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

    /// Appends a number that has `digits` digits in decimal.
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

    /// Appends valid UTF-8 as a JSON string: the first `length` bytes of `text`.
    @inline(__always) mutating func append(string text: Span<UInt8>, length: Int, afterComma: Bool) {
        unsafe text.withUnsafeBufferPointer { bytes in
            // Alive for the call.
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

    /// Appends a piece of valid UTF-8 as a piece of a JSON string: the first `length` bytes of `text`.
    package mutating func append(escaping text: Span<UInt8>, length: Int) {
        unsafe text.withUnsafeBufferPointer { bytes in
            // Alive for the call.
            let text = unsafe JSONText(bytes, count: length)
            _ = fill(text.maxBytes) { sink in (text.write(into: sink, at: 0), ()) }
        }
    }

    /// Lets `body` write up to `room` bytes at the end, in place; it returns how many it wrote.
    @inline(__always) mutating func fill<Result, Failure: Error>(
        _ room: Int,
        _ body: (JSONSink) throws(Failure) -> (bytes: Int, Result)
    ) throws(Failure) -> (bytes: Int, Result) {
        reserve(room)
        // The storage cannot move while `body` runs: nothing else can reach it.
        let filled = try unsafe body(JSONSink(base + count, capacity: room))
        precondition(0...room ~= filled.bytes, "no more was written than there was room for")
        count += filled.bytes
        return filled
    }

    /// Takes back everything after the first `length` bytes.
    public mutating func truncate(to length: Int) {
        precondition(0...count ~= length, "a buffer is cut to a length that it has")
        count = length
    }

    /// Lends the bytes written so far.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe UnsafeBufferPointer(start: base, count: count)
        return try unsafe body(bytes.span)
    }

    /// Hands the storage over; the new owner releases it with `free`. It is at most twice as long as what is in it, or not much
    /// longer: who waits for a slow reader holds no memory that was only needed to write.
    public consuming func take() -> UnsafeMutableRawBufferPointer {
        if capacity > Self.maxSlackBytes { giveSlackBack() }
        let storage = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
        discard self
        return unsafe storage
    }

    /// Hands the storage over with all its capacity; the new owner releases it with `free`.
    consuming func takePadded() -> UnsafeMutableRawPointer {
        let storage = unsafe UnsafeMutableRawPointer(base)
        discard self
        return unsafe storage
    }

    /// Storage from this length on, in bytes, grows by an eighth: the C library maps such blocks (``Heap``), so that they grow
    /// without a copy.
    private static let maxDoubledBytes = 4 << 20

    /// Storage up to this, in bytes, is handed over as it is.
    private static let maxSlackBytes = 64 << 10

    @inline(never) private mutating func giveSlackBack() {
        guard count < capacity / 2 else { return }
        // One that cannot be made shorter stays as it is.
        guard let shorter = unsafe realloc(base, max(count, 1)) else { return }
        unsafe base = shorter.bindMemory(to: UInt8.self, capacity: max(count, 1))
        capacity = count
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
