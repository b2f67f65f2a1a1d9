/// The rules for what the caller says about the upstream's head, in `Upstream-*` fields as in an envelope.
enum UpstreamFieldValue {
    /// A status code: three digits, 100 to 999.
    static func status(_ digits: Span<UInt8>) -> Int? {
        guard digits.count == 3, digits[0] != UInt8(ascii: "0") else { return nil }
        var status = 0
        for index in digits.indices {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digits[index] else { return nil }
            status = status * 10 + Int(digits[index] - UInt8(ascii: "0"))
        }
        return status
    }

    /// A method or a field's name (RFC 9110 §5.6.2).
    static func isToken(_ text: String) -> Bool {
        FieldSyntax.isToken(text.utf8.span)
    }

    /// A field's value without the white space around it (RFC 9110 §5.5).
    static func trimmed(_ value: String) -> String {
        let bytes = value.utf8.span
        let range = FieldSyntax.trimmed(bytes)
        return range.count == bytes.count ? value : String(ascii: bytes, range)
    }
}
