internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// One thread and its connections: it waits for events, runs the library, which reads and sends, and enforces
/// deadlines.
///
///     wait ─► library (Connection.receive, respond …) ─► responses, new connections ─► deadlines ─► wait
///
/// **Invariant.** A connection whose state or deadline has changed is in the list of touched connections until the
/// iteration settles it: then it is in the list of idle connections exactly if it is idle, and it is scheduled no later
/// than its deadline. Every record is passed to the observer in the iteration in which its exchange ended. All
/// connections are resumed before the library stops, which would otherwise abort the process. `DeadlineTests`,
/// `RequestRecordTests` and `DrainingTests` check this.
///
/// The loop owns its connections from ``open(_:)`` to ``remove(_:address:lingeringOn:)``, its lingering sockets, and
/// the memory for heads and received bytes, which a connection borrows during a read. Other threads use only the
/// section *Any thread*.
///
/// @unchecked Sendable: from ``start()`` to ``finish()``, everything except the atomics, the constants and
/// ``EventLoop/submit(_:)`` is accessed by one thread.
@safe final class ConnectionLoop: @unchecked Sendable {
    let context: ExchangeContext
    let events: EventLoop

    /// Called on the loop's thread when a connection has ended and its descriptor is closed.
    private let connectionEnded: @Sendable (ClientAddress?) -> Void

    // MARK: State that the connections share

    /// Whether the current iteration has used so much processor time that other connections would notice the delay.
    /// Then work that can be done elsewhere is not done on this thread. Time in which the thread waits for a processor
    /// does not count: it is not caused by the requests of this loop.
    var isLate: Bool {
        let used = Thread.processorNanoseconds
        return used > iterationStart.processor && used - iterationStart.processor > context.timeLimits.iteration
    }

    /// A time shortly before the current iteration began, and the processor time of the thread at that time, in
    /// nanoseconds.
    private var iterationStart = (time: MonotonicTime(nanoseconds: 0), processor: UInt64(0))

    /// The maximum age of ``iterationStart`` at the beginning of an iteration, in nanoseconds. Reading the processor
    /// time in each iteration would cost a system call.
    private static let maxIterationStartAge: UInt64 = 10_000_000

    /// The time at the beginning of the current iteration.
    var now: MonotonicTime { events.now }

    /// The memory for heads, while no connection uses it.
    var headMemory = HeadMemory()

    /// The buffer for bytes that are received from any socket, until they are parsed or copied.
    let buffer: UnsafeMutablePointer<UInt8>

    /// The size of ``buffer``: the bytes that a connection may hold, and one read after them.
    static let bufferBytes = 64 << 10

    // MARK: State

    private let library = LibraryDaemon()
    /// The observer of this loop; `nil` if there is none.
    private let observer: (any LoopObserver)?
    /// Whether an exchange has ended in this iteration.
    private var hasRecords = false
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var deadlines = DeadlineQueue()
    /// The head of the list of connections whose deadline may have become earlier. Each refers to the next.
    private var touched: Connection?

    /// The connections that wait for a request and hold no bytes of one, in the order in which they began to wait.
    private var idle = IdleConnections()

    /// The earliest time in `deadlines`.
    private var nextDeadline = MonotonicTime.never
    private var lingering: [ObjectIdentifier: LingeringSocket] = [:]

    /// Whether a connection was resumed, which the library does not report.
    private var needsRun = false

    /// The clients' addresses of connections that the library has not opened yet, by descriptor; `nil` if they are not
    /// counted.
    private var unopened: [Int32: ClientAddress?] = [:]

    /// The time at which idle connections are closed while the service drains.
    private var idleEnd = MonotonicTime.never
    private var isDraining = false
    private var isStopping = false
    /// Whether the loop is in ``finish()``.
    private(set) var isFinishing = false

    /// The time at which the first connection in `idle` began to wait, in nanoseconds; the maximum if there is none.
    private let oldestIdle = Atomic<UInt64>(.max)

    private let load = Atomic<Int>(0)
    private let requests = Atomic<Int>(0)

    /// The number of rejected connections whose sockets are kept, or about to be kept.
    private let rejected = Atomic<Int>(0)

    /// The memory of the library for one connection, in bytes: a canonical head and the head of a response, whose
    /// longest fields are the identifier of the request and lists of codes. The library clears a part of it after each
    /// request.
    private static let libraryBytes = 4 << 10

    init(
        context: ExchangeContext,
        connectionEnded: @escaping @Sendable (ClientAddress?) -> Void = { _ in }
    ) throws(SystemError) {
        self.context = context
        self.connectionEnded = connectionEnded
        observer = context.observer?.makeLoopObserver()
        events = try EventLoop()
        unsafe buffer = .allocate(capacity: Self.bufferBytes)
        unsafe buffer.initialize(repeating: 0, count: Self.bufferBytes)
    }

    deinit { unsafe buffer.deallocate() }

    // MARK: Any thread

