internal import HTTP
internal import Platform
internal import Synchronization

/// The file or stream to which the results of a batch are written.
///
/// It always ends after a whole line or frame, unless the process is killed: nothing interrupts a write, and what a
/// failed write leaves in a file is removed.
final class BatchOutput: Sendable {
    private struct State: ~Copyable {
        let file: FileDescriptor
        /// The length of the file in bytes; `nil` if the output is not a regular file.
        var bytes: Int?
        var isStopped = false
    }

    private let state: Mutex<State>
    private let fail: @Sendable (SystemError) -> Never

    /// - Parameters:
    ///   - file: the output, at its end.
    ///   - fail: called for the first error, after the output was truncated to whole lines or frames.
    init(_ file: consuming FileDescriptor, fail: @escaping @Sendable (SystemError) -> Never) throws(SystemError) {
        let bytes = try file.status.bytes
        state = Mutex(State(file: file, bytes: bytes))
        self.fail = fail
    }

    /// Writes pieces, each of which consists of whole lines or frames.
    func write(_ pieces: [SharedBytes]) {
        state.withLock { state in
            for piece in pieces where !state.isStopped {
                do throws(SystemError) {
                    try piece.withBytes { bytes throws(SystemError) in try state.file.writeAll(bytes) }
                    state.bytes? += piece.count
                } catch {
                    state.isStopped = true
                    Self.truncate(&state)
                    fail(error)
                }
            }
        }
    }

    /// Waits for the end of the current write. Nothing is written any more.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Removes the part of a piece that a failed write left in a file.
    private static func truncate(_ state: inout State) {
        // Without the length, and if this fails too, a reader finds the incomplete line at the end.
        guard let start = state.bytes, let end = (try? state.file.status)?.bytes, end > start else { return }
        try? state.file.truncate(to: start)
    }
}
