internal import Glibc
internal import Platform
internal import Serialization

/// The receiving side of a connection: what was read from its socket, and how far that is parsed.
///
/// Nothing is read ahead: a request that is complete ends the reading, and at most one read's bytes behind it are held. Content of
/// known length goes from the socket into its final memory.
struct RequestInput: ~Copyable {
    enum Outcome {
        /// A request is complete, or rejected: it is to be handed on.
        case request
        /// There is nothing more to read now.
        case nothing
        /// Others have their turn first.
        case more
        /// The stream has ended: 0, or failed with this value of errno.
        case end(Int32)
    }

    private var stream = RequestStream()

    /// Whether `stream` has the memory for heads, which is the loop's otherwise.
    private var hasHeadMemory = false

    /// What was received and not parsed: the beginning of a head, or what follows the request that is being answered.
    private var held: [UInt8] = []

    /// Whether nothing of `held` has been presented to the parser.
    private var isHeldUnread = false

    /// Whether the socket had nothing more to read at the last read.
    private var isDrained = true

    /// When the last byte was received.
    private(set) var lastReceived: MonotonicTime

    /// The maximum size of one read in bytes, if it is not known what comes. It bounds what is held.
    private static let readBytes = 16 << 10

    /// The maximum size of one read of content of known length, in bytes.
    private static let maxContentReadBytes = 256 << 10

    /// The number of bytes that are read without a result before other connections have their turn.
    private static let maxBytesPerTurn = 256 << 10

    init(now: MonotonicTime) {
        lastReceived = now
    }

    /// Whether bytes are held.
    var hasHeldBytes: Bool { !held.isEmpty }

    /// Whether there may be bytes behind the request that is complete.
    var mayHaveMore: Bool { !held.isEmpty || !isDrained }

    /// Reads until a request is complete, as long as there are bytes.
    mutating func read(
        from descriptor: Int32,
        for exchange: Exchange,
        of connection: Connection,
        _ loop: ConnectionLoop
    ) -> Outcome {
        if !hasHeadMemory {
            stream.exchangeMemory(with: &loop.headMemory)
            hasHeadMemory = true
        }
        let outcome = readRequest(descriptor, exchange, connection, loop)
        if !stream.isInsideHead {
            loop.headMemory = stream.takeMemory()
            hasHeadMemory = false
        }
        return outcome
    }

    private mutating func readRequest(
        _ descriptor: Int32,
        _ exchange: Exchange,
        _ connection: Connection,
        _ loop: ConnectionLoop
    ) -> Outcome {
        if isHeldUnread, parse(receivedBytes: 0, exchange, connection, loop) { return .request }
        var readBytes = 0
        while readBytes < Self.maxBytesPerTurn {
            let asked: Int
            let count: Int
            var isComplete = false
            if let left = stream.contentBytesLeft {
                let isCollected = exchange.isCollecting
                asked = min(left, isCollected ? Self.maxContentReadBytes : ConnectionLoop.bufferBytes)
                // The buffer has that many bytes, and so has the memory for content.
                count =
                    isCollected
                    ? unsafe exchange.receive(atMost: asked) { unsafe Self.receive(descriptor, $0, atMost: $1) }
                    : unsafe Self.receive(descriptor, loop.buffer, atMost: asked)
                if count > 0 {
                    stream.skipContent(count)
                    isComplete =
                        !isCollected && exchange.drop(count) ? cutShort(exchange) : parse(Span(), exchange, connection)
                }
            } else {
                asked = Self.readBytes
                precondition(held.count + asked <= ConnectionLoop.bufferBytes, "reads bound what is held")
                count = unsafe Self.receive(descriptor, loop.buffer + held.count, atMost: asked)
                if count > 0 { isComplete = parse(receivedBytes: count, exchange, connection, loop) }
            }
            guard count > 0 else {
                isDrained = true
                return count == -Int(EAGAIN) ? .nothing : .end(Int32(-count))
            }
            lastReceived = loop.now
            isDrained = count < asked
            if isComplete { return .request }
            // epoll(7): a short read has drained the socket, and what comes later is a new event. The end of the stream was one already.
            if isDrained, !connection.hasEnded { return .nothing }
            readBytes += count
        }
        return .more
    }

    /// recv(2): the number of bytes received, 0 at the end of the stream, or the negative of an errno value.
    private static func receive(_ descriptor: Int32, _ memory: UnsafeMutablePointer<UInt8>, atMost count: Int) -> Int {
        while true {
            // `count` bytes can be written to `memory`. The function recv is the library's way to here.
            let result = unsafe recvfrom(descriptor, memory, count, 0, nil, nil)
            if result >= 0 { return result }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Parses what is held, and `receivedBytes` that were received behind it.
    /// - Returns: whether the request is to be handed on.
    private mutating func parse(
        receivedBytes: Int,
        _ exchange: Exchange,
        _ connection: Connection,
        _ loop: ConnectionLoop
    ) -> Bool {
        let heldBytes = held.count
        if heldBytes > 0 {
            // What was received behind them is in its place already.
            unsafe held.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(start: loop.buffer, count: heldBytes).copyMemory(from: $0)
            }
            held.removeAll(keepingCapacity: true)
        }
        isHeldUnread = false
        // The buffer has more bytes than are held and were received.
        return unsafe parse(
            UnsafeBufferPointer(start: loop.buffer, count: heldBytes + receivedBytes).span,
            exchange,
            connection
        )
    }

    private mutating func parse(_ window: Span<UInt8>, _ exchange: Exchange, _ connection: Connection) -> Bool {
        var position = 0
        while true {
            switch stream.next(in: window, at: &position) {
            case .incomplete:
                if position < window.count, !exchange.isActive { exchange.headBegan() }
                hold(window, from: position)
                return false
            case .head:
                if exchange.begin(&stream) { return cutShort(exchange) }
                if exchange.isCollecting, stream.head.framing.awaitsContinue, position == window.count {
                    connection.sendContinue()
                }
            case .content(let range):
                if exchange.receive(window.extracting(range)) { return cutShort(exchange) }
            case .complete:
                exchange.finishContent(on: connection)
                hold(window, from: position)
                isHeldUnread = !held.isEmpty
                return true
            case .rejected(let error):
                exchange.reject(error)
                return true
            }
        }
    }

    /// The request is answered before it is complete.
    private func cutShort(_ exchange: Exchange) -> Bool {
        exchange.cutShort()
        return true
    }

    private mutating func hold(_ window: Span<UInt8>, from position: Int) {
        guard position < window.count else { return }
        let rest = window.extracting(position...)
        // Copied within the call that borrows the bytes.
        unsafe rest.withUnsafeBufferPointer { unsafe held.append(contentsOf: $0) }
    }
}
