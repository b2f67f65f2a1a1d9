internal import HTTP
internal import Platform

/// A serialization that several connections wait for. Its result is passed on once, and not at all if it was dropped.
final class SharedWork: LaneClient {
    private enum Phase {
        case waiting
        case ended
    }

    private struct State {
        var phase = Phase.waiting
        var waits = 0
        var withdraw: (@Sendable () -> Bool)?
        var decodingNanoseconds: UInt64 = 0
    }

    let requestID: RequestID
    let renderings: RenderingBatch.Part?
    private let tag: RenditionTag?
    private let account: MemoryAccount
    private let state = Monitor(State())
    private let finished: @Sendable (RenderedResponse, UInt64) -> Void

    /// - Parameters:
    ///   - renderings: its membership of those that need the pixels of one image; `nil` if it needs them alone.
    ///   - tag: what the entity tag of the response depends on; `nil` if the response of the origin is not stored.
    ///   - account: the memory of requests, to which the response is charged.
    ///   - finished: called with the response, and the time for computing it in nanoseconds.
    init(
        requestID: RequestID,
        renderings: RenderingBatch.Part? = nil,
        tag: RenditionTag? = nil,
        account: MemoryAccount,
        _ finished: @escaping @Sendable (RenderedResponse, UInt64) -> Void
    ) {
        self.requestID = requestID
        self.renderings = renderings
        self.tag = tag
        self.account = account
        self.finished = finished
    }

    /// Removes the work from its queue. Work that has begun is not interrupted, but its result is not passed on.
    func drop() {
        let withdraw = state.withLock { state in
            state.phase = .ended
            return state.withdraw.take()
        }
        _ = withdraw?()
    }

    func deliver(_ response: consuming Response) {
        let nanoseconds = state.withLock { state -> UInt64? in
            guard state.phase != .ended else { return nil }
            state.phase = .ended
            state.withdraw = nil
            return state.decodingNanoseconds
        }
        guard let nanoseconds else { return }
        do throws(RejectionReason) {
            try response.reserveMemory(in: account)
        } catch { response = Problem(error).response(requestID: requestID.text) }
        finished(RenderedResponse(response, tag), nanoseconds)
    }

    func reject(_ reason: RejectionReason) { deliver(Problem(reason).response(requestID: requestID.text)) }

    func park(_ begin: @Sendable (ParkedConnection) -> Void) {
        preconditionFailure("a serialization does not wait for another thread")
    }

    func willEnterQueue(of lane: Lane, isOnLoop: Bool) -> Int {
        state.withLock { state in
            state.waits += 1
            return state.waits
        }
    }

    func didEnterQueue(_ number: Int, _ withdraw: @escaping @Sendable () -> Bool) {
        let isDropped = state.withLock { state in
            if state.phase == .waiting, state.waits == number { state.withdraw = withdraw }
            return state.phase == .ended
        }
        if isDropped { _ = withdraw() }
    }

    func beginWork(on lane: Lane) -> Bool {
        state.withLock { state in
            guard state.phase != .ended else { return false }
            state.withdraw = nil
            return true
        }
    }

    func add(decodingNanoseconds: UInt64) { state.withLock { $0.decodingNanoseconds += decodingNanoseconds } }
}
