import Glibc
import Platform

/// A pipe that replaces standard error.
final class LogPipe: @unchecked Sendable {
    // @unchecked Sendable: a test closes an end only when no other thread uses it.
    private(set) var reader: Int32
    let writer: Int32

    init() throws {
        // As in the service. Otherwise a closed pipe would terminate the tests.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("create a pipe") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        closeReader()
        close(writer)
    }

    func closeReader() {
        if reader >= 0 { close(reader) }
        reader = -1
    }

    /// Makes the writer's descriptor refer to `other`, as if it had been reopened.
    func redirect(to other: LogPipe) {
        dup2(other.writer, writer)
    }

    /// Makes writes fail instead of blocking.
    func setNonblocking(_ isNonblocking: Bool) {
        _ = fcntl(writer, F_SETFL, isNonblocking ? O_NONBLOCK : 0)
    }

    /// Fills the pipe with zero bytes.
    /// - Returns: the number of bytes.
    func fill() -> Int {
        setNonblocking(true)
        defer { setNonblocking(false) }
        var count = 0
        while write(writer, [0], 1) == 1 { count += 1 }
        return count
    }

    /// Waits for `count` bytes. Returns fewer only at the end of the stream, or if nothing is received for 30 s, so
    /// that a failing test does not hang.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < count {
            var event = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 30_000) == 1 else { break }
            let received = Glibc.read(reader, &piece, min(piece.count, count - bytes.count))
            guard received > 0 else { break }
            bytes += piece[..<received]
        }
        return bytes
    }

    /// Waits for `count` bytes of text.
    func text(_ count: Int) -> String {
        String(decoding: read(count), as: UTF8.self)
    }

    /// Waits for a line, and returns it with its line feed.
    func line() -> String {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            let byte = read(1)
            guard !byte.isEmpty else { break }
            bytes += byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
