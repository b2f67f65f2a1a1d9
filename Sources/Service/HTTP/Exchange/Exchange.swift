internal import CMicroHTTPD
internal import Platform
internal import Serialization

/// One request and its response: head → content → answer → sent. A connection has one, for one request after another.
///
/// A rejection is decided as early as possible, but most clients read no response before they have sent all of their content.
/// Therefore the content of a rejected request is dropped as it is received, within bounds, and the response is sent at its end;
/// unless the client waits for permission to send it, or nobody knows where it ends.
final class Exchange {
    private enum Stage {
        /// Content is received for `answer`.
        case collecting
        /// The response exists; content is still received, and dropped.
        case discarding
        /// Another thread computes the response.
        case waiting(PendingAnswer)
        /// The response exists.
        case answered
        /// The library has the response.
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
    private var answer: LaneAnswer?
    private var content: ContentBuffer?
    private var hasBuffer = false
    /// The lane that continues the answer; `nil` if the answer has not begun.
    private var nextLane: Lane.Kind?
    private var response: Response?
    private var hasResponse = false
    private var receivedBytes = 0
    /// The part of `receivedBytes` that was received before content began to be dropped.
    private var keptBytes = 0
    /// The time at which content began to be received, or to be dropped.
    private var start = MonotonicTime.never
    /// The size of the response that is charged to the budget, in bytes.
    private var occupiedBytes = 0

    /// The time at which the connection is closed, unless it makes progress before.
    var deadline: MonotonicTime

    /// Whether the request is HEAD, whose response has no content.
    private(set) var isHead = false
    private(set) var isHTTP10 = false

    /// Whether the connection ends with the response.
    private(set) var closes = false

    /// Whether the client may still be sending when the connection is closed.
    private(set) var isCutShort = false

    /// Whether the deadline is that of a head.
    private var isReadingHead = true

    /// Whether the loop counts the request.
    private var isCounted = false

    /// Smaller responses, in bytes, are not charged: for as many as there can be connections there is memory beside the budget.
    private static let minOccupiedBytes = 64 << 10

    init(on loop: ConnectionLoop) {
        self.loop = loop
        context = loop.context
        deadline = loop.now.advanced(byNanoseconds: loop.context.timeLimits.head)
    }

    /// Whether a request has begun whose response is not sent.
    var isActive: Bool {
        if case .sent = stage { false } else { true }
    }

    /// Whether content is received, and not dropped.
    var isCollecting: Bool {
        if case .collecting = stage { true } else { false }
    }

    /// Whether content is received, and dropped.
    var isDiscarding: Bool {
        if case .discarding = stage { true } else { false }
    }

    /// The answer that another thread computes.
    var pendingAnswer: PendingAnswer? {
        if case .waiting(let pending) = stage { pending } else { nil }
    }

    // MARK: Head

    /// The first bytes of a head are received. On a new connection the time for the head counts from its beginning.
    func headBegan() {
        guard !isReadingHead else { return }
        isReadingHead = true
        deadline = loop.now.advanced(byNanoseconds: context.timeLimits.head)
    }

    /// A head is complete: decides what happens to the request.
    /// - Returns: whether the response is to be sent without reading further.
    func begin(_ stream: inout RequestStream) -> Bool {
        let framing = stream.head.framing
        begin(framing)
        isHTTP10 = stream.head.isHTTP10
        isHead = stream.head.method == "HEAD"
        let fields = stream.takeFields()
        requestID = fields.requestID ?? requestIDs.next()
        let head = RequestHead(
            method: stream.head.method,
            target: stream.head.target,
            fields: fields,
            declaredContentBytes: framing.declaredContentBytes,
            requestID: requestID
        )
        let plan = context.application.plan(for: head)
        stream.keep(head.fields)
        follow(plan)
        guard case .discarding = stage, framing.hasContent else { return false }
        // A client that waits for permission, or sends more than is worth reading, gets the response at once.
        return framing.awaitsContinue || (framing.declaredContentBytes ?? 0) > context.maxDiscardedBytes
    }

    private func begin(_ framing: RequestFraming) {
        stage = .collecting
        isReadingHead = false
        isHead = false
        isHTTP10 = false
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
        deadline = start.advanced(byNanoseconds: context.timeLimits.content())
    }

    private func follow(_ plan: consuming Plan) {
        switch consume plan {
        case .refuse(let response):
            discard(answeringWith: response)
        case .accept(let maxContentBytes, let answer):
            accept(maxContentBytes: maxContentBytes) { content, _ in .answered(answer(content)) }
        case .acceptOnLanes(let maxContentBytes, let answer):
            accept(maxContentBytes: maxContentBytes, answer: answer)
        }
    }

    private func accept(maxContentBytes: Int, answer: @escaping LaneAnswer) {
        // What the budget can never hold is too large: to try again later does not help.
        let maxContentBytes = min(maxContentBytes, context.budget.maxBytes)
        if let declaredContentBytes, declaredContentBytes > maxContentBytes {
            return discard(answeringWith: rejection(.contentTooLarge(maxBytes: maxContentBytes)))
        }
        self.maxContentBytes = maxContentBytes
        self.answer = answer
    }

    /// Nobody knows where the request ends: nothing after it is read, and the connection closes.
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

    /// The response is sent now and the connection closed after it, although the client may still be sending.
    func cutShort() {
        closes = true
        isCutShort = true
        if case .discarding = stage { stage = .answered }
    }

    /// The connection is closed after the response, because the client sends nothing more.
    func closeAfterResponse() {
        closes = true
    }

