// How the kernel accesses memory: two lenses that read and two that write, a byte, a word or a vector at a time.
//
// Proof of bounds, once for all callers. The reader owns `0 ..< count` of the source for as long as it runs. Through
// `JSONSource` it reads a byte only at an index that it has compared with `count`, and a word or vector only where
// `index + width <= count` has been tested or follows from a longer test.
//
// Through `JSONWindow` it reads without such tests: from every index up to the window's `limit`, `reachBytes` bytes can be
// read. The kernel compares its index with `limit` once for each member or element, and again after each step of unbounded
// length. The steps in between are bounded: an expected name (32 bytes), a space, two vectors of a string or number, and a
// comma: 66 bytes, and one more is looked at. Near the end of the text a window shows a copy of what is left, followed by
// `reachBytes` zeros. Zero is part of no token, so nothing is read beyond the first of them as if it were text.
//
// The reader writes only what it has read or a shorter replacement of it, so the write index, counted from where the value
// began, never passes the read index, but for the comma that is written behind a value and may be one ahead until the
// source's own comma or bracket is read. A wide store of `width` bytes is made only beside a wide load of the same width
// that begins inside the source or at its end, with both indices at the start of a token or the same distance from there.
// The sink has room for as many bytes as the source is long and `slackBytes` more (`JSONWriter.value`), so every store ends
// inside it. The kernel writes through `JSONAddresses`, the same memory with addresses in place of indices.
//
// `assert` checks all this in debug builds, which is how the tests and the fuzzer run.

/// The content being read.
@safe struct JSONSource {
    fileprivate let base: UnsafePointer<UInt8>
    let count: Int

    /// - Parameter bytes: stay alive and unchanged for as long as the source is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address; nothing is ever read through the stand-in.
        unsafe base = bytes.baseAddress ?? UnsafePointer(bitPattern: 16).unsafelyUnwrapped
        count = bytes.count
    }

    @inline(__always) subscript(index: Int) -> UInt8 {
        assert(index >= 0 && index < count)
        return unsafe base[index]
    }

    /// Eight bytes, the first in the lowest bits.
    @inline(__always) func word(at index: Int) -> UInt64 {
        assert(index >= 0 && index + 8 <= count)
        return unsafe UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
    }

    /// Four bytes, the first in the lowest bits.
    @inline(__always) func halfWord(at index: Int) -> UInt32 {
        assert(index >= 0 && index + 4 <= count)
        return unsafe UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
    }

    @inline(__always) func vector(at index: Int) -> SIMD16<UInt8> {
        assert(index >= 0 && index + 16 <= count)
        return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// The bytes of `range`, lent.
    func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        assert(range.lowerBound >= 0 && range.upperBound <= count)
        let bytes = unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
        return unsafe body(bytes.span)
    }
}

/// A part of the content in which single accesses need no test of the bounds. Indices are those of the content.
@safe struct JSONWindow {
    /// How many bytes can be read from every index up to `limit`.
    static let reachBytes = 80

    /// The memory that the last window of a text takes: what is left is less than the reach.
    static let endBytes = 2 * reachBytes

    /// Where index 0 would be; for the end of a text that is outside of the memory.
    private let base: UnsafePointer<UInt8>

    /// The first index that can be read.
    private let start: Int

    /// The last index from which ``reachBytes`` bytes can be read. Below `start`: there is none.
    let limit: Int

    /// The content itself, as far as it goes.
    @inline(__always) init(_ source: JSONSource) {
        unsafe base = source.base
        start = 0
        limit = source.count &- Self.reachBytes
    }

    /// A copy of the end of the content.
    /// - Parameters:
    ///   - start: less than ``reachBytes`` before the end.
    ///   - memory: ``endBytes`` that stay alive and are written by nobody else for as long as the window is used.
    @inline(__always) init(endOf source: JSONSource, from start: Int, in memory: UnsafeMutableRawPointer) {
        let count = source.count &- start
        precondition(count >= 0 && count < Self.reachBytes, "the end of a text is shorter than the reach")
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.endBytes)
        unsafe memory.copyMemory(from: source.base + start, byteCount: count)
        // An integer in between, because a pointer may not leave its memory.
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

    /// Two bytes, the first in the lowest bits.
    @inline(__always) func pair(at index: Int) -> UInt16 {
        assertReach(2, at: index)
        return unsafe UInt16(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt16.self))
    }

    /// Four bytes, the first in the lowest bits.
    @inline(__always) func halfWord(at index: Int) -> UInt32 {
        assertReach(4, at: index)
        return unsafe UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
    }

    @inline(__always) func vector(at index: Int) -> SIMD16<UInt8> {
        assertReach(16, at: index)
        return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
    }
}

/// Where the value is written.
@safe struct JSONSink {
    /// Room beyond the longest value, for the comma that is written behind it.
    static let slackBytes = 16

    fileprivate let base: UnsafeMutablePointer<UInt8>
    fileprivate let capacity: Int

    /// - Parameter room: stays alive, and is written by nobody else, for as long as the sink is used.
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

/// A sink whose indices are addresses, so that the kernel needs one register for both.
@safe struct JSONAddresses {
    /// The address of the first byte.
    let start: Int
    private let end: Int

    @inline(__always) init(_ sink: JSONSink) {
        start = Int(bitPattern: unsafe sink.base)
        end = start &+ sink.capacity
    }

    /// `width` bytes of the memory.
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

    /// The address with these lowest 32 bits.
    @inline(__always) func address(_ bits: UInt32) -> Int {
        start &+ Int(bits &- UInt32(truncatingIfNeeded: start))
    }

    /// Moves `range` down to `address`, which lies before it.
    func move(_ range: Range<Int>, to address: Int) {
        let old = unsafe pointer(range.lowerBound, range.count)
        unsafe pointer(address, range.count).copyMemory(from: old, byteCount: range.count)
    }
}
