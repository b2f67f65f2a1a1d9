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
        var count = 0
        var isOpen = 0
        for index in indices {
            let byte = self[index]
            count &+= isOpen & (byte != 0x2F && byte != 0x21 && byte != 0x3F ? 1 : 0)
            isOpen = byte == 0x3C ? 1 : 0
        }
        return count
    }

    /// An upper bound of the cost of XML that its length does not show: two for each start tag, and one for each attribute.
    var markupWeight: Int {
        var signs = 0
        for index in indices { signs &+= self[index] == 0x3D ? 1 : 0 }
        return 2 * startTags + signs
    }

    /// The number of `>` that are not followed by `<` or white space: in UTF-8 XML, at least the number of texts
    /// between tags.
    var textRuns: Int {
        var count = 0
        var isAfterTag = 0
        for index in indices {
            let byte = self[index]
            count &+= isAfterTag & (byte > 0x20 && byte != 0x3C ? 1 : 0)
            isAfterTag = byte == 0x3E ? 1 : 0
        }
        return count
    }
}
