// Values for which JSON has no type: numbers verbatim or in their shortest form, dates as RFC 3339, data as Base64, a
// UID as an object, a UUID as in RFC 9562.

extension JSONWriter {
    /// Writes an object that has no references and is not a string.
    mutating func scalar(_ object: PropertyListObject, _ bytes: Span<UInt8>) {
        let start = Int(object.start)
        let count = Int(object.count)
        switch object.kind {
        case .null: null()
        case .false: boolean(false)
        case .true: boolean(true)
        case .integer: integer(bytes, at: start, count: count)
        case .integerText: bytes.slice(object.range) { raw($0) }
        case .real32: real(Float(bitPattern: UInt32(truncatingIfNeeded: bytes.bigEndianWord(at: start, width: 4))))
        case .real64: real(Double(bitPattern: bytes.bigEndianWord(at: start, width: 8)))
        case .date:
            let seconds = Double(bitPattern: bytes.bigEndianWord(at: start, width: 8))
            string(PropertyListDate.text(secondsSince2001: seconds))
        case .dateText: bytes.slice(object.range) { string(utf8: $0) }
        case .data: bytes.slice(object.range) { base64($0) }
        case .uid:
            beginObject()
            name("CF$UID")
            digits(String(PropertyListUID.value(object, bytes)))
            endObject()
        case .uuid: bytes.slice(object.range) { string(uuid($0)) }
        case .ascii, .utf8, .utf16, .url, .array, .set, .orderedSet, .dictionary: break
        }
    }

    private mutating func integer(_ bytes: Span<UInt8>, at start: Int, count: Int) {
        switch count {
        case 16:
            let high = bytes.bigEndianWord(at: start, width: 8)
            let low = bytes.bigEndianWord(at: start + 8, width: 8)
            digits(String(Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))))
        default: integer(Int(truncatingIfNeeded: bytes.bigEndianWord(at: start, width: count)))
        }
    }

    /// Writes the shortest digits that read back as the same number, or a string for a value that is not finite.
    private mutating func real(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
        if value.isFinite {
            digits(value.description)
        } else {
            string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
        }
    }

    private mutating func digits(_ number: String) {
        var number = number
        number.withUTF8 { digits in unsafe raw(digits.span) }
    }

    /// Returns the text of a UUID (RFC 9562 §4), in upper case as on Apple's platforms.
    private func uuid(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        for index in bytes.indices {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(Hexadecimal.digit(of: bytes[index] >> 4))
            text.append(Hexadecimal.digit(of: bytes[index]))
        }
        return String(decoding: text, as: UTF8.self).uppercased()
    }
}

/// Reads the number of a UID object, up to 128 bits.
enum PropertyListUID {
    static func value(_ object: PropertyListObject, _ bytes: Span<UInt8>) -> UInt128 {
        object.range.reduce(0) { $0 << 8 | UInt128(bytes[$1]) }
    }
}
