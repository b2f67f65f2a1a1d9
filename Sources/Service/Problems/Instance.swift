internal import Serialization

/// The identifier of one occurrence of a problem, as a URN (RFC 9562 §4).
enum Instance {
    /// The length of each URN, in bytes.
    static let urnBytes = 45

    /// Returns a URN that contains the request identifier, if that is a UUID with or without hyphens. The service
    /// generates such identifiers. They connect the problem with the log. For any other identifier, the UUID is random.
    static func urn(requestID: String) -> String { "urn:uuid:" + hyphenated(digits(of: requestID) ?? random()) }

    /// Returns the digits of a UUID in lower case. `nil` if `text` is neither 32 digits nor groups of 8-4-4-4-12
    /// digits.
    private static func digits(of text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        let isHyphenated = bytes.count == 36 && hyphens.allSatisfy { bytes[$0] == UInt8(ascii: "-") }
        let digits = isHyphenated ? bytes.indices.filter { !hyphens.contains($0) }.map { bytes[$0] } : bytes
        guard digits.count == 32, digits.allSatisfy({ $0.hexDigit != nil }) else { return nil }
        return digits.map(\.asciiLowercased)
    }

    /// Returns the digits of a random UUID: version 4, with 122 random bits (RFC 9562 §5.4).
    private static func random() -> [UInt8] {
        let version: UInt64 = 4 << 12
        let variant: UInt64 = 0b10 << 62
        let high = UInt64.random(in: 0 ... .max) & ~0xF000 | version
        let low = UInt64.random(in: 0 ... .max) & ~(0b11 << 62) | variant
        return Array(Hexadecimal.text(of: UInt128(high) << 64 | UInt128(low)).utf8)
    }

    private static let hyphens = [8, 13, 18, 23]

    private static func hyphenated(_ digits: [UInt8]) -> String {
        var text = digits
        for offset in hyphens { text.insert(UInt8(ascii: "-"), at: offset) }
        return String(decoding: text, as: UTF8.self)
    }
}
