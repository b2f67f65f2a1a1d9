package import Glibc
internal import Platform
internal import Primitives

/// An IPv4 or IPv6 address and a port, or the path of a Unix domain socket.
package struct SocketAddress: Equatable, Sendable {
    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    package let family: Int32

    /// The numeric address, without brackets, or the path of a Unix domain socket.
    package let host: String

    /// The port; 0 for a Unix domain socket.
    package let port: UInt16

    /// The maximum length of the path of a Unix domain socket, in bytes (unix(7)): a NUL follows it.
    static let maxPathBytes = 107

    /// The text before the path of a Unix domain socket.
    private static let unixPrefix = "unix:"

    /// Parses `HOST:PORT`, in which an IPv6 address is enclosed in brackets, or `unix:PATH`.
    /// - Throws: ``HTTPServerError/invalidAddress(_:)``
    package init(parsingListener text: String) throws(HTTPServerError) {
        if text.utf8.starts(with: Self.unixPrefix.utf8) {
            self = try SocketAddress(socketPath: String(Substring(text.utf8.dropFirst(Self.unixPrefix.utf8.count))))
            return
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { throw .invalidAddress(text) }
        let digits = text.utf8[colon...].dropFirst()
        guard digits.count <= 5, let port = Substring(digits).decimal(max: 65_535).map({ UInt16($0) }) else {
            throw .invalidAddress(text)
        }
        var host = Substring(text.utf8[..<colon])
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        if isBracketed { host = host.dropFirst().dropLast() }
        try self.init(parsing: String(host), port: port)
        guard isBracketed == (family == AF_INET6) else { throw .invalidAddress(text) }
    }

    /// Returns the address of a Unix domain socket.
    /// - Throws: ``HTTPServerError/invalidAddress(_:)`` if the path is empty, longer than ``maxPathBytes``, or contains
    ///   a NUL.
    package init(socketPath: String) throws(HTTPServerError) {
        guard 1...Self.maxPathBytes ~= socketPath.utf8.count, !socketPath.utf8.contains(0) else {
            throw .invalidAddress(Self.unixPrefix + socketPath)
        }
        family = AF_UNIX
        host = socketPath
        port = 0
    }

    /// Parses a numeric address. Host names are not resolved.
    /// - Throws: ``HTTPServerError/invalidAddress(_:)``
    package init(parsing host: String, port: UInt16) throws(HTTPServerError) {
        if AddressText.ipv4(host.utf8.span) != nil {
            family = AF_INET
        } else if AddressText.ipv6(host.utf8.span) != nil {
            family = AF_INET6
        } else {
            throw .invalidAddress(host)
        }
        self.host = host
        self.port = port
    }

    /// Reads the address to which `descriptor` is bound (getsockname(2)).
    package init(boundTo descriptor: Int32) throws(HTTPServerError) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // A `sockaddr_storage` is large enough for every family, and its layout permits access as the structure of the
        // family in `ss_family` (RFC 3493 §3.10).
        let (result, family, port, text): (Int32, Int32, UInt16, [CChar]) = unsafe withUnsafeMutablePointer(
            to: &storage
        ) { storage in
            let result = unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let family = unsafe Int32(storage.pointee.ss_family)
            let port: UInt16
            if family == AF_INET6 {
                port = unsafe storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    unsafe inet_ntop(AF_INET6, &address.pointee.sin6_addr, &text, socklen_t(text.count))
                    return unsafe UInt16(bigEndian: address.pointee.sin6_port)
                }
            } else {
                port = unsafe storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    unsafe inet_ntop(AF_INET, &address.pointee.sin_addr, &text, socklen_t(text.count))
                    return unsafe UInt16(bigEndian: address.pointee.sin_port)
                }
            }
            return (result, family, port, text)
        }
        guard result == 0 else { throw .system(SystemError("read the address of a socket")) }
        self.family = family
        self.port = port
        host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Calls `body` with the address as a `sockaddr`, which is valid for the duration of the call.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if family == AF_UNIX {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            // `init` has checked that the path is shorter than the array, whose rest is zero.
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: host.utf8) }
            return unsafe Self.withPointer(to: address, body)
        }
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            // `init` has parsed `host` with the same function.
            unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            return unsafe Self.withPointer(to: address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        // See above.
        unsafe inet_pton(AF_INET, host, &address.sin_addr)
        return unsafe Self.withPointer(to: address, body)
    }

    /// Calls `body` with the address of one family as that of any.
    private static func withPointer<Address, Result>(
        to address: Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: address) { pointer in
            // Every kind of address begins with its family, and its length is passed on.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address and the port as in a URL, where an IPv6 address is enclosed in brackets; `unix:` and the path of a
    /// Unix domain socket.
    package var description: String {
        switch family {
        case AF_UNIX: Self.unixPrefix + host
        case AF_INET6: "[\(host)]:\(port)"
        default: "\(host):\(port)"
        }
    }
}
