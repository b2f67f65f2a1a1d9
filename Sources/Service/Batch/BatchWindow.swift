internal import Batch
internal import HTTP
internal import Platform

/// The blocks between the input and the output: those that wait for a thread, those in progress, and output that waits
/// for the output of the blocks before it.
///
///     reading thread ─► waiting blocks ─► N threads ─► finished output ─► the output, in the order of the input
///
/// **Invariant.** Blocks are taken in their order, so that the first block whose output is incomplete is always in
/// progress or the next one to be taken. If the window is full, its output waits only for output that is being written,
/// and that of any other block waits for space. Therefore the window cannot block itself, and contains at most
/// `maxBytes`, or a single block that is longer, and one piece, that which is written. Waiting for space and using it
/// is one atomic step. Each thread has one more piece. The output is a sequence of whole pieces: at most one thread
/// writes. `BatchWindowTests` check this.
final class BatchWindow: Sendable {
    /// A block, and its position in the input.
    struct Work: Sendable {
        var block: BatchBlock
        /// The index of the first item of the block, from 0.
        var firstIndex: Int
        var file: BatchFile
        /// The number of the block, from 0.
        fileprivate(set) var number = 0

        /// The memory of the block, in bytes.
        var bytes: Int { block.bytes.count + block.items.count * MemoryLayout<BatchItem>.stride }

        init(_ block: BatchBlock, firstIndex: Int, of file: BatchFile) {
            self.block = block
            self.firstIndex = firstIndex
            self.file = file
        }
    }

    /// The finished output of one block.
    private struct Finished {
        var pieces: [SharedBytes] = []
        var isComplete = false
    }

    private struct State {
        /// The blocks in their order; `nil` for one that was taken.
        var waiting: [Work?] = []
        /// The number of elements of `waiting` that were taken.
        var taken = 0
        /// The memory of all blocks and pieces in the window, in bytes.
        var usedBytes = 0
        /// The number of blocks that were admitted.
        var admitted = 0
        /// The output that was not written yet, by the number of its block.
        var finished: [Int: Finished] = [:]
        /// The number of the block whose output is written next.
        var first = 0
        var isWriting = false
        var isClosed = false
        var counts = BatchCounts()
        /// Whether the reading thread waits for space.
        var readerWaits = false
        /// Whether other threads wait for space.
        var threadsWait = false

        /// Ends the waits of threads that a change concerns, and returns whether there are any, which the caller wakes.
        /// A block is much less work for the reading thread than for the others: it is not woken for each one, but when
        /// half of the window is empty.
        mutating func endWaits(_ maxBytes: Int) -> Bool {
            guard threadsWait || readerWaits && usedBytes <= maxBytes / 2 else { return false }
            (readerWaits, threadsWait) = (false, false)
            return true
        }
    }

    private let maxBytes: Int
    private let isOrdered: Bool
    private let write: @Sendable ([SharedBytes]) -> Void
    private let state = Monitor(State())

    /// - Parameters:
    ///   - maxBytes: the bound of the window, in bytes.
    ///   - isOrdered: whether the output has the order of the input.
    ///   - write: writes finished output. If the order does not matter, several threads call it.
    init(maxBytes: Int, isOrdered: Bool, write: @escaping @Sendable ([SharedBytes]) -> Void) {
        self.maxBytes = maxBytes
        self.isOrdered = isOrdered
        self.write = write
    }

    /// The number of items whose output is in the window or was written.
    var counts: BatchCounts { state.withLock { $0.counts } }

    /// The memory of all blocks and pieces in the window, in bytes.
    var usedBytes: Int { state.withLock { $0.usedBytes } }

    // MARK: The reading thread

    /// Adds a block as soon as there is space for it.
    func admit(_ work: consuming Work) {
        let bytes = work.bytes
        let work = work
        _ = state.wait(until: .never) { state -> Bool? in
            guard state.usedBytes == 0 || state.usedBytes + bytes <= maxBytes else {
                state.readerWaits = true
                return nil
            }
            var work = work
            work.number = state.admitted
            state.admitted += 1
            state.usedBytes += bytes
            state.waiting.append(work)
            return true
        }
        state.wake()
    }

    /// Announces that no further block will be added.
    func close() { state.change { $0.isClosed = true } }

    // MARK: The threads

    /// Takes the next block, and waits for it.
    /// - Returns: `nil` if there is none, and none will be added.
    func next() -> Work? {
        let next: Work?? = state.wait(until: .never) { state in
            guard state.taken < state.waiting.count else { return state.isClosed ? .some(nil) : nil }
            let work = state.waiting[state.taken].take()
            state.taken += 1
            if state.taken == state.waiting.count || state.taken >= 64 {
                state.waiting.removeFirst(state.taken)
                state.taken = 0
            }
            return .some(work)
        }
        return next ?? nil
    }

    /// Adds finished output of a block, and writes what can be written. The call waits if the window is full, unless
    /// the output is the next one.
    /// - Parameters:
    ///   - piece: whole lines or frames.
    ///   - counts: the items of the piece.
    ///   - isLast: whether it is the last piece of the block, which is released.
    func put(_ piece: SharedBytes, _ counts: BatchCounts, of work: Work, isLast: Bool) {
        guard isOrdered else {
            write([piece])
            return change { state in
                state.counts += counts
                if isLast { state.usedBytes -= work.bytes }
            }
        }
        var mustWake = false
        let next = state.wait(until: .never) { state -> [SharedBytes]? in
            let isNext = work.number == state.first && !state.isWriting
            guard isNext || state.usedBytes + piece.count <= maxBytes else {
                state.threadsWait = true
                return nil
            }
            state.counts += counts
            state.usedBytes += piece.count - (isLast ? work.bytes : 0)
            state.finished[work.number, default: Finished()].pieces.append(piece)
            if isLast { state.finished[work.number]?.isComplete = true }
            let pieces = state.isWriting ? [] : Self.takeNext(from: &state)
            mustWake = state.endWaits(maxBytes)
            return pieces
        }
        if mustWake { state.wake() }
        // The output of the first block, and of those after it, as far as it is finished.
        var pieces = next ?? []
        while !pieces.isEmpty {
            write(pieces)
            let bytes = pieces.reduce(0) { $0 + $1.count }
            pieces = change { state in
                state.usedBytes -= bytes
                return Self.takeNext(from: &state)
            }
        }
    }

    /// Changes the state, and wakes threads that wait for space if they must know.
    private func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        var mustWake = false
        let result = state.withLock { state in
            let result = body(&state)
            mustWake = state.endWaits(maxBytes)
            return result
        }
        if mustWake { state.wake() }
        return result
    }

    /// Takes the pieces that are written next by the calling thread. If there are none, nobody writes any more.
    private static func takeNext(from state: inout State) -> [SharedBytes] {
        var pieces: [SharedBytes] = []
        while let finished = state.finished[state.first] {
            pieces += finished.pieces
            guard finished.isComplete else {
                state.finished[state.first] = Finished()
                break
            }
            state.finished[state.first] = nil
            state.first += 1
        }
        state.isWriting = !pieces.isEmpty
        return pieces
    }
}

/// The number of items that were processed.
struct BatchCounts: Equatable, Sendable {
    var items = 0
    /// The items that were rejected.
    var failed = 0

    static func + (left: BatchCounts, right: BatchCounts) -> BatchCounts {
        BatchCounts(items: left.items + right.items, failed: left.failed + right.failed)
    }

    static func += (left: inout BatchCounts, right: BatchCounts) { left = left + right }
}
