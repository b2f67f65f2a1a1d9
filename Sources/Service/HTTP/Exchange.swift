internal import CMicroHTTPD
internal import Serialization

/// One request and its answer: head → content → answer → completed.
///
/// The library calls `begin`, `receive` for each piece of content, `finish`, `completed`, one after another on one thread.
/// A refusal is decided as early as it can be told, but an answer in the first call makes the library close the connection
/// with content still under way, and most clients then see a reset in place of the answer. So the content of a refused
/// request is dropped as it comes, within bounds, and the answer given at its end; unless the client waits to be asked
/// for its content, or the framing is such that nobody knows where it ends.
final class Exchange {
    private enum Stage {
        /// Content comes in, for `answer`.
        case collecting
        /// The answer is there; content still comes in, and is dropped.
        case discarding
        /// All content is in, and the answer is there.
        case answered
        /// The answer is with the library.
        case sent
    }

    private let connection: Connection
    private let server: Server
    private let requestID: RequestID
    private let framing: RequestFraming
    /// When the content began to come, or to be dropped.
    private var start: Deadline
    private var stage = Stage.collecting
    private var maxContentBytes = 0
    private var answer: LaneAnswer?
    private var content: ContentBuffer?
    /// Where the answer goes on; nil where it has not begun.
    private var nextLane: Lane.Kind?
    /// The answer while another thread works it out.
    private var pending: PendingAnswer?
    private var response: Response?
    private var receivedBytes = 0
    /// What came before the content began to be dropped.
    private var keptBytes = 0
    private var closes = false

    /// What the answer takes of the budget, in bytes.
    private var occupiedBytes = 0

    /// Answers below this, in bytes, are not worth counting: as many of them as there may be connections fit beside the
    /// budget.
    private static let minOccupiedBytes = 64 << 10

    // MARK: Head

    /// A head is in: decides what becomes of the request.
    static func begin(on connection: Connection, handle: OpaquePointer, head: cmhd_head) -> Exchange {
        if let fault = connection.stream.cutFault {
            let exchange = Exchange(on: connection, requestID: connection.requestIDs.next(), framing: RequestFraming())
            unsafe exchange.refuseHead(TransportRefusal(fault), handle: handle)
            return exchange
        }
        do throws(FramingError) {
            // Parsed first: what is wrong with the request line is said before what is wrong with the fields.
            let target = try connection.parseTarget()
            let reader = try unsafe HeadReader.read(
                head,
                target: connection.target.span,
                of: handle,
                in: connection.takeFields()
            )
            try unsafe connection.acceptHead(head, reader.framing)
            let requestID = reader.requestID ?? connection.requestIDs.next()
            let framing = reader.framing
            let head = RequestHead(
                method: reader.method,
                target: target,
                fields: reader.fields,
                declaredContentBytes: framing.declaredContentBytes,
                requestID: requestID
            )
            let server = connection.server
            let plan =
                server.isDraining
                ? Plan.refuse(server.application.refuse(.draining, requestID: requestID))
                : server.application.plan(for: head)
            connection.keep(head.fields)
            let exchange = Exchange(on: connection, requestID: requestID, framing: framing)
            unsafe exchange.follow(plan, handle: handle)
            return exchange
        } catch {
            let exchange = Exchange(on: connection, requestID: connection.requestIDs.next(), framing: RequestFraming())
            unsafe exchange.refuseHead(.malformedFraming(error), handle: handle)
            return exchange
        }
    }

    private init(on connection: Connection, requestID: RequestID, framing: RequestFraming) {
        self.connection = connection
        server = connection.server
        self.requestID = requestID
        self.framing = framing
        start = .now
        connection.enter(.content, until: start + server.timeLimits.content())
    }

    private func follow(_ plan: consuming Plan, handle: OpaquePointer) {
        switch consume plan {
        case .refuse(let response):
            unsafe refuse(with: response, handle: handle)
        case .accept(let maxContentBytes, let answer):
            unsafe accept(maxContentBytes: maxContentBytes, handle: handle) { content, _ in .answered(answer(content)) }
        case .acceptOnLanes(let maxContentBytes, let answer):
            unsafe accept(maxContentBytes: maxContentBytes, handle: handle, answer: answer)
        }
    }

    private func accept(maxContentBytes: Int, handle: OpaquePointer, answer: @escaping LaneAnswer) {
        // What the budget can never hold is too large; to try again later is no help.
        let maxContentBytes = min(maxContentBytes, server.budget.maxBytes)
        if let declared = framing.declaredContentBytes, declared > maxContentBytes {
            return unsafe refuse(.contentTooLarge(maxBytes: maxContentBytes), handle: handle)
        }
        self.maxContentBytes = maxContentBytes
        self.answer = answer
    }

    /// Nobody knows where the content ends, so nothing after the head is read, and the connection closes.
    private func refuseHead(_ refusal: TransportRefusal, handle: OpaquePointer) {
        response = server.application.refuse(refusal, requestID: requestID)
        closes = true
        _ = unsafe send(on: handle)
    }

    private func refuse(_ refusal: TransportRefusal, handle: OpaquePointer) {
        let response = server.application.refuse(refusal, requestID: requestID)
        unsafe refuse(with: response, handle: handle)
    }

