internal import Glibc
internal import Platform

/// One end of a socket pair that carries ``WorkerMessage``s, each of which arrives completely or not at all.
struct MessageSocket: ~Copyable {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    enum Received: Equatable {
        case message(WorkerMessage)
        /// The peer has closed its end, or sent an invalid message.
        case end
        /// The peer has closed its end, and had not received everything that was sent to it.
        case unread
        case timeout
    }

    /// Sends `message`. Returns whether it was delivered, which fails if the peer has closed its end.
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

    /// Waits for a message without a time limit. Calls only recvfrom(2), because the filter of a worker allows nothing
    /// else.
    func receive() -> WorkerMessage? {
        // One byte more than a message, so that a longer one is detected.
        var bytes = (WorkerMessage.Bytes(repeating: 0), UInt8(0))
        while true {
            // At most as many bytes are written as `bytes` has.
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
                // Closing a socket with unread data resets its peer (net/unix/af_unix.c, unix_release_sock).
                return errno == ECONNRESET ? .unread : .end
            }
            if count == 0 {
                if MonotonicTime.now >= time { return .timeout }
            } else if errno != EINTR {
                return .end
            }
        }
    }

    /// Whether there is nothing to receive, and the peer has not closed its end.
    var isQuiet: Bool {
        var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        // One descriptor, which outlives the call. Does not wait.
        return unsafe poll(&event, 1, 0) == 0
    }
}
