internal import Glibc
internal import Platform
internal import Serialization

/// The content of one response, which is produced while it is being sent.
///
/// A producer on any thread appends pieces, and one connection sends them. A producer waits with ``whenWritable(_:)`` while the window is
/// full, so that the memory of a stream is less than ``windowBytes`` plus one piece, even if the client is slow. Several streams may
/// share the same pieces.
///
/// @unchecked Sendable: all state is in a monitor.
final class ResponseStream: @unchecked Sendable {
    /// The number of held bytes at which a producer must wait.
    static let windowBytes = 256 << 10

    fileprivate enum End {
        case complete
        /// The producer cannot complete the content.
        case failed
        /// The connection has ended.
        case gone
    }

    fileprivate struct State {
        /// The pieces. Each is `nil` after it has been sent.
        var pieces: [SharedBytes?] = []
        /// The number of pieces that were sent, and the number of bytes of the next piece that were sent.
        var sentPieces = 0
        var sentBytes = 0
        var heldBytes = 0
        var end: End?
        /// The account to which the held bytes are charged, as soon as sending has begun.
        var account: MemoryAccount?
        /// Called once, by the thread that appends, when there is something to send.
        var wakeReader: (@Sendable () -> Void)?
        /// Called once when the window is no longer full, or when the connection has ended.
        var wakeWriter: (@Sendable () -> Void)?

        var isFull: Bool { heldBytes >= ResponseStream.windowBytes }
    }

    private let state = Monitor(State())

    deinit {
        state.withLock { $0.releaseAll() }
    }

    /// The receiving end of a stream, from which one response is sent. The stream is closed when this value is released, even if the
    /// response is never sent because its client has disconnected. Otherwise its producer would wait forever.
    struct Receiver: ~Copyable, Sendable {
        let stream: ResponseStream

        init(of stream: ResponseStream) {
            self.stream = stream
        }

        deinit {
            stream.close()
        }
    }

    // MARK: The producer, on any thread

    /// Appends a piece. If the connection has ended, the piece is discarded.
    /// - Returns: whether the producer may append more immediately. If not, it waits with ``whenWritable(_:)``.
    @discardableResult func append(_ piece: SharedBytes) -> Bool {
        guard piece.count > 0 else { return state.withLock { $0.end == nil && !$0.isFull } }
        let (isWritable, wake) = state.withLock { state in
            guard state.end == nil else { return (false, nil as (@Sendable () -> Void)?) }
            state.pieces.append(piece)
            state.heldBytes += piece.count
            state.account?.occupy(piece.count)
            return (!state.isFull, state.wakeReader.take())
        }
        wake?()
        return isWritable
    }

    /// Ends the content. Has no effect after the end.
    func finish() {
        end(.complete)
    }

    /// Ends the content without completing it: the connection is closed so that the client notices.
    func fail() {
        end(.failed)
    }

    /// Registers `action`, which is called once when the window is not full or the connection has ended. It may be called before this
    /// function returns. It replaces an action that has not been called yet.
    func whenWritable(_ action: @escaping @Sendable () -> Void) {
        let isWritable = state.withLock { state in
            if state.end != nil || !state.isFull { return true }
            state.wakeWriter = action
            return false
        }
        if isWritable { action() }
    }

    /// Whether the window is not full, and the connection has not ended.
    var isWritable: Bool {
        state.withLock { $0.end == nil && !$0.isFull }
    }

    /// Whether the connection has ended, so that nothing more is sent.
    var isGone: Bool {
        state.withLock { $0.end == .gone }
    }

    /// Whether nothing more can be appended, because the content or the connection has ended.
    var hasEnded: Bool {
        state.withLock { $0.end != nil }
    }

    /// The number of bytes that have not been sent.
    var heldBytes: Int {
        state.withLock { $0.heldBytes }
    }

    private func end(_ end: End) {
        let wake = state.withLock { state in
            guard state.end == nil else { return nil as (@Sendable () -> Void)? }
            state.end = end
            return state.wakeReader.take()
        }
        wake?()
    }

    // MARK: The connection, on its loop's thread

    enum Reading {
        /// The number of bytes that were written.
        case bytes(Int)
        /// There is nothing to send now. The given closure is called once as soon as there is.
        case nothing
        case end
        case failed
    }

    /// Called when the connection begins to send. The held bytes are charged to `account` from now on.
    func charge(to account: MemoryAccount) {
        state.withLock { state in
            state.account = account
            account.occupy(state.heldBytes)
        }
    }

    /// Writes the next bytes to `memory`.
    func read(into memory: UnsafeMutableRawBufferPointer, orCallLater wakeReader: @escaping @Sendable () -> Void)
        -> Reading
    {
        let (reading, wake) = state.withLock { state in
            let count = unsafe state.take(into: memory)
            guard count == 0 else {
                // The producer is woken when half of the window is free, so that it appends more than a few bytes.
                let isWritable = state.heldBytes <= Self.windowBytes / 2
                return (Reading.bytes(count), isWritable ? state.wakeWriter.take() : nil)
            }
            switch state.end {
            case .complete: return (.end, nil)
            case .failed, .gone: return (.failed, nil)
            case nil:
                state.wakeReader = wakeReader
                return (.nothing, state.wakeWriter.take())
            }
        }
        wake?()
        return reading
    }

    /// Called when the connection has ended, or everything has been sent.
    func close() {
        // The objects that the other closure retains must be released after the lock.
        let (wake, unneeded) = state.withLock { state in
            state.end = .gone
            state.releaseAll()
            return (state.wakeWriter.take(), state.wakeReader.take())
        }
        withExtendedLifetime(unneeded) {}
        wake?()
    }
}

extension ResponseStream.State {
    /// Copies bytes from the first pieces, and releases the pieces that have been sent completely.
    fileprivate mutating func take(into memory: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while sentPieces < pieces.count, count < memory.count {
            guard let piece = pieces[sentPieces] else { break }
            let copied = min(piece.count - sentBytes, memory.count - count)
            // Both ranges are within their buffers: `copied` is at most the remaining length of each.
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + copied])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: piece.unsafeBytes[sentBytes..<sentBytes + copied]))
            count += copied
            sentBytes += copied
            if sentBytes == piece.count {
                pieces[sentPieces] = nil
                sentPieces += 1
                sentBytes = 0
            }
        }
        if sentPieces > 0, sentPieces == pieces.count || sentPieces >= 64 {
            pieces.removeFirst(sentPieces)
            sentPieces = 0
        }
        heldBytes -= count
        account?.release(count)
        return count
    }

    fileprivate mutating func releaseAll() {
        pieces = []
        sentPieces = 0
        sentBytes = 0
        account?.release(heldBytes)
        heldBytes = 0
    }
}
