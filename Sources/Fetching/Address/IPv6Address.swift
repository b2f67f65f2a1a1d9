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

    package init(bits: UInt128) {
        self.bits = bits
    }

    /// Creates an address from its first groups. All groups that follow are zero.
    /// - Parameter groups: At most eight; others are ignored.
    package init(groups: UInt16...) {
        bits = groups.prefix(8).enumerated().reduce(0) { $0 | UInt128($1.element) << UInt128(112 - 16 * $1.offset) }
    }

    /// Returns the bits `range`, where bit 0 is the first bit of the address.
    func bits(_ range: Range<Int>) -> UInt128 {
        (bits << UInt128(range.lowerBound)) >> UInt128(128 - range.count)
    }

    /// Returns the last 32 bits, which many transition mechanisms use for an IPv4 address.
    var lastWord: IPv4Address {
        IPv4Address(bits: UInt32(truncatingIfNeeded: bits))
    }
}

extension IPv6Address {
    private static let groupCount = 8

    /// Parses an address without brackets, which must be the complete text.
    package init(parsing text: Span<UInt8>) throws(IPAddressError) {
        let colon = UInt8(ascii: ":")
        var groups: [UInt16] = []
        /// The index of the group that `::` precedes.
        var gap: Int?
        var position = 0
        if text.count >= 2, text[0] == colon, text[1] == colon {
            gap = 0
            position = 2
        }
        while position < text.count {
            let start = position
            let group = try Self.group(of: text, at: &position)
            if position < text.count, text[position] == UInt8(ascii: ".") {
                groups += try Self.quad(of: text, from: start)
                position = text.count
                break
            }
            groups.append(group)
            guard groups.count <= Self.groupCount else { throw .malformed(at: start) }
            if position == text.count { break }
            guard text[position] == colon else { throw .malformed(at: position) }
            position += 1
            guard position < text.count else { throw .malformed(at: position) }
            if text[position] == colon {
                guard gap == nil else { throw .malformed(at: position) }
                gap = groups.count
                position += 1
            }
        }
        if let gap {
            guard groups.count < Self.groupCount else { throw .malformed(at: position) }
            groups.insert(contentsOf: Array(repeating: 0, count: Self.groupCount - groups.count), at: gap)
        }
        guard groups.count == Self.groupCount else { throw .malformed(at: position) }
        bits = groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    private static func group(of text: Span<UInt8>, at position: inout Int) throws(IPAddressError) -> UInt16 {
        let start = position
        var value: UInt16 = 0
        while position < text.count, position - start < 4, let digit = text[position].hexDigit {
            value = value << 4 | UInt16(digit)
            position += 1
        }
        guard position > start else { throw .malformed(at: position) }
        return value
    }

    /// Returns the two groups of the dotted quad at the end of `text`.
    private static func quad(of text: Span<UInt8>, from start: Int) throws(IPAddressError) -> [UInt16] {
        do throws(IPAddressError) {
            let quad = try IPv4Address(parsing: text.extracting(start..<text.count))
            return [UInt16(quad.bits >> 16), UInt16(quad.bits & 0xFFFF)]
        } catch {
            switch error {
            case .malformed(let offset): throw .malformed(at: start + offset)
            }
        }
    }
}

extension IPv6Address: CustomStringConvertible {
    /// The canonical text (RFC 5952 §4), without brackets.
    package var description: String {
        let groups = (0..<Self.groupCount).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
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
