import CEvents
import Glibc

/// System calls on sockets.
enum Socket {
    /// Not in Glibc's module: the peer has finished sending (poll(2)).
    static let readHangUp: Int16 = 0x2000

    static func listener(address: String, port: UInt16, backlog: Int32, kind: __socket_type = SOCK_STREAM)
        throws(OriginError) -> Int32
    {
        let family = address.contains(":") ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("socket") }
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(address, port, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            let error = OriginError.last("bind \(address):\(port)")
            close(descriptor)
            throw error
        }
        guard kind != SOCK_STREAM || listen(descriptor, backlog) == 0 else {
            let error = OriginError.last("listen")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Connects to a port.
    static func connect(address: String, port: UInt16) throws(OriginError) -> Int32 {
        let family = address.contains(":") ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("socket") }
        guard withAddress(address, port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let error = OriginError.last("connect \(address):\(port)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func withAddress(
        _ address: String,
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        func call<Address>(_ value: Address) -> Int32 {
            withUnsafePointer(to: value) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        if address.contains(":") {
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = port.bigEndian
            guard inet_pton(AF_INET6, address, &value.sin6_addr) == 1 else {
                errno = EINVAL
                return -1
            }
            return call(value)
        }
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &value.sin_addr) == 1 else {
            errno = EINVAL
            return -1
        }
        return call(value)
    }

    /// Returns the port to which a socket is bound.
    static func port(of descriptor: Int32) throws(OriginError) -> UInt16 {
        // The port is at the same offset in addresses of both families.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0 else { throw .last("getsockname") }
        return UInt16(bigEndian: address.sin6_port)
    }

    /// Returns an event descriptor (eventfd(2)).
    static func event() throws(OriginError) -> Int32 {
        let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .last("eventfd") }
        return descriptor
    }

    /// Makes an event descriptor readable.
    static func signal(_ event: Int32) {
        var one: UInt64 = 1
        _ = write(event, &one, 8)
    }

    /// Makes an event descriptor unreadable.
    static func clear(_ event: Int32) {
        var value: UInt64 = 0
        _ = read(event, &value, 8)
    }

    /// Accepts a connection.
    /// - Returns: `nil` if there is none, or it was reset already.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        guard descriptor >= 0 else { return nil }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// Makes close(2) reset the connection.
    static func resetOnClose(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}
