internal import Primitives

// The host of a URL, and of an entry of `fetch-allow`.
//
//     A.Example          a.example           a name, in lower case
//     8.8.8.8            8.8.8.8             an IPv4 address
//     [2606:4700::0:1]   [2606:4700::1]      an IPv6 address
//
// Ambiguities, and how we resolve them:
// - RFC 3986 §3.2.2 allows percent-encoding and sub-delimiters in a registered name. WHATWG URL §3.5 decodes the name,
//   maps Unicode to ASCII and removes a few characters. We accept only what a name in the DNS can be: labels of ASCII
//   letters, digits, `-` and `_`. A Unicode name must be sent in its ASCII form (`xn--bcher-kva.example`), which is not
//   decoded.
// - RFC 3986 §3.2.2 reads `127.1` and `256.1.1.1` as names, WHATWG as an address and as an error. A name whose last
//   label is a number, or begins with `0x`, must be a canonical dotted quad. No top-level domain is a number (RFC 3696
//   §2).
// - A trailing dot makes a name absolute in the DNS. It is rejected: all names are resolved as absolute names, and two
//   forms of one name would need two rules. The same applies to an empty label.
// - `localhost` and names below it are rejected (RFC 6761 §6.3: they are loopback addresses).

/// The host of a URL.
package enum FetchHost: Hashable, Sendable {
    /// A name in the DNS, in lower case.
    case name(String)
    case ipv4(IPv4Address)
    case ipv6(IPv6Address)

    /// The maximum length of a name, in bytes (RFC 1035 §2.3.4: 255 bytes on the wire).
    static let maxNameBytes = 253

    /// The maximum length of a label of a name, in bytes (RFC 1035 §2.3.4).
    static let maxLabelBytes = 63
}

/// The reason why text is not a host. Offsets are in bytes, starting from 0.
package enum FetchHostError: Error, Equatable, Sendable {
    case empty(at: Int)
    /// The byte cannot be in a name: it is not an ASCII letter, a digit, `-`, `_` or a dot between labels.
    case invalidByte(UInt8, at: Int)
    case emptyLabel(at: Int)
    case trailingDot(at: Int)
    case labelTooLong(bytes: Int, max: Int, at: Int)
    case nameTooLong(bytes: Int, max: Int, at: Int)
    /// The name is `localhost`, or below it.
    case localhost(at: Int)
    /// The last label is a number, and the host is not a canonical dotted quad.
    case notDottedQuad(at: Int)
    case malformedIPv6Address(at: Int)
    /// The IPv6 address has a zone (RFC 6874).
    case zone(at: Int)
    /// There is no `]` after `[`.
    case unterminatedIPv6Address(at: Int)
}

extension FetchHost {
    /// Parses `range` of `bytes`. An IPv6 address is in brackets.
    init(parsing bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchHostError) {
        guard let first = range.first else { throw .empty(at: range.lowerBound) }
        if bytes[first] == UInt8(ascii: "[") {
            self = .ipv6(try Self.ipv6(bytes, range))
            return
        }
        let lastLabel = try Self.lastLabel(of: bytes, range)
        if Self.isNumber(bytes, lastLabel) {
            guard let address = IPv4Address(parsing: bytes.extracting(range)) else {
                throw .notDottedQuad(at: range.lowerBound)
            }
            self = .ipv4(address)
            return
        }
        let name = bytes.lowercasedText(range)
        guard name != "localhost", !name.hasSuffix(".localhost") else { throw .localhost(at: range.lowerBound) }
        self = .name(name)
    }

    private static func ipv6(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchHostError) -> IPv6Address {
        let start = range.lowerBound + 1
        guard let end = bytes.firstOffset(of: UInt8(ascii: "]"), in: range) else {
            throw .unterminatedIPv6Address(at: range.upperBound)
        }
        if let zone = bytes.firstOffset(of: UInt8(ascii: "%"), in: start..<end) { throw .zone(at: zone) }
        guard end + 1 == range.upperBound else { throw .malformedIPv6Address(at: end + 1) }
        guard let address = IPv6Address(parsing: bytes.extracting(start..<end)) else {
            throw .malformedIPv6Address(at: start)
        }
        return address
    }

    /// Validates the labels of a name, and returns the last one.
    private static func lastLabel(of bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchHostError) -> Range<Int> {
        guard range.count <= maxNameBytes else {
            throw .nameTooLong(bytes: range.count, max: maxNameBytes, at: range.lowerBound)
        }
        var start = range.lowerBound
        for index in range {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                try checkLabel(start..<index)
                start = index + 1
            } else if !(byte.isLetter || byte.isDecimalDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_"))
            {
                throw .invalidByte(byte, at: index)
            }
        }
        guard start < range.upperBound else { throw .trailingDot(at: start - 1) }
        try checkLabel(start..<range.upperBound)
        return start..<range.upperBound
    }

    private static func checkLabel(_ label: Range<Int>) throws(FetchHostError) {
        guard !label.isEmpty else { throw .emptyLabel(at: label.lowerBound) }
        guard label.count <= maxLabelBytes else {
            throw .labelTooLong(bytes: label.count, max: maxLabelBytes, at: label.lowerBound)
        }
    }

    /// Returns whether `label` consists of digits, or begins with `0x`.
    private static func isNumber(_ bytes: Span<UInt8>, _ label: Range<Int>) -> Bool {
        let second = label.lowerBound + 1
        if label.count > 1, bytes[label.lowerBound] == UInt8(ascii: "0"), bytes[second] | 0x20 == UInt8(ascii: "x") {
            return true
        }
        return label.allSatisfy { bytes[$0].isDecimalDigit }
    }
}

extension FetchHost {
    /// The address, if the host is one.
    package var address: IPAddress? {
        switch self {
        case .name: nil
        case .ipv4(let address): .v4(address)
        case .ipv6(let address): .v6(address)
        }
    }
}

extension FetchHost: CustomStringConvertible {
    /// The canonical text, as it is written in a URL: an IPv6 address is in brackets.
    package var description: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address): address.description
        case .ipv6(let address): "[\(address)]"
        }
    }
}
