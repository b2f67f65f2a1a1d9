internal import Primitives

/// A block of IP addresses that have a common prefix (CIDR, RFC 4632 §3.1, RFC 4291 §2.3).
///
/// `10.0.0.0/8` contains 10.0.0.0 to 10.255.255.255. An address without a prefix length is a block of one address. A
/// block contains addresses of its own version only: `10.0.0.0/8` does not contain `::ffff:10.0.0.1`.
package struct AddressBlock: Hashable, Sendable {
    /// The first address of the block.
    package let base: IPAddress

    /// The number of bits that all addresses of the block have in common.
    package let prefixLength: Int

    /// Creates the block that contains `address`.
    /// - Parameter prefixLength: 0 to 32; other numbers are limited to this range.
    package init(_ address: IPv4Address, _ prefixLength: Int) {
        self.prefixLength = min(max(prefixLength, 0), 32)
        base = .v4(IPv4Address(bits: address.bits & ~(UInt32.max >> UInt32(self.prefixLength))))
    }

    /// Creates the block that contains `address`.
    /// - Parameter prefixLength: 0 to 128; other numbers are limited to this range.
    package init(_ address: IPv6Address, _ prefixLength: Int) {
        self.prefixLength = min(max(prefixLength, 0), 128)
        base = .v6(IPv6Address(bits: address.bits & ~(UInt128.max >> UInt128(self.prefixLength))))
    }

    package func contains(_ address: IPAddress) -> Bool {
        switch (base, address) {
        case (.v4(let base), .v4(let address)): (base.bits ^ address.bits) & ~(UInt32.max >> UInt32(prefixLength)) == 0
        case (.v6(let base), .v6(let address)):
            (base.bits ^ address.bits) & ~(UInt128.max >> UInt128(prefixLength)) == 0
        case (.v4, .v6), (.v6, .v4): false
        }
    }

    /// Whether the block contains exactly one address.
    package var isSingleAddress: Bool {
        switch base {
        case .v4: prefixLength == 32
        case .v6: prefixLength == 128
        }
    }
}

/// The reason why text is not a list of address blocks. Offsets are in bytes, starting from 0.
package enum AddressBlockError: Error, Equatable, Sendable {
    /// There is nothing between two commas, or before the first or after the last one.
    case emptyEntry(at: Int)
    case malformedAddress(at: Int)
    /// The prefix length is not a decimal number without leading zeros in 0 to `max`.
    case malformedPrefixLength(max: Int, at: Int)
    /// The address has bits after the prefix, so that it is probably not the block that was meant: `10.0.0.1/8`.
    case bitsAfterPrefix(at: Int)
}

extension AddressBlock {
    /// Parses a comma-separated list of blocks, which may be empty. White space around commas is ignored.
    package static func list(parsing text: String) throws(AddressBlockError) -> [AddressBlock] {
        let bytes = text.utf8.span
        var blocks: [AddressBlock] = []
        for entry in ListSyntax.entries(of: bytes) {
            guard !entry.isEmpty else { throw .emptyEntry(at: entry.lowerBound) }
            blocks.append(try AddressBlock(parsing: bytes, entry))
        }
        return blocks
    }

    private init(parsing bytes: Span<UInt8>, _ entry: Range<Int>) throws(AddressBlockError) {
        var end = entry.lowerBound
        while end < entry.upperBound, bytes[end] != UInt8(ascii: "/") { end += 1 }
        let address = try Self.address(bytes, entry.lowerBound..<end)
        let length = end == entry.upperBound ? nil : (end + 1)..<entry.upperBound
        switch address {
        case .v4(let address): self.init(address, try Self.length(bytes, length, max: 32))
        case .v6(let address): self.init(address, try Self.length(bytes, length, max: 128))
        }
        guard base == address else { throw .bitsAfterPrefix(at: entry.lowerBound) }
    }

    private static func address(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(AddressBlockError) -> IPAddress {
        guard let address = IPAddress(parsing: bytes.extracting(range)) else {
            throw .malformedAddress(at: range.lowerBound)
        }
        return address
    }

    private static func length(_ bytes: Span<UInt8>, _ range: Range<Int>?, max: Int) throws(AddressBlockError) -> Int {
        guard let range else { return max }
        guard let length = bytes.canonicalDecimal(range, max: max) else {
            throw .malformedPrefixLength(max: max, at: range.lowerBound)
        }
        return length
    }
}

extension AddressBlock: CustomStringConvertible {
    /// The text that ``list(parsing:)`` parses: `10.0.0.0/8`.
    package var description: String { "\(base)/\(prefixLength)" }
}
