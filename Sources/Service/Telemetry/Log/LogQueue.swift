// Log lines are written to a file descriptor by one dedicated thread, because a write to standard error can block for
// any length of time if the reader of the pipe has stopped. All other threads append lines to a buffer under a lock
// that is never held during a system call:
//
//     loops, acceptor, workers --append--> [ waiting ] <--swap--> [ being written ] --write(2)--> descriptor
//
// The writer swaps its empty buffer with the buffer of waiting lines. Both buffers are allocated once, with their
// maximum size, so that nothing is allocated or copied twice. If the waiting lines reach their maximum, new lines are
// dropped and counted, and the writer reports their number in a line after those that it takes next.
//
// The writer is woken only if it waits for lines. After each write, it pauses for a few milliseconds to collect lines,
// so that it is woken and writes at most a hundred times per second. Apart from that, appending lines costs a lock and
// a copy.

internal import Glibc
internal import Platform

/// A bounded queue of complete log lines, and the thread that writes them.
final class LogQueue: Sendable {
    private let state: Monitor<State>
    private let maxBytes: Int
    private let writer: Thread

    fileprivate struct State {
        /// The waiting lines.
        var lines: [UInt8]
        /// The number of lines that were dropped.
        var dropped = 0
        /// The number of waiting bytes at which the writer is woken; `nil` while it writes, or after it has been woken.
        var wakeUpBytes: Int?
        var isClosed = false
        /// Whether the writer has written everything after the queue was closed.
        var hasEnded = false
        /// Whether a call of ``close(within:)`` has begun to join the thread.
        var isJoined = false
    }

    /// Starts the thread.
    /// - Parameters:
    ///   - descriptor: the descriptor, which must stay open until the queue is closed. It may be blocking or
    ///     nonblocking. SIGPIPE must be ignored if it is a pipe.
    ///   - maxBytes: the maximum length of the waiting lines, inclusive. At most as many bytes are being written.
    ///   - dropReport: returns the line that reports the number of dropped lines.
    init(
        writingTo descriptor: Int32,
        maxBytes: Int = 1 << 20,
        dropReport: @escaping @Sendable (Int) -> [UInt8]
    ) throws(SystemError) {
        var lines: [UInt8] = []
        lines.reserveCapacity(maxBytes)
        let state = Monitor(State(lines: lines))
        self.state = state
        self.maxBytes = maxBytes
        // The closure does not refer to the queue, because `deinit` of the queue ends the thread.
        writer = try Thread {
            var writer = LogQueueWriter(state: state, descriptor: descriptor, dropReport: dropReport)
            writer.run(maxBytes: maxBytes)
        }
    }

    deinit {
        let isJoined = state.change { state in
            state.isClosed = true
            return state.isJoined
        }
        if !isJoined { writer.detach() }
    }

    /// Appends complete lines, each with its line feed. Callable from any thread. Does not wait for the writer.
    ///
    /// If they do not all fit, or the queue is closed, all of them are dropped.
    /// - Parameter count: the number of lines.
    func append(_ lines: Span<UInt8>, count: Int) {
        let wakesWriter = unsafe lines.withUnsafeBufferPointer { bytes in
            state.withLock { state in
                guard !state.isClosed, bytes.count <= maxBytes - state.lines.count else {
                    state.dropped += count
                    return false
                }
                unsafe state.lines.append(contentsOf: bytes)
                guard let wakeUpBytes = state.wakeUpBytes, state.lines.count >= wakeUpBytes else { return false }
                state.wakeUpBytes = nil
                return true
            }
        }
        if wakesWriter { state.wake() }
    }

    /// The number of lines that were dropped because the queue was full or closed, or because a write failed.
    var droppedLines: Int { state.withLock { $0.dropped } }

