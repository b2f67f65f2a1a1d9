internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Serialization

/// One client's connection, and the seam between it and the library.
///
/// The library calls recv(2) when the socket is readable, and that call arrives here, in ``receive(into:)``. It reads from the socket,
/// parses (``RequestInput``), and has the request answered; only then does it give the library a ``CanonicalHead``, and the library asks
/// for the response:
///
///     recv ─► RequestInput ─► Exchange ─► CanonicalHead ─► library ─► respond ─► response
///
/// **One request at a time.** While a request is unanswered nothing further is read. The library watches the socket with
/// edge-triggered epoll(7), and a short read makes it forget that the socket is readable. Therefore a request behind which there are
/// unread bytes suspends and resumes its connection before the response: a resumed connection counts as readable. The library may
/// read it before it asks again for the response (it does not for its oldest connection). That read must fail with EINTR: EAGAIN
/// would make the library forget that the socket is readable, and 0 would close the connection.
///
/// @unchecked Sendable: everything here is called on the loop's thread; other threads only pass the reference on. One of them may release
/// the last reference: then only memory is released, because ``closed()`` has ended the registration.
@safe final class Connection: EventHandler, DeadlineHolder, @unchecked Sendable {
    private enum Phase {
        /// Requests are read.
        case reading
        /// The library receives this head, of which it has so many bytes.
        case handingOn(CanonicalHead, sentBytes: Int)
        /// The library has a request, whose response it has not sent.
        case answering
        /// The stream has ended, or the connection is to end.
        case ended
    }

    private let descriptor: Int32
    private let loop: ConnectionLoop
    private let address: ClientAddress?
    private let exchange: Exchange
    private var phase = Phase.reading
    private var input: RequestInput

    /// Whether the client sends nothing more.
    private(set) var hasEnded = false

    /// When that became known.
    private var endTime = MonotonicTime.never

    /// Whether the connection is broken in both directions.
    private var isLost = false

    /// Whether the client of a rejected request has sent nothing for too long.
    private var isOverdue = false

    /// Whether the connection was suspended and resumed so that the library counts it as readable.
    private var isMarkedReadable = false

    /// The library's connection, as long as it is suspended: the response, or the next bytes of it, are waited for.
    private var suspended: OpaquePointer?

    /// The library's connection, from the beginning of a response to its end.
    private var handle: OpaquePointer?

    private var registration: EventLoop.Registration?
    var deadlinePosition = -1

    // MARK: For the loop

    /// Whether the loop is to look at ``deadline``, and the next connection for which that holds.
    var isTouched = false
    var nextTouched: Connection?

    /// When the loop looks at ``deadline`` at the latest.
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

    /// Whether the loop is notified of the client's end of stream. A connection without it would not notice one that arrives together with
    /// bytes.
    var isWatched: Bool { registration != nil }

