internal import Glibc

/// The numeric text of IP addresses, as inet_pton(3) reads it.
///
/// An IPv4 address is the canonical dotted quad: four decimal numbers up to 255 without leading zeros. An IPv6 address
/// has one of the forms of RFC 4291 §2.2, without brackets and without a zone.
package enum AddressText {
    /// Returns the address as a number, whose highest byte is the first part, or `nil` for other text.
    package static func ipv4(_ text: Span<UInt8>) -> UInt32? {
        bytes(text, AF_INET).map { $0[..<4].reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Returns the address as a number, whose highest bits are the first group, or `nil` for other text.
    package static func ipv6(_ text: Span<UInt8>) -> UInt128? {
        bytes(text, AF_INET6).map { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    }

    private static func bytes(_ text: Span<UInt8>, _ family: Int32) -> [UInt8]? {
        // A NUL would end the text for the function. The longest address has 45 bytes.
        guard text.count < Int(INET6_ADDRSTRLEN) else { return nil }
        for index in text.indices where text[index] == 0 { return nil }
        var address = [UInt8](repeating: 0, count: MemoryLayout<in6_addr>.size)
        // The array is large enough for an address of either family.
        return unsafe inet_pton(family, text.text, &address) == 1 ? address : nil
    }
}
