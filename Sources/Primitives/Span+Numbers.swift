/// The byte order of a number.
@usableFromInline
package enum ByteOrder: Sendable {
    case big
    case little
}

// Numbers in the content, by offset. The results are `nil` if they are out of bounds, because offsets are also read
// from the content.
extension Span<UInt8> {
    @inlinable @inline(__always) package func byte(_ offset: Int) -> Int? {
        guard offset >= 0, offset < count else { return nil }
        return Int(self[offset])
    }

    @inlinable @inline(__always) package func number16(_ offset: Int, _ order: ByteOrder) -> Int? {
        guard offset >= 0, offset <= count - 2 else { return nil }
        let first = Int(self[offset])
        let second = Int(self[offset + 1])
        return order == .big ? first << 8 | second : second << 8 | first
    }

    @inlinable @inline(__always) package func number24(_ offset: Int, _ order: ByteOrder) -> Int? {
        guard offset >= 0, offset <= count - 3 else { return nil }
        let first = Int(self[offset])
        let last = Int(self[offset + 2])
        let middle = Int(self[offset + 1]) << 8
        return order == .big ? first << 16 | middle | last : last << 16 | middle | first
    }

    @inlinable @inline(__always) package func number32(_ offset: Int, _ order: ByteOrder) -> Int? {
        guard offset >= 0, offset <= count - 4 else { return nil }
        let word = unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        return Int(order == .big ? word.bigEndian : word.littleEndian)
    }

    /// Also returns `nil` for a number beyond the range of `Int`.
    @inlinable @inline(__always) package func number64(_ offset: Int, _ order: ByteOrder) -> Int? {
        guard offset >= 0, offset <= count - 8 else { return nil }
        let word = unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        return Int(exactly: order == .big ? word.bigEndian : word.littleEndian)
    }

    /// Returns whether the ASCII text `text` is at `offset`.
    @inlinable @inline(__always) package func hasText(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, offset <= count - length else { return false }
        for index in 0..<length {
            // The index is within the length of the string.
            guard unsafe text.utf8Start[index] == self[offset + index] else { return false }
        }
        return true
    }

    /// Returns the first NUL in `range`, which must be in bounds.
    package func terminator(in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == 0 { return index }
            index += 1
        }
        return nil
    }
}
