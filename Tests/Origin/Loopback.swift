import Glibc

/// The loopback interface of a network namespace (netdevice(7)). A new namespace has one that is down.
enum Loopback {
    private static let (getFlags, setFlags, setAddress): (UInt, UInt, UInt) = (0x8913, 0x8914, 0x8916)

    /// Activates the interface.
    static func activate() throws(OriginError) {
        try withSocket(AF_INET) { (socket) throws(OriginError) in
            var request = self.request(name: "lo")
            guard ioctl(socket, getFlags, &request) == 0 else { throw .last("SIOCGIFFLAGS") }
            request[16] |= UInt8(IFF_UP)
            guard ioctl(socket, setFlags, &request) == 0 else { throw .last("SIOCSIFFLAGS") }
        }
    }

    /// Makes an address an address of this machine.
    /// - Parameter number: a number that no other address of the same namespace has.
    static func add(_ address: String, number: Int) throws(OriginError) {
        if address.contains(":") {
            try withSocket(AF_INET6) { (socket) throws(OriginError) in
                // struct in6_ifreq: the address, the length of the prefix, the index of the interface, which is 1.
                var bytes = [UInt8](repeating: 0, count: 16)
                guard inet_pton(AF_INET6, address, &bytes) == 1 else { throw .invalidCommand(address) }
                var request = bytes + [128, 0, 0, 0, 1, 0, 0, 0]
                guard ioctl(socket, setAddress, &request) == 0 else { throw .last("SIOCSIFADDR \(address)") }
            }
        } else {
            try withSocket(AF_INET) { (socket) throws(OriginError) in
                var bytes = [UInt8](repeating: 0, count: 4)
                guard inet_pton(AF_INET, address, &bytes) == 1 else { throw .invalidCommand(address) }
                // struct sockaddr_in: the family, the port, the address.
                var request = self.request(name: "lo:\(number)")
                request.replaceSubrange(16..<24, with: [UInt8(AF_INET), 0, 0, 0] + bytes)
                guard ioctl(socket, setAddress, &request) == 0 else { throw .last("SIOCSIFADDR \(address)") }
            }
        }
    }

    /// Returns a `struct ifreq`.
    private static func request(name: String) -> [UInt8] {
        var request = [UInt8](repeating: 0, count: 40)
        request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        return request
    }

    private static func withSocket(_ family: Int32, _ body: (Int32) throws(OriginError) -> Void) throws(OriginError) {
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("socket") }
        defer { close(descriptor) }
        try body(descriptor)
    }
}
