internal import Primitives

/// An IP address of either version.
package enum IPAddress: Hashable, Sendable {
    case v4(IPv4Address)
    case v6(IPv6Address)
}

extension IPAddress {
    /// Parses an address of either version, without brackets: text with a colon is an IPv6 address.
    /// - Returns: `nil` if the text is not an address.
    package init?(parsing text: Span<UInt8>) {
        if text.firstOffset(of: UInt8(ascii: ":"), in: 0..<text.count) != nil {
            guard let address = IPv6Address(parsing: text) else { return nil }
            self = .v6(address)
        } else {
            guard let address = IPv4Address(parsing: text) else { return nil }
            self = .v4(address)
        }
    }

    package init?(parsing text: String) { self.init(parsing: text.utf8.span) }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text, without brackets.
    package var description: String {
        switch self {
        case .v4(let address): address.description
        case .v6(let address): address.description
        }
    }
}