    /// Closes the queue: the waiting lines are written, and no more are accepted.
    /// - Parameter time: the maximum time to wait for the writer. If the writer is still blocked then, it is abandoned.
    /// - Returns: whether everything was written or dropped within that time.
    @discardableResult func close(within time: Duration) -> Bool {
        state.change { $0.isClosed = true }
        let joins = state.wait(until: .now + time) { state -> Bool? in
            guard state.hasEnded else { return nil }
            defer { state.isJoined = true }
            return !state.isJoined
        }
        if joins == true { writer.join() }
        return joins != nil
    }
}

/// The thread's side of a ``LogQueue``.
private struct LogQueueWriter {
    let state: Monitor<LogQueue.State>
    let descriptor: Int32
    let dropReport: @Sendable (Int) -> [UInt8]

    /// The lines that are being written.
    private var lines: [UInt8] = []

    /// The number of dropped lines that have been reported.
    private var reported = 0

    /// Whether the last written byte is not a line feed, because an error followed.
    private var isInsideLine = false

    init(state: Monitor<LogQueue.State>, descriptor: Int32, dropReport: @escaping @Sendable (Int) -> [UInt8]) {
        self.state = state
        self.descriptor = descriptor
        self.dropReport = dropReport
    }

    /// Writes lines until the queue is closed and empty.
    mutating func run(maxBytes: Int) {
        lines.reserveCapacity(maxBytes)
        while let dropped = takeLines() {
            if write(lines), dropped > reported, writeOnce(dropReport(dropped - reported)) == nil { reported = dropped }
            pause(untilBytes: maxBytes / 2)
        }
        state.change { $0.hasEnded = true }
    }

    /// Waits for at most 10 ms, or until `count` bytes are waiting.
    private func pause(untilBytes count: Int) {
        let end = MonotonicTime.now + .milliseconds(10)
        _ = state.wait(until: end) { state in
            state.wakeUpBytes = count
            return state.isClosed || state.lines.count >= count ? true : nil
        }
    }

    /// Waits for lines, and takes all of them.
    /// - Returns: the total number of lines that have been dropped; `nil` if the queue is closed and empty.
    private mutating func takeLines() -> Int? {
        lines.removeAll(keepingCapacity: true)
        let taken = state.wait(until: .never) { state -> Int?? in
            if state.lines.isEmpty {
                state.wakeUpBytes = 1
                return state.isClosed ? .some(nil) : nil
            }
            state.wakeUpBytes = nil
            swap(&state.lines, &lines)
            return state.dropped
        }
        return taken ?? nil
    }

    /// Writes `lines`, and counts those that are lost because of an error.
    /// - Returns: whether all lines were written.
    private mutating func write(_ lines: [UInt8]) -> Bool {
        let lost: Int
        if isInsideLine, writeOnce([UInt8(ascii: "\n")]) != nil {
            lost = 0
        } else if let offset = writeOnce(lines) {
            lost = offset
        } else {
            return true
        }
        let count = lines[lost...].count { $0 == UInt8(ascii: "\n") }
        state.change { $0.dropped += count }
        return false
    }

    /// Writes `bytes` until their end or an error.
    /// - Returns: the number of bytes that were written before an error; `nil` if all bytes were written.
    private mutating func writeOnce(_ bytes: [UInt8]) -> Int? {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { memory in
                // The call reads the bytes from `offset` to the end. `memory` has an address, because it is not
                // empty.
                unsafe Glibc.write(descriptor, memory.baseAddress.map { unsafe $0 + offset }, memory.count - offset)
            }
            if count > 0 {
                offset += count
                isInsideLine = bytes[offset - 1] != UInt8(ascii: "\n")
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                return offset
            } else if errno == EAGAIN {
                waitUntilWritable()
            }
        }
        return nil
    }

    /// Waits for the reader of a nonblocking descriptor. An error ends the wait, and the next write reports it.
    private func waitUntilWritable() {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // The call accesses one structure, which outlives it.
        _ = unsafe Glibc.poll(&poll, 1, -1)
    }
}
