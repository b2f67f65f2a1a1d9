// How the kernel touches memory: two lenses, one that reads and one that writes, a byte, a word or a vector at a time.
//
// Proof of bounds, once for all callers. The reader owns `0 ..< count` of the source for as long as it runs. It reads
// a byte only at an index that it has compared with `count`, and a word or vector only where `index + width <= count`
// has been tested or follows from a longer test. It writes only what it has read or a shorter replacement of it, so
// the write index, counted from where the value began, never passes the read index, but for the comma that is written
// behind a value and may be one ahead until the source's own comma or bracket is read. A wide store of `width` bytes is
// made only beside a wide load of the same width, whose end is inside the source. The sink has room for as many bytes
// as the source is long and `slackBytes` more (`JSONWriter.value`), so every store ends inside it. `assert` checks all this in debug
// builds, which is how the tests and the fuzzer run.

/// The content being read.
@safe struct JSONSource {
    private let base: UnsafePointer<UInt8>
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

/// Where the value is written.
@safe struct JSONSink {
    /// Room beyond the longest value, for the comma that is written behind it.
    static let slackBytes = 16

    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int

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

    @inline(__always) func put(_ word: UInt16, at index: Int) {
        assert(index >= 0 && index + 2 <= capacity)
        unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: word.littleEndian, as: UInt16.self)
    }

    @inline(__always) func put(_ vector: SIMD16<UInt8>, at index: Int) {
        assert(index >= 0 && index + 16 <= capacity)
        unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: vector, as: SIMD16<UInt8>.self)
    }

    /// Moves `range` down to `index`, which lies before it.
    func move(_ range: Range<Int>, to index: Int) {
        assert(index >= 0 && index <= range.lowerBound && range.upperBound <= capacity)
        unsafe (base + index).update(from: base + range.lowerBound, count: range.count)
    }

    subscript(index: Int) -> UInt8 {
        assert(index >= 0 && index < capacity)
        return unsafe base[index]
    }
}
