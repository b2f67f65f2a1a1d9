internal import CMicroHTTPD
internal import Platform
internal import Primitives

/// The handling of the requests of one connection, one after another: head → content → steps of computing the response
/// → sending → record.
///
/// A rejection is decided as early as possible, but most clients read no response before they have sent all of their
/// content. Therefore the content of a rejected request is discarded as it is received, within limits, and the response
/// is sent at its end. If the client waits for permission to send it, or its end cannot be determined, the response is
/// sent immediately.
///
/// **Invariant.** The phase is `idle`, or there is exactly one request: from the end of its head to
/// ``completed(isSent:)``, which passes its record to the loop. The loop counts the request for exactly this time. The
/// values of a request are in ``CurrentRequest``, which is replaced as a whole, and in the phase, which owns what only
/// it needs; leaving a phase releases it. Only deadlines and ``closes`` outlive a request. `ExchangeTests` and
/// `RequestRecordTests` check this.
///
/// An exchange is owned by its connection and used on the thread of the loop. Other threads deliver a response through
/// ``ParkedConnection``, and a response is accepted only in the `waiting` phase of the same object.
final class Exchange {
    private let context: ExchangeContext
    private let loop: ConnectionLoop
    private var requestIDs = RequestIDGenerator()

    // Each access to these two only moves or reads a value, so that the compiler proves that accesses do not overlap. A
    // check at run time would be paid for each access (decision 16).
    private var phase = ExchangePhase.idle
    private var request = CurrentRequest.none

    /// The time at which the connection is closed, unless it makes progress before.
    private(set) var deadline: MonotonicTime

    /// Whether ``deadline`` is the deadline of a head.
    private var isReadingHead = true

    /// Whether the connection is closed after the response. Once true, it stays true.
    private(set) var closes = false

    init(on loop: ConnectionLoop) {
        self.loop = loop
        context = loop.context
        deadline = loop.now.advanced(byNanoseconds: loop.context.timeLimits.head)
    }

    // MARK: The phase

    /// Whether a request has begun whose response has not been passed to the library.
    var isActive: Bool { phase.isBeforeSending }

    /// Whether content is being received and kept.
    var isCollecting: Bool { phase.kind == .collecting }

    /// Whether content is being received and discarded.
    var isDiscarding: Bool { phase.discard != nil }

    /// The object through which the response is delivered; `nil` if the exchange does not wait for one.
    var parked: ParkedConnection? { phase.parked }

    /// Takes the phase with its values. Until ``enter(_:)``, the phase is `ended`.
    @inline(__always) private func takePhase() -> ExchangePhase { exchange(&phase, with: .ended) }

    @inline(__always) private func enter(_ phase: consuming ExchangePhase) {
        // The previous values are released after the access.
        _ = exchange(&self.phase, with: phase)
    }

    @inline(__always) private func takeCollection() -> ExchangePhase.Collection? {
        switch takePhase() {
        case .collecting(let collection): return collection
        case let phase:
            enter(phase)
            return nil
        }
    }

    private func takeStep() -> Step? {
        switch takePhase() {
        case .stepping(let step): return step
        case let phase:
            enter(phase)
            return nil
        }
    }

    // MARK: The head

    /// Called when the first bytes of a head are received. On a new connection, the time for the head begins with the
    /// connection.
    func headBegan() {
        guard !isReadingHead else { return }
        isReadingHead = true
        deadline = loop.now.advanced(byNanoseconds: context.timeLimits.head)
    }

    /// Called when a head is complete. Decides how the request is handled.
    /// - Returns: whether the response is sent without reading further.
    func begin(_ stream: inout RequestStream) -> Bool {
        let framing = stream.head.framing
        let isHTTP10 = stream.head.isHTTP10
        let fields = stream.takeFields()
        let representation = ResponseRepresentation(fields, gzipAboveBytes: context.gzipResponsesAboveBytes)
        let requestID = fields.requestID ?? requestIDs.next()
        let head = RequestHead(
            method: stream.head.method,
            target: stream.head.target,
            fields: fields,
            declaredContentBytes: framing.declaredContentBytes,
            requestID: requestID
        )
        requestBegan(isLast: !framing.isPersistent)
        let plan = context.application.plan(for: head)
        request = CurrentRequest(head, plan, isHTTP10: isHTTP10, representation: representation, at: loop.now)
        stream.returnFields(head.fields)
        follow(plan.decision, framing)
        guard isDiscarding, framing.hasContent else { return false }
        // A client that waits for permission, or sends more than is worth reading, receives the response immediately.
        return framing.awaitsContinue || (framing.declaredContentBytes ?? 0) > context.maxDiscardedBytes
    }

