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

extension MemoryGrant {
    /// Requests memory for a UTF-8 copy of the content, and for decoding it, because the copy is longer than the
    /// content.
    /// - Parameter maxTextBytes: The maximum length of the copy, in bytes.
    func grants(text maxTextBytes: Int, of content: Span<UInt8>, row: WorkingMemory) -> Bool {
        let moreBytes = max(0, maxTextBytes - content.count)
        return grow(by: maxTextBytes + moreBytes * row.tenthsPerByte / 10)
    }
}

extension Span<UInt8> {
    /// The number of `<` that are not followed by `/`, `!` or `?`: in UTF-8 XML, at least the number of elements.
    var startTags: Int {
        sumOfPairs { Self.beginsStartTag($0, $1) }
    }

    /// The number of `!` that are followed by `E` or `A`: in UTF-8 XML, at least the number of declarations of
    /// entities, elements and attributes.
    var declarations: Int {
        sumOfPairs { ($0 == 0x21 ? 1 : 0) & (($1 == 0x45 ? 1 : 0) | ($1 == 0x41 ? 1 : 0)) }
    }

    /// The number of `>` that are not followed by `<` or white space: in UTF-8 XML, at least the number of texts
    /// between tags.
    var textRuns: Int {
        sumOfPairs { ($0 == 0x3E ? 1 : 0) & ($1 > 0x20 ? 1 : 0) & ($1 != 0x3C ? 1 : 0) }
    }

    /// Returns 1 if a start tag begins with these bytes, and otherwise 0. It has no branches, which would prevent
    /// vector instructions.
    @inline(__always)
    private static func beginsStartTag(_ byte: UInt8, _ next: UInt8) -> UInt8 {
        (byte == 0x3C ? 1 : 0) & (next != 0x2F ? 1 : 0) & (next != 0x21 ? 1 : 0) & (next != 0x3F ? 1 : 0)
    }

    /// Returns the sum of a value of at most 1 over all pairs of neighbouring bytes.
    @inline(__always)
    private func sumOfPairs(_ value: (UInt8, UInt8) -> UInt8) -> Int {
        // Each index is less than the count. The sum of a block fits into a byte, so that vector instructions add
        // sixteen at a time.
        unsafe withUnsafeBufferPointer { bytes in
            var sum = 0
            var start = 0
            let end = bytes.count - 1
            while start < end {
                let blockEnd = Swift.min(start + 64, end)
                var block: UInt8 = 0
                for index in start..<blockEnd { block &+= unsafe value(bytes[index], bytes[index + 1]) }
                sum += Int(block)
                start = blockEnd
            }
            return sum
        }
    }
}