    /// The number of connections, including those that are about to be added, and lingering sockets.
    ///
    /// Sequentially consistent, like its change in ``subtractConnection(of:)``: the acceptor sets `isFull` and then
    /// reads this; a loop changes this and then reads `isFull`. One of the two must see the change of the other.
    var connectionCount: Int { load.load(ordering: .sequentiallyConsistent) }

    /// The number of requests whose head is complete and whose response has not been sent.
    var requestCount: Int { requests.load(ordering: .relaxed) }

    /// The time since which the connection that has waited longest for a request has waited; `never` if there is none.
    var longestIdleSince: MonotonicTime { MonotonicTime(nanoseconds: oldestIdle.load(ordering: .relaxed)) }

    /// Closes the connection that has waited longest for a request, unless bytes of one have arrived.
    /// - Parameter done: called on the loop's thread, unless the loop ends before, with whether a connection is being
    ///   closed.
    func evictIdle(_ done: @escaping @Sendable (Bool) -> Void) { events.submit { [self] in done(evict()) } }

    /// Adds a connection.
    /// - Parameter client: the client's address, if the connections of each address are counted.
    func add(_ socket: AcceptedSocket, client: ClientAddress? = nil) {
        load.add(1, ordering: .sequentiallyConsistent)
        events.submit { [self] in take(socket, client) }
    }

    /// Ends the loop when the last connection has ended. Idle connections are closed at `idleEnd`.
    func drain(idleEnd: MonotonicTime) {
        events.submit { [self] in
            isDraining = true
            self.idleEnd = idleEnd
        }
    }

    /// Ends all connections immediately.
    func stop() { events.submit { [self] in isStopping = true } }

    // MARK: The loop

    /// Starts the library, and serves connections until ``stop()``, or until the service is drained.
    /// - Parameter isReady: called with the reason if the library does not start, or with `nil`.
    func run(isReady: (HTTPServerError?) -> Void) {
        do throws(HTTPServerError) {
            try start()
        } catch {
            // The submitted work refers to the loop.
            events.close()
            return isReady(error)
        }
        isReady(nil)
        while !isStopping, !(isDraining && isEmpty) { runOnce(until: .never) }
        finish()
    }

    /// Starts the library for the calling thread, which calls ``runOnce(until:)`` until ``finish()``.
    func start() throws(HTTPServerError) {
        var callbacks = unsafe LibraryCallbacks.table(for: self)
        do throws(SystemError) {
            try unsafe library.start(&callbacks, connectionBytes: Self.libraryBytes, events)
        } catch { throw .system(error) }
    }

    var isEmpty: Bool { connections.isEmpty && lingering.isEmpty && connectionCount == 0 }

    /// Waits for events, but at most until `time`, and handles them.
    func runOnce(until time: MonotonicTime) {
        let mustNotWait = needsRun || library.hasWork
        let wakeUp = min(time, nextDeadline, idleEnd)
        // Events of connections and submitted work are handled before the library runs.
        events.runOnce(until: mustNotWait ? MonotonicTime(nanoseconds: 0) : wakeUp)
        if now.nanoseconds(since: iterationStart.time) > Self.maxIterationStartAge {
            iterationStart = (now, Thread.processorNanoseconds)
        }
        if mustNotWait || needsRun || library.isReadable {
            needsRun = false
            library.run()
            releaseUnopened()
        }
        settleTouched()
        if nextDeadline <= now { enforceDeadlines() }
        if now >= idleEnd { closeIdle() }
        endRecords()
    }

    private func endRecords() {
        guard hasRecords else { return }
        hasRecords = false
        observer?.endIteration()
    }

    /// Ends all connections, and stops the library.
    func finish() {
        isFinishing = true
        for connection in connections.values { connection.shutDown(.stopped) }
        // By now, suspended connections have been resumed. The library must notice this before it stops, or it aborts
        // the process.
        library.run()
        library.run()
        library.stop()
        releaseUnopened()
        events.close()
        for socket in lingering.values { end(socket) }
        settleTouched()
        endRecords()
    }

    /// Makes the library run again, because a connection was resumed.
    func setNeedsRun() { needsRun = true }

    // MARK: Connections

    private func take(_ socket: AcceptedSocket, _ client: ClientAddress?) {
        guard !isStopping else {
            close(socket.descriptor)
            return subtractConnection(of: client)
        }
        // A descriptor that is used again belonged to a connection that the library could not open.
        if let failed = unopened.updateValue(client, forKey: socket.descriptor) { subtractConnection(of: failed) }
        // The library opens the connection immediately (0.9.75), or when it runs (1.0). If that fails, it closes the
        // descriptor, whether or not it has opened the connection before.
        needsRun = true
        library.add(socket)
    }

    /// Called when the library has opened a connection.
    func open(_ descriptor: Int32) -> Connection {
        let address = unopened.removeValue(forKey: descriptor) ?? nil
        let connection = Connection(descriptor: descriptor, address: address, loop: self)
        if isFinishing || !connection.isWatched { connection.shutDown(.stopped) }
        connections[ObjectIdentifier(connection)] = connection
        schedule(connection, connection.deadline)
        touch(connection)
        return connection
    }

