internal import HTTP
internal import Serialization

/// The rules for the head of the upstream response, which `Upstream-*` fields and envelopes describe.
enum UpstreamFieldValue {
    /// Returns the status code in `digits`, three digits from 100 to 999, or `nil` if there is none.
    static func status(_ digits: Span<UInt8>) -> Int? {
        guard digits.count == 3, digits[0] != UInt8(ascii: "0") else { return nil }
        var status = 0
        for index in digits.indices {
            guard digits[index].isDecimalDigit else { return nil }
            status = status * 10 + Int(digits[index] - UInt8(ascii: "0"))
        }
        return status
    }

    /// Returns whether `text` may be a method or the name of a field (RFC 9110 §5.6.2).
    static func isToken(_ text: String) -> Bool {
        FieldSyntax.isToken(text.utf8.span)
    }

    /// Returns the value of a field without the white space around it (RFC 9110 §5.5).
    static func trimmed(_ value: String) -> String {
        let bytes = value.utf8.span
        let range = FieldSyntax.trimmed(bytes)
        return range.count == bytes.count ? value : String(ascii: bytes, range)
    }
}
