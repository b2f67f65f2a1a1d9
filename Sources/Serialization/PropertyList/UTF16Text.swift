/// Decodes big-endian UTF-16, the encoding of all strings in the binary format that are not ASCII.
enum UTF16Text {
    /// Returns the offset of the first lone surrogate, in bytes, or `nil` if there is none.
    static func loneSurrogate(in bytes: Span<UInt8>) -> Int? {
        var index = 0
        while index + 2 <= bytes.count {
            let unit = bytes.unit(at: index)
            if (unit & 0xF800) == 0xD800 {
                guard unit < 0xDC00, index + 4 <= bytes.count, bytes.unit(at: index + 2) & 0xFC00 == 0xDC00 else {
                    return index
                }
                index += 2
            }
            index += 2
        }
        return nil
    }

    /// Appends the text as UTF-8, with U+FFFD for each lone surrogate.
    static func transcode(_ bytes: Span<UInt8>, into text: inout [UInt8]) {
        text.reserveCapacity(text.count + bytes.count / 2 * 3)
        var index = 0
        while index + 2 <= bytes.count {
            let unit = bytes.unit(at: index)
            index += 2
            switch unit {
            case 0..<0x80: text.append(UInt8(truncatingIfNeeded: unit))
            case 0x80..<0x800:
                text.append(0xC0 | UInt8(truncatingIfNeeded: unit >> 6))
                text.append(0x80 | UInt8(truncatingIfNeeded: unit & 0x3F))
            case 0xD800..<0xE000:
                var scalar = Unicode.Scalar(0xFFFD as UInt16)
                if unit < 0xDC00, index + 2 <= bytes.count, bytes.unit(at: index) & 0xFC00 == 0xDC00 {
                    let low = UInt32(bytes.unit(at: index) & 0x3FF)
                    scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10) + low)
                    index += 2
                }
                text.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            default:
                text.append(0xE0 | UInt8(truncatingIfNeeded: unit >> 12))
                text.append(0x80 | UInt8(truncatingIfNeeded: (unit >> 6) & 0x3F))
                text.append(0x80 | UInt8(truncatingIfNeeded: unit & 0x3F))
            }
        }
    }
}

extension Span<UInt8> {
    /// Returns the big-endian code unit at `index`. Both bytes must be in bounds.
    fileprivate func unit(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }
}
