internal import Primitives

/// A parser of the requests of one connection: head, content, head, content and so on. No other code parses the bytes
/// that clients send.
///
/// **Invariant.** The events of a connection are `head`, then any number of `content`, then `complete`, repeated; and
/// after `rejected`, only `rejected`. They depend on the bytes alone, not on how the bytes are divided into windows. No
/// byte is read twice after it was part of an event, and none after the end of a request is read before `complete` was
/// returned. A stream is owned by the ``RequestInput`` of its connection; the memory for heads belongs to the loop
/// between heads. `RequestStreamOracle` (FuzzRequestStream) and `RequestStreamDifferentialTests` check this.
///
/// It does not use sockets or clocks, and it does not copy content:
///
///     var offset = 0
///     switch stream.next(in: window, at: &offset) { … }
///
/// After ``Event/incomplete``, the next window must begin with the remaining bytes of this window, from `offset` to
/// the end, followed by the bytes that have been received since. There are remaining bytes only inside
/// a head.
struct RequestStream: ~Copyable {
    enum Event: Equatable {
        /// More bytes are needed.
        case incomplete
        /// A head is complete. It is available in ``head`` until the next call.
        case head
        /// At least one byte of content was read, at these offsets of the window.
        case content(Range<Int>)
        /// The request to which the last head belongs is complete.
        case complete
        /// The request is rejected. Nothing more is read.
        case rejected(FramingError)
    }

    private enum State {
        case head
        /// A head was returned. None of its content has been read.
        case afterHead
        case content(left: Int)
        case chunks(ChunkParser)
        case rejected(FramingError)
    }

    private var state = State.head
    private(set) var head = HeadParser()

    /// Whether the beginning of an incomplete head was read.
    var isInsideHead: Bool { if case .head = state { head.hasBegun } else { false } }

    /// The number of remaining bytes of content, if it is known; otherwise, and outside of content, `nil`.
    ///
    /// These bytes may be received without the parser, whose caller then calls ``skipContent(_:)``.
    var contentBytesLeft: Int? { if case .content(let left) = state, left > 0 { left } else { nil } }

    /// Skips `count` bytes of content of known length, at most ``contentBytesLeft``.
    mutating func skipContent(_ count: Int) {
        guard case .content(let left) = state, count <= left else {
            preconditionFailure("only content of known length can be skipped")
        }
        state = .content(left: left - count)
    }

    /// Swaps the memory for heads with `memory`. It must not be called inside a head.
    mutating func exchangeMemory(with memory: inout HeadMemory) { swap(&head.memory, &memory) }

    /// Takes the memory for heads. It must not be called inside a head.
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

    /// Returns the fields that ``takeFields()`` took to the parser, so that their memory is reused.
    mutating func returnFields(_ fields: consuming RequestFields) { head.memory.fields = fields }

    /// Continues reading at `offset` of `window`, and moves `offset` to the end of the bytes that it has read.
    mutating func next(in window: Span<UInt8>, at offset: inout Int) -> Event {
        while true {
            switch state {
            case .head:
                switch head.read(window, at: &offset) {
                case .incomplete: return .incomplete
                case .complete:
                    state = .afterHead
                    return .head
                case .rejected(let error): return reject(error)
                }
            case .afterHead:
                // RFC 9112 §6.3: the content is empty if neither field is present.
                if head.framing.isChunked {
                    state = .chunks(ChunkParser())
                } else if let length = head.framing.declaredContentBytes, length > 0 {
                    state = .content(left: length)
                } else {
                    return complete()
                }
            case .content(let left):
                guard left > 0 else { return complete() }
                guard offset < window.count else { return .incomplete }
                let start = offset
                offset += min(left, window.count - start)
                state = .content(left: left - (offset - start))
                return .content(start..<offset)
            case .chunks(var parser):
                let progress = parser.read(window, at: &offset)
                state = .chunks(parser)
                switch progress {
                case .incomplete: return .incomplete
                case .content(let range): return .content(range)
                case .complete: return complete()
                case .rejected(let error): return reject(error)
                }
            case .rejected(let error): return .rejected(error)
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
