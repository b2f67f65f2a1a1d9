internal import CMicroHTTPD
internal import Platform
internal import Primitives

/// One request and its response: head → content → steps of computing the response → sent → record. A connection has one exchange, which
/// handles one request after another.
///
/// A rejection is decided as early as possible, but most clients read no response before they have sent all of their content.
/// Therefore the content of a rejected request is discarded as it is received, within limits, and the response is sent at its end. If
/// the client waits for permission to send it, or its end cannot be determined, the response is sent immediately.
final class Exchange {
    private enum Stage {
        /// Content is being received for the first step.
        case collecting
        /// The response exists; content is still being received and discarded.
        case discarding
        /// Another thread computes or delivers the response.
        case waiting(ParkedConnection)
        /// The response exists.
        case answered
        /// The response has been passed to the library.
        case sent
    }

    private let context: ExchangeContext
    private let loop: ConnectionLoop
    private var requestIDs = RequestIDGenerator()
    private var requestID = RequestID.made(0, 0)
    private var stage = Stage.sent
    private var declaredContentBytes: Int?
    /// Whether any content follows the head.
    private var hasContent = false
    private var maxContentBytes = 0
    private let answer = Slot<FirstStep>()
    private let content = Slot<ContentBuffer>()
    /// The step that follows the first one, which was executed before the request was complete.
    private let nextStep = Slot<Step>()
    private let response = Slot<Response>()
    /// The form of the response that the request wants.
    private var form = ResponseForm()
    private var receivedBytes = 0
    /// The part of `receivedBytes` that was received before content was discarded.
    private var keptBytes = 0
    /// The time at which receiving or discarding content began.
    private var start = MonotonicTime.never
    /// The charge of the response that is being sent.
    private var charge = ResponseCharge.once

    // MARK: The record

    private var method = ""
    private var path = ""
    private var requestNote = ApplicationNote()
    /// The fields of every response.
    private var plannedFields: [HeaderFields.Field] = []
    private var status = 0
    private var responseNote = ApplicationNote()
    private var lane = Lane.inline
    private var durations = StageDurations()
    private var sentBytes = 0
    /// The end of the head, the end of the computation, and the beginning of sending.
    private var headEnd = MonotonicTime.never
    private var answerTime = MonotonicTime.never
    private var sendingStart = MonotonicTime.never
    /// The reason why the connection ended before the response was sent.
    private var earlyEnd: ConnectionEnd?

    /// The time at which the connection is closed, unless it makes progress before.
    var deadline: MonotonicTime

    /// Whether the request is HEAD, whose response has no content.
    private(set) var isHead = false
    private(set) var isHTTP10 = false

    /// Whether the connection is closed after the response.
    private(set) var closes = false

    /// Whether the client may still be sending when the connection is closed.
    private(set) var isCutShort = false

    /// Whether ``deadline`` is the deadline of a head.
    private var isReadingHead = true

    /// Whether the loop counts the request.
    private var isCounted = false

    init(on loop: ConnectionLoop) {
        self.loop = loop
        context = loop.context
        deadline = loop.now.advanced(byNanoseconds: loop.context.timeLimits.head)
    }

    /// Whether a request has begun whose response has not been sent.
    var isActive: Bool {
        if case .sent = stage { false } else { true }
    }

    /// Whether content is being received and kept.
    var isCollecting: Bool {
        if case .collecting = stage { true } else { false }
    }

    /// Whether content is being received and discarded.
    var isDiscarding: Bool {
        if case .discarding = stage { true } else { false }
    }

    /// The object through which the response is delivered; `nil` if the exchange does not wait for one.
    var parked: ParkedConnection? {
        if case .waiting(let parked) = stage { parked } else { nil }
    }

    // MARK: The head

    /// Called when the first bytes of a head are received. On a new connection, the time for the head begins with the connection.
    func headBegan() {
        guard !isReadingHead else { return }
        isReadingHead = true
        deadline = loop.now.advanced(byNanoseconds: context.timeLimits.head)
    }

