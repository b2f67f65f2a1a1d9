import Glibc

/// Calls `body` with a port of 127.0.0.1 at which each connection is refused.
///
/// A socket has the port, but does not listen. A port that was merely closed may be that of another test when it is
/// used.
public func withClosedPort<Result>(_ body: (UInt16) throws -> Result) throws -> Result {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
        }
    }
    guard isBound else { throw ClosedPortError(code: errno) }
    return try body(UInt16(bigEndian: address.sin_port))
}

private struct ClosedPortError: Error {
    let code: Int32
}
