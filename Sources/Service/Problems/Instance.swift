/// The identifier of one occurrence of a problem, as a URN (RFC 9562 §4).
enum Instance {
    /// A request identifier that is a UUID names the occurrence too; for any other a random UUID is made.
    static func urn(requestID: String) -> String {
        "urn:uuid:" + (isUUID(requestID) ? requestID.lowercased() : random())
    }

    /// Whether `text` is 8-4-4-4-12 hexadecimal digits.
    private static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return zip(0..., text.utf8).allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: byte.hexDigitValue != nil
            }
        }
    }

    /// RFC 9562 §5.4: version 4, 122 random bits.
    private static func random() -> String {
        let version: UInt64 = 4 << 12
        let variant: UInt64 = 0b10 << 62
        let high = UInt64.random(in: 0 ... .max) & ~0xF000 | version
        let low = UInt64.random(in: 0 ... .max) & ~(0b11 << 62) | variant
        let digits = Array((hexadecimal(high) + hexadecimal(low)).utf8)
        var text = ""
        for (index, digit) in zip(0..., digits) {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.unicodeScalars.append(Unicode.Scalar(digit))
        }
        return text
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
