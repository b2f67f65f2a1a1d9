extension Span<UInt8> {
    /// Whether the bytes are those of `other`.
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = endOfEqualWords(other)
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes are those of `other`, but for the case of the letters A to Z. Fastest where they are the same.
    package func equalsIgnoringASCIICase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = endOfEqualWords(other)
        while index < count {
            guard self[index].asciiLowercased == other[index].asciiLowercased else { return false }
            index += 1
        }
        return true
    }

    /// How many bytes are the same, eight at a time; `other` has as many.
    private func endOfEqualWords(_ other: Span<UInt8>) -> Int {
        var index = 0
        while index + 8 <= count, word(at: index) == other.word(at: index) { index += 8 }
        return index
    }

    /// Eight bytes from `index` on, in the machine's order.
    private func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index + 8 <= count, "eight bytes can be read")
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self) }
    }
}

extension UInt8 {
    /// The lower-case form of the letters A to Z; every other byte as it is.
    @inlinable package var asciiLowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
