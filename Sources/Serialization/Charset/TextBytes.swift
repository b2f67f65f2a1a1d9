extension UnicodeEncoding {
    /// Returns the maximum length of `content` in UTF-8, in bytes.
    func maxTextBytes(of content: Span<UInt8>) -> Int {
        switch self {
        case .utf8: content.count
        // A code unit becomes at most three bytes, or four together with another one.
        case .utf16LittleEndian, .utf16BigEndian: content.count / 2 * 3
        case .utf32LittleEndian, .utf32BigEndian: content.count
        }
    }
}

extension Span<UInt8> {
    /// Whether each byte is a character of ASCII, which most charsets do not change.
    var isASCII: Bool { firstNonASCII == nil }

    var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }

    /// The index of the first byte above 0x7F, or `nil` if all bytes are ASCII.
    var firstNonASCII: Int? {
        // UInt8 has no padding and no invalid bit pattern.
        let bytes = unsafe self.bytes
        var index = 0
        while index &+ 8 <= count {
            // The condition of the loop keeps the load inside the span.
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            if (word & 0x8080_8080_8080_8080) != 0 { break }
            index &+= 8
        }
        while index < count {
            if self[index] >= 0x80 { return index }
            index &+= 1
        }
        return nil
    }

    /// The number of `!` that are followed by `E` or `A`: in UTF-8 XML, at least the number of declarations of
    /// entities, elements and attributes.
    var declarations: Int {
        // Each index is less than the count. There are no branches, which would prevent vector instructions, and the
        // sum of a block fits into a byte, so that these add sixteen at a time.
        unsafe withUnsafeBufferPointer { bytes in
            var sum = 0
            var start = 0
            let end = bytes.count - 1
            while start < end {
                let blockEnd = Swift.min(start + 64, end)
                var block: UInt8 = 0
                for index in start..<blockEnd {
                    let (byte, next) = unsafe (bytes[index], bytes[index + 1])
                    block &+= (byte == 0x21 ? 1 : 0) & ((next == 0x45 ? 1 : 0) | (next == 0x41 ? 1 : 0))
                }
                sum += Int(block)
                start = blockEnd
            }
            return sum
        }
    }
}

extension Warning {
    /// Creates the warning that the content has another encoding than its charset parameter says, at the first byte
    /// that contradicts the parameter. ASCII contradicts only those of wider code units.
    init(mismatchOf label: String, _ actual: UnicodeEncoding, markBytes: Int, _ content: Span<UInt8>) {
        let contradictsAtOnce = markBytes > 0 || actual != .utf8 || label.isUnicodeLabel
        let offset = contradictsAtOnce ? 0 : content.firstNonASCII
        self.init(
            .charsetMismatch(declared: label, actual: actual.rawValue),
            at: offset.map { SourceLocation(byte: $0) }
        )
    }
}

extension String {
    /// Whether this is a label of a Unicode encoding. It is wrong for text without zero bytes that is not UTF-8.
    var isUnicodeLabel: Bool {
        [.utf8, .utf16LittleEndian, .utf16BigEndian].contains(Charset(label: self))
            || ["utf-32", "utf-32le", "utf-32be"].contains(asciiLowercased)
    }
}
