internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Primitives

/// One connection of a client. It stands between the client's socket and the library by *symbol interposition*: the
/// library calls recv(2), and the dynamic linker has bound this name to a function of this program (`CMicroHTTPD`).
///
/// When the socket is readable, the library calls recv(2), and that call is redirected to ``receive(into:)``. This
/// function reads from the socket, parses (``RequestInput``), and obtains the response. Only then does it pass a
/// ``CanonicalHead`` to the library, which then requests the response:
///
///     recv ─► RequestInput ─► Exchange ─► CanonicalHead ─► library ─► respond ─► response
///
/// **Invariant: one request at a time.** Nothing further is read before a request has been responded to. The phase says
/// which call of the library comes next: recv for a head (`reading`), recv for the rest of the generated head
/// (`handingOn`), a request for the response (`responding`), or none that has an effect (`ended`). `suspended` is set
/// only in `responding`, while the exchange waits for another thread. A connection owns its exchange and the bytes that
/// it holds; the library owns the descriptor, which is valid until the end of ``closed()``. `PipelineTests` and
/// `ReusedConnectionTests` check this.
///
/// The library watches the socket with edge-triggered epoll(7), and after a short read it no longer considers the
/// socket readable. Therefore, if unread bytes follow a request, its connection is suspended and resumed before the
/// response: a resumed connection counts as readable. The library may read it before it requests the response again (it
/// does not for its oldest connection). That read must fail with EINTR: after EAGAIN, the library would consider the
/// socket not readable, and 0 would close the connection.
///
/// @unchecked Sendable: all methods are called on the loop's thread; other threads only pass the reference on. Another
/// thread may release the last reference. This only frees memory, because ``closed()`` has already ended the
/// registration.
@safe final class Connection: EventHandler, DeadlineHolder, @unchecked Sendable {
    private enum Phase {
        /// Requests are being read.
        case reading
        /// The library receives this head, of which `sentBytes` have been passed to it.
        case handingOn(CanonicalHead, sentBytes: Int)
        /// The library has received a request, and has not sent its response yet.
        case responding
        /// The stream has ended, or the connection is about to end.
        case ended
    }

    private let descriptor: Int32
    private let loop: ConnectionLoop
    private let address: ClientAddress?
    private let exchange: Exchange
    private var phase = Phase.reading
    private var input: RequestInput

    /// Whether the client has closed its sending side.
    private(set) var hasEnded = false

    /// The time at which ``hasEnded`` became true.
    private var endTime = MonotonicTime.never

    /// Whether the connection is broken in both directions.
    private var isLost = false

    /// Whether the client of a rejected request has sent nothing for too long.
    private var isOverdue = false

    /// Whether the connection was suspended and resumed, so that the library considers it readable.
    private var isMarkedReadable = false

    /// The library's connection while it is suspended, until the response is available.
    private var suspended: OpaquePointer?

    private var registration: EventLoop.Registration?
    var heapIndex = -1

    // MARK: The loop's list

    /// Whether the connection is in the loop's list of connections whose deadlines must be checked, and the next one in
    /// that list.
    var isTouched = false
    var nextTouched: Connection?

    /// Whether the connection is in ``IdleConnections``, and its neighbours there.
    var isInIdleList = false
    var nextIdle: Connection?
    var previousIdle: Connection?

    /// The time since which the connection is in the list of idle connections.
    var idleSince = MonotonicTime.never

    /// The latest time at which the loop checks ``deadline``.
    var scheduled = MonotonicTime.never

    init(descriptor: Int32, address: ClientAddress?, loop: ConnectionLoop) {
        self.descriptor = descriptor
        self.loop = loop
        self.address = address
        exchange = Exchange(on: loop)
        input = RequestInput(now: loop.now)
        // See `isWatched`.
        registration = try? loop.events.add(descriptor, for: [.endOfStream, .edgeTriggered], self)
    }

    /// Whether the loop is notified of the client's end of stream. If it is not, an end of stream that arrives together
    /// with bytes is not detected.
    var isWatched: Bool { registration != nil }

    /// The time at which the connection is closed, unless it makes progress before.
    var deadline: MonotonicTime { exchange.deadline }

