internal import Glibc

/// Ends a thread that sleeps in poll(2).
final class StopSignal: Sendable {
    /// Two connected sockets: the thread sleeps on one of them, and a byte from the other wakes it, for good.
    private let ends: (read: Int32, write: Int32)

    init() throws(DaemonError) {
        var ends: (read: Int32, write: Int32) = (-1, -1)
        // The call writes two descriptors, for which `ends` has room.
        let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
            unsafe socketpair(
                AF_UNIX,
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue),
                0,
                ends.assumingMemoryBound(to: Int32.self).baseAddress
            )
        }
        guard result == 0 else { throw .system("socketpair", errno: errno) }
        self.ends = ends
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    /// Called once.
    func send() {
        var byte: UInt8 = 0
        // One byte is read from `byte`; the socket is empty, so there is room for it.
        unsafe write(ends.write, &byte, 1)
    }

    /// Sleeps until the signal comes, `milliseconds` have passed, or one of `descriptor`'s events is there. May wake early.
    /// - Parameters:
    ///   - milliseconds: without end where it is negative.
    ///   - descriptor: a socket that may become readable; none where it is negative.
    /// - Returns: whether the signal came.
    func wait(milliseconds: Int32, orReadable descriptor: Int32 = -1) -> Bool {
        var events: InlineArray<2, pollfd> = [
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        var span = events.mutableSpan
        // Two elements, which outlive the call. An interrupted wait is only a shorter one; poll(2) leaves negative descriptors out.
        unsafe span.withUnsafeMutableBufferPointer { events in
            _ = unsafe poll(events.baseAddress, nfds_t(events.count), milliseconds)
        }
        return events[0].revents != 0
    }
}
