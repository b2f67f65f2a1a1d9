internal import Glibc

extension Span<UInt8> {
    /// Returns whether the bytes are equal to those of `other`.
    package func equals(_ other: Span<UInt8>) -> Bool {
        count == other.count && hasBytes(of: other)
    }

    /// Returns whether the bytes are equal to those of `other` if the case of A to Z is ignored. Fastest if they are
    /// identical.
    package func equalsIgnoringASCIICase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        if hasBytes(of: other) { return true }
        for index in indices where self[index].asciiLowercased != other[index].asciiLowercased { return false }
        return true
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
