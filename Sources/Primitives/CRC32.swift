/// The cyclic redundancy check of PNG (ISO/IEC 15948 annex D).
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    package static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
        let table = table
        var value = UInt32.max
        for index in bytes.indices {
            value = table[Int(UInt8(truncatingIfNeeded: value) ^ bytes[index])] ^ value >> 8
        }
        return ~value
    }
}

extension Span<UInt8> {
    /// Returns whether `range`, the type and data of a chunk, is followed by its CRC.
    package func hasValidCRC(_ range: Range<Int>) -> Bool {
        number32(range.upperBound, .big) == slice(range) { Int(CRC32.checksum($0)) }
    }
}