    /// Called when a head is complete. Decides how the request is handled.
    /// - Returns: whether the response is sent without reading further.
    func begin(_ stream: inout RequestStream) -> Bool {
        let framing = stream.head.framing
        begin(framing)
        isHTTP10 = stream.head.isHTTP10
        isHead = stream.head.method == "HEAD"
        let fields = stream.takeFields()
        requestID = fields.requestID ?? requestIDs.next()
        form = ResponseForm(fields, gzipAboveBytes: context.gzipResponsesAboveBytes)
        let head = RequestHead(
            method: stream.head.method,
            target: stream.head.target,
            fields: fields,
            declaredContentBytes: framing.declaredContentBytes,
            requestID: requestID
        )
        method = head.method
        path = head.target.path
        let plan = context.application.plan(for: head)
        stream.keep(head.fields)
        follow(plan)
        guard case .discarding = stage, framing.hasContent else { return false }
        // A client that waits for permission, or sends more than is worth reading, receives the response immediately.
        return framing.awaitsContinue || (framing.declaredContentBytes ?? 0) > context.maxDiscardedBytes
    }

    private func begin(_ framing: RequestFraming) {
        stage = .collecting
        isReadingHead = false
        isHead = false
        isHTTP10 = false
        form = ResponseForm()
        method = ""
        path = ""
        requestNote = ApplicationNote()
        plannedFields = []
        status = 0
        responseNote = ApplicationNote()
        lane = .inline
        durations = StageDurations()
        sentBytes = 0
        earlyEnd = nil
        if !isCounted {
            isCounted = true
            loop.requestBegan()
        }
        declaredContentBytes = framing.declaredContentBytes
        hasContent = framing.hasContent
        closes = !framing.isPersistent
        isCutShort = false
        receivedBytes = 0
        start = loop.now
        headEnd = start
        answerTime = start
        deadline = start.advanced(byNanoseconds: context.timeLimits.content())
    }

    private func follow(_ plan: consuming Plan) {
        requestNote = plan.note
        plannedFields = plan.fields
        switch consume plan.decision {
        case .respond(let response): discard(answeringWith: response)
        case .accept(let maxContentBytes, let answer): accept(maxContentBytes: maxContentBytes, answer: answer)
        }
    }

    private func accept(maxContentBytes: Int, answer: @escaping FirstStep) {
        if mustWait(declaredContentBytes), loop.isLate { return discard(answeringWith: rejection(.overloaded)) }
        // Content that exceeds the whole account is too large: retrying later does not help.
        let maxContentBytes = min(maxContentBytes, context.account.maxBytes)
        if let declaredContentBytes, declaredContentBytes > maxContentBytes {
            return discard(answeringWith: rejection(.contentTooLarge(maxBytes: maxContentBytes)))
        }
        self.maxContentBytes = maxContentBytes
        self.answer.put(answer)
    }

    /// Whether content of this size is too large for the HTTP thread, and would wait for the compute lane behind other content. Everything
    /// else is accepted, however busy the thread is: to reject it would take nearly as long as to answer it.
    private func mustWait(_ declaredContentBytes: Int?) -> Bool {
        guard let declaredContentBytes, declaredContentBytes > Lane.maxInlineBytes else { return false }
        return context.lanes.waitingJobs(for: .compute) > 0
    }

    /// Rejects a request whose end cannot be determined: nothing after it is read, and the connection is closed.
    func reject(_ error: FramingError) {
        if !isActive {
            begin(RequestFraming())
            requestID = requestIDs.next()
        }
        dropAnswer()
        keep(rejection(.malformedFraming(error)))
        stage = .answered
        cutShort()
    }

    /// Sends the response now and closes the connection after it, although the client may still be sending.
    func cutShort() {
        closes = true
        isCutShort = true
        if case .discarding = stage { stage = .answered }
    }

    /// Closes the connection after the response, because the client has closed its sending side.
    func closeAfterResponse() {
        closes = true
    }

    private func rejection(_ reason: RejectionReason) -> Response {
        context.application.response(rejecting: reason, requestID: requestID)
    }

    // MARK: The content

    /// Receives a piece of content.
    /// - Returns: whether the response is sent without reading further.
    func receive(_ piece: Span<UInt8>) -> Bool {
        switch stage {
        case .collecting:
            receivedBytes += piece.count
            guard receivedBytes <= maxContentBytes else {
                discard(answeringWith: rejection(.contentTooLarge(maxBytes: maxContentBytes)))
                return false
            }
            if piece.count == declaredContentBytes {
                // All of the content was received in one piece, as for most requests. It is processed without a copy.
                keptBytes = receivedBytes
                takeFirstStep(piece) { () throws(RejectionReason) in try keep(piece) }
                return false
            }
            return collect { $0.append(piece) }
        case .discarding:
            return drop(piece.count)
        case .waiting, .answered, .sent:
            return false
        }
    }

