// The memory access of the kernel: two types that read and two that write a byte, a word or a vector at a time.
//
// Proof of bounds, once for all callers. The reader owns `0 ..< count` of the source while it runs. Through
// `JSONSource` it reads a byte only at an index that it has compared with `count`, and a word or vector only if `index
// + width <= count` has been tested or follows from a longer test.
//
// Through `JSONWindow` it reads without such tests: from every index up to the window's `limit`, `reachBytes` bytes can
// be read. The kernel compares its index with `limit` once for each member or element, and again after each step of
// unbounded length. The steps in between are bounded: an expected name (32 bytes), a space, two vectors of a string or
// number, and a comma: 66 bytes, and one more byte that is examined. Near the end of the text, a window contains a copy
// of the remaining text, followed by `reachBytes` zeros. Zero is not part of any token, so nothing beyond the first
// zero is treated as text.
//
// The reader writes only what it has read or a shorter replacement, so the write index, counted from the start of the
// value, never passes the read index. The exception is the comma that is written after a value, which may be one byte
// ahead until the comma or bracket of the source is read. A wide store of `width` bytes only accompanies a wide load of
// the same width that begins inside the source or at its end, with both indices at the start of a token or the same
// distance from it. The capacity of the sink is the length of the source plus `slackBytes` (`JSONWriter.value`), so
// every store ends inside it. The kernel writes through `JSONAddresses`, which is the same memory with addresses
// instead of indices.
//
// `assert` checks all of this in debug builds, which the tests and the fuzzer use.

/// The content being read.
@safe struct JSONSource {
    fileprivate let base: UnsafePointer<UInt8>
    let count: Int

    /// - Parameter bytes: The content. It must stay alive and unchanged while the source is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address; nothing is ever read through the replacement.
        unsafe base = bytes.baseAddress ?? UnsafePointer(bitPattern: 16).unsafelyUnwrapped
        count = bytes.count
    }

    @inline(__always) subscript(index: Int) -> UInt8 {
        assert(index >= 0 && index < count)
        return unsafe base[index]
    }

    /// Returns eight bytes, the first in the lowest bits.
    @inline(__always) func word(at index: Int) -> UInt64 {
        assert(index >= 0 && index + 8 <= count)
        return unsafe UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
    }

    /// Returns four bytes, the first in the lowest bits.
    @inline(__always) func halfWord(at index: Int) -> UInt32 {
        assert(index >= 0 && index + 4 <= count)
        return unsafe UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
    }

    @inline(__always) func vector(at index: Int) -> SIMD16<UInt8> {
        assert(index >= 0 && index + 16 <= count)
        return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// Calls `body` with the bytes of `range`, which are valid for the duration of the call.
    func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        assert(range.lowerBound >= 0 && range.upperBound <= count)
        let bytes = unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
        return unsafe body(bytes.span)
    }
}

/// A part of the content in which single accesses need no bounds check. Indices are those of the content.
@safe struct JSONWindow {
    /// The number of bytes that can be read from every index up to `limit`.
    static let reachBytes = 80

    /// The memory for the last window of a text, whose remaining text is shorter than the reach.
    static let endBytes = 2 * reachBytes

    /// The address of index 0. In the last window of a text, it is outside the memory.
    private let base: UnsafePointer<UInt8>

    /// The first index that can be read.
    private let start: Int

    /// The last index from which ``reachBytes`` bytes can be read. If it is below `start`, there is none.
    let limit: Int

    /// Creates a window over the content itself.
    @inline(__always) init(_ source: JSONSource) {
        unsafe base = source.base
        start = 0
        limit = source.count &- Self.reachBytes
    }

