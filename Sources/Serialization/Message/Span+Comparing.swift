internal import Glibc

extension Span<UInt8> {
    /// Whether the bytes are those of `other`.
    package func equals(_ other: Span<UInt8>) -> Bool {
        count == other.count && hasBytes(of: other)
    }

    /// Whether the bytes are those of `other`, but for the case of the letters A to Z. Fastest where they are the same.
    package func equalsIgnoringASCIICase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        if hasBytes(of: other) { return true }
        for index in indices where self[index].asciiLowercased != other[index].asciiLowercased { return false }
        return true
    }

    /// The same for as many bytes.
    private func hasBytes(of other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { others in
                guard let start = bytes.baseAddress, let otherStart = others.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, bytes.count) == 0
            }
        }
    }
}

extension UInt8 {
    /// The lower-case form of the letters A to Z; every other byte as it is.
    @inlinable package var asciiLowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