    /// Receives content of known length from the socket directly into its final memory. Must be called only while content is collected.
    /// - Parameter read: returns the number of bytes that it has written. Zero or a negative number indicates a failure.
    /// - Returns: the result of `read`.
    func receive(atMost maxBytes: Int, _ read: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> Int {
        var count = 0
        _ = collect { content in
            let result = unsafe content.append(atMost: maxBytes, read)
            count = result.count
            receivedBytes += max(count, 0)
            return result.isAllowed
        }
        return count
    }

    private func collect(_ append: (inout ContentBuffer) -> Bool) -> Bool {
        var content =
            self.content.take() ?? ContentBuffer(declaredBytes: declaredContentBytes, account: context.account)
        guard append(&content) else {
            discard(answeringWith: rejection(.saturated))
            return false
        }
        self.content.put(content)
        deadline = start.advanced(byNanoseconds: context.timeLimits.content(ofBytes: receivedBytes))
        return false
    }

    /// Called when content of a rejected request was received.
    /// - Returns: whether its size exceeds the limit.
    func drop(_ count: Int) -> Bool {
        receivedBytes += count
        // A client that sends fast enough reads the response at the end, as it does if it is not rejected. A slower client receives it
        // immediately, and the service does not wait for a silent one.
        let end = start.advanced(byNanoseconds: context.timeLimits.discard(ofBytes: receivedBytes - keptBytes))
        deadline = end.advanced(byNanoseconds: context.timeLimits.linger)
        return receivedBytes > context.maxDiscardedBytes || loop.now >= end
    }

    /// Discards content from now on as it is received.
    private func discard(answeringWith response: consuming Response) {
        dropAnswer()
        keep(response)
        stage = .discarding
        if hasContent {
            start = loop.now
            keptBytes = receivedBytes
            let end = start.advanced(byNanoseconds: context.timeLimits.discard())
            deadline = end.advanced(byNanoseconds: context.timeLimits.linger)
        }
    }

    private func keep(_ response: consuming Response) {
        form.apply(to: &response, context.account)
        do throws(RejectionReason) {
            try response.reserveMemory(in: context.account)
        } catch {
            response = rejection(error)
            form.apply(to: &response, context.account)
        }
        self.response.put(response)
    }

    private func dropAnswer() {
        _ = answer.take()
        _ = nextStep.take()
        _ = content.take()
        _ = response.take()
    }

    // MARK: The computation

    /// Called when all content has been received. Afterwards, the response exists, or another thread delivers it.
    func finishContent(on connection: Connection) {
        switch stage {
        case .collecting:
            if loop.now > start { durations.receiving = loop.now.nanoseconds(since: start) }
            if nextStep.isEmpty { takeFirstStep() }
            if let step = nextStep.take() {
                park(connection, until: step)
            }
        case .discarding:
            stage = .answered
        case .waiting, .answered, .sent:
            break
        }
    }

    /// Executes the first step with content that was collected.
    private func takeFirstStep() {
        guard let buffer = content.take() else {
            return takeFirstStep(Span()) { () throws(RejectionReason) in try keep(Span()) }
        }
        let kept = KeptContent(buffer)
        kept.withBytes { content in takeFirstStep(content) { () throws(RejectionReason) in kept } }
    }

    private func takeFirstStep(_ content: Span<UInt8>, _ keep: () throws(RejectionReason) -> KeptContent) {
        guard let answer = answer.take() else { return }
        let beginning = MonotonicTime.now
        do throws(RejectionReason) {
            switch form.apply(to: try answer(content, keep), on: .inline, context.account) {
            case .done(let response):
                self.keep(response)
                stage = .answered
            case let step:
                nextStep.put(step)
            }
        } catch {
            self.keep(rejection(error))
            stage = .answered
        }
        answerTime = .now
        durations.decoding = answerTime.nanoseconds(since: beginning)
    }

    /// Returns a copy of content that is in the loop's buffer.
    private func keep(_ content: Span<UInt8>) throws(RejectionReason) -> KeptContent {
        var buffer = ContentBuffer(declaredBytes: content.count, account: context.account)
        guard buffer.append(content) else { throw .saturated }
        return KeptContent(buffer)
    }

    private func park(_ connection: Connection, until step: consuming Step) {
        let parked = ParkedConnection(connection, loop: loop, requestID: requestID, form: form)
        stage = .waiting(parked)
        deadline = .never
        context.lanes.begin(step, for: parked)
        startQueueTimer(of: parked)
    }

    /// Starts the time limit of the work for the response, which waits in the queue of a lane.
    func startQueueTimer(of parked: ParkedConnection) {
        guard isWaiting(for: parked) else { return }
        deadline = parked.queueDeadline(limit: context.timeLimits.queue) ?? .never
    }

    /// Called when the deadline of a waiting exchange has passed. Withdraws work that is still in the queue, and rejects the request.
    func endQueueTimer(of parked: ParkedConnection) {
        parked.expire(at: loop.now, limit: context.timeLimits.queue)
        let next = parked.queueDeadline(limit: context.timeLimits.queue) ?? .never
        // Work that has not been added to the queue yet cannot be withdrawn.
        deadline = next <= loop.now ? loop.now.advanced(byNanoseconds: 1_000_000_000) : next
    }

    private func isWaiting(for parked: ParkedConnection) -> Bool {
        guard case .waiting(let expected) = stage else { return false }
        return expected === parked
    }

    /// Accepts the response that was delivered.
    /// - Returns: `false` if the exchange no longer waits for it.
    func take(_ response: consuming Response, for parked: ParkedConnection) -> Bool {
        guard isWaiting(for: parked) else { return false }
        keep(response)
        note(parked)
        answerTime = .now
        stage = .answered
        // The deadline of the queue may have passed since the work began. Sending sets its own deadline.
        deadline = .never
        return true
    }

    private func note(_ parked: ParkedConnection) {
        let (lane, progress) = parked.progress
        self.lane = lane
        durations.waitingForCompute = progress.waitingForCompute
        durations.waitingForWorker = progress.waitingForWorker
        durations.decoding += progress.decoding
        durations.fetching = progress.fetching
    }

    // MARK: The response

    /// Passes the response to the library, which sends it and then calls `completed`.
    func send(on handle: OpaquePointer) -> cmhd_verdict {
        guard case .answered = stage, var response = response.take() else { return CMHD_CLOSE }
        stage = .sent
        closes = closes || context.isDraining
        status = response.status
        responseNote = response.note
        if !plannedFields.isEmpty { response.append(plannedFields) }
        // A step of this iteration ended after the beginning of the iteration.
        sendingStart = max(loop.now, answerTime)
        let length = response.content.count
        // RFC 9110 §15.4.5: a 304 has no content, but may describe its length.
        sentBytes = isHead || status == 304 ? 0 : length
        deadline = sendingStart.advanced(byNanoseconds: context.timeLimits.response(ofBytes: length))
        charge = response.charge
        if case .reserved(let memory) = charge, !response.content.isShared { memory.resize(to: length) }
        let waiting = durations.waitingForCompute + durations.waitingForWorker
        let hasTiming = durations.decoding == 0 || response.hasTiming
        let verdict = unsafe response.queue(
            on: handle,
            requestID: requestID,
            timing: hasTiming
                ? nil : ServerTiming(queueNanoseconds: waiting, decodingNanoseconds: durations.decoding),
            closes: closes
        )
        if verdict == CMHD_CLOSE {
            note(earlyEnd: .aborted)
            sentBytes = 0
        }
        return verdict
    }

    // MARK: End

    /// Records the reason why the connection ends before the response is sent. Only the first reason counts.
    func note(earlyEnd end: ConnectionEnd) {
        earlyEnd = earlyEnd ?? end
    }

    /// Called when the response has been sent, or the connection is lost. Has no effect without a request.
    func completed(isSent: Bool) {
        cancel()
        guard isCounted else { return }
        isCounted = false
        loop.requestEnded()
        charge = .once
        let end: ConnectionEnd = isSent ? (closes ? .closed : .kept) : (earlyEnd ?? .clientGone)
        let time = MonotonicTime.now
        durations.total = time.nanoseconds(since: headEnd)
        if status != 0 { durations.sending = time.nanoseconds(since: sendingStart) }
        loop.completed(
            ExchangeRecord(
                requestID: requestID,
                method: method,
                path: path,
                requestNote: requestNote,
                status: status == 0 ? nil : status,
                responseNote: responseNote,
                lane: lane,
                receivedBytes: receivedBytes,
                sentBytes: sentBytes,
                durations: durations,
                end: end,
                time: time
            )
        )
    }

    /// Begins to wait for the next request.
    func becomeIdle() {
        let limits = context.timeLimits
        deadline = loop.now.advanced(byNanoseconds: context.isDraining ? limits.drainIdle : limits.idle)
    }

    /// Called when the rest of the response cannot be received.
    func abandon() {
        cancel()
    }

    /// Cancels the computation of the response, unless it has begun, because the client has disconnected.
    private func cancel() {
        if case .waiting(let parked) = stage {
            parked.leave()
            note(parked)
        }
        dropAnswer()
        stage = .sent
    }
}