    /// Creates a window over a copy of the end of the content.
    /// - Parameters:
    ///   - start: An index less than ``reachBytes`` before the end.
    ///   - memory: ``endBytes`` bytes that stay alive, and that nothing else writes, while the window is used.
    @inline(__always) init(endOf source: JSONSource, from start: Int, in memory: UnsafeMutableRawPointer) {
        let count = source.count &- start
        precondition(count >= 0 && count < Self.reachBytes, "the rest of the text is shorter than the reach")
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.endBytes)
        unsafe memory.copyMemory(from: source.base + start, byteCount: count)
        // Computed as an integer, because a pointer must not leave its memory.
        let address = UInt(bitPattern: memory) &- UInt(bitPattern: start)
        unsafe base = UnsafePointer(bitPattern: address).unsafelyUnwrapped
        self.start = start
        limit = source.count
    }

    @inline(__always) private func assertReach(_ width: Int, at index: Int) {
        assert(index >= start && index &+ width <= limit &+ Self.reachBytes)
    }

    @inline(__always) subscript(index: Int) -> UInt8 {
        assertReach(1, at: index)
        return unsafe base[index]
    }

    /// Returns two bytes, the first in the lowest bits.
    @inline(__always) func pair(at index: Int) -> UInt16 {
        assertReach(2, at: index)
        return unsafe UInt16(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt16.self))
    }

    /// Returns four bytes, the first in the lowest bits.
    @inline(__always) func halfWord(at index: Int) -> UInt32 {
        assertReach(4, at: index)
        return unsafe UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
    }

    @inline(__always) func vector(at index: Int) -> SIMD16<UInt8> {
        assertReach(16, at: index)
        return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
    }
}

/// The memory to which the value is written.
@safe struct JSONSink {
    /// The capacity beyond the longest value, for the comma that is written after it.
    static let slackBytes = 16

    fileprivate let base: UnsafeMutablePointer<UInt8>
    let capacity: Int

    /// - Parameter room: The memory. It must stay alive, and nothing else may write it, while the sink is used.
    init(_ room: UnsafeMutablePointer<UInt8>, capacity: Int) {
        unsafe base = room
        self.capacity = capacity
    }

    @inline(__always) func put(_ byte: UInt8, at index: Int) {
        assert(index >= 0 && index < capacity)
        unsafe base[index] = byte
    }

    @inline(__always) func put(_ word: UInt64, at index: Int) {
        assert(index >= 0 && index + 8 <= capacity)
        unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    @inline(__always) func put(_ word: UInt32, at index: Int) {
        assert(index >= 0 && index + 4 <= capacity)
        unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: word.littleEndian, as: UInt32.self)
    }

    @inline(__always) func put(_ vector: SIMD16<UInt8>, at index: Int) {
        assert(index >= 0 && index + 16 <= capacity)
        unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: vector, as: SIMD16<UInt8>.self)
    }
}

/// A sink whose indices are addresses, so that the kernel needs only one register for both.
@safe struct JSONAddresses {
    /// The address of the first byte.
    let start: Int
    private let end: Int

    @inline(__always) init(_ sink: JSONSink) {
        start = Int(bitPattern: unsafe sink.base)
        end = start &+ sink.capacity
    }

    /// Returns a pointer to `width` bytes of the memory.
    @inline(__always) private func pointer(_ address: Int, _ width: Int) -> UnsafeMutableRawPointer {
        assert(address >= start && address &+ width <= end)
        return unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
    }

    @inline(__always) func put(_ byte: UInt8, at address: Int) {
        unsafe pointer(address, 1).storeBytes(of: byte, as: UInt8.self)
    }

    @inline(__always) func put(_ word: UInt64, at address: Int) {
        unsafe pointer(address, 8).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    @inline(__always) func put(_ word: UInt32, at address: Int) {
        unsafe pointer(address, 4).storeBytes(of: word.littleEndian, as: UInt32.self)
    }

    @inline(__always) func put(_ vector: SIMD16<UInt8>, at address: Int) {
        unsafe pointer(address, 16).storeBytes(of: vector, as: SIMD16<UInt8>.self)
    }

    @inline(__always) subscript(address: Int) -> UInt8 {
        unsafe pointer(address, 1).load(as: UInt8.self)
    }

    /// Returns the address with these lowest 32 bits.
    @inline(__always) func address(_ bits: UInt32) -> Int { start &+ Int(bits &- UInt32(truncatingIfNeeded: start)) }

    /// Moves `range` down to `address`, which must be below it.
    func move(_ range: Range<Int>, to address: Int) {
        let old = unsafe pointer(range.lowerBound, range.count)
        unsafe pointer(address, range.count).copyMemory(from: old, byteCount: range.count)
    }
}