    /// - Parameter isLast: whether the client permits no request after this one.
    private func requestBegan(isLast: Bool) {
        isReadingHead = false
        closes = closes || isLast
        deadline = loop.now.advanced(byNanoseconds: context.timeLimits.content())
        loop.requestBegan()
    }

    private func follow(_ decision: consuming Plan.Decision, _ framing: RequestFraming) {
        switch consume decision {
        case .respond(let response): discard(respondingWith: response, hasContent: framing.hasContent)
        case .accept(let maxContentBytes, let firstStep):
            // Content that exceeds the whole account is too large: retrying later does not help.
            let maxBytes = min(maxContentBytes, context.account.maxBytes)
            if let reason = reasonToReject(framing.declaredContentBytes, maxBytes: maxBytes) {
                return discard(respondingWith: rejection(reason), hasContent: framing.hasContent)
            }
            let declaredBytes = framing.declaredContentBytes
            enter(.collecting(.init(firstStep: firstStep, maxBytes: maxBytes, declaredBytes: declaredBytes)))
        }
    }

    private func reasonToReject(_ declaredContentBytes: Int?, maxBytes: Int) -> RejectionReason? {
        guard let declaredContentBytes else { return nil }
        if mustWait(declaredContentBytes), loop.isLate { return .overloaded }
        return declaredContentBytes > maxBytes ? .contentTooLarge(maxBytes: maxBytes) : nil
    }

    /// Whether content of this size is too large for the HTTP thread, and would wait for the compute lane behind other
    /// content. Everything else is accepted, however busy the thread is: to reject it would take nearly as long as to
    /// respond to it.
    private func mustWait(_ declaredContentBytes: Int) -> Bool {
        declaredContentBytes > Lane.maxInlineBytes && context.lanes.waitingJobs(for: .compute) > 0
    }

    /// Rejects a request whose end cannot be determined: nothing after it is read, and the connection is closed.
    func reject(_ error: FramingError) {
        if phase.kind == .idle {
            requestBegan(isLast: true)
            request = CurrentRequest(rejectedHeadOf: requestIDs.next(), at: loop.now)
        }
        // The content that was collected is released before the response needs memory.
        _ = takePhase()
        enter(.responding(prepared(rejection(.malformedFraming(error))), since: loop.now))
        closes = true
    }

    /// Sends the response now and closes the connection after it, although the client may still be sending.
    func cutShort() {
        closes = true
        endDiscarding()
    }

    /// Closes the connection after the response, because the client has closed its sending side.
    func closeAfterResponse() { closes = true }

    private func rejection(_ reason: RejectionReason) -> Response {
        context.application.response(rejecting: reason, requestID: request.record.requestID)
    }

    // MARK: The content

    /// Receives a piece of content.
    /// - Returns: whether the response is sent without reading further.
    func receive(_ piece: Span<UInt8>) -> Bool {
        if isDiscarding { return drop(piece.count) }
        guard let collection = takeCollection() else { return false }
        let receivedBytes = receivedBytes(adding: piece.count)
        if receivedBytes > collection.maxBytes {
            let reason = RejectionReason.contentTooLarge(maxBytes: collection.maxBytes)
            // The content that was collected is released before the response needs memory.
            _ = consume collection
            discard(respondingWith: rejection(reason), hasContent: true)
        } else if piece.count == collection.declaredBytes {
            // All of the content was received in one piece, as for most requests. It is processed without a copy.
            execute(collection.firstStep, piece) { () throws(RejectionReason) in try takeOwnership(of: piece) }
        } else {
            collect(collection) { $0.append(piece) }
        }
        return false
    }

