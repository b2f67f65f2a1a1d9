internal import Serialization

/// Splits and decodes the raw query of a request target.
///
/// Pairs of the form `name=value` are separated by `&`; both halves are percent-decoded (RFC 3986 §2.1) and must be UTF-8. A `+` is a plus,
/// not a space: this is a URI, not an HTML form. Empty pairs (`a=1&&b=2`) are skipped; a name without `=` has the empty value.
enum QueryString {
    typealias Pair = (name: String, value: String)

    static func pairs(parsing query: String) throws(OptionError) -> [Pair] {
        let bytes = Array(query.utf8)
        var pairs: [Pair] = []
        var start = 0
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            if start < end {
                let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
                let name = try decode(bytes[start..<equals])
                let value = try decode(bytes[min(equals + 1, end)..<end])
                pairs.append((name, value))
            }
            start = end + 1
        }
        return pairs
    }

    private static func decode(_ raw: ArraySlice<UInt8>) throws(OptionError) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "%") else {
                decoded.append(raw[index])
                index += 1
                continue
            }
            guard index + 2 < raw.endIndex,
                let high = raw[index + 1].hexDigit,
                let low = raw[index + 2].hexDigit
            else { throw .malformedQuery(.invalidEscape, at: index) }
            guard high | low != 0 else { throw .malformedQuery(.nul, at: index) }
            decoded.append(high << 4 | low)
            index += 3
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw .malformedQuery(.notUTF8, at: raw.startIndex)
        }
        return text
    }
}
