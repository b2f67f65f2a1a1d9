import Glibc
import Platform

@testable import HTTP
@testable import Service

/// A client of one loop whose iterations the test executes. They are connected by a socket pair.
final class LoopClient {
    private var descriptor: Int32
    /// The loop's socket, until it is passed to the loop.
    private var loopEnd: Int32

    init(of loop: ConnectionLoop) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw ClientError.system("socketpair", errno)
        }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        descriptor = ends[0]
        loopEnd = fcntl(ends[1], F_DUPFD_CLOEXEC, 0)
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(AF_UNIX)
        let addressBytes = socklen_t(MemoryLayout<sockaddr_storage>.size)
        loop.add(AcceptedSocket(descriptor: ends[1], address: address, addressBytes: addressBytes))
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

    /// Returns the bytes that were received since the last call.
    func received() -> String {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Returns everything that was received since the last call, without the zero bytes of ``fill()``.
    func receivedAll() -> String {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var text: [UInt8] = []
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count].filter { $0 != 0 }
        }
    }

    /// The number of bytes that have arrived and were not read.
    var unreadBytes: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
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
