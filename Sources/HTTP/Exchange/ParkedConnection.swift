internal import Platform
internal import Primitives

/// A connection that waits for a response, as seen by the code that computes it.
///
/// A response is delivered at most once, from any thread. If the client disconnects before, the work is removed from its queue
/// immediately and cancelled, unless it has begun.
///
/// The response is owned by the work that is submitted to the connection's loop. If the loop ends before, it is released with that work.
package final class ParkedConnection: Sendable {
    fileprivate enum Phase {
        case waiting
        case delivered
        /// The client has disconnected.
        case gone
    }

    fileprivate struct State {
        var phase = Phase.waiting
        /// Called once when the client has disconnected.
        var cancel: (@Sendable () -> Void)?
        /// Called once when the client has closed its sending side, if that means that it has disconnected.
        var endOfStream: (@Sendable () -> Void)?
        var hasEnded = false
        /// Whether the end of the stream was reported to the one who computes the response.
        var awaitsEnd = false
        /// The number of queues in which the work has waited.
        var waits = 0
        /// The queue in which the work waits.
        var queue: (lane: Lane, since: MonotonicTime, withdraw: (@Sendable () -> Bool)?)?
        var durations = StageDurations()
        var lane = Lane.inline
    }

    private let connection: Connection
    private let loop: ConnectionLoop
    package let requestID: RequestID

    /// The form of the response that the request wants. A response that is delivered in another form is brought into it on the HTTP
    /// thread.
    package let form: ResponseForm
    private let state: Monitor<State>

    init(_ connection: Connection, loop: ConnectionLoop, requestID: RequestID, form: ResponseForm = ResponseForm()) {
        self.connection = connection
        self.loop = loop
        self.requestID = requestID
        self.form = form
        state = Monitor(State())
    }

    // MARK: Any thread

    /// Sends the response. Only the first response is sent, and none if the client has disconnected.
    package func deliver(_ response: consuming Response) {
        // The objects that the closures retain must be released after the lock.
        let (isFirst, unneeded, unneededEnd) = state.withLock { state in
            guard state.phase == .waiting else {
                return (false, nil as (@Sendable () -> Void)?, nil as (@Sendable () -> Void)?)
            }
            state.phase = .delivered
            state.queue = nil
            return (true, state.cancel.take(), state.endOfStream.take())
        }
        withExtendedLifetime((unneeded, unneededEnd)) {}
        guard isFirst else { return }
        let delivery = Delivery(response)
        loop.events.submit { [self] in
            if let response = delivery.take() { connection.deliver(response, for: self) }
        }
    }

    /// Delivers a rejection.
    package func reject(_ reason: RejectionReason) {
        deliver(loop.context.application.response(rejecting: reason, requestID: requestID))
    }

    /// Whether the response is no longer needed.
    var isGone: Bool {
        state.withLock { $0.phase == .gone }
    }

    /// Registers `action`, which is called once when the client disconnects, or immediately if it already has. It replaces the previous
    /// action. It is not called after a response was delivered.
    package func whenGone(_ action: @escaping @Sendable () -> Void) {
        let (isGone, replaced) = state.withLock { state in
            let replaced = state.cancel
            if state.phase == .waiting { state.cancel = action }
            return (state.phase == .gone, replaced)
        }
        withExtendedLifetime(replaced) {}
        if isGone { action() }
    }

    /// Registers `action`, which is called once when the client closes its sending side, or immediately if it already has. From now on,
    /// this does not end the connection: a client that still receives gets the response that follows.
    package func whenEnded(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            guard state.phase == .waiting else { return false }
            if !state.hasEnded { state.endOfStream = action }
            return state.hasEnded
        }
        if hasEnded { action() }
    }

    /// Calls `work`, which takes at most about a millisecond, on the connection's loop, even if the client has disconnected.
    /// - Parameter otherwise: called instead if the loop is late, or ends before.
    package func onLoop(otherwise: @escaping @Sendable () -> Void, _ work: @escaping @Sendable () -> Void) {
        let handOver = HandOver(otherwise)
        loop.events.submit { [loop] in
            guard !loop.isLate else { return handOver.fail() }
            handOver.succeed()
            work()
        }
    }

    // MARK: The lanes

    package func wait(_ begin: @Sendable (ParkedConnection) -> Void) {
        begin(self)
    }

    /// Called before the work is added to the queue of `lane`.
    /// - Parameter isOnLoop: whether the caller is the connection's loop, which enforces the time limit of the queue in any case.
    /// - Returns: the number of the wait.
    package func willWait(for lane: Lane, isOnLoop: Bool) -> Int {
        let (number, isWaiting) = state.withLock { state in
            guard state.phase == .waiting else { return (0, false) }
            state.waits += 1
            state.queue = (lane, .now, nil)
            return (state.waits, true)
        }
        if isWaiting, !isOnLoop { loop.events.submit { [self] in connection.startQueueTimer(of: self) } }
        return number
    }

    /// Called when the work is in the queue, from which `withdraw` removes it unless it has begun.
    /// - Parameter number: the number of the wait. The work may already wait in the next queue.
    package func waits(_ number: Int, _ withdraw: @escaping @Sendable () -> Bool) {
        let isGone = state.withLock { state in
            if state.queue != nil, state.waits == number { state.queue?.withdraw = withdraw }
            return state.phase == .gone
        }
        if isGone { _ = withdraw() }
    }

    /// Called when the work begins.
    /// - Returns: `false` if the response is no longer needed. In this case the work must not be done.
    package func begins(on lane: Lane) -> Bool {
        state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.endWait()
            state.lane = lane
            return true
        }
    }

    /// Adds the duration of a step.
    package func note(decodingNanoseconds: UInt64) {
        state.withLock { $0.durations.decoding += decodingNanoseconds }
    }

    /// Adds the time of waiting for an origin.
    package func note(fetchingNanoseconds: UInt64) {
        state.withLock { $0.durations.fetching += fetchingNanoseconds }
    }

    // MARK: The connection's loop

    /// Called when the client has closed its sending side.
    /// - Returns: whether the response follows nevertheless.
    func clientEnded() -> Bool {
        let (isAwaited, action) = state.withLock { state in
            let isFirst = !state.hasEnded
            state.hasEnded = true
            guard isFirst else { return (state.awaitsEnd, nil as (@Sendable () -> Void)?) }
            state.awaitsEnd = state.endOfStream != nil
            return (state.awaitsEnd, state.endOfStream.take())
        }
        action?()
        return isAwaited
    }

    /// The lane that the work has reached, and the durations of its stages.
    var progress: (lane: Lane, durations: StageDurations) {
        state.withLock { ($0.lane, $0.durations) }
    }

    /// Called when the client has disconnected. Cancels the work unless it has begun.
    func leave() {
        let (cancel, withdraw) = state.withLock { state in
            guard state.phase == .waiting else {
                return (nil as (@Sendable () -> Void)?, nil as (@Sendable () -> Bool)?)
            }
            state.phase = .gone
            let withdraw = state.queue?.withdraw
            state.endWait()
            return (state.cancel.take(), withdraw)
        }
        _ = withdraw?()
        cancel?()
    }

    /// Returns the time at which the work will have waited for `limit` nanoseconds; `nil` if it does not wait in a queue.
    func queueDeadline(limit: UInt64) -> MonotonicTime? {
        state.withLock { $0.queue?.since.advanced(byNanoseconds: limit) }
    }

    /// Withdraws work that has waited until its deadline, and delivers the rejection.
    func expire(at now: MonotonicTime, limit: UInt64) {
        let (lane, withdraw) = state.withLock { state -> (Lane, (@Sendable () -> Bool)?) in
            guard let queue = state.queue, queue.since.advanced(byNanoseconds: limit) <= now else {
                return (.inline, nil)
            }
            return (queue.lane, queue.withdraw)
        }
        guard let withdraw, withdraw() else { return }
        state.withLock {
            $0.endWait()
            $0.lane = lane
        }
        reject(.queueTimeout(lane))
    }
}

