internal import Primitives

// The syntax that several settings and parsers of this module share, over bytes.

/// The syntax of comma-separated lists in settings and fields.
enum ListSyntax {
    /// Returns the entries of a comma-separated list without the white space around them: no entries if the text is
    /// blank, and an empty entry wherever two commas follow each other.
    static func entries(of text: Span<UInt8>) -> [Range<Int>] {
        var entries: [Range<Int>] = []
        var start = 0
        for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ",") {
            entries.append(text.trimmingBlanks(start..<index))
            start = index + 1
        }
        return entries.count == 1 && entries[0].isEmpty ? [] : entries
    }
}

extension UInt8 {
    var isASCIILetter: Bool { 0x61...0x7A ~= self | 0x20 }
}

extension Span<UInt8> {
    /// Returns the decimal number in `range`, which has no sign and no leading zeros; `nil` for other text and for
    /// numbers greater than `max`.
    func decimal(_ range: Range<Int>, max: Int) -> Int? {
        guard !range.isEmpty, range.count == 1 || self[range.lowerBound] != UInt8(ascii: "0") else { return nil }
        var value = 0
        for index in range {
            guard self[index].isDecimalDigit else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(self[index] - UInt8(ascii: "0")))
            guard !overflow, !carry, sum <= max else { return nil }
            value = sum
        }
        return value
    }

    /// Returns the first offset of `byte` in `range`.
    func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }
}

extension [UInt8] {
    /// Appends a number, which must not be negative, in decimal digits.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Appends the bytes of `text`.
    mutating func append(_ text: String) {
        let bytes = text.utf8.span
        append(bytes, 0..<bytes.count)
    }

    /// Appends the bytes of `range`.
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        // The bytes are copied within the call.
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