    /// Receives content of known length from the socket directly into its final memory. Must be called only while
    /// content is collected.
    /// - Parameter read: returns the number of bytes that it has written. Zero or a negative number indicates a
    ///   failure.
    /// - Returns: the result of `read`.
    func receive(atMost maxBytes: Int, _ read: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> Int {
        guard let collection = takeCollection() else { preconditionFailure("content is collected") }
        var count = 0
        collect(collection) { content in
            let result = unsafe content.append(atMost: maxBytes, read)
            count = result.count
            _ = receivedBytes(adding: max(count, 0))
            return result.isAllowed
        }
        return count
    }

    private func receivedBytes(adding count: Int) -> Int {
        request.record.receivedBytes += count
        return request.record.receivedBytes
    }

    private func collect(_ collection: consuming ExchangePhase.Collection, _ append: (inout ContentBuffer) -> Bool) {
        var content =
            collection.content.take()
            ?? ContentBuffer(declaredBytes: collection.declaredBytes, account: context.account)
        guard append(&content) else {
            _ = consume content
            return discard(respondingWith: rejection(.saturated), hasContent: true)
        }
        collection.content = consume content
        enter(.collecting(collection))
        let limit = context.timeLimits.content(ofBytes: request.record.receivedBytes)
        deadline = request.record.start.advanced(byNanoseconds: limit)
    }

    /// Called when content of a rejected request was received.
    /// - Returns: whether its size exceeds the limit.
    func drop(_ count: Int) -> Bool {
        guard let discard = phase.discard else { return false }
        let receivedBytes = receivedBytes(adding: count)
        // A client that sends fast enough reads the response at the end, as it does if it is not rejected. A slower
        // client receives it immediately, and the service does not wait for a silent one.
        let limit = context.timeLimits.discard(ofBytes: receivedBytes - discard.bytesBefore)
        let end = discard.start.advanced(byNanoseconds: limit)
        deadline = end.advanced(byNanoseconds: context.timeLimits.linger)
        return receivedBytes > context.maxDiscardedBytes || loop.now >= end
    }

    /// Discards content from now on as it is received.
    private func discard(respondingWith response: consuming Response, hasContent: Bool) {
        let discard = ExchangePhase.Discard(start: loop.now, bytesBefore: request.record.receivedBytes)
        enter(.discarding(prepared(response), discard))
        guard hasContent else { return }
        let end = discard.start.advanced(byNanoseconds: context.timeLimits.discard())
        deadline = end.advanced(byNanoseconds: context.timeLimits.linger)
    }

    /// Sends the response without receiving the rest of the content.
    private func endDiscarding() {
        guard isDiscarding, case .discarding(let response, _) = takePhase() else { return }
        enter(.responding(response, since: loop.now))
    }

    // MARK: The computation

    /// Called when all content has been received. Afterwards, the response exists, or another thread delivers it.
    func finishContent(on connection: Connection) {
        // Most responses exist already: the first step was executed with the content, and resulted in one.
        guard phase.lastsUntilEnd else { return }
        if isDiscarding { return endDiscarding() }
        noteReceiving()
        if let collection = takeCollection() { execute(collection) }
        if let step = takeStep() { park(connection, until: step) }
    }

    /// Executes the first step with content that was collected.
    private func execute(_ collection: consuming ExchangePhase.Collection) {
        let firstStep = collection.firstStep
        guard let buffer = collection.content.take() else {
            return execute(firstStep, Span()) { () throws(RejectionReason) in try takeOwnership(of: Span()) }
        }
        let owned = OwnedContent(buffer)
        owned.withBytes { content in
            execute(firstStep, content) { () throws(RejectionReason) in owned }
        }
    }

    private func execute(
        _ firstStep: @escaping FirstStep,
        _ content: Span<UInt8>,
        _ takeOwnership: () throws(RejectionReason) -> OwnedContent
    ) {
        let (representation, start) = (request.representation, MonotonicTime.now)
        let end: MonotonicTime
        do throws(RejectionReason) {
            switch representation.apply(to: try firstStep(content, takeOwnership), on: .inline, context.account) {
            case .done(let response): end = respond(with: response)
            case let step:
                enter(.stepping(step))
                end = .now
            }
        } catch { end = respond(with: rejection(error)) }
        let nanoseconds = end.nanoseconds(since: start)
        request.record.durations.decoding = nanoseconds
    }

    /// Returns a copy of content that is in the loop's buffer.
    private func takeOwnership(of content: Span<UInt8>) throws(RejectionReason) -> OwnedContent {
        var buffer = ContentBuffer(declaredBytes: content.count, account: context.account)
        guard buffer.append(content) else { throw .saturated }
        return OwnedContent(buffer)
    }

    private func noteReceiving() {
        let start = request.record.start
        guard loop.now > start else { return }
        let nanoseconds = loop.now.nanoseconds(since: start)
        request.record.durations.receiving = nanoseconds
    }

    private func park(_ connection: Connection, until step: consuming Step) {
        let parked = ParkedConnection(
            connection,
            loop: loop,
            requestID: request.record.requestID,
            representation: request.representation
        )
        enter(.waiting(parked))
        deadline = .never
        context.lanes.begin(step, for: parked)
        startQueueTimer(of: parked)
    }

    /// Starts the time limit of the work for the response, which waits in the queue of a lane.
    func startQueueTimer(of parked: ParkedConnection) {
        guard isWaiting(for: parked) else { return }
        deadline = parked.queueDeadline(limit: context.timeLimits.queue) ?? .never
    }

    /// Called when the deadline of a waiting exchange has passed. Withdraws work that is still in the queue, and
    /// rejects the request.
    func endQueueTimer(of parked: ParkedConnection) {
        parked.rejectIfOverdue(at: loop.now, limit: context.timeLimits.queue)
        let next = parked.queueDeadline(limit: context.timeLimits.queue) ?? .never
        // Work that has not been added to the queue yet cannot be withdrawn.
        deadline = next <= loop.now ? loop.now.advanced(byNanoseconds: 1_000_000_000) : next
    }

    private func isWaiting(for expected: ParkedConnection) -> Bool {
        guard let parked else { return false }
        return parked === expected
    }

    /// Accepts the response that was delivered.
    /// - Returns: `false` if the exchange no longer waits for it.
    func take(_ response: consuming Response, for parked: ParkedConnection) -> Bool {
        guard isWaiting(for: parked) else { return false }
        respond(with: response)
        let progress = parked.progress
        request.record.add(progress)
        // The deadline of the queue may have passed since the work began. Sending sets its own deadline.
        deadline = .never
        return true
    }

    // MARK: The response

    /// Waits until the library requests the response.
    /// - Returns: the time at which the response was complete.
    @discardableResult private func respond(with response: consuming Response) -> MonotonicTime {
        let response = prepared(response)
        let now = MonotonicTime.now
        enter(.responding(response, since: now))
        return now
    }

    /// Returns the response in the representation that the request wants, with the memory of its content. If there is
    /// none, returns the rejection.
    private func prepared(_ response: consuming Response) -> Response {
        let representation = request.representation
        representation.apply(to: &response, context.account)
        do throws(RejectionReason) {
            try response.reserveMemory(in: context.account)
        } catch {
            response = rejection(error)
            representation.apply(to: &response, context.account)
        }
        return response
    }

    /// The head that makes the library request the response.
    var canonicalHead: CanonicalHead {
        CanonicalHead(isHead: request.isHead, isHTTP10: request.isHTTP10, closes: closes)
    }

    /// Passes the response to the library, which sends it and then calls `completed`.
    func send(on handle: OpaquePointer) -> cmhd_verdict {
        guard phase.kind == .responding, case .responding(var response, let completion) = takePhase() else {
            return CMHD_CLOSE
        }
        closes = closes || context.isDraining
        if !request.fields.isEmpty { response.append(request.fields) }
        // A step of this iteration ended after the beginning of the iteration.
        let start = max(loop.now, completion)
        let length = response.content.count
        deadline = start.advanced(byNanoseconds: context.timeLimits.response(ofBytes: length))
        if case .reserved(let memory) = response.charge, !response.content.isShared { memory.resize(to: length) }
        // RFC 9110 §15.4.5: a 304 has no content, but may describe its length.
        let isWithoutContent = response.status == 304 || request.isHead
        var sending = ExchangePhase.Sending(response, start: start, sentBytes: isWithoutContent ? 0 : length)
        enter(.sending(sending))
        let timing = response.hasTiming ? nil : request.record.durations.timing
        let verdict = unsafe response.queue(
            on: handle,
            requestID: request.record.requestID,
            timing: timing,
            closes: closes
        )
        if verdict == CMHD_CLOSE {
            request.record.note(earlyEnd: .aborted)
            sending.sentBytes = 0
            enter(.sending(sending))
        }
        return verdict
    }

    // MARK: The end

    /// Notes why the connection ends before the response is sent. Only the first reason counts.
    func note(earlyEnd reason: ConnectionEnd) { request.record.note(earlyEnd: reason) }

    /// Called when the response has been sent, or the connection is lost. Has no effect without a request.
    func completed(isSent: Bool) {
        guard phase.kind != .idle else { return }
        let sending = endPhase()
        enter(.idle)
        var request = exchange(&request, with: .none)
        loop.requestEnded()
        request.record.complete(consume sending, isSent ? (closes ? .closed : .kept) : nil, at: .now)
        loop.completed(request.record)
    }

    /// Called when the rest of the request or of the response is not needed, because the connection is about to end.
    func abandon() { if phase.kind != .idle { _ = endPhase() } }

    /// Ends the phase with its values. A computation of the response is cancelled, unless it has begun.
    /// - Returns: the response that is being sent; `nil` if there is none.
    private func endPhase() -> ExchangePhase.Sending? {
        if let parked {
            parked.didDisconnect()
            let progress = parked.progress
            request.record.add(progress)
        }
        guard case .sending(let sending) = takePhase() else { return nil }
        return sending
    }

    /// Begins to wait for the next request.
    func becomeIdle() {
        let limits = context.timeLimits
        deadline = loop.now.advanced(byNanoseconds: context.isDraining ? limits.drainIdle : limits.idle)
    }
}
