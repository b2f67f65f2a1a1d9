internal import Glibc
internal import Platform

/// The socket of a connection that is closed while its client may still be sending.
///
/// Closing a socket with unread bytes resets the connection, and the client may lose a response that it has not read
/// yet (RFC 9112 §9.6). Therefore the socket stays open until the client closes its side, or for a limited time, and
/// received bytes are discarded.
final class LingeringSocket: EventHandler, DeadlineHolder {
    let address: ClientAddress?

    /// Whether the loop counts the socket as a connection.
    let isCounted: Bool
    private let descriptor: Int32
    private unowned let loop: ConnectionLoop
    private var registration: EventLoop.Registration?
    var heapIndex = -1

    /// The number of bytes that are discarded before other sockets are served.
    private static let maxBytesPerEvent = 256 << 10

    /// - Parameter descriptor: the descriptor of the connection, which the library closes.
    /// - Returns: `nil` if no descriptor is available.
    init?(duplicating descriptor: Int32, address: ClientAddress?, loop: ConnectionLoop, isCounted: Bool = true) {
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        self.address = address
        self.isCounted = isCounted
        self.loop = loop
        guard self.descriptor >= 0 else { return nil }
        shutdown(self.descriptor, Int32(SHUT_WR))
        // If this fails, the socket is closed at the end of its time.
        registration = try? loop.events.add(self.descriptor, for: .readable, self)
    }

    /// Sends `response` on an accepted socket.
    static func send(_ response: [UInt8], on descriptor: Int32) {
        unsafe response.withUnsafeBytes { bytes in
            // At most `bytes.count` bytes are read. The buffer of a new socket has space for them.
            _ = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }

    /// Sends `response` on an accepted socket, and closes it. A client that is still sending may not receive the
    /// response.
    static func reject(_ descriptor: Int32, with response: [UInt8]) {
        send(response, on: descriptor)
        Glibc.close(descriptor)
    }

    func handle(_ events: Events) {
        var droppedBytes = 0
        while droppedBytes < Self.maxBytesPerEvent {
            // The buffer has this many bytes.
            let count = unsafe recvfrom(
                descriptor,
                loop.buffer,
                ConnectionLoop.bufferBytes,
                Int32(MSG_DONTWAIT),
                nil,
                nil
            )
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else { return loop.end(self) }
            droppedBytes += count
        }
    }

    func deadlineReached(at now: MonotonicTime) { loop.end(self) }

    func close() {
        if let registration { loop.events.remove(registration) }
        registration = nil
        Glibc.close(descriptor)
    }
}