    /// When the connection is closed, unless it makes progress before.
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
        // The library closes the connection; if it does not, this is repeated.
        loop.schedule(self, now + .seconds(1))
        shutDown(.timedOut)
    }

    /// Whether a request is being received or answered.
    var isBusy: Bool {
        if case .reading = phase { exchange.isActive || input.hasHeldBytes } else { true }
    }

    // MARK: Reading

    /// recv(2), as the library calls it.
    /// - Returns: the number of bytes written to `memory`, 0 at the end of the stream, or the negative of an errno value.
    func receive(into memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
        switch phase {
        case .reading: unsafe read(into: memory)
        case .handingOn: unsafe handOn(into: memory)
        // A resumed connection: see above.
        case .answering: -Int(EINTR)
        case .ended: 0
        }
    }

    private func read(into memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let outcome = input.read(from: descriptor, for: exchange, of: self, loop)
        loop.touch(self)
        // A rejected request whose client has closed its side, or was waited for long enough, is answered as it is.
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

    /// RFC 9110 §10.1.1: the client sends its content after this. Nothing else is being sent.
    func sendContinue() {
        let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        let count = text.utf8CodeUnitCount
        // The literal has that many bytes.
        let sent = unsafe send(descriptor, text.utf8Start, count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        // A client that receives none eventually sends its content without it; a part of it would corrupt the response.
        if sent > 0, sent < count { shutDown(.aborted) }
    }

    // MARK: Handing on

    private func handOn(into memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let head: CanonicalHead
        var start = 0
        if case .handingOn(let begun, let sentBytes) = phase {
            (head, start) = (begun, sentBytes)
        } else {
            head = CanonicalHead(isHead: exchange.isHead, isHTTP10: exchange.isHTTP10, closes: exchange.closes)
        }
        let text = head.text
        let count = min(text.utf8CodeUnitCount - start, memory.count)
        // Both have that many bytes: `count` is the smaller of what is left of the text and of the library's memory.
        if let target = memory.baseAddress { unsafe target.update(from: text.utf8Start + start, count: count) }
        let isComplete = start + count == text.utf8CodeUnitCount
        phase = isComplete ? .answering : .handingOn(head, sentBytes: start + count)
        isMarkedReadable = false
        return count
    }

    /// The library asks for the response to the request that it has received.
    func respond(on handle: OpaquePointer) -> cmhd_verdict {
        guard case .answering = phase else { return CMHD_CLOSE }
        if exchange.parked != nil {
            guard maySuspend else {
                abandon(.clientGone)
                return CMHD_CLOSE
            }
            unsafe suspend(handle)
            // Resuming it marks it as readable.
            isMarkedReadable = true
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
        unsafe self.handle = handle
        return unsafe exchange.send(on: handle, of: self)
    }

    /// Whether somebody waits for the response. While the loop finishes, nothing would resume the connection, and the library would abort
    /// the process.
    private var maySuspend: Bool { !isClientGone && !loop.isFinishing }

    private func suspend(_ handle: OpaquePointer) {
        unsafe cmhd_suspend(handle)
        unsafe suspended = handle
    }

    /// Whether the next read returns the end of the stream.
    private var isAtEnd: Bool {
        var byte: UInt8 = 0
        // One byte is written to `byte`.
        return unsafe recvfrom(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT), nil, nil) == 0
    }

    /// The response is sent, or the connection is lost.
    func completed(isSent: Bool) {
        exchange.completed(isSent: isSent)
        unsafe suspended = nil
        unsafe handle = nil
        guard case .answering = phase else { return }
        phase = exchange.closes ? .ended : .reading
        exchange.becomeIdle()
        loop.touch(self)
        if hasEnded { wake() }
    }

    // MARK: Other threads

    /// A response was delivered by another thread.
    func deliver(_ response: consuming Response, for parked: ParkedConnection) {
        if exchange.take(response, for: parked) { resume() }
    }

    /// The work for the response waits in the queue of another lane than before.
    func startQueueTimer(of parked: ParkedConnection) {
        exchange.startQueueTimer(of: parked)
        loop.touch(self)
    }

    /// The library asks for the next bytes of a stream.
    /// - Returns: their number, or a number with which the stream ends. 0 if there is nothing to send: then the connection is suspended.
    func readStream(_ stream: ResponseStream, into memory: UnsafeMutableRawBufferPointer) -> Int {
        loop.touch(self)
        let reading = unsafe exchange.read(stream, into: memory) { [self] in
            loop.events.submit { [self] in resume() }
        }
        switch reading {
        case .bytes(let count): return count
        case .end: return Int(CMHD_STREAM_END)
        case .failed: return Int(CMHD_STREAM_FAILED)
        case .nothing:
            // An end of stream that arrived while there was something to send is reported only once.
            guard let handle = unsafe handle, maySuspend else {
                exchange.note(earlyEnd: .clientGone)
                return Int(CMHD_STREAM_FAILED)
            }
            unsafe suspend(handle)
            return 0
        }
    }

    private func resume() {
        guard let handle = unsafe suspended else { return }
        unsafe suspended = nil
        unsafe cmhd_resume(handle)
        loop.setNeedsRun()
    }

    // MARK: Ending

    /// The client has closed its side, or is gone (epoll(7)).
    func handle(_ events: Events) {
        isLost = isLost || !events.isDisjoint(with: [.error, .hangUp])
        // Shutting the socket down, which is done below, reports the end of the stream again.
        guard isLost || !hasEnded else { return }
        if !hasEnded { endTime = loop.now }
        hasEnded = true
        switch phase {
        case .reading:
            // The library notices errors by itself.
            if !isLost { wake() }
        case .answering where unsafe suspended != nil:
            if isClientGone { abandon(.clientGone) }
        case .answering, .handingOn, .ended:
            // The library notices errors when it sends, and the others are looked at when the connection is suspended.
            break
        }
    }

    /// Whether nobody waits for the response.
    ///
    /// A client that closes its side with a request, this one or one behind it that was not read yet, gets the response. A later
    /// end of stream means that it is gone.
    private var isClientGone: Bool {
        guard hasEnded, !isLost else { return isLost }
        let latestHalfClose = input.lastReceived.advanced(byNanoseconds: loop.context.timeLimits.halfCloseGrace)
        return endTime > latestHalfClose && isAtEnd
    }

    /// Ends a connection whose response is not needed any more.
    private func abandon(_ reason: ConnectionEnd) {
        phase = .ended
        exchange.note(earlyEnd: reason)
        exchange.abandon()
        resume()
    }

    /// Ends the connection now: the library notices it and closes.
    func shutDown(_ reason: ConnectionEnd) {
        if unsafe suspended != nil { return abandon(reason) }
        exchange.note(earlyEnd: reason)
        if case .reading = phase { phase = .ended }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes the library read again, up to the end of the stream. Bytes that were received before can still be read.
    private func wake() {
        // The end of a stream that arrives together with bytes is not a second event. Shutting the socket down is one.
        shutdown(descriptor, Int32(SHUT_RD))
    }

    /// The library closes the descriptor after this.
    func closed() {
        exchange.completed(isSent: false)
        phase = .ended
        if let registration { loop.events.remove(registration) }
        registration = nil
        // The client may have sent more since the last read, unless its end of stream is next. See ``LingeringSocket``.
        let mayHaveUnread = exchange.closes && !(hasEnded && isAtEnd)
        loop.remove(self, address: address, lingeringOn: mayHaveUnread ? descriptor : nil)
    }
}
