internal import Glibc
internal import Platform

/// One end of a socket pair that carries ``WorkerMessage``s, each whole or not at all.
struct MessageSocket: ~Copyable {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    enum Received: Equatable {
        case message(WorkerMessage)
        /// The other side is gone, or sent what is no message.
        case end
        /// The other side is gone, and had not taken all that was sent to it.
        case unread
        case timeout
    }

    /// Whether `message` is with the other side. It is not where that side is gone.
    func send(_ message: WorkerMessage) -> Bool {
        var bytes = message.bytes
        while true {
            // Sixteen bytes are read from `bytes`.
            let count = unsafe withUnsafeBytes(of: &bytes) { bytes in
                unsafe Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count == MemoryLayout<WorkerMessage.Bytes>.size { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }

    /// Waits for a message without end. Calls nothing but recvfrom(2): that is all a worker may do.
    func receive() -> WorkerMessage? {
        // One byte more than a message has, so that a longer one is found out.
        var bytes = (WorkerMessage.Bytes(repeating: 0), UInt8(0))
        while true {
            // As many bytes are written as `bytes` has.
            let count = unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
                unsafe recv(descriptor.number, bytes.baseAddress, WorkerMessage.byteCount + 1, 0)
            }
            if count == WorkerMessage.byteCount { return WorkerMessage(bytes.0) }
            if count >= 0 { errno = 0 }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Waits for a message until `time`.
    func receive(until time: MonotonicTime) -> Received {
        var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while true {
            // One descriptor, which outlives the call.
            let count = unsafe poll(&event, 1, time.pollMilliseconds)
            if count > 0 {
                if let message = receive() { return .message(message) }
                // A socket that is closed with something in it resets its peer (net/unix/af_unix.c, unix_release_sock).
                return errno == ECONNRESET ? .unread : .end
            }
            if count == 0 {
                if MonotonicTime.now >= time { return .timeout }
            } else if errno != EINTR {
                return .end
            }
        }
    }

    /// Whether there is nothing to receive, and the other side is there.
    var isQuiet: Bool {
        var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        // One descriptor, which outlives the call. Does not wait.
        return unsafe poll(&event, 1, 0) == 0
    }
}
