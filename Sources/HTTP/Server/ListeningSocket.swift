internal import Glibc
internal import Platform

/// A socket that is bound and listens. Connections are not accepted yet.
struct ListeningSocket: ~Copyable {
    private let descriptor: Int32

    /// Opens a socket that listens on `wanted`. A Unix domain socket that a killed process has left is replaced.
    /// - Parameters:
    ///   - wanted: the address. `::` also accepts IPv4 clients; other IPv6 addresses accept only IPv6 clients. If the
    ///     port is 0, the system chooses a free one.
    ///   - backlog: the maximum number of connections that wait until they are accepted.
    static func listening(on wanted: SocketAddress, backlog: Int) throws(HTTPServerError) -> ListeningSocket {
        let socket = try ListeningSocket(family: wanted.family)
        try socket.listen(on: wanted, backlog: backlog)
        return socket
    }

    private func listen(on wanted: SocketAddress, backlog: Int) throws(HTTPServerError) {
        // After a restart, connections of the previous process must not prevent the bind.
        if wanted.family != AF_UNIX { try set(SO_REUSEADDR, level: SOL_SOCKET, to: 1) }
        if wanted.family == AF_INET6 {
            try set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), to: wanted.host == "::" ? 0 : 1)
        }
        // Accepted sockets inherit both sizes.
        let bufferBytes = Int32(HTTPServerConfiguration.socketBufferBytes)
        try set(SO_RCVBUF, level: SOL_SOCKET, to: bufferBytes)
        try set(SO_SNDBUF, level: SOL_SOCKET, to: bufferBytes)
        if !bind(to: wanted) {
            let reason = errno
            guard wanted.family == AF_UNIX, reason == EADDRINUSE, SocketFile.removeStale(at: wanted), bind(to: wanted)
            else { throw .cannotBind(address: wanted.host, port: wanted.port, errno: reason) }
        }
        guard Glibc.listen(descriptor, Int32(clamping: backlog)) == 0 else { throw .system(SystemError("listen")) }
    }

    private func bind(to wanted: SocketAddress) -> Bool {
        // The address is valid for the duration of the call.
        unsafe wanted.withPointer { unsafe Glibc.bind(descriptor, $0, $1) } == 0
    }

    private init(family: Int32) throws(HTTPServerError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let opened = socket(family, type, 0)
        guard opened >= 0 else { throw .system(SystemError("open a socket")) }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Returns the address to which the socket is bound. The port is never 0.
    func address() throws(HTTPServerError) -> SocketAddress { try SocketAddress(boundTo: descriptor) }

    /// Transfers the ownership of the descriptor to the caller, which must close it.
    consuming func take() -> Int32 {
        let taken = descriptor
        discard self
        return taken
    }

    private func set(_ option: Int32, level: Int32, to value: Int32) throws(HTTPServerError) {
        var value = value
        // The size is that of `value`, which outlives the call.
        guard unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .system(SystemError("set a socket option"))
        }
    }
}
