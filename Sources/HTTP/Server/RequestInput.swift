internal import Glibc
internal import Platform
internal import Primitives

/// The receiving side of a connection: reads from its socket and parses the bytes.
///
/// Nothing is read ahead: reading ends when a request is complete, and at most the bytes of one read after it are held.
/// Content of known length is read from the socket directly into its final memory.
struct RequestInput: ~Copyable {
    enum Outcome {
        /// A request is complete or rejected, and is passed on.
        case request
        /// There is nothing more to read now.
        case nothing
        /// There may be more to read, but other connections are served first.
        case more
        /// The stream has ended (0), or has failed with this value of errno.
        case end(Int32)
    }

    private var stream = RequestStream()

    /// Whether `stream` uses the memory for heads. Otherwise the loop has it.
    private var hasHeadMemory = false

    /// Received bytes that have not been parsed: the beginning of a head, or bytes after the request that is being
    /// responded to.
    private var held: [UInt8] = []

    /// Whether none of the bytes in `held` has been passed to the parser.
    private var isHeldUnread = false

    /// Whether the current call of ``read(from:for:of:_:)`` has emptied the socket's buffer.
    ///
    /// A result of an earlier call is outdated: the library may have consumed the event of bytes that have arrived
    /// since, and forgets that the socket is readable when it receives a head.
    private var isDrained = true

    /// The time at which the last byte was received.
    private(set) var lastReceived: MonotonicTime

    /// The maximum size of one read in bytes, except for content of known length. It limits the number of held bytes.
    private static let readBytes = 16 << 10

    /// The maximum size of one read of content of known length, in bytes.
    private static let maxContentReadBytes = 256 << 10

    /// The number of bytes that are read without a result before other connections are served.
    private static let maxBytesPerCall = 256 << 10

    init(now: MonotonicTime) { lastReceived = now }

    /// Whether bytes are held.
    var hasHeldBytes: Bool { !held.isEmpty }

    /// Whether there may be bytes after the complete request.
    var mayHaveMore: Bool { !held.isEmpty || !isDrained }

    /// Called when the library continues to read a head: its manual promises no memory for a whole one. Bytes may have
    /// arrived since the first part was read.
    mutating func assumeMore() { isDrained = false }

    /// Reads until a request is complete, or until there are no more bytes.
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
        isDrained = false
        if isHeldUnread, parse(receivedBytes: 0, exchange, connection, loop) { return .request }
        var readBytes = 0
        while readBytes < Self.maxBytesPerCall {
            let asked: Int
            let count: Int
            var isComplete = false
            if let left = stream.contentBytesLeft {
                let isCollected = exchange.isCollecting
                asked = min(left, isCollected ? Self.maxContentReadBytes : ConnectionLoop.bufferBytes)
                // The buffer, or the memory for content, has this many bytes.
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
                precondition(held.count + asked <= ConnectionLoop.bufferBytes, "the bytes fit into the buffer")
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
            // epoll(7): a short read has emptied the buffer, and later bytes cause a new event. The end of the stream
            // has caused one already.
            if isDrained, !connection.hasEnded { return .nothing }
            readBytes += count
        }
        return .more
    }

    /// Calls recv(2). Returns the number of bytes received, 0 at the end of the stream, or the negated value of errno.
    private static func receive(_ descriptor: Int32, _ memory: UnsafeMutablePointer<UInt8>, atMost count: Int) -> Int {
        while true {
            // `count` bytes can be written to `memory`. recv itself is redirected to this type.
            let result = unsafe recvfrom(descriptor, memory, count, 0, nil, nil)
            if result >= 0 { return result }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Parses the held bytes, and `receivedBytes` that were received after them.
    /// - Returns: whether the request is passed on.
    private mutating func parse(
        receivedBytes: Int,
        _ exchange: Exchange,
        _ connection: Connection,
        _ loop: ConnectionLoop
    ) -> Bool {
        let heldBytes = held.count
        if heldBytes > 0 {
            // The received bytes are already at their offset after the held bytes.
            unsafe held.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(start: loop.buffer, count: heldBytes).copyMemory(from: $0)
            }
            held.removeAll(keepingCapacity: true)
        }
        isHeldUnread = false
        // The buffer is larger than the held and the received bytes together.
        return unsafe parse(
            UnsafeBufferPointer(start: loop.buffer, count: heldBytes + receivedBytes).span,
            exchange,
            connection
        )
    }

    private mutating func parse(_ window: Span<UInt8>, _ exchange: Exchange, _ connection: Connection) -> Bool {
        var offset = 0
        while true {
            switch stream.next(in: window, at: &offset) {
            case .incomplete:
                if offset < window.count, !exchange.isActive { exchange.headBegan() }
                hold(window, from: offset)
                return false
            case .head:
                if exchange.begin(&stream) { return cutShort(exchange) }
                if exchange.isCollecting, stream.head.framing.awaitsContinue, offset == window.count {
                    connection.sendContinue()
                }
            case .content(let range):
                if exchange.receive(window.extracting(range)) { return cutShort(exchange) }
            case .complete:
                exchange.finishContent(on: connection)
                hold(window, from: offset)
                isHeldUnread = !held.isEmpty
                return true
            case .rejected(let error):
                exchange.reject(error)
                return true
            }
        }
    }

    /// Makes the response be sent before the request is complete.
    private func cutShort(_ exchange: Exchange) -> Bool {
        exchange.cutShort()
        return true
    }

    private mutating func hold(_ window: Span<UInt8>, from offset: Int) {
        guard offset < window.count else { return }
        let rest = window.extracting(offset...)
        // Copied during the call that borrows the bytes.
        unsafe rest.withUnsafeBufferPointer { unsafe held.append(contentsOf: $0) }
    }
}
