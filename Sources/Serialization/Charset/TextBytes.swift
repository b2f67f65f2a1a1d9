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
    var isASCII: Bool { indices.allSatisfy { self[$0] < 0x80 } }

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