    private func rejection(_ refusal: TransportRefusal) -> Response {
        context.application.refuse(refusal, requestID: requestID)
    }

    // MARK: Content

    /// Receives a piece of content.
    /// - Returns: whether the response is to be sent without reading further.
    func receive(_ piece: Span<UInt8>) -> Bool {
        switch stage {
        case .collecting:
            receivedBytes += piece.count
            guard receivedBytes <= maxContentBytes else {
                discard(answeringWith: rejection(.contentTooLarge(maxBytes: maxContentBytes)))
                return false
            }
            if piece.count == declaredContentBytes {
                // Received at once, like the content of most requests: answered without a copy.
                answerInline(piece)
                guard nextLane != nil else {
                    stage = .answered
                    return false
                }
            }
            return collect { $0.append(piece) }
        case .discarding:
            return drop(piece.count)
        case .waiting, .answered, .sent:
            return false
        }
    }

    /// Receives content of known length from the socket into its final memory. Only while content is collected.
    /// - Parameter read: returns how many bytes it has written, or a number that is not positive for a failure.
    /// - Returns: what `read` returned.
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
            self.content.take() ?? ContentBuffer(declaredBytes: declaredContentBytes, budget: context.budget)
        guard append(&content) else {
            discard(answeringWith: rejection(.saturated))
            return false
        }
        self.content = consume content
        hasBuffer = true
        deadline = start.advanced(byNanoseconds: context.timeLimits.content(ofBytes: receivedBytes))
        return false
    }

    /// Content of a rejected request was received.
    /// - Returns: whether it is more than is worth reading.
    func drop(_ count: Int) -> Bool {
        receivedBytes += count
        // A client that sends at a fair rate will read the response at the end, like one that is not rejected. A slower one receives it
        // at once, and a silent one is not waited for.
        let end = start.advanced(byNanoseconds: context.timeLimits.discard(ofBytes: receivedBytes - keptBytes))
        deadline = end.advanced(byNanoseconds: context.timeLimits.linger)
        return receivedBytes > context.maxDiscardedBytes || loop.now >= end
    }

    /// From here on content is dropped as it is received.
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
        self.response = consume response
        hasResponse = true
    }

    private func dropAnswer() {
        answer = nil
        nextLane = nil
        // Nearly always neither exists, and each access would be checked at runtime.
        if hasBuffer { content = nil }
        hasBuffer = false
        if hasResponse { response = nil }
        hasResponse = false
    }

    // MARK: Answer

    /// All content is received: the response exists afterwards, or another thread computes it.
    func finishContent(on connection: Connection) {
        switch stage {
        case .collecting:
            if nextLane == nil { answerInline() }
            guard let lane = nextLane else {
                stage = .answered
                return
            }
            hand(to: lane, on: connection)
        case .discarding:
            stage = .answered
        case .waiting, .answered, .sent:
            break
        }
    }

    /// Computes the response here, or notes where it is computed.
    private func answerInline(_ content: Span<UInt8>) {
        guard let answer else { return }
        switch answer(content, .inline) {
        case .answered(let response):
            keep(response)
            self.answer = nil
        case .handOn(let lane):
            nextLane = lane
        }
    }

    /// The same for content that was collected.
    private func answerInline() {
        guard let content = content.take() else { return answerInline(Span()) }
        content.withBytes { answerInline($0) }
        if nextLane != nil {
            self.content = consume content
            hasBuffer = true
        }
    }

    private func hand(to lane: Lane.Kind, on connection: Connection) {
        guard let answer = answer.take() else { return }
        nextLane = nil
        let pending = PendingAnswer(
            content: content.take() ?? ContentBuffer(declaredBytes: nil, budget: context.budget),
            answer: answer,
            connection: connection,
            loop: loop,
            requestID: requestID
        )
        stage = .waiting(pending)
        // The bounds of the lanes end it.
        deadline = .never
        context.lanes.begin(pending, on: lane)
    }

    /// Takes the response that another thread has computed.
    /// - Returns: `false` if the exchange does not wait for it any more.
    func take(_ pending: PendingAnswer) -> Bool {
        guard case .waiting(let expected) = stage, expected === pending else { return false }
        if let response = pending.takeResponse() { keep(response) }
        stage = .answered
        return true
    }

    // MARK: Response

    /// Hands the response to the library, which sends it and then calls `completed`.
    func send(on handle: OpaquePointer) -> cmhd_verdict {
        guard case .answered = stage, let response = response.take() else { return CMHD_CLOSE }
        hasResponse = false
        stage = .sent
        closes = closes || context.isDraining
        let length = response.content.count
        deadline =
            loop.now.advanced(byNanoseconds: context.timeLimits.content(ofBytes: length))
        if length >= Self.minOccupiedBytes {
            occupiedBytes = length
            context.budget.occupy(length)
        }
        return unsafe response.queue(on: handle, requestID: requestID, closes: closes)
    }

    /// The response is sent, or the connection is lost.
    func completed() {
        if isCounted {
            isCounted = false
            loop.requestEnded()
        }
        if occupiedBytes > 0 {
            context.budget.release(occupiedBytes)
            occupiedBytes = 0
        }
        cancel()
    }

    /// The connection waits for the next request.
    func becomeIdle() {
        let limits = context.timeLimits
        deadline = loop.now.advanced(byNanoseconds: context.isDraining ? limits.drainIdle : limits.idle)
    }

    /// Nobody waits for the response any more: it is not computed, unless that has begun.
    func cancel() {
        if case .waiting(let pending) = stage { pending.cancel() }
        dropAnswer()
        stage = .sent
    }
}
