internal import Fetching
internal import Glibc
internal import Platform

/// The addresses of the interfaces of this machine (getifaddrs(3)).
enum LocalAddresses {
    /// - Throws: an error if they are not known, because none of them may be requested at the service's own port.
    static func all() throws(SystemError) -> Set<IPAddress> {
        var first: UnsafeMutablePointer<ifaddrs>?
        // The list is released below, and every pointer into it is used before that.
        guard unsafe getifaddrs(&first) == 0 else { throw SystemError("getifaddrs") }
        defer { unsafe freeifaddrs(first) }
        var addresses: Set<IPAddress> = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr, let text = unsafe text(of: address),
                let parsed = IPAddress(parsing: text)
            {
                addresses.insert(parsed)
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }

    /// Returns the numeric form of an address, without a zone; `nil` if it has another family.
    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: 128)
        // The address has the length of its family, and the call writes at most as many characters as `host` has.
        let result = unsafe getnameinfo(
            address,
            socklen_t(length),
            &host,
            socklen_t(host.count),
            nil,
            0,
            NI_NUMERICHOST
        )
        guard result == 0 else { return nil }
        let characters = host.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: "%")) }
        return String(decoding: characters.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
