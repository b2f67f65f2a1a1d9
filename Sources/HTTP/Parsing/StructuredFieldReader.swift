internal import Primitives

/// Reads the integers of a dictionary (RFC 9651 §4.2.2). All other values are checked and skipped.
struct StructuredFieldReader {
    private var text: [UInt8]
    private var offset = 0

    init(_ field: Span<UInt8>) { text = field.indices.map { field[$0] } }

    /// Reads a dictionary.
    /// - Parameter member: receives each name, and its value if that is an integer.
    /// - Returns: whether the text is a dictionary. If it is not, the members that were received must be ignored.
    mutating func readDictionary(_ member: (_ key: Span<UInt8>, _ integer: Int?) -> Void) -> Bool {
        skipBlanks()
        while offset < text.count {
            guard let key = key() else { return false }
            var integer: Int?
            if take("=") {
                guard let value = value() else { return false }
                integer = value.integer
            }
            guard parameters() else { return false }
            member(text.span.extracting(key), integer)
            skipBlanks()
            if offset == text.count { return true }
            guard take(",") else { return false }
            skipBlanks()
            // A comma at the end is not allowed.
            guard offset < text.count else { return false }
        }
        return true
    }

    // MARK: Parts

    private var next: UInt8? { offset < text.count ? text[offset] : nil }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func skipBlanks() { while next?.isBlank == true { offset += 1 } }

    /// Skips the bytes that `isAllowed` accepts, and returns their range.
    private mutating func run(_ isAllowed: (UInt8) -> Bool) -> Range<Int> {
        let start = offset
        while let byte = next, isAllowed(byte) { offset += 1 }
        return start..<offset
    }

    private mutating func key() -> Range<Int>? {
        guard let first = next, first.isLowercaseLetter || first == UInt8(ascii: "*") else { return nil }
        return run { $0.isLowercaseLetter || $0.isDecimalDigit || "_-.*".utf8.contains($0) }
    }

    private mutating func parameters() -> Bool {
        while take(";") {
            while next == 0x20 { offset += 1 }
            guard key() != nil else { return false }
            if take("="), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func value() -> (integer: Int?, Void)? {
        guard take("(") else { return bareItem() }
        while true {
            while next == 0x20 { offset += 1 }
            if take(")") { return (nil, ()) }
            guard bareItem() != nil, parameters(), next == 0x20 || next == UInt8(ascii: ")") else { return nil }
        }
    }

    private mutating func bareItem() -> (integer: Int?, Void)? {
        guard let first = next else { return nil }
        switch first {
        case UInt8(ascii: "-"), 0x30...0x39, UInt8(ascii: "@"): return number()
        case UInt8(ascii: "\""): return string() ? (nil, ()) : nil
        case UInt8(ascii: ":"):
            offset += 1
            _ = run { Base64.value(of: $0) != nil || $0 == Base64.pad }
            return take(":") ? (nil, ()) : nil
        case UInt8(ascii: "?"):
            offset += 1
            return take("0") || take("1") ? (nil, ()) : nil
        case UInt8(ascii: "%"):
            offset += 1
            return string() ? (nil, ()) : nil
        case _ where first.isLetter || first == UInt8(ascii: "*"):
            _ = run(\.isStructuredTokenCharacter)
            return (nil, ())
        default: return nil
        }
    }

    /// An integer, a decimal or a date.
    private mutating func number() -> (integer: Int?, Void)? {
        let isDate = take("@")
        let isNegative = take("-")
        let digits = run { $0.isDecimalDigit }
        guard 1...15 ~= digits.count else { return nil }
        if take(".") {
            let decimals = run { $0.isDecimalDigit }
            return !isDate && digits.count <= 12 && 1...3 ~= decimals.count ? (nil, ()) : nil
        }
        let value = text.span.decimal(digits) ?? 0
        return (isDate ? nil : isNegative ? -value : value, ())
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard take("\"") || take("\\") else { return false }
            case 0x20...0x7E: continue
            default: return false
            }
        }
        return false
    }
}
