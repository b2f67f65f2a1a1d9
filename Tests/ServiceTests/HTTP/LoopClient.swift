import Glibc
import Platform

@testable import HTTP
@testable import Service

/// A client of one loop whose iterations the test executes. They are connected by a socket pair, or by TCP on this
/// machine.
final class LoopClient {
    private var descriptor: Int32
    /// The loop's socket, until it is passed to the loop.
    private var loopEnd: Int32

    init(of loop: ConnectionLoop, overTCP: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        if overTCP {
            ends = try Self.tcpPair(type)
        } else {
            guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw ClientError.system("socketpair", errno) }
        }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        descriptor = ends[0]
        loopEnd = fcntl(ends[1], F_DUPFD_CLOEXEC, 0)
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(AF_UNIX)
        let addressBytes = socklen_t(MemoryLayout<sockaddr_storage>.size)
        loop.add(AcceptedSocket(descriptor: ends[1], address: address, addressBytes: addressBytes))
    }

    /// Returns the ends of a TCP connection with small buffers.
    private static func tcpPair(_ type: Int32) throws -> [Int32] {
        let listener = socket(AF_INET, type, 0)
        defer { close(listener) }
        let client = socket(AF_INET, type, 0)
        var size: Int32 = 4_096
        for descriptor in [listener, client] {
            for option in [SO_SNDBUF, SO_RCVBUF] {
                setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
                    && connect(client, $0, length) == 0
            }
        }
        guard isConnected else { throw ClientError.system("connect", errno) }
        return [client, accept(listener, nil, nil)]
    }

    deinit {
        if loopEnd >= 0 { close(loopEnd) }
        disconnect()
    }

    func disconnect() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Fills the socket from its other end, so that nothing can be sent to this client until it reads the zero bytes.
    func fill() {
        let bytes = [UInt8](repeating: 0, count: 64 << 10)
        for size in [bytes.count, 1] {
            while Glibc.send(loopEnd, bytes, size, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) > 0 {}
        }
    }

    /// Fills the socket, so that nothing can be sent to this client, which does not read. Must be called at most once.
    func stopReceiving() {
        fill()
        close(loopEnd)
        loopEnd = -1
    }

    /// Returns the bytes that were received since the last call.
    func received() -> String {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Sends as many of `bytes` as possible without waiting.
    /// - Returns: the number of bytes that were sent.
    func sendSome(_ bytes: ArraySlice<UInt8>) -> Int {
        let count = bytes.withUnsafeBytes { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        return max(count, 0)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
