internal import Glibc

/// The address of a client without its port, to count connections by: an IPv4 address, or an IPv6 address of 128 bits.
struct ClientAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Reads an address as accept(2) returns it. All addresses of other families are the same.
    init(_ address: sockaddr_storage) {
        (high, low) = unsafe withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            // sockaddr_in: the address is 4 bytes from offset 4. sockaddr_in6: 16 bytes from offset 8 (ip(7), ipv6(7)).
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
