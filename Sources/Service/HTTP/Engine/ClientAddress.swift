internal import Glibc

/// The address of a client without its port, by which connections are counted: an IPv4 address, or all 128 bits of an
/// IPv6 address.
struct ClientAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Reads an address that accept(2) has returned. All addresses of other families are equal.
    init(_ address: sockaddr_storage) {
        (high, low) = unsafe withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            // sockaddr_in: the address has 4 bytes at offset 4. sockaddr_in6: 16 bytes at offset 8 (ip(7), ipv6(7)).
            case AF_INET: (0, UInt64(unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
            case AF_INET6:
                (
                    unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                    unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                )
            default: (0, 0)
            }
        }
    }
}
