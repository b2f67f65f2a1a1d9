// The rules of RFC 9110 §5.6 that several fields share, on bytes.

extension UInt8 {
    /// Whether the byte is allowed in a token (RFC 9110 §5.6.2).
    @inlinable package var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// Whether the byte is a space or a tab (RFC 9110 §5.6.3).
    @inlinable package var isBlank: Bool {
        self == 0x20 || self == 0x09
    }
}

extension Span<UInt8> {
    /// Moves `position` past spaces and tabs.
    package func skipBlanks(_ position: inout Int) {
        while position < count, self[position].isBlank { position += 1 }
    }

    /// Moves `position` past a token, which may be empty.
    package func skipToken(_ position: inout Int) {
        while position < count, self[position].isTokenCharacter { position += 1 }
    }

    /// Returns `range` without the spaces and tabs at its ends.
    @inlinable package func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isBlank { lower += 1 }
        while upper > lower, self[upper - 1].isBlank { upper -= 1 }
        return lower..<upper
    }

    /// Returns the text of `range`, with A to Z in lower case. Invalid UTF-8 is replaced.
    package func lowercasedText(_ range: Range<Int>) -> String {
        let bytes = extracting(range)
        // The capacity is the number of bytes, each of which is written once. Short text needs no memory of the heap.
        return unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in bytes.indices { unsafe buffer[index] = bytes[index].asciiLowercased }
            return bytes.count
        }
    }

    /// Returns the text of `range`. Invalid UTF-8 is replaced.
    package func text(_ range: Range<Int>) -> String {
        // The bytes are copied within the call.
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
