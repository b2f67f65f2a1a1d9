public import Glibc

/// A TCP socket that has a port of 127.0.0.1, and does not listen.
public final class LoopbackSocket {
    public let descriptor: Int32
    public private(set) var address = sockaddr_in()

    public var port: UInt16 { UInt16(bigEndian: address.sin_port) }

    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isBound else { throw LoopbackSocketError(code: errno) }
    }

    deinit { close(descriptor) }
}

private struct LoopbackSocketError: Error {
    let code: Int32
}

/// Calls `body` with a port at which each connection is refused.
///
/// A port that was merely closed may be that of another test when it is used.
public func withClosedPort<Result>(_ body: (UInt16) throws -> Result) throws -> Result {
    let socket = try LoopbackSocket()
    return try withExtendedLifetime(socket) { try body(socket.port) }
}
