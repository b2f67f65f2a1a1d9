internal import Primitives

/// An IPv4 address.
///
/// The only text form is the canonical dotted quad: four decimal numbers up to 255 without leading zeros (RFC 3986
/// §3.2.2, `IPv4address`). The other forms that inet_aton(3) and WHATWG URL §3.5 accept (`127.1`, `0x7f.1`,
/// `0177.0.0.1`, `2130706433`) are rejected, because programs disagree about their meaning: `0127.0.0.1` is 127.0.0.1
/// or 87.0.0.1.
package struct IPv4Address: Hashable, Sendable {
    /// The address as a number: the first part of the quad is the highest byte.
    package let bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    package init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        bits = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
    }
}

extension IPv4Address {
    /// Parses a canonical dotted quad, which must be the complete text.
    package init?(parsing text: Span<UInt8>) {
        guard let bits = AddressText.ipv4(text) else { return nil }
        self.bits = bits
    }
}

extension IPv4Address: CustomStringConvertible {
    /// The dotted quad.
    package var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the dotted quad.
    func append(to text: inout [UInt8]) {
        for shift in stride(from: 24, through: 0, by: -8) {
            text.append(decimal: Int(bits >> UInt32(shift) & 0xFF))
            if shift > 0 { text.append(UInt8(ascii: ".")) }
        }
    }
}
