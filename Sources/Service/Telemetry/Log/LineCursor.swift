internal import Glibc
internal import Serialization

/// Writes the pieces of a log line into memory that was reserved before.
///
/// Each function compares the length of its piece with the remaining capacity before it writes, and
/// ``OutputBuffer/write(maxBytes:_:)`` provides a cursor only for the duration of a call. This ensures memory safety.
@safe struct LineCursor: ~Copyable {
    private var next: UnsafeMutablePointer<UInt8>
    private let end: UnsafeMutablePointer<UInt8>

    /// - Parameters:
    ///   - start: the address of memory that outlives the cursor.
    ///   - capacity: the number of bytes that may be written there.
    @inline(__always) fileprivate init(at start: UnsafeMutablePointer<UInt8>, capacity: Int) {
        unsafe next = start
        unsafe end = start + capacity
    }

    /// The number of bytes between `start` and the next piece.
    @inline(__always) fileprivate func count(from start: UnsafeMutablePointer<UInt8>) -> Int { unsafe next - start }

    /// Moves the cursor past the next `count` bytes, and returns their address.
    @inline(__always) private mutating func advance(by count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(unsafe count <= end - next, "a log line fits into the memory that was reserved for it")
        let start = unsafe next
        unsafe next += count
        return unsafe start
    }

    /// Writes a constant. For a literal, the compiler replaces the copy with stores.
    @inline(__always) mutating func put(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        // The constant has `count` bytes, and the memory has space for them.
        unsafe memcpy(advance(by: count), text.utf8Start, count)
    }

    /// Writes text that needs no escape.
    @inline(__always) mutating func put(plain text: String) {
        let bytes = text.utf8.span
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            // Both have `source.count` bytes.
            unsafe memcpy(advance(by: source.count), start, source.count)
        }
    }

    /// Writes text that needs no escape, between two constants. Writes nothing if there is no text.
    @inline(__always) mutating func put(_ prefix: StaticString, plain text: String?, _ suffix: StaticString = "") {
        guard let text else { return }
        put(prefix)
        put(plain: text)
        put(suffix)
    }

    @inline(__always) mutating func put(_ byte: UInt8) { unsafe advance(by: 1).pointee = byte }

    /// Writes the eight bytes of `word`, the lowest first.
    @inline(__always) mutating func put(word: UInt64) {
        unsafe UnsafeMutableRawPointer(advance(by: 8)).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    @inline(__always) mutating func put(_ time: (UInt64, UInt64, UInt64)) {
        put(word: time.0)
        put(word: time.1)
        put(word: time.2)
    }

    /// Writes sixteen hexadecimal digits.
    @inline(__always) mutating func put(hexadecimal number: UInt64) {
        put(word: Hexadecimal.digits(of: number >> 32))
        put(word: Hexadecimal.digits(of: number))
    }

    /// Writes `number` in decimal. A negative number is written as 0.
    @inline(__always) mutating func put(_ number: Int) { put(decimal: UInt64(clamping: number)) }

    /// Writes a duration in milliseconds with three decimals, which are rounded down.
    @inline(__always) mutating func put(milliseconds nanoseconds: UInt64) {
        let microseconds = nanoseconds / 1000
        let milliseconds = microseconds / 1000
        put(decimal: milliseconds)
        // The first of the four digits is 0, and is replaced with a full stop.
        let digits = Self.digits(of: UInt32(truncatingIfNeeded: microseconds &- milliseconds &* 1000))
        put(fourBytes: digits &- UInt32(UInt8(ascii: "0") - UInt8(ascii: ".")))
    }

    /// Writes `number` in decimal.
    @inline(__always) mutating func put(decimal number: UInt64) {
        if number < 10 { return put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)) }
        putDigits(number)
    }

    /// Writes all digits of `number`. The recursion has at most five levels, because a number has at most twenty
    /// digits.
    @inline(never) private mutating func putDigits(_ number: UInt64) {
        let digits: UInt32
        if number < 10_000 {
            digits = Self.digits(of: UInt32(truncatingIfNeeded: number))
            // A digit 0 is the byte 0x30. At least the last digit remains.
            let zeros = min((digits ^ 0x3030_3030).trailingZeroBitCount / 8, 3)
            put(fourBytes: digits >> UInt32(8 * zeros))
            unsafe next -= zeros
        } else {
            let rest = number / 10_000
            putDigits(rest)
            put(fourBytes: Self.digits(of: UInt32(truncatingIfNeeded: number &- rest &* 10_000)))
        }
    }

    /// Returns the four decimal digits of `number`, which is less than 10 000. The first digit is the lowest byte.
    @inline(__always) private static func digits(of number: UInt32) -> UInt32 {
        let hundreds = number / 100
        // Two numbers less than 100. For these, multiplication by 103/1024 equals division by 10.
        let pairs = hundreds | ((number &- hundreds &* 100) << 16)
        let tens = ((pairs &* 103) >> 10) & 0x000F_000F
        return 0x3030_3030 &+ tens &+ ((pairs &- tens &* 10) << 8)
    }

    /// Writes the four bytes of `word`, the lowest first.
    @inline(__always) private mutating func put(fourBytes word: UInt32) {
        unsafe UnsafeMutableRawPointer(advance(by: 4)).storeBytes(of: word.littleEndian, as: UInt32.self)
    }
}

extension OutputBuffer {
    /// Lets `body` write at most `maxBytes` at the end.
    @inline(__always) mutating func write(maxBytes: Int, _ body: (inout LineCursor) -> Void) {
        reserve(maxBytes)
        // The storage has space for `maxBytes` bytes after its end, and cannot move during `body`, because nothing else
        // can access it.
        let start = unsafe base + count
        var cursor = unsafe LineCursor(at: start, capacity: maxBytes)
        body(&cursor)
        unsafe count += cursor.count(from: start)
    }
}
