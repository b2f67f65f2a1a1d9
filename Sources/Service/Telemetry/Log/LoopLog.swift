internal import Serialization

/// The access log of one event loop.
///
/// It collects the lines of one iteration, and appends them to the queue at the end of the iteration under one lock. It
/// is used only by the loop's thread. It is a struct, because each access to a property of a class costs a check
/// (decision 16): the loop that owns it pays for one check per call.
struct LoopLog: ~Copyable {
    private var log: AccessLog
    private let queue: LogQueue
    private var lines = OutputBuffer(capacity: maxIterationBytes + 4096)

    /// The number of lines in `lines`.
    private var count = 0

    /// The number of bytes at which lines are appended to the queue before the end of the iteration.
    private static let maxIterationBytes = 64 << 10

    init(_ log: AccessLog, queue: LogQueue) {
        self.log = log
        self.queue = queue
    }

    deinit { handOver() }

    mutating func append(_ record: borrowing RequestRecord) {
        log.append(record, to: &lines)
        count += 1
        if lines.count >= Self.maxIterationBytes { endIteration() }
    }

    /// Appends the lines of the iteration to the queue, if there are any.
    mutating func endIteration() {
        guard count > 0 else { return }
        handOver()
        lines.truncate(to: 0)
        count = 0
    }

    private func handOver() {
        guard count > 0 else { return }
        lines.withBytes { queue.append($0, count: count) }
    }
}
