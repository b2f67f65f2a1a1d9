/// An IP address of either version.
package enum IPAddress: Hashable, Sendable {
    case v4(IPv4Address)
    case v6(IPv6Address)
}

/// The reason why text is not an IP address. Offsets are in bytes, starting from 0.
package enum IPAddressError: Error, Equatable, Sendable {
    case malformed(at: Int)
}

extension IPAddress {
    /// Parses an address of either version, without brackets: text with a colon is an IPv6 address.
    package init(parsing text: Span<UInt8>) throws(IPAddressError) {
        for index in text.indices where text[index] == UInt8(ascii: ":") {
            self = .v6(try IPv6Address(parsing: text))
            return
        }
        self = .v4(try IPv4Address(parsing: text))
    }

    package init(parsing text: String) throws(IPAddressError) {
        try self.init(parsing: text.utf8.span)
    }
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
