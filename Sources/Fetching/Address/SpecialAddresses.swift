/// Addresses that are not those of public servers, and addresses that contain other addresses.
///
/// The sources are the IANA registries of special-purpose addresses (RFC 6890, as of 2025) and the manuals of the cloud
/// providers.
enum SpecialAddresses {
    /// A block whose addresses are rejected, and what it is for.
    struct Reserved: Sendable {
        let block: AddressBlock
        let purpose: StaticString
    }

    /// The IPv4 blocks that are rejected. All other IPv4 addresses are allowed.
    static let reservedIPv4: [Reserved] = [
        Reserved(block: AddressBlock(IPv4Address(0, 0, 0, 0), 8), purpose: "this network (RFC 791)"),
        Reserved(block: AddressBlock(IPv4Address(10, 0, 0, 0), 8), purpose: "private use (RFC 1918)"),
        Reserved(block: AddressBlock(IPv4Address(100, 64, 0, 0), 10), purpose: "shared address space (RFC 6598)"),
        Reserved(block: AddressBlock(IPv4Address(127, 0, 0, 0), 8), purpose: "loopback (RFC 1122)"),
        Reserved(block: AddressBlock(IPv4Address(169, 254, 0, 0), 16), purpose: "link-local (RFC 3927)"),
        Reserved(block: AddressBlock(IPv4Address(172, 16, 0, 0), 12), purpose: "private use (RFC 1918)"),
        Reserved(block: AddressBlock(IPv4Address(192, 0, 0, 0), 24), purpose: "protocol assignments (RFC 6890)"),
        Reserved(block: AddressBlock(IPv4Address(192, 0, 2, 0), 24), purpose: "documentation (RFC 5737)"),
        Reserved(block: AddressBlock(IPv4Address(192, 88, 99, 0), 24), purpose: "6to4 relays (RFC 7526)"),
        Reserved(block: AddressBlock(IPv4Address(192, 168, 0, 0), 16), purpose: "private use (RFC 1918)"),
        Reserved(block: AddressBlock(IPv4Address(198, 18, 0, 0), 15), purpose: "benchmarking (RFC 2544)"),
        Reserved(block: AddressBlock(IPv4Address(198, 51, 100, 0), 24), purpose: "documentation (RFC 5737)"),
        Reserved(block: AddressBlock(IPv4Address(203, 0, 113, 0), 24), purpose: "documentation (RFC 5737)"),
        Reserved(block: AddressBlock(IPv4Address(224, 0, 0, 0), 4), purpose: "multicast (RFC 5771)"),
        Reserved(block: AddressBlock(IPv4Address(240, 0, 0, 0), 4), purpose: "reserved, broadcast (RFC 1112)"),
        Reserved(block: AddressBlock(IPv4Address(168, 63, 129, 16), 32), purpose: "host of a virtual machine (Azure)"),
    ]

    /// The only IPv6 addresses that are allowed (RFC 4291 §2.4), apart from ``reservedIPv6`` and ISATAP identifiers.
    static let globalUnicast = AddressBlock(IPv6Address(groups: 0x2000), 3)

    /// The blocks of ``globalUnicast`` that are rejected.
    static let reservedIPv6: [Reserved] = [
        Reserved(
            block: AddressBlock(IPv6Address(groups: 0x2001), 23),
            purpose: "protocol assignments, Teredo (RFC 2928, RFC 4380)"
        ),
        Reserved(block: AddressBlock(IPv6Address(groups: 0x2001, 0xDB8), 32), purpose: "documentation (RFC 3849)"),
        Reserved(block: AddressBlock(IPv6Address(groups: 0x2002), 16), purpose: "6to4 (RFC 3056)"),
        Reserved(block: AddressBlock(IPv6Address(groups: 0x3FFF), 20), purpose: "documentation (RFC 9637)"),
    ]

    /// The addresses at which clouds and container platforms serve credentials, or control the machine.
    static let metadata: Set<IPAddress> = [
        .v4(IPv4Address(169, 254, 169, 254)),  // AWS, Google, Azure and most others
        .v4(IPv4Address(169, 254, 170, 2)),  // AWS ECS
        .v4(IPv4Address(100, 100, 100, 200)),  // Alibaba
        .v4(IPv4Address(192, 0, 0, 192)),  // Oracle
        .v4(IPv4Address(168, 63, 129, 16)),  // Azure
        .v6(IPv6Address(bits: 0xFD00_0EC2_0000_0000_0000_0000_0000_0254)),  // AWS
    ]

    /// The prefix of NAT64 (RFC 6052 §2.1): its translator connects to the IPv4 address in the last 32 bits.
    static let nat64 = AddressBlock(IPv6Address(groups: 0x64, 0xFF9B), 96)
}

extension IPv6Address {
    /// The IPv4 addresses that a kernel, a translator or a tunnel might contact on behalf of this address.
    ///
    /// They are only used to reject more: if one of them is denied, so is this address.
    var embeddedIPv4: [IPv4Address] {
        var found: [IPv4Address] = []
        func append(_ bits: UInt128) { found.append(IPv4Address(bits: UInt32(truncatingIfNeeded: bits))) }

        // RFC 4291 §2.5.5: compatible and mapped; RFC 2765 §2.1: translated (::ffff:0:0:0/96).
        let prefix = bits(0..<96)
        if prefix == 0 || prefix == 0xFFFF || prefix == 0xFFFF_0000 { append(bits) }
        if SpecialAddresses.nat64.contains(.v6(self)) { append(bits) }
        // RFC 8215: its prefix is chosen locally. RFC 6052 §2.2 defines where the IPv4 address is; bits 64 to 71 are
        // skipped.
        if bits(0..<48) == 0x64_FF9B_0001 {
            append(bits(48..<64) << 16 | bits(72..<88))
            append(bits(56..<64) << 24 | bits(72..<96))
            append(bits(72..<104))
            append(bits)
        }
        // RFC 3056 §2.
        if bits(0..<16) == 0x2002 { append(bits(16..<48)) }
        // RFC 4380 §4: the server, and the client's address with all bits inverted.
        if bits(0..<32) == 0x2001_0000 {
            append(bits(32..<64))
            append(~bits)
        }
        if isISATAP { append(bits) }
        return found
    }

    /// Whether the interface identifier is that of an ISATAP tunnel (RFC 5214 §6.1): `0000:5efe` or `0200:5efe`,
    /// followed by an IPv4 address.
    var isISATAP: Bool { bits(64..<96) & ~0x0200_0000 == 0x5EFE }
}
