// The syntax of the names and values of fields (RFC 9110 §5), on bytes: of requests, of messages, and of responses of
// origins.

extension UInt8 {
    /// Whether the byte is allowed in a token: RFC 9110 §5.6.2 calls it `tchar`.
    @inlinable package var isTokenCharacter: Bool {
        // One bit for each byte below 128.
        let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : self < 128 ? 0x57FF_FFFF_C7FF_FFFE : 0
        return bits >> UInt64(self & 63) & 1 == 1
    }

    /// Whether the byte may follow the first one of a token of a structured field (RFC 9651 §3.3.4).
    package var isStructuredTokenCharacter: Bool {
        isTokenCharacter || self == UInt8(ascii: ":") || self == UInt8(ascii: "/")
    }

    /// Whether the byte is a space or a tab (RFC 9110 §5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is a control character other than the tab, which no value of a field contains (RFC 9110 §5.5).
    @inlinable package var isForbiddenInField: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
}

extension Span<UInt8> {
    /// Moves `offset` past spaces and tabs.
    package func skipBlanks(_ offset: inout Int) { while offset < count, self[offset].isBlank { offset += 1 } }

    /// Moves `offset` past a token, which may be empty.
    package func skipToken(_ offset: inout Int) { while offset < count, self[offset].isTokenCharacter { offset += 1 } }

    /// Returns the text of the quoted string at `offset`, without quotes and escapes, and moves past it (RFC 9110
    /// §5.6.4).
    /// - Returns: `nil` if the string is not closed or contains a control character. `offset` is then that of the
    ///   character, or the end of the text.
    package func quotedString(_ offset: inout Int) -> String? {
        var value: [UInt8] = []
        offset += 1
        while offset < count {
            if self[offset] == UInt8(ascii: "\"") {
                offset += 1
                return String(decoding: value, as: UTF8.self)
            }
            if self[offset] == UInt8(ascii: "\\") { offset += 1 }
            guard offset < count, !self[offset].isForbiddenInField else { return nil }
            value.append(self[offset])
            offset += 1
        }
        return nil
    }

    /// Returns `range` without the spaces and tabs at its ends.
    @inlinable package func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isBlank { lower += 1 }
        while upper > lower, self[upper - 1].isBlank { upper -= 1 }
        return lower..<upper
    }

    /// Returns the end of the element that begins at `start` in a list: the offset of the next comma that is not in a
    /// quoted string (RFC 9110 §5.6.4), or the end of the text.
    package func endOfListElement(from start: Int) -> Int {
        var offset = start
        var isQuoted = false
        while offset < count {
            switch self[offset] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: offset += 1
            case UInt8(ascii: ",") where !isQuoted: return offset
            default: break
            }
            offset += 1
        }
        return count
    }

    /// Whether the bytes are a token: one or more bytes, each of which is a `tchar`.
    @inlinable package var isToken: Bool {
        for index in indices where !self[index].isTokenCharacter { return false }
        return count > 0
    }

    /// Returns whether `range` is a token.
    ///
    /// Nearly all names consist of letters, digits and hyphens. These are checked eight at a time, as long as eight
    /// bytes can be read.
    @inlinable package func isToken(_ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            guard start + 8 <= count, Words.areNameBytes(word(at: start), first: range.upperBound - start) else {
                return slice(start..<range.upperBound) { $0.isToken } ?? false
            }
            start += 8
        }
        return !range.isEmpty
    }

    /// Returns whether the bytes from `start` are a `token68` (RFC 9110 §11.2), with which credentials are written:
    /// `1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="`.
    package func isToken68(from start: Int) -> Bool {
        var end = count
        while end > start, self[end - 1] == UInt8(ascii: "=") { end -= 1 }
        guard end > start else { return false }
        for index in start..<end {
            switch self[index] {
            // The range contains `-`, `.`, `/` and the digits.
            case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"):
                continue
            case let byte where byte.isLetter: continue
            default: return false
            }
        }
        return true
    }

    /// Returns the offset of the first control character other than the tab, or `nil` if there is none.
    package func firstForbiddenInField() -> Int? {
        for index in indices where self[index].isForbiddenInField { return index }
        return nil
    }

    /// Returns the first control character other than the tab in `range`, or `nil` if there is none. Eight bytes are
    /// checked at a time, as long as eight can be read.
    @inlinable package func byteForbiddenInField(_ range: Range<Int>) -> UInt8? {
        var start = range.lowerBound
        while start < range.upperBound {
            if start + 8 > count || Words.mayHaveControl(word(at: start), first: range.upperBound - start) {
                let end = Swift.min(start + 8, range.upperBound)
                for index in start..<end where self[index].isForbiddenInField { return self[index] }
            }
            start += 8
        }
        return nil
    }
}

extension String {
    /// Whether the text is a token, such as a method or the name of a field.
    package var isToken: Bool { utf8.span.isToken }

    /// Returns the value of a field without the spaces and tabs around it.
    package func trimmingBlanks() -> String {
        let bytes = utf8.span
        let range = bytes.trimmingBlanks(0..<bytes.count)
        return range.count == bytes.count ? self : bytes.text(range)
    }
}

/// The syntax of names that clients choose, for requests, tokens and partitions: `[A-Za-z0-9_-]{1,128}`.
package enum NameSyntax {
    /// The maximum length in bytes, inclusive.
    package static let maxBytes = 128

    @inlinable package static func isName(_ text: Span<UInt8>) -> Bool {
        guard 1...128 ~= text.count else { return false }
        for index in text.indices {
            let byte = text[index]
            guard byte.isLetter || byte.isDecimalDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") else {
                return false
            }
        }
        return true
    }
}