    func deadlineReached(at now: MonotonicTime) {
        guard deadline <= now else { return loop.schedule(self, deadline) }
        if let parked = exchange.parked {
            exchange.endQueueTimer(of: parked)
            return loop.schedule(self, deadline)
        }
        if exchange.isDiscarding, !isOverdue {
            isOverdue = true
            loop.schedule(self, now + .seconds(1))
            return wake()
        }
        // This makes the library close the connection. If it does not, this is repeated.
        loop.schedule(self, now + .seconds(1))
        shutDown(.timedOut)
    }

    /// Whether the connection waits for a request and holds no bytes of one, so that it may be closed.
    var isIdle: Bool { !isBusy }

    /// Whether bytes have arrived that have not been read. The end of the stream does not count.
    var hasUnreadBytes: Bool { peek() > 0 }

    /// Whether the next read returns the end of the stream.
    private var isAtEnd: Bool { peek() == 0 }

    /// Returns 1 if a byte can be read, 0 at the end of the stream, and a negative number otherwise.
    private func peek() -> Int {
        var byte: UInt8 = 0
        // One byte is written to `byte`.
        return unsafe recvfrom(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT), nil, nil)
    }

    /// Whether a request is being received or responded to.
    var isBusy: Bool { if case .reading = phase { exchange.isActive || input.hasHeldBytes } else { true } }

    // MARK: Reading

    /// Implements recv(2) for the library.
    /// - Returns: the number of bytes written to `memory`, 0 at the end of the stream, or the negated value of errno.
    func receive(into memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
        switch phase {
        case .reading: unsafe read(into: memory)
        case .handingOn: unsafe handOn(into: memory)
        // The connection was resumed: see the type's description.
        case .responding: -Int(EINTR)
        case .ended: 0
        }
    }

    private func read(into memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let outcome = input.read(from: descriptor, for: exchange, of: self, loop)
        loop.touch(self)
        // If the client of a rejected request has closed its side, or has sent nothing for too long, the response is
        // sent now.
        if exchange.isDiscarding, case .end(0) = outcome {
            exchange.cutShort()
            return unsafe handOn(into: memory)
        }
        switch outcome {
        case .request: return unsafe handOn(into: memory)
        case .nothing: return -Int(EAGAIN)
        case .more: return -Int(EINTR)
        case .end(let code):
            phase = .ended
            return -Int(code)
        }
    }

    /// Sends `100 Continue`, after which the client sends its content (RFC 9110 §10.1.1). Nothing else is being sent.
    func sendContinue() {
        let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        let count = text.utf8CodeUnitCount
        // The literal has `count` bytes.
        let sent = unsafe send(descriptor, text.utf8Start, count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        // A client that receives nothing eventually sends its content anyway. A partial line would corrupt the
        // response.
        if sent > 0, sent < count { shutDown(.aborted) }
    }

    // MARK: Passing the head to the library

    private func handOn(into memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let head: CanonicalHead
        var start = 0
        if case .handingOn(let begun, let sentBytes) = phase {
            (head, start) = (begun, sentBytes)
            input.assumeMore()
        } else {
            head = exchange.canonicalHead
        }
        let text = head.text
        let count = min(text.utf8CodeUnitCount - start, memory.count)
        // `count` is at most the remaining length of the text and the size of the library's memory.
        if let target = memory.baseAddress { unsafe target.update(from: text.utf8Start + start, count: count) }
        let isComplete = start + count == text.utf8CodeUnitCount
        phase = isComplete ? .responding : .handingOn(head, sentBytes: start + count)
        isMarkedReadable = false
        return count
    }

    /// Called when the library requests the response to the request that it has received.
    func respond(on handle: OpaquePointer) -> cmhd_verdict {
        guard case .responding = phase else { return CMHD_CLOSE }
        if exchange.parked != nil {
            guard maySuspend else {
                abandon(.clientGone)
                return CMHD_CLOSE
            }
            unsafe suspend(handle)
            // Resuming the connection makes the library consider it readable.
            isMarkedReadable = true
            if hasEnded, isAtEnd { _ = exchange.parked?.didReceiveEndOfStream() }
            return CMHD_CONTINUE
        }
        if hasEnded, !input.mayHaveMore, isAtEnd { exchange.closeAfterResponse() }
        if input.mayHaveMore || hasEnded, !exchange.closes, !isMarkedReadable {
            isMarkedReadable = true
            unsafe cmhd_suspend(handle)
            unsafe cmhd_resume(handle)
            loop.setNeedsRun()
            return CMHD_CONTINUE
        }
        loop.touch(self)
        return unsafe exchange.send(on: handle)
    }

    /// Whether the connection may be suspended. In the last run of the loop, nothing would resume it, and the library
    /// would abort the process.
    private var maySuspend: Bool {
        guard !loop.isFinishing else { return false }
        // A request that waits for an origin is responded to when its client has closed its side.
        if !isLost, hasEnded, let parked = exchange.parked, isAtEnd, parked.didReceiveEndOfStream() { return true }
        return !isClientGone
    }

    private func suspend(_ handle: OpaquePointer) {
        unsafe cmhd_suspend(handle)
        unsafe suspended = handle
    }

    /// Called when the response has been sent, or the connection is lost.
    func completed(isSent: Bool) {
        exchange.completed(isSent: isSent)
        unsafe suspended = nil
        guard case .responding = phase else { return }
        phase = exchange.closes ? .ended : .reading
        exchange.becomeIdle()
        loop.touch(self)
        if hasEnded { wake() }
    }

    // MARK: Results of other threads

    /// Called when another thread has delivered a response.
    func deliver(_ response: consuming Response, for parked: ParkedConnection) {
        if exchange.take(response, for: parked) { resume() }
    }

    /// Called when the work for the response waits in a queue, which may be that of another lane than before.
    func startQueueTimer(of parked: ParkedConnection) {
        exchange.startQueueTimer(of: parked)
        loop.touch(self)
    }

    private func resume() {
        guard let handle = unsafe suspended else { return }
        unsafe suspended = nil
        unsafe cmhd_resume(handle)
        loop.setNeedsRun()
    }

    // MARK: Ending

    /// Called when the client has closed its side, or has disconnected (epoll(7)).
    func handle(_ events: Events) {
        isLost = isLost || !events.isDisjoint(with: [.error, .hangUp])
        // Shutting down the socket below reports the end of the stream again.
        guard isLost || !hasEnded else { return }
        if !hasEnded { endTime = loop.now }
        hasEnded = true
        switch phase {
        case .reading:
            // The library detects errors itself.
            if !isLost { wake() }
        case .responding where unsafe suspended != nil:
            if !isLost, isAtEnd, exchange.parked?.didReceiveEndOfStream() == true { break }
            if isClientGone { abandon(.clientGone) }
        case .responding, .handingOn, .ended:
            // The library detects errors when it sends, and an end of stream is checked when the connection is
            // suspended.
            break
        }
    }

    /// Whether the client has disconnected, so that the response is not needed.
    ///
    /// A client that closes its side together with a request, or with a pipelined request that has not been read yet,
    /// receives the response. A later end of stream means that the client has disconnected.
    private var isClientGone: Bool {
        guard hasEnded, !isLost else { return isLost }
        let latestHalfClose = input.lastReceived.advanced(byNanoseconds: loop.context.timeLimits.halfCloseGrace)
        return endTime > latestHalfClose && isAtEnd
    }

    /// Ends a connection whose response is no longer needed.
    private func abandon(_ reason: ConnectionEnd) {
        phase = .ended
        exchange.note(earlyEnd: reason)
        exchange.abandon()
        resume()
    }

    /// Ends the connection immediately: the library detects this and closes it.
    func shutDown(_ reason: ConnectionEnd) {
        if unsafe suspended != nil { return abandon(reason) }
        exchange.note(earlyEnd: reason)
        if case .reading = phase { phase = .ended }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes the library read to the end of the stream. Bytes that were received before can still be read.
    private func wake() {
        // An end of stream that arrives together with bytes causes no second event. Shutting down the socket does.
        shutdown(descriptor, Int32(SHUT_RD))
    }

    /// Called when the connection has ended. The library closes the descriptor afterwards.
    func closed() {
        exchange.completed(isSent: false)
        phase = .ended
        if let registration { loop.events.remove(registration) }
        registration = nil
        // The client may have sent more since the last read, unless the next read returns the end of stream. See
        // ``LingeringSocket``.
        let mayHaveUnread = exchange.closes && !(hasEnded && isAtEnd)
        loop.remove(self, address: address, lingeringOn: mayHaveUnread ? descriptor : nil)
    }
}
