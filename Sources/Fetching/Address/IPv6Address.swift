internal import Primitives

/// An IPv6 address.
///
/// The text forms are those of RFC 4291 §2.2: eight groups of up to four hexadecimal digits, of which one run may be
/// replaced by `::`, and of which the last two may be a dotted quad. Ambiguities:
/// - `::` may replace a single group (RFC 4291: "one or more groups"; RFC 5952 §4.2.2 only forbids writing it).
/// - A zone (`%eth0`, RFC 6874) is rejected: it has a meaning on one machine only.
/// - The canonical text is that of RFC 5952 §4, always in hexadecimal: `::ffff:127.0.0.1` is written `::ffff:7f00:1`.
package struct IPv6Address: Hashable, Sendable {
    /// The address as a number: the first group is the highest.
    package let bits: UInt128

    package init(bits: UInt128) { self.bits = bits }

    /// Creates an address from its first groups. All groups that follow are zero.
    /// - Parameter groups: At most eight; others are ignored.
    package init(groups: UInt16...) {
        bits = groups.prefix(8).enumerated().reduce(0) { $0 | UInt128($1.element) << UInt128(112 - 16 * $1.offset) }
    }

    /// Returns the bits `range`, where bit 0 is the first bit of the address.
    func bits(_ range: Range<Int>) -> UInt128 { (bits << UInt128(range.lowerBound)) >> UInt128(128 - range.count) }

    /// Returns the last 32 bits, which many transition mechanisms use for an IPv4 address.
    var lastWord: IPv4Address { IPv4Address(bits: UInt32(truncatingIfNeeded: bits)) }
}

extension IPv6Address {
    /// Parses an address without brackets, which must be the complete text.
    package init?(parsing text: Span<UInt8>) {
        guard let bits = AddressText.ipv6(text) else { return nil }
        self.bits = bits
    }
}

extension IPv6Address: CustomStringConvertible {
    /// The canonical text (RFC 5952 §4), without brackets.
    package var description: String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
        guard let run = Self.longestRunOfZeros(in: groups) else { return Self.text(groups[...]) }
        return Self.text(groups[..<run.lowerBound]) + "::" + Self.text(groups[run.upperBound...])
    }

    private static func text(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Returns the first of the longest runs of at least two zero groups.
    private static func longestRunOfZeros(in groups: [UInt16]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start >= max(2, (longest?.count ?? 0) + 1) { longest = start..<index }
            start = index + 1
        }
        return longest
    }
}
