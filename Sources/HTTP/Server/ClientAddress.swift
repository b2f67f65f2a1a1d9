internal import Glibc

/// The address of a client without its port, by which connections are counted: an IPv4 address, or the first 64 bits of
/// an IPv6 address, because a single host usually has all addresses of such a prefix.
///
/// An IPv4 client of a socket for both protocols has the same value as on a socket for IPv4: its address is mapped (RFC
/// 4291 §2.5.5.2).
struct ClientAddress: Hashable, Sendable {
    private let prefix: UInt64
    /// Whether `prefix` belongs to IPv6.
    private let isIPv6: Bool

    /// Reads an address that accept(2) has returned. All addresses of other families are equal.
    init(_ address: sockaddr_storage) {
        (prefix, isIPv6) = unsafe withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            // sockaddr_in: the address has 4 bytes at offset 4. sockaddr_in6: 16 bytes at offset 8 (ip(7), ipv6(7)).
            case AF_INET: return (UInt64(unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)), false)
            case AF_INET6:
                let prefix = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                let mapping = unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
                if prefix == 0, UInt32(bigEndian: mapping) == 0xFFFF {
                    return (UInt64(unsafe bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self)), false)
                }
                return (prefix, true)
            default: return (0, false)
            }
        }
    }
}