/// Work on its way to a loop, which discards it if it ends before.
///
/// @unchecked Sendable: it is created by one thread, and accessed only by the work that this thread submits, or by the last one that
/// releases it.
private final class HandOver: @unchecked Sendable {
    private var otherwise: (@Sendable () -> Void)?

    init(_ otherwise: @escaping @Sendable () -> Void) {
        self.otherwise = otherwise
    }

    deinit {
        otherwise?()
    }

    func succeed() {
        otherwise = nil
    }

    func fail() {
        otherwise.take()?()
    }
}

/// A response on its way to the connection's loop.
///
/// @unchecked Sendable: it is created by one thread, and accessed only by the work that this thread submits.
private final class Delivery: @unchecked Sendable {
    private var response: Response?

    init(_ response: consuming Response) {
        self.response = consume response
    }

    func take() -> Response? {
        response.take()
    }
}

extension ParkedConnection.State {
    /// Adds the time in the queue to the durations.
    fileprivate mutating func endWait() {
        guard let (lane, since, _) = queue.take() else { return }
        let nanoseconds = MonotonicTime.now.nanoseconds(since: since)
        switch lane {
        case .inline: break
        case .compute: durations.waitingForCompute += nanoseconds
        case .isolated: durations.waitingForWorker += nanoseconds
        }
    }
}
