internal import Glibc

/// Follows what a client sends before the HTTP library gets to see it, as far as requests must be told from each other.
///
/// libmicrohttpd overwrites the ends of lines while it parses: then a line feed after a NUL looks like CRLF, and
/// ``HeadReader`` cannot tell. It tolerates the like in chunks and shows none of it, answers some heads before it asks
/// us, twice over, and gives up without a word where one fills the connection's memory. So each line is looked at here
/// first; ``Exchange`` says where the content ends.
///
/// What is wrong stops the following, and is refused once the library asks. What it must not get to read is cut
/// (``HeadLines/cutFault``).
struct StreamGuard {
    private enum State {
        case head
        /// A head is in, and nobody has said yet what follows it.
        case between
        case content(left: Int)
        case chunks(ChunkReader)
        /// Something is wrong. The connection ends with the answer to it, and nothing further is looked at.
        case over
    }

    private var state = State.head
    private var lines = HeadLines()

    /// How many bytes of a line of a head came before. The library keeps them right before those that come next.
    private(set) var heldBytes = 0

    /// How many bytes came after the head that is in.
    private(set) var unreadBytes = 0

    /// Whether the chunks of the content are not what RFC 9112 §7.1 says.
    private(set) var hasBrokenChunks = false

    /// Looks at what came.
    /// - Parameter window: ``heldBytes`` that came before, and what came.
    mutating func read(_ window: inout MutableSpan<UInt8>) {
        var start = 0
        var next = heldBytes
        heldBytes = 0
        while start < window.count {
            switch state {
            case .head:
                guard let end = Self.lineFeed(in: window.span, from: next) else {
                    heldBytes = window.count - start
                    follow(lines.hold(&window, from: start))
                    return
                }
                follow(lines.read(&window, from: start, to: end))
                start = end + 1
            case .between:
                unreadBytes += window.count - start
                return
            case .content(let left):
                let count = min(left, window.count - start)
                start += count
                state = left > count ? .content(left: left - count) : .head
            case .chunks(var reader):
                start = reader.read(window.span, from: start)
                follow(reader)
            case .over:
                return
            }
            next = start
        }
    }

    /// The library has read a head, and so has ``HeadReader``: all must have read the same. Goes on to what follows it.
    /// - Parameters:
    ///   - headBytes: from the request line's first byte to the last line feed, as the library counts.
    ///   - rest: the ``unreadBytes`` after that.
    mutating func accept(
        headBytes: Int,
        _ framing: RequestFraming,
        rest: inout MutableSpan<UInt8>
    ) throws(FramingError) {
        guard case .between = state, headBytes == lines.headBytes else {
            state = .over
            throw lines.fault ?? .irregularRequestLine
        }
        lines = HeadLines()
        unreadBytes = 0
        if framing.isChunked {
            state = .chunks(ChunkReader())
        } else if let length = framing.declaredContentBytes, length > 0 {
            state = .content(left: length)
        } else {
            state = .head
        }
        read(&rest)
        if hasBrokenChunks { throw .malformedChunk }
    }

    /// Why the library has read only the beginning of the head that came; nil where it has read all of it.
    var cutFault: HeadFault? { lines.cutFault }

    private mutating func follow(_ outcome: HeadLines.Outcome) {
        switch outcome {
        case .goesOn: break
        case .complete: state = .between
        case .faulty:
            heldBytes = 0
            state = .over
        }
    }

    private mutating func follow(_ reader: ChunkReader) {
        if reader.isBroken {
            hasBrokenChunks = true
            state = .over
        } else {
            state = reader.isComplete ? .head : .chunks(reader)
        }
    }

    private static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
        // All pointers point into the memory that is lent for the time of this call.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = unsafe memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        }
    }
}
