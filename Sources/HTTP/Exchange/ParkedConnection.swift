internal import Platform
internal import Primitives

/// A request that waits for its response, as seen by the code that computes it on other threads.
///
///     any thread                                             the connection's loop
///     deliver / reject ─────────────── submits to the loop ─► Connection.deliver, once
///     willEnterQueue ─► didEnterQueue ─► beginWork            rejectIfOverdue: withdraws the work, and rejects
///     onDisconnect, onEndOfStream ◄────── call the actions ── didDisconnect, didReceiveEndOfStream
///
/// **Invariant.** The phase is `waiting` until a response is delivered or the client has disconnected, whichever is
/// first, and never changes after that. The first response is sent and others are dropped; work begins only in
/// `waiting`; each action is called at most once, and only the first of `delivered` and `disconnected` has an effect.
/// For each queue that the work enters, `willEnterQueue` precedes the queue's own lock and `didEnterQueue` follows it,
/// so that work that has begun on another thread in between, or waits in the next queue, is recognized by its number.
/// `ParkedConnectionTests` and `GoneClientTests` check this.
///
/// The code that computes the response owns this object, and its exchange refers to it while it waits. No action is
/// called, and no object released, with the lock. A response is owned by the work that is submitted to the loop; if the
/// loop ends before, it is released with that work.
package final class ParkedConnection: Sendable {
    private enum Phase {
        case waiting
        case delivered
        case disconnected
    }

    private typealias Action = @Sendable () -> Void

    /// A queue in which the work waits.
    private struct Queue {
        let lane: Lane
        let since = MonotonicTime.now
        /// Removes the work from the queue; `nil` until the work is in it.
        var withdraw: (@Sendable () -> Bool)?
    }

    private struct State {
        var phase = Phase.waiting
        /// Called once when the client has disconnected.
        var onDisconnect: Action?
        /// Called once when the client has closed its sending side.
        var onEndOfStream: Action?
        var hasReceivedEnd = false
        /// Whether ``onEndOfStream`` was called, so that a response follows the end of the stream.
        var hasHandledEnd = false
        /// The number of queues that the work has entered.
        var queueCount = 0
        var queue: Queue?
        var durations = StageDurations()
        var lane = Lane.inline

        /// Adds the time in the queue to the durations, and returns the queue.
        mutating func leaveQueue() -> Queue? {
            guard let left = queue.take() else { return nil }
            let nanoseconds = MonotonicTime.now.nanoseconds(since: left.since)
            switch left.lane {
            case .inline: break
            case .compute: durations.waitingForCompute += nanoseconds
            case .facts, .pixels: durations.waitingForWorker += nanoseconds
            }
            return left
        }
    }

    private let connection: Connection
    private let loop: ConnectionLoop
    package let requestID: RequestID

    /// The representation that the request wants. A response that is delivered in another one is converted
    /// on the HTTP thread.
    package let representation: ResponseRepresentation
    private let state: Monitor<State>

    init(
        _ connection: Connection,
        loop: ConnectionLoop,
        requestID: RequestID,
        representation: ResponseRepresentation = ResponseRepresentation()
    ) {
        self.connection = connection
        self.loop = loop
        self.requestID = requestID
        self.representation = representation
        state = Monitor(State())
    }

    // MARK: The response, on any thread

    /// Sends the response. Only the first response is sent, and none if the client has disconnected.
    package func deliver(_ response: consuming Response) {
        // What the actions retain is released here, without the lock; below too.
        let unneeded = state.withLock { state -> (Action?, Action?, Queue?)? in
            guard state.phase == .waiting else { return nil }
            state.phase = .delivered
            return (state.onDisconnect.take(), state.onEndOfStream.take(), state.queue.take())
        }
        guard unneeded != nil else { return }
        let delivery = PassedResponse(response)
        loop.events.submit { [self] in
            if let response = delivery.take() { connection.deliver(response, for: self) }
        }
    }

    /// Delivers a rejection.
    package func reject(_ reason: RejectionReason) {
        deliver(loop.context.application.response(rejecting: reason, requestID: requestID))
    }

    /// Registers `action`, which is called once when the client disconnects, or immediately if it already has. It
    /// replaces the previous action. It is not called after a response was delivered.
    package func onDisconnect(_ action: @escaping @Sendable () -> Void) {
        let (isDisconnected, _) = state.withLock { state in
            let replaced = state.onDisconnect
            if state.phase == .waiting { state.onDisconnect = action }
            return (state.phase == .disconnected, replaced)
        }
        if isDisconnected { action() }
    }

    /// Registers `action`, which is called once when the client closes its sending side, or immediately if it already
    /// has. From now on, this does not end the connection: a client that still receives gets the response that follows.
    package func onEndOfStream(_ action: @escaping @Sendable () -> Void) {
        let (hasReceivedEnd, _) = state.withLock { state -> (Bool, Action?) in
            guard state.phase == .waiting else { return (false, nil) }
            let replaced = state.onEndOfStream
            if !state.hasReceivedEnd { state.onEndOfStream = action }
            return (state.hasReceivedEnd, replaced)
        }
        if hasReceivedEnd { action() }
    }

    /// Whether the client has disconnected before a response was delivered.
    var isDisconnected: Bool { state.withLock { $0.phase == .disconnected } }

    /// Calls `work`, which takes at most about a millisecond, on the connection's loop, even if the client has
    /// disconnected.
    /// - Parameter otherwise: called instead if the loop is late, or ends before.
    package func runOnLoop(otherwise: @escaping @Sendable () -> Void, _ work: @escaping @Sendable () -> Void) {
        let handOver = HandOver(otherwise)
        loop.events.submit { [loop] in
            guard !loop.isLate else { return handOver.fail() }
            handOver.succeed()
            work()
        }
    }

    // MARK: The work, on the thread of a lane

    /// Calls `begin`, which arranges that another thread delivers the response.
    package func park(_ begin: @Sendable (ParkedConnection) -> Void) { begin(self) }

    /// Called before the work is added to the queue of `lane`.
    /// - Parameter isOnLoop: whether the caller is the connection's loop, which enforces the time limit of the queue in
    ///   any case.
    /// - Returns: the number of the queue for ``didEnterQueue(_:_:)``.
    package func willEnterQueue(of lane: Lane, isOnLoop: Bool) -> Int {
        let (number, isWaiting) = state.withLock { state in
            guard state.phase == .waiting else { return (0, false) }
            state.queueCount += 1
            state.queue = Queue(lane: lane)
            return (state.queueCount, true)
        }
        if isWaiting, !isOnLoop { loop.events.submit { [self] in connection.startQueueTimer(of: self) } }
        return number
    }

    /// Called when the work is in the queue, from which `withdraw` removes it unless it has begun.
    /// - Parameter number: the number of the queue. The work may already wait in the next one.
    package func didEnterQueue(_ number: Int, _ withdraw: @escaping @Sendable () -> Bool) {
        let isDisconnected = state.withLock { state in
            if state.queue != nil, state.queueCount == number { state.queue?.withdraw = withdraw }
            return state.phase == .disconnected
        }
        if isDisconnected { _ = withdraw() }
    }

    /// Called when the work begins.
    /// - Returns: `false` if the response is no longer needed. In this case the work must not be done.
    package func beginWork(on lane: Lane) -> Bool {
        let (mayBegin, _) = state.withLock { state -> (Bool, Queue?) in
            guard state.phase == .waiting else { return (false, nil) }
            state.lane = lane
            return (true, state.leaveQueue())
        }
        return mayBegin
    }

    /// Adds the duration of a step.
    package func add(decodingNanoseconds: UInt64) { state.withLock { $0.durations.decoding += decodingNanoseconds } }

    /// Adds the time of waiting for an origin.
    package func add(fetchingNanoseconds: UInt64) { state.withLock { $0.durations.fetching += fetchingNanoseconds } }

    // MARK: The connection's loop

    /// Called when the client has closed its sending side.
    /// - Returns: whether the response follows nevertheless.
    func didReceiveEndOfStream() -> Bool {
        let (isHandled, action) = state.withLock { state -> (Bool, Action?) in
            let isFirst = !state.hasReceivedEnd
            state.hasReceivedEnd = true
            guard isFirst else { return (state.hasHandledEnd, nil) }
            state.hasHandledEnd = state.onEndOfStream != nil
            return (state.hasHandledEnd, state.onEndOfStream.take())
        }
        action?()
        return isHandled
    }

    /// The lane that the work has reached, and the durations of its stages.
    var progress: (lane: Lane, durations: StageDurations) { state.withLock { ($0.lane, $0.durations) } }

    /// Called when the client has disconnected, or the connection is about to end. Cancels the work unless it has
    /// begun.
    func didDisconnect() {
        let (action, queue) = state.withLock { state -> (Action?, Queue?) in
            guard state.phase == .waiting else { return (nil, nil) }
            state.phase = .disconnected
            return (state.onDisconnect.take(), state.leaveQueue())
        }
        _ = queue?.withdraw?()
        action?()
    }

    /// Returns the time at which the work will have waited for `limit` nanoseconds; `nil` if it does not wait in a
    /// queue.
    func queueDeadline(limit: UInt64) -> MonotonicTime? {
        state.withLock { $0.queue?.since.advanced(byNanoseconds: limit) }
    }

    /// Withdraws work that has waited for `limit` nanoseconds, and delivers the rejection.
    func rejectIfOverdue(at now: MonotonicTime, limit: UInt64) {
        let queue = state.withLock { $0.queue }
        guard let queue, queue.since.advanced(byNanoseconds: limit) <= now, queue.withdraw?() == true else { return }
        state.withLock {
            _ = $0.leaveQueue()
            $0.lane = queue.lane
        }
        reject(.queueTimeout(queue.lane))
    }
}

/// Work on its way to a loop, which discards it if it ends before.
///
/// @unchecked Sendable: it is created by one thread, and accessed only by the work that this thread submits, or by the
/// last one that releases it.
private final class HandOver: @unchecked Sendable {
    private var otherwise: (@Sendable () -> Void)?

    init(_ otherwise: @escaping @Sendable () -> Void) { self.otherwise = otherwise }

    deinit { otherwise?() }

    func succeed() { otherwise = nil }

    func fail() { otherwise.take()?() }
}
