internal import Serialization

/// Reads the requests of one connection out of its bytes: head, content, head, content and so on. This is the only parser of what
/// clients send.
///
/// It has no socket and no clock, and it copies no content:
///
///     var position = 0
///     switch stream.next(in: window, at: &position) { … }
///
/// After ``Event/incomplete`` the next window must begin with the bytes of this one from `position` on, followed by what has
/// come since. That is the beginning of a head, or nothing.
struct RequestStream: ~Copyable {
    enum Event: Equatable {
        /// Everything that can be read is read.
        case incomplete
        /// A head is complete. ``head`` has it until the next call.
        case head
        /// At least one byte of content, at these offsets of the window.
        case content(Range<Int>)
        /// The request that the last head began is complete.
        case complete
        /// Nothing more is read.
        case rejected(FramingError)
    }

    private enum State {
        case head
        /// A head was returned. Its content has not been looked at.
        case afterHead
        case content(left: Int)
        case chunks(ChunkParser)
        case rejected(FramingError)
    }

    private var state = State.head
    private(set) var head = HeadParser()

    /// Whether the beginning of a head was read.
    var isInsideHead: Bool {
        if case .head = state { head.hasBegun } else { false }
    }

    /// The number of bytes of content that follow, if it is known; they may be received without the parser, which is told by
    /// ``skipContent(_:)``. `nil` outside of such content.
    var contentBytesLeft: Int? {
        if case .content(let left) = state, left > 0 { left } else { nil }
    }

    /// Skips bytes of content of known length, at most ``contentBytesLeft``.
    mutating func skipContent(_ count: Int) {
        guard case .content(let left) = state, count <= left else {
            preconditionFailure("only content of known length is received without the parser")
        }
        state = .content(left: left - count)
    }

    /// Exchanges the memory for heads with `memory`. Not inside a head.
    mutating func exchangeMemory(with memory: inout HeadMemory) {
        swap(&head.memory, &memory)
    }

    /// Takes the memory for heads. Not inside a head.
    mutating func takeMemory() -> HeadMemory {
        var memory = HeadMemory()
        swap(&memory, &head.memory)
        return memory
    }

    /// Takes the fields of the head; see ``HeadMemory``.
    mutating func takeFields() -> RequestFields {
        var fields = RequestFields()
        swap(&fields, &head.memory.fields)
        return fields
    }

    /// Returns what ``takeFields()`` took, whose memory is used again.
    mutating func keep(_ fields: consuming RequestFields) {
        head.memory.fields = fields
    }

    /// Reads on at `position` of `window`, and moves `position` behind what is read.
    mutating func next(in window: Span<UInt8>, at position: inout Int) -> Event {
        while true {
            switch state {
            case .head:
                switch head.read(window, at: &position) {
                case .incomplete: return .incomplete
                case .complete:
                    state = .afterHead
                    return .head
                case .rejected(let error): return reject(error)
                }
            case .afterHead:
                // RFC 9112 §6.3: without either field the content is empty.
                if head.framing.isChunked {
                    state = .chunks(ChunkParser())
                } else if let length = head.framing.declaredContentBytes, length > 0 {
                    state = .content(left: length)
                } else {
                    return complete()
                }
            case .content(let left):
                guard left > 0 else { return complete() }
                guard position < window.count else { return .incomplete }
                let start = position
                position += min(left, window.count - start)
                state = .content(left: left - (position - start))
                return .content(start..<position)
            case .chunks(var parser):
                let progress = parser.read(window, at: &position)
                state = .chunks(parser)
                switch progress {
                case .incomplete: return .incomplete
                case .content(let range): return .content(range)
                case .complete: return complete()
                case .rejected(let error): return reject(error)
                }
            case .rejected(let error):
                return .rejected(error)
            }
        }
    }

    private mutating func complete() -> Event {
        head.reset()
        state = .head
        return .complete
    }

    private mutating func reject(_ error: FramingError) -> Event {
        state = .rejected(error)
        return .rejected(error)
    }
}
