internal import Serialization

/// Splits and decodes the raw query of a request target.
///
/// Pairs of the form `name=value` are separated by `&`; both halves are percent-decoded (RFC 3986 §2.1) and must be
/// UTF-8. A `+` is a plus, not a space: this is a URI, not an HTML form. Empty pairs (`a=1&&b=2`) are skipped; a name
/// without `=` has the empty value.
enum QueryString {
    typealias Pair = (name: String, value: String)

    static func pairs(parsing query: String) throws(OptionError) -> [Pair] {
        let bytes = query.utf8.span
        var pairs: [Pair] = []
        // The memory for one decoded half after the other.
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var start = 0
        while start <= bytes.count {
            let end = offset(of: UInt8(ascii: "&"), in: bytes, start..<bytes.count)
            if start < end {
                let equals = offset(of: UInt8(ascii: "="), in: bytes, start..<end)
                let name = try decode(bytes, start..<equals, with: &decoded)
                let value = try decode(bytes, min(equals + 1, end)..<end, with: &decoded)
                pairs.append((name, value))
            }
            start = end + 1
        }
        return pairs
    }

    /// Returns the first offset of `byte` in `range`, or the end of `range`.
    private static func offset(of byte: UInt8, in bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        for index in range where bytes[index] == byte { return index }
        return range.upperBound
    }

    private static func decode(
        _ raw: Span<UInt8>,
        _ range: Range<Int>,
        with decoded: inout [UInt8]
    ) throws(OptionError) -> String {
        decoded.removeAll(keepingCapacity: true)
        var index = range.lowerBound
        while index < range.upperBound {
            guard raw[index] == UInt8(ascii: "%") else {
                decoded.append(raw[index])
                index += 1
                continue
            }
            guard let byte = raw.percentEncodedByte(at: index, before: range.upperBound) else {
                throw .malformedQuery(.invalidEscape, at: index)
            }
            guard byte != 0 else { throw .malformedQuery(.nul, at: index) }
            decoded.append(byte)
            index += 3
        }
        guard let text = try? UTF8Span(validating: decoded.span) else {
            throw .malformedQuery(.notUTF8, at: range.lowerBound)
        }
        return String(copying: text)
    }
}
