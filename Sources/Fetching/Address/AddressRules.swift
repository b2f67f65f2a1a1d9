// Decides whether a connection to an address may be opened. It is asked for each address of a name after resolving, and
// for the address of the socket again, because a name can resolve to another address in between (DNS rebinding).
//
// The first rule that applies decides:
//
//     1. fetch-deny-addresses, and the service's own listeners   rejected
//     2. fetch-allow-addresses, if fetch-allow names the host    allowed; metadata only by an entry of that address
//     3. the reserved IPv4 blocks                                rejected; other IPv4 addresses are allowed
//     4. 64:ff9b::/96                                            as its IPv4 address
//     5. other IPv6 addresses                                    only 2000::/3 without its reserved blocks and ISATAP
//
// Example: with fetch-allow-addresses=10.0.0.0/8 and a host that fetch-allow names, 10.1.2.3 is allowed by rule 2, and
// so is 64:ff9b::a01:203 by rules 4 and 2. ::ffff:10.1.2.3 is rejected by rule 5, because the entry is one of IPv4
// addresses.
//
// Ambiguities, and how we resolve them:
// - An IPv6 address can contain an IPv4 address in several ways. Rule 1 also applies to each contained address, and an
//   entry of rule 2 that contains more than one address does not allow an address that contains a metadata address:
//   `::/0` does not allow `::ffff:169.254.169.254`, which the kernel treats as 169.254.169.254.
// - An IPv4-mapped address is rejected even if its IPv4 address is public: nothing that resolves names returns one, and
//   programs disagree about its meaning.
// - Metadata addresses that an inexact entry of rule 2 contains are rejected, also the one of AWS in IPv6, which is in
//   no reserved IPv4 block.

/// The service's own listeners, to which a fetch must not connect: it would request itself.
package struct LocalListeners: Equatable, Sendable {
    /// The addresses of the interfaces of this machine. Loopback and unspecified addresses are always local.
    package var addresses: Set<IPAddress>

    /// The ports on which this process listens.
    package var ports: Set<UInt16>

    package init(addresses: Set<IPAddress>, ports: Set<UInt16>) {
        self.addresses = addresses
        self.ports = ports
    }

    package static let none = LocalListeners(addresses: [], ports: [])

    func contains(_ address: IPAddress, port: UInt16) -> Bool {
        ports.contains(port) && (addresses.contains(address) || Self.blocks.contains { $0.contains(address) })
    }

    /// The addresses that every machine has. A connection to an unspecified address reaches the machine itself (ip(7)).
    private static let blocks = [
        AddressBlock(IPv4Address(127, 0, 0, 0), 8), AddressBlock(IPv4Address(0, 0, 0, 0), 32),
        AddressBlock(IPv6Address(bits: 1), 128), AddressBlock(IPv6Address(bits: 0), 128),
    ]
}

/// The reason why an address is rejected.
///
/// It is for the log. A caller must not see it for an address that a name resolved to.
package enum AddressRejection: Error, Equatable, Sendable {
    /// An entry of `fetch-deny-addresses` contains the address.
    case denied(by: AddressBlock)
    /// The service itself listens at the address and port.
    case ownListener
    /// The address, or one that it contains, is that of a metadata service.
    case metadata
    /// The address is in a block that is not that of public servers.
    case reserved(AddressBlock)
    /// The IPv6 address is not a global unicast address.
    case notGlobalUnicast
    /// The IPv6 address is that of an ISATAP tunnel.
    case isatap
}

extension AddressRejection: CustomStringConvertible {
    /// The reason in words, for the log.
    package var description: String {
        switch self {
        case .denied(let block): "fetch-deny-addresses contains \(block)"
        case .ownListener: "the service itself listens at this address and port"
        case .metadata: "metadata service"
        case .reserved(let block): "\(block): \(Self.purpose(of: block))"
        case .notGlobalUnicast: "not a global unicast address (outside 2000::/3)"
        case .isatap: "ISATAP tunnel (RFC 5214)"
        }
    }

    private static func purpose(of block: AddressBlock) -> String {
        let rows = SpecialAddresses.reservedIPv4 + SpecialAddresses.reservedIPv6
        return rows.first { $0.block == block }.map { "\($0.purpose)" } ?? "reserved"
    }
}

/// The settings that decide about addresses.
///
/// **Invariant.** The first rule that applies decides, and an address to which none applies is rejected. The decision
/// depends on the address, the port, whether `fetch-allow` names the host, and these settings alone. The fetcher asks
/// for each address of a name, and again for that of the socket, so that no connection exists to an address that is
/// rejected. `AddressRulesTests` checks every reserved block, and `GuardTests` the connections.
package struct AddressRules: Equatable, Sendable {
    /// `fetch-allow-addresses`.
    package var allowed: [AddressBlock]

    /// `fetch-deny-addresses`.
    package var denied: [AddressBlock]

    package var listeners: LocalListeners

    package init(allowed: [AddressBlock], denied: [AddressBlock], listeners: LocalListeners) {
        self.allowed = allowed
        self.denied = denied
        self.listeners = listeners
    }

    /// Decides whether a connection may be opened.
    /// - Parameter hostIsNamed: Whether an entry of `fetch-allow` other than `*` matches the URL, so that
    ///   `fetch-allow-addresses` applies.
    /// - Throws: The reason, if the connection is rejected.
    package func check(_ address: IPAddress, port: UInt16, hostIsNamed: Bool) throws(AddressRejection) {
        let contained: [IPAddress]
        switch address {
        case .v4: contained = []
        case .v6(let address): contained = address.embeddedIPv4.map { .v4($0) }
        }
        let all = [address] + contained
        if let block = denied.first(where: { block in all.contains { block.contains($0) } }) {
            throw .denied(by: block)
        }
        if all.contains(where: { listeners.contains($0, port: port) }) { throw .ownListener }

        let isMetadata = all.contains { SpecialAddresses.metadata.contains($0) }
        if hostIsNamed, allowed.contains(where: { $0.contains(address) && ($0.isSingleAddress || !isMetadata) }) {
            return
        }
        switch address {
        case .v4(let address): try Self.check(address)
        case .v6(let address) where SpecialAddresses.nat64.contains(.v6(address)):
            try check(.v4(address.lastWord), port: port, hostIsNamed: hostIsNamed)
        case .v6(let address): try Self.check(address, isMetadata: isMetadata)
        }
    }

    private static func check(_ address: IPv4Address) throws(AddressRejection) {
        if SpecialAddresses.metadata.contains(.v4(address)) { throw .metadata }
        if let row = SpecialAddresses.reservedIPv4.first(where: { $0.block.contains(.v4(address)) }) {
            throw .reserved(row.block)
        }
    }

    private static func check(_ address: IPv6Address, isMetadata: Bool) throws(AddressRejection) {
        if isMetadata { throw .metadata }
        guard SpecialAddresses.globalUnicast.contains(.v6(address)) else { throw .notGlobalUnicast }
        if let row = SpecialAddresses.reservedIPv6.first(where: { $0.block.contains(.v6(address)) }) {
            throw .reserved(row.block)
        }
        if address.isISATAP { throw .isatap }
    }
}