    /// Records that the deadline of `connection` may have become earlier.
    func touch(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        connection.nextTouched = touched
        touched = connection
    }

    /// Removes `connection`, whose descriptor is closed afterwards.
    /// - Parameter descriptor: the descriptor of the connection, if its client may still be sending.
    func remove(_ connection: Connection, address: ClientAddress?, lingeringOn descriptor: Int32?) {
        connections[ObjectIdentifier(connection)] = nil
        deadlines.remove(connection)
        idle.remove(connection)
        publishOldestIdle()
        if let descriptor, !isStopping,
            let socket = LingeringSocket(duplicating: descriptor, address: address, loop: self)
        {
            linger(socket)
        } else {
            subtractConnection(of: address)
        }
    }

    /// Called after the library has run: connections that it has not opened by then will never be opened.
    private func releaseUnopened() {
        guard !unopened.isEmpty else { return }
        let failed = unopened.values
        unopened = [:]
        for address in failed { subtractConnection(of: address) }
    }

    private func subtractConnection(of address: ClientAddress?) {
        load.subtract(1, ordering: .sequentiallyConsistent)
        connectionEnded(address)
    }

    /// Responds to a connection that is rejected, and keeps its socket while its client may still be sending. It does
    /// not count as a connection, so that rejected clients do not take the place of others; above
    /// ``HTTPServerConfiguration/maxRejectedPerThread``, it is closed immediately.
    ///
    /// Called by the acceptor.
    func reject(_ socket: AcceptedSocket, with response: [UInt8]) {
        guard rejected.load(ordering: .relaxed) < HTTPServerConfiguration.maxRejectedPerThread else {
            return LingeringSocket.reject(socket.descriptor, with: response)
        }
        rejected.add(1, ordering: .relaxed)
        events.submit { [self] in
            LingeringSocket.send(response, on: socket.descriptor)
            let kept = LingeringSocket(duplicating: socket.descriptor, address: nil, loop: self, isCounted: false)
            close(socket.descriptor)
            if let kept { linger(kept) } else { rejected.subtract(1, ordering: .relaxed) }
        }
    }

    private func linger(_ socket: LingeringSocket) {
        lingering[ObjectIdentifier(socket)] = socket
        schedule(socket as any DeadlineHolder, now.advanced(byNanoseconds: context.timeLimits.linger))
    }

    func end(_ socket: LingeringSocket) {
        guard lingering.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        deadlines.remove(socket)
        socket.close()
        if socket.isCounted { subtractConnection(of: socket.address) } else { rejected.subtract(1, ordering: .relaxed) }
    }

    // MARK: Requests

    func requestBegan() { requests.store(requestCount + 1, ordering: .relaxed) }

    func requestEnded() { requests.store(requestCount - 1, ordering: .relaxed) }

    /// Called when an exchange has ended.
    func completed(_ record: borrowing ExchangeRecord) {
        observer?.completed(record)
        hasRecords = true
    }

    // MARK: Deadlines

    /// Checks the connections whose deadlines have changed. Most deadlines of an iteration are over at its end: only
    /// those that are earlier than the scheduled time matter.
    private func settleTouched() {
        while let connection = touched {
            touched = connection.nextTouched
            connection.nextTouched = nil
            connection.isTouched = false
            if connection.deadline < connection.scheduled { schedule(connection, connection.deadline) }
            if connection.isIdle { idle.append(connection, at: now) } else { idle.remove(connection) }
        }
        publishOldestIdle()
    }

    // MARK: Idle connections

    private func publishOldestIdle() {
        let time = idle.first?.idleSince.nanoseconds ?? .max
        if oldestIdle.load(ordering: .relaxed) != time { oldestIdle.store(time, ordering: .relaxed) }
    }

    /// The maximum number of connections that are examined in order to close one: bytes of a request may have arrived
    /// on each of them.
    private static let maxEvictionProbes = 64

    private func evict() -> Bool {
        var candidate = idle.first
        for _ in 0..<Self.maxEvictionProbes {
            guard let connection = candidate else { return false }
            candidate = connection.nextIdle
            guard connection.isIdle, !connection.hasUnreadBytes else { continue }
            idle.remove(connection)
            publishOldestIdle()
            connection.shutDown(.timedOut)
            return true
        }
        return false
    }

    /// Schedules a notification of `connection` at `time`.
    func schedule(_ connection: Connection, _ time: MonotonicTime) {
        // A connection that has already ended is not scheduled.
        guard connections[ObjectIdentifier(connection)] != nil else { return }
        connection.scheduled = time
        schedule(connection as any DeadlineHolder, time)
    }

    private func schedule(_ holder: any DeadlineHolder, _ time: MonotonicTime) {
        deadlines.set(holder, to: time)
        nextDeadline = deadlines.first
    }

    private func enforceDeadlines() {
        while let holder = deadlines.next(at: now) { holder.deadlineReached(at: now) }
        nextDeadline = deadlines.first
    }

    private func closeIdle() {
        idleEnd = .never
        for connection in connections.values where !connection.isBusy { connection.shutDown(.stopped) }
    }
}
