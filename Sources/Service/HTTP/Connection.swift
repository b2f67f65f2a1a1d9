internal import CMicroHTTPD
internal import Glibc
internal import Serialization
internal import Synchronization

/// One client's connection: what the watchdog must know of it, and what outlives a single request on it.
///
/// @unchecked Sendable: `target`, `fields`, `stream` and `requestIDs` are touched only inside the library's callbacks for this connection,
/// which come one after another on one thread; everything else is constant or atomic.
final class Connection: @unchecked Sendable {
    /// Where a connection stands, as far as its deadline is concerned.
    enum Phase: UInt8, AtomicRepresentable {
        /// Between two requests.
        case idle
        /// A head is due, or has begun.
        case head
        /// A head is in, and content may come.
        case content
        /// The answer is with the library.
        case answer

        /// Whether a request is being received or answered.
        var isExchange: Bool { self == .content || self == .answer }

        /// Whether the next step is the client's.
        var isWaiting: Bool { self != .answer }
    }

    let descriptor: Int32
    let thread: ServingThread
    let server: Server

    /// The target of the request that is being read, as it was sent. Its memory is used again for the next one.
    private(set) var target: [UInt8] = []

    /// What ``target`` was read as; nil where it was not yet.
    private var parsedTarget: RequestTarget?

    var requestIDs = RequestIDGenerator()

    /// What has come, and how far it is understood.
    var stream = StreamGuard()

    /// The fields of the request before, for their memory.
    private var fields = RequestFields()

    private let atomicPhase: Atomic<Phase>
    private let atomicDeadline: Atomic<UInt64>

    init(descriptor: Int32, thread: ServingThread) {
        self.descriptor = descriptor
        self.thread = thread
        server = thread.server
        atomicPhase = Atomic(.head)
        atomicDeadline = Atomic((Deadline.now + server.timeLimits.head).nanoseconds)
    }

    var phase: Phase { atomicPhase.load(ordering: .relaxed) }

    /// When the watchdog ends the connection, unless somebody moves this before.
    var deadline: Deadline { Deadline(nanoseconds: atomicDeadline.load(ordering: .relaxed)) }

    // The two stores are not one: a watchdog that reads in between sees a phase or a deadline that was right a moment ago.
    func enter(_ phase: Phase, until deadline: Deadline) {
        atomicPhase.store(phase, ordering: .relaxed)
        atomicDeadline.store(deadline.nanoseconds, ordering: .relaxed)
    }

    func extend(to deadline: Deadline) {
        atomicDeadline.store(deadline.nanoseconds, ordering: .relaxed)
    }

    /// Bytes came, which the library does not see before this is done.
    /// - Parameter bytes: `count` bytes after those that ``StreamGuard/heldBytes`` says.
    func readStream(_ bytes: UnsafeMutablePointer<UInt8>, count: Int) {
        let heldBytes = stream.heldBytes
        // The library keeps what it has not read in one piece.
        let window = unsafe UnsafeMutableBufferPointer(start: bytes - heldBytes, count: heldBytes + count)
        var span = unsafe window.mutableSpan
        stream.read(&span)
    }

    /// A request line is in. The rest of the head is due; on a new connection that time runs since it was accepted.
    func readTarget(_ bytes: UnsafeBufferPointer<UInt8>) {
        // The library lends the bytes for the time of the call; they are copied. Who stays asks for the same again and again.
        if unsafe !target.span.equals(bytes.span) {
            target.removeAll(keepingCapacity: true)
            unsafe target.append(contentsOf: bytes)
            parsedTarget = nil
        }
        if phase == .idle {
            enter(.head, until: .now + server.timeLimits.head)
        }
    }

    /// The library's reading of a head, and ours, must be what came.
    func acceptHead(_ head: cmhd_head, _ framing: RequestFraming) throws(FramingError) {
        // What follows the head in the library's memory, which is lent for the time of the callback.
        let rest = unsafe UnsafeMutableBufferPointer(start: head.rest, count: stream.unreadBytes)
        var span = unsafe rest.mutableSpan
        try stream.accept(headBytes: Int(unsafe head.head_bytes), framing, rest: &span)
    }

    /// ``target``, read.
    func parseTarget() throws(FramingError) -> RequestTarget {
        if let parsedTarget { return parsedTarget }
        let parsed = try RequestTarget(parsing: target.span)
        parsedTarget = parsed
        return parsed
    }

    /// Memory for the fields of the next request.
    func takeFields() -> RequestFields {
        var taken = RequestFields()
        swap(&taken, &fields)
        return taken
    }

    /// Takes back what ``takeFields()`` gave, once it is read.
    func keep(_ fields: consuming RequestFields) {
        self.fields = fields
    }

    /// Whether the client sends nothing more: it is gone, or has only closed its side. Only while the descriptor is open.
    var hasEnded: Bool {
        var event = pollfd(fd: descriptor, events: Watchdog.endOfStream, revents: 0)
        // One descriptor, which outlives the call. Does not wait.
        return unsafe poll(&event, 1, 0) > 0
    }

    /// Ends the connection from outside: its thread wakes up and closes it. Only while the descriptor is open.
    func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes the connection's thread look at its socket again. Only while the descriptor is open, and after the client
    /// ended its sending: then this takes nothing away.
    func wake() {
        shutdown(descriptor, Int32(SHUT_RD))
    }
}
