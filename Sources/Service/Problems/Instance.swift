internal import Serialization

/// The identifier of one occurrence of a problem, as a URN (RFC 9562 §4).
enum Instance {
    /// A request identifier of 32 hexadecimal digits, with the hyphens of a UUID or without (as the service makes them),
    /// names the occurrence too, so that the one finds the other in the logs; for any other a random UUID is made.
    static func urn(requestID: String) -> String {
        "urn:uuid:" + hyphenated(digits(of: requestID) ?? random())
    }

    /// The digits of a UUID in lower case. Nil where `text` is none: 32 digits, or 8-4-4-4-12.
    private static func digits(of text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        let isHyphenated = bytes.count == 36 && hyphens.allSatisfy { bytes[$0] == UInt8(ascii: "-") }
        let digits = isHyphenated ? bytes.indices.filter { !hyphens.contains($0) }.map { bytes[$0] } : bytes
        guard digits.count == 32, digits.allSatisfy({ $0.hexDigit != nil }) else { return nil }
        return digits.map(\.asciiLowercased)
    }

    /// RFC 9562 §5.4: version 4, 122 random bits.
    private static func random() -> [UInt8] {
        let version: UInt64 = 4 << 12
        let variant: UInt64 = 0b10 << 62
        let high = UInt64.random(in: 0 ... .max) & ~0xF000 | version
        let low = UInt64.random(in: 0 ... .max) & ~(0b11 << 62) | variant
        return Array((hexadecimal(high) + hexadecimal(low)).utf8)
    }

    private static let hyphens = [8, 13, 18, 23]

    private static func hyphenated(_ digits: [UInt8]) -> String {
        var text = digits
        for place in hyphens {
            text.insert(UInt8(ascii: "-"), at: place)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
