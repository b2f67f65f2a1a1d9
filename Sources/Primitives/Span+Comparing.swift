public import Glibc

extension Span<UInt8> {
    /// Returns whether the bytes are equal to those of `other`.
    package func equals(_ other: Span<UInt8>) -> Bool { count == other.count && hasBytes(of: other) }

    /// Returns whether the bytes are equal to those of `other` if the case of A to Z is ignored. Fastest if they are
    /// identical.
    @usableFromInline package func equalsIgnoringASCIICase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        if hasBytes(of: other) { return true }
        for index in indices where self[index].asciiLowercased != other[index].asciiLowercased { return false }
        return true
    }

    /// Returns whether the bytes equal `text`, which is not empty. ASCII letters are compared case-insensitively. The
    /// comparison is fastest if the case is also the same, or if the first bytes differ.
    @inlinable @inline(__always) package func equals(_ text: StaticString) -> Bool {
        // The bytes of a literal are valid for the lifetime of the process.
        let text = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span
        return count == text.count && (self[0] ^ text[0]) & ~0x20 == 0 && equalsIgnoringASCIICase(text)
    }

    /// Returns the offset of the first `byte` in `range`, which memchr(3) finds.
    @inlinable @inline(__always) package func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range is in the span")
        // All pointers point into the memory that is borrowed for the duration of this call.
        return unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        }
    }

    /// Returns the offset of the last `byte` in `range`. Eight bytes are compared at a time.
    package func lastOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range is in the span")
        var end = range.upperBound
        while end - range.lowerBound >= 8 {
            let matches = Words.matches(word(at: end - 8), byte)
            if matches != 0 { return end - 1 - matches.leadingZeroBitCount / 8 }
            end -= 8
        }
        while end > range.lowerBound {
            end -= 1
            if self[end] == byte { return end }
        }
        return nil
    }

    /// Returns whether the bytes are equal to those of `other`, which must have the same length.
    private func hasBytes(of other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { others in
                guard let start = bytes.baseAddress, let otherStart = others.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, bytes.count) == 0
            }
        }
    }
}
