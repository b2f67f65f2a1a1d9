internal import Glibc
internal import Platform

/// A socket that listens, bound and not yet served.
struct ListeningSocket: ~Copyable {
    private let descriptor: Int32

    /// - Parameter address: in numbers. `::` takes IPv4 clients too, any other IPv6 address only its own family.
    /// - Parameter port: 0 picks a free one.
    static func listening(on address: String, port: UInt16) throws(HTTPServerError) -> ListeningSocket {
        let wanted = try SocketAddress(parsing: address, port: port)
        let socket = try ListeningSocket(family: wanted.family)
        try socket.listen(on: wanted)
        return socket
    }

    private func listen(on wanted: SocketAddress) throws(HTTPServerError) {
        // A restart need not wait for the connections of the process before.
        try set(SO_REUSEADDR, level: SOL_SOCKET, to: 1)
        if wanted.family == AF_INET6 {
            try set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), to: wanted.host == "::" ? 0 : 1)
        }
        // The address is lent for the time of the call.
        guard unsafe wanted.withPointer({ unsafe bind(descriptor, $0, $1) }) == 0 else {
            throw .cannotBind(address: wanted.host, port: wanted.port, errno: errno)
        }
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw .system(SystemError("listen")) }
    }

    private init(family: Int32) throws(HTTPServerError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let opened = socket(family, type, 0)
        guard opened >= 0 else { throw .system(SystemError("open a socket")) }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// What the socket is bound to; the port is never 0.
    func address() throws(HTTPServerError) -> SocketAddress {
        try SocketAddress(boundTo: descriptor)
    }

    /// Hands the descriptor over; the new owner closes it.
    consuming func take() -> Int32 {
        let taken = descriptor
        discard self
        return taken
    }

    private func set(_ option: Int32, level: Int32, to value: Int32) throws(HTTPServerError) {
        var value = value
        // `value` is as large as it says, and outlives the call.
        guard unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .system(SystemError("set a socket option"))
        }
    }
}
