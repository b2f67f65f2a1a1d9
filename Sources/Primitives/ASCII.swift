extension UInt8 {
    /// The lower-case form of A to Z. Every other byte is unchanged.
    @inlinable package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// Whether the byte is one of 0 to 9.
    @inlinable package var isDecimalDigit: Bool { self &- 0x30 < 10 }

    /// Whether the byte is one of A to Z and a to z.
    @inlinable package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// Whether the byte is one of a to z.
    @inlinable package var isLowercaseLetter: Bool { self &- 0x61 < 26 }
}

extension String {
    /// The text with A to Z in lower case. All other characters are unchanged.
    package var asciiLowercased: String {
        let text = utf8.span
        return text.indices.contains { text[$0].asciiLowercased != text[$0] }
            ? text.lowercasedText(0..<text.count) : self
    }
}

extension StringProtocol where UTF8View.SubSequence == Substring.UTF8View {
    /// Returns the parts between the occurrences of an ASCII character.
    ///
    /// Bytes are compared. Searching for characters costs about thirty times as much, because it finds the boundaries
    /// of all characters, and does not find a separator before a combining mark.
    package func parts(
        separatedBy separator: Unicode.Scalar,
        maxSplits: Int = .max,
        omittingEmpty: Bool = true
    ) -> [Substring] {
        let byte = UInt8(ascii: separator)
        return utf8.split(separator: byte, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmpty)
            .map { Substring($0) }
    }
}