    private func refuse(with response: consuming Response, handle: OpaquePointer) {
        discard(answeringWith: response)
        guard framing.hasContent else { return }
        let isTooMuchToRead = (framing.declaredContentBytes ?? 0) > server.maxDiscardedBytes
        if framing.awaitsContinue || isTooMuchToRead {
            closes = true
            _ = unsafe send(on: handle)
        }
    }

    // MARK: Content

    /// A piece of content came. There can be no answer from here, only the end of the connection.
    func receive(_ piece: Span<UInt8>) -> cmhd_verdict {
        receivedBytes += piece.count
        switch stage {
        case .collecting:
            collect(piece)
            return CMHD_CONTINUE
        case .discarding:
            // Who sends at a fair rate comes to read the answer, as who is not refused does.
            connection.extend(to: start + server.timeLimits.discard(ofBytes: receivedBytes - keptBytes))
            return receivedBytes <= server.maxDiscardedBytes ? CMHD_CONTINUE : CMHD_CLOSE
        case .answered, .sent:
            return CMHD_CLOSE
        }
    }

    private func collect(_ piece: Span<UInt8>) {
        guard receivedBytes <= maxContentBytes else {
            let refusal = TransportRefusal.contentTooLarge(maxBytes: maxContentBytes)
            return discard(answeringWith: server.application.refuse(refusal, requestID: requestID))
        }
        if piece.count == framing.declaredContentBytes {
            // All at once, as most requests come: answered from the library's own memory, without a copy.
            answerInline(piece)
            guard nextLane != nil else {
                stage = .answered
                return
            }
        }
        var content =
            self.content.take() ?? ContentBuffer(declaredBytes: framing.declaredContentBytes, budget: server.budget)
        guard content.append(piece) else {
            return discard(answeringWith: server.application.refuse(.saturated, requestID: requestID))
        }
        self.content = consume content
        connection.extend(to: start + server.timeLimits.content(ofBytes: receivedBytes))
    }

    /// From here on content is dropped as it comes.
    private func discard(answeringWith response: consuming Response) {
        self.response = consume response
        content = nil
        answer = nil
        stage = .discarding
        if framing.hasContent {
            start = .now
            keptBytes = receivedBytes
            connection.extend(to: start + server.timeLimits.discard())
        }
    }

    // MARK: Answer

    /// All content is in.
    func finish(on handle: OpaquePointer) -> cmhd_verdict {
        if let pending = pending.take() {
            response = pending.takeResponse()
            server.lanes.end()
        } else if connection.stream.hasBrokenChunks {
            // The library has tolerated them.
            response = server.application.refuse(.malformedFraming(.malformedChunk), requestID: requestID)
            closes = true
        } else if stage == .collecting {
            if nextLane == nil { answerInline() }
            if let nextLane, unsafe isSuspended(on: nextLane, handle: handle) { return CMHD_CONTINUE }
        }
        return unsafe send(on: handle)
    }

    /// Works the answer out here, or notes where it goes on.
    private func answerInline(_ content: Span<UInt8>) {
        guard let answer else { return }
        switch answer(content, .inline) {
        case .answered(let response): self.response = consume response
        case .handOn(let lane): nextLane = lane
        }
    }

    /// The same for content that was collected.
    private func answerInline() {
        guard let content = content.take() else { return answerInline(Span()) }
        content.withBytes { answerInline($0) }
        self.content = consume content
    }

    /// Has the answer worked out on `lane`, and suspends the connection until it is there; then `finish` is called again.
    /// - Returns: false where it was there at once.
    private func isSuspended(on lane: Lane.Kind, handle: OpaquePointer) -> Bool {
        guard let answer = answer.take() else { return false }
        let pending = PendingAnswer(
            content: content.take() ?? ContentBuffer(declaredBytes: nil, budget: server.budget),
            answer: answer,
            connection: connection,
            requestID: requestID
        )
        stage = .answered
        // The lanes' own bounds end it.
        connection.enter(.answer, until: .never)
        server.lanes.begin(pending, on: lane)
        if unsafe pending.suspend(handle) {
            self.pending = pending
            return true
        }
        response = pending.takeResponse()
        server.lanes.end()
        return false
    }

    /// Hands the answer to the library, which sends it and then calls `completed`.
    private func send(on handle: OpaquePointer) -> cmhd_verdict {
        guard let response = response.take() else { return CMHD_CLOSE }
        stage = .sent
        // Read once more: a request that was there before the draining began closes its connection too.
        closes = closes || server.isDraining
        let length = response.content.count
        connection.enter(.answer, until: .now + server.timeLimits.content(ofBytes: length))
        if length >= Self.minOccupiedBytes {
            occupiedBytes = length
            server.budget.occupy(length)
        }
        return unsafe response.queue(on: handle, requestID: requestID, closes: closes)
    }

    /// The answer is sent, or the connection is lost.
    func completed() {
        // A client that went away meanwhile: the library does not call `finish` again.
        if pending.take() != nil { server.lanes.end() }
        if occupiedBytes > 0 { server.budget.release(occupiedBytes) }
        connection.enter(.idle, until: .now + server.timeLimits.idle)
    }
}
