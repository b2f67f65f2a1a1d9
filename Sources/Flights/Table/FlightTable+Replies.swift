package import Fetching
package import Platform
internal import Primitives

// What the fetcher replies, and what follows from it: the result, a retry, a redirect or a failure.

extension FlightTable {
    /// The content of a response that is not the result, such as a redirect, up to which its transfer is completed, in bytes: so the
    /// connection to the origin can be used again.
    private static let maxDrainedBytes = 16 << 10

    /// Handles a frame of the fetcher.
    /// - Parameter unixSeconds: the current time, in seconds since 1970, for dates in fields.
    /// - Throws: an error after which the fetcher must be replaced: the frame is not one that it may send.
    package mutating func handle(_ reply: FetchReply, at now: MonotonicTime, unixSeconds: Int) throws(FetchFrameError) {
        guard let id = reply.transfer else { return }
        // A transfer that has not begun has no frames.
        guard id > 0, id < nextTransfer else { throw .unexpected(reply.frame.kind) }
        // A frame that was sent before the fetcher received the cancellation is late.
        guard let flight = transfers[id], case .active(var attempt) = flight.state else { return }
        try attempt.progress.accept(reply)
        flight.state = .active(attempt)
        switch reply {
        case .head(_, let head): received(head, flight, at: now, unixSeconds: unixSeconds)
        case .data(_, let content): received(content, flight, at: now)
        case .end(_, let end):
            flight.facts.timings = end.timings
            effects.append(.measured(end.timings))
            if let next = attempt.then {
                proceed(flight, next, at: now)
            } else {
                completed(flight, at: now)
            }
        case .failed(_, let report):
            effects.append(.measured(report.timings))
            if let next = attempt.then {
                proceed(flight, next, at: now)
            } else {
                failed(
                    flight,
                    report.failure,
                    in: report.phase,
                    timings: report.timings,
                    detail: report.detail,
                    at: now
                )
            }
        case .pong, .ready: break
        }
        dispatch(at: now)
    }

    // MARK: The head

    private mutating func received(_ head: FetchHead, _ flight: Flight, at now: MonotonicTime, unixSeconds: Int) {
        guard case .active(var attempt) = flight.state, let origin = origins[flight.origin] else { return }
        flight.head = head
        flight.facts.status = head.status
        flight.facts.phase = .content
        if origin.breaker.state(at: now.nanoseconds) == .halfOpen, let ticket = attempt.ticket.take() {
            // The probe has its result: others need not wait for its content.
            origin.breaker.record(.connected, ticket, at: now.nanoseconds)
        }
        guard head.status != 206 else {
            // RFC 9110 §15.3.7: callers cannot request a range, and a part of a response must not pass for all of it.
            flight.state = .active(attempt)
            cancelAttempt(flight, at: now)
            let failure = FlightFailure.attempt(
                .malformedResponse,
                in: .head,
                hostIsNamed: flight.admission.hostIsNamed
            )
            return fail(flight, failure, cause: "206 to a request for all of it", at: now, isInQueue: false)
        }
        let fields = HeaderFields(head.fields)
        let retryAfter = fields.first("retry-after").flatMap { RetryAfter($0, now: unixSeconds) }
        responded(origin, at: now)
        if let retryAfter, head.status == 429 {
            // Another caller has another budget.
            origin.callerPauses.pause(flight, until: now + .seconds(retryAfter.pauseSeconds), at: now)
        } else if let retryAfter, head.status == 503 {
            origin.pauseEnd = max(origin.pauseEnd, now + .seconds(retryAfter.pauseSeconds))
            timers.set(origin, to: origin.pauseEnd)
        }
        switch decide(flight, origin, .responded(status: head.status, retryAfter), at: now) {
        case .retry(let delay): attempt.then = .retry(after: delay)
        case .restart, .final:
            receive(head, flight, at: now)
            do throws(RedirectRejection) {
                attempt.then = try next(after: head, flight)
            } catch {
                cancelAttempt(flight, at: now)
                return fail(flight, .redirect(error), at: now, isInQueue: false)
            }
        }
        flight.state = .active(attempt)
        if flight.isShared, Self.isUsed(attempt.then), CacheControl(ofResponse: head.fields).forbidsSharing {
            release(flight, at: now)
        }
        if let next = attempt.then {
            let count = fields.first("content-length").flatMap { Int($0) } ?? .max
            // The transfer ends soon, or is not worth waiting for.
            if count > Self.maxDrainedBytes { proceed(flight, next, at: now) }
        }
    }

    /// Returns what follows a response; `nil` if it is the result, or confirms a stored one that is the result.
    private func next(after head: FetchHead, _ flight: Flight) throws(RedirectRejection) -> Flight.Next? {
        var (status, fields) = (head.status, head.fields)
        switch flight.cache?.outcome {
        case .fetchAgain(let forward): return .again(forward)
        case .serveStale:
            if let selected = flight.cache?.selected { return .stored(selected) }
        case .freshened(let stored, _): (status, fields) = (stored.status, stored.fields)
        case .store, .pass, .update, nil: break
        }
        let decision = try decideRedirect(
            flight.request,
            status: status,
            fields,
            count: flight.history.count,
            mode: flight.redirects
        )
        guard case .follow(let next, let admission) = decision else { return nil }
        return .redirect(next, admission)
    }

    /// Whether the requests of a flight receive a response, or what it redirects to.
    private static func isUsed(_ next: Flight.Next?) -> Bool {
        switch next {
        case nil, .redirect: true
        case .retry, .again, .stored: false
        }
    }

    private mutating func decide(
        _ flight: Flight,
        _ origin: OriginState,
        _ outcome: RetryPolicy.Outcome,
        at now: MonotonicTime
    ) -> RetryPolicy.Decision {
        RetryPolicy(maxRetries: min(settings.maxRetries, flight.maxRetries)).decide(
            flight.request,
            outcome,
            history: flight.retries,
            remaining: .nanoseconds(Int64(clamping: flight.deadline.nanoseconds(since: now))),
            budget: &origin.budget,
            now: now.nanoseconds,
            using: &random
        )
    }

    /// Splits a flight whose response must not be shared: its first request keeps it, and each other one gets its own, which begins at its
    /// own first hop. Whatever the flight has learned on its way, such as redirects, keys and fields, belongs to its first request.
    private mutating func release(_ flight: Flight, at now: MonotonicTime) {
        unshare(flight)
        unshared.insert(flight.identity, at: now)
        let others = flight.receipts.removeAllButFirst()
        for receipt in others {
            let order = receipt.order
            let plan = plan(order, order.request, order.admission, at: now)
            let own = newFlight(
                order,
                FlightKey(identity: flight.identity, kind: plan.kind),
                isShared: false,
                at: now
            )
            own.receipts = [receipt]
            receipt.flight = own
            receipt.isCollapsed = false
            follow(plan, own, at: now)
        }
        counts.unmerged += UInt64(others.count)
    }

    mutating func unshare(_ flight: Flight) {
        guard flight.isShared else { return }
        if flights[flight.key] === flight { flights[flight.key] = nil }
        flight.isShared = false
    }

    // MARK: The content

    private mutating func received(_ piece: [UInt8], _ flight: Flight, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state, let origin = origins[flight.origin] else { return }
        if let next = attempt.then {
            if attempt.progress.contentBytes > Self.maxDrainedBytes { proceed(flight, next, at: now) }
            return
        }
        let total = flight.contentBytes + piece.count
        for receipt in flight.receipts where receipt.order.maxContentBytes < total {
            end(receipt, .contentTooLong(max: receipt.order.maxContentBytes), at: now)
        }
        guard case .active = flight.state else { return }
        if flight.isBackground, flight.receipts.isEmpty, let cache, total > cache.store.limits.maxEntryBytes {
            // Nobody needs it, and it cannot be stored.
            cancelAttempt(flight, at: now)
            return abandon(flight, .contentTooLong(max: cache.store.limits.maxEntryBytes), at: now)
        }
        let share = account.maxBytes / 100 * FlightSettings.originMemoryPercent
        guard origin.contentBytes + piece.count <= share || origin.contentBytes == flight.contentBytes else {
            cancelAttempt(flight, at: now)
            return fail(flight, .originMemory, at: now, isInQueue: false)
        }
        let memory = flight.memory ?? account.emptyMemory()
        flight.memory = memory
        guard memory.grow(by: piece.count) else {
            cancelAttempt(flight, at: now)
            return fail(flight, .memory, at: now, isInQueue: false)
        }
        origin.contentBytes += piece.count
        flight.chargedBytes += piece.count
        flight.append(piece)
    }

    // MARK: The end

    private mutating func completed(_ flight: Flight, at now: MonotonicTime) {
        endAttempt(flight, .connected, at: now)
        var received = flight.takeContent()
        received.shrink()
        let content = account.content(received)
        if let (selection, isStored) = store(flight, content, at: now) {
            // The origin has confirmed it.
            cache?.count(.revalidated)
            var report = flight.facts.cache ?? CacheReport(.forwarded(.stale))
            report.isStored = isStored
            let isNotModified =
                flight.cache.map { Preconditions.isNotModified($0.request, selection.response.head) } ?? false
            return serve(
                selection,
                isNotModified: isNotModified,
                flight,
                report: report,
                isStored: isStored,
                at: now
            )
        }
        if let source = flight.source, let state = flight.cache, state.forward.isValidation,
            Preconditions.isNotModified(state.request, source.response.head)
        {
            // The caller has the new response already.
            return serve(source, isNotModified: true, flight, report: flight.facts.cache ?? CacheReport(.hit), at: now)
        }
        flight.content = content
        serialize(flight, at: now)
    }

    /// Starts the serialization for a request, unless that of its group was started before.
    mutating func serialize(_ flight: Flight, for receipt: Receipt) {
        guard let head = flight.head, let content = flight.content,
            !flight.groups.contains(where: { $0.order.isRendered(like: receipt.order) })
        else { return }
        let number = nextJob
        nextJob += 1
        jobs[number] = flight
        flight.groups.append(Flight.Group(job: number, order: receipt.order))
        // RFC 9110 §6.4.1: other responses have no content.
        let hasContent = flight.request.method != "HEAD" && head.status != 204 && head.status != 304
        effects.append(
            .serialize(
                FlightJob(
                    number: number,
                    flight: flight.number,
                    order: receipt.order,
                    status: head.status,
                    // What is stored has no fields of the connection. Its renditions are those of every later request.
                    fields: flight.source?.response.head.fields ?? head.fields,
                    method: flight.request.method,
                    path: ResponsePath(flight.source?.response, url: flight.request.url, history: flight.history),
                    isKept: flight.source != nil,
                    content: hasContent ? content : nil,
                    memory: flight.memory ?? account.emptyMemory(),
                    ticket: receipt.hasClient ? receipt.ticket : nil
                )
            )
        )
    }

    mutating func drop(_ group: Flight.Group, of flight: Flight) {
        flight.groups.removeAll { $0.job == group.job }
        jobs[group.job] = nil
        effects.append(.drop(job: group.job))
    }

    /// Goes on after a response that is not the result.
    private mutating func proceed(_ flight: Flight, _ next: Flight.Next, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state else { return }
        if attempt.progress.isFinished {
            endAttempt(flight, .connected, at: now)
        } else {
            cancelAttempt(flight, at: now)
        }
        switch next {
        case .retry(let delay): retry(flight, after: delay, at: now)
        case .redirect(let request, let admission):
            var status = flight.head?.status ?? 0
            switch flight.cache?.outcome {
            case .store(let head), .freshened(let head, _):
                status = head.status
                flight.callerSeconds = min(flight.callerSeconds, head.callerSeconds(at: moment(now)))
            case .pass, .update, .fetchAgain, .serveStale, nil: break
            }
            if !storeRedirect(flight) { flight.hasUnstoredHop = true }
            if flight.cache?.forbidsStoring == true { flight.hasForbiddenHop = true }
            if let head = flight.head, !HeaderFields(head.fields).values(of: "vary").isEmpty {
                forbidStoringAfterVaryingHop(flight)
            }
            follow(request, admission, after: status, flight, at: now)
        case .again(let forward):
            flight.cache?.forward = forward
            flight.head = nil
            enqueue(flight, at: now)
        case .stored(let selection):
            serveInsteadOfFailure(selection, flight, at: now)
        }
    }

    /// Follows a redirect.
    /// - Parameter status: that of the redirect.
    mutating func follow(
        _ request: FetchRequest,
        _ admission: FetchPolicy.Admission,
        after status: Int,
        _ flight: Flight,
        at now: MonotonicTime
    ) {
        let hop = FollowedRedirect(status: status, url: flight.request.url.text)
        flight.hops.append(request.url)
        // Every request of the flight receives what is found.
        var order = flight.order
        order.cache = flight.receipts.map(\.order.cache).max { $0.strictness < $1.strictness } ?? order.cache
        let plan = plan(order, request, admission, flight.history + [hop], at: now)
        if plan.history.count > flight.history.count + 1 { flight.useStored(by: order.cache) }
        follow(plan, flight, at: now)
    }

    private mutating func retry(_ flight: Flight, after delay: Duration, at now: MonotonicTime) {
        flight.retries.retries += 1
        counts.retries += 1
        flight.head = nil
        flight.state = .backingOff
        flight.waitStart = now
        timers.set(flight, to: now + delay)
    }

    // MARK: Failures

    /// Handles the failure of an attempt.
    /// - Parameter timings: `nil` if they are not known.
    mutating func failed(
        _ flight: Flight,
        _ failure: FetchFailure,
        in phase: FetchPhase,
        timings: FetchTimings?,
        detail: String,
        at now: MonotonicTime
    ) {
        flight.facts.phase = phase
        if let timings { flight.facts.timings = timings }
        let hasHead = flight.head != nil
        // An origin with an active transfer is known. It may be forgotten with the end of the transfer.
        guard let origin = origins[flight.origin] else { return }
        endAttempt(flight, CircuitBreaker.Outcome(failure, in: phase), at: now)
        switch decide(flight, origin, .failed(failure, hasHead: hasHead), at: now) {
        case .retry(let delay): retry(flight, after: delay, at: now)
        case .restart:
            flight.retries.restarts += 1
            counts.restarts += 1
            flight.head = nil
            enqueue(flight, at: now)
        case .final:
            let failure = FlightFailure.attempt(failure, in: phase, hostIsNamed: flight.admission.hostIsNamed)
            fail(flight, failure, cause: detail, at: now, isInQueue: false)
        }
    }

    /// Ends a flight, all of whose requests receive the failure. Its transfer has ended.
    mutating func fail(
        _ flight: Flight,
        _ failure: FlightFailure,
        cause: String = "",
        at now: MonotonicTime,
        isInQueue: Bool = true
    ) {
        if isInQueue, flight.isQueued { removeFromQueue(flight, at: now) }
        if let selection = substitute(for: failure, flight, at: now) {
            return serveInsteadOfFailure(selection, flight, at: now)
        }
        let members = flight.receipts
        flight.receipts = []
        for receipt in members {
            unregister(receipt)
            conclude(receipt, .failed(failure), at: now)
        }
        log(flight, members.count, failure, cause)
        close(flight, at: now)
    }

    /// Ends a flight whose requests have left.
    mutating func abandon(_ flight: Flight, _ failure: FlightFailure, at now: MonotonicTime) {
        switch flight.state {
        case .queued: removeFromQueue(flight, at: now)
        case .backingOff: break
        case .active: cancelAttempt(flight, at: now)
        case .serializing: for group in flight.groups { drop(group, of: flight) }
        case .ended: return
        }
        counts.abandoned += 1
        log(flight, 0, failure, "")
        close(flight, at: now)
    }

    /// Ends a flight all of whose requests have received their results.
    mutating func succeed(_ flight: Flight, _ count: Int, at now: MonotonicTime) {
        log(flight, count, nil, "")
        close(flight, at: now)
    }

    private mutating func close(_ flight: Flight, at now: MonotonicTime) {
        flight.state = .ended
        timers.remove(flight)
        unshare(flight)
        for group in flight.groups { jobs[group.job] = nil }
        flight.groups = []
        if let origin = origins[flight.origin] {
            origin.contentBytes -= flight.chargedBytes
            retire(origin, at: now)
        }
        flight.content = nil
        flight.memory = nil
        _ = flight.takeContent()
    }

    private mutating func log(_ flight: Flight, _ receipts: Int, _ failure: FlightFailure?, _ cause: String) {
        effects.append(
            .ended(
                FlightLog(
                    flight: flight.number,
                    entry: flight.entry,
                    facts: flight.facts,
                    receipts: receipts,
                    failure: failure,
                    cause: cause,
                    contentBytes: flight.content?.count ?? flight.contentBytes
                )
            )
        )
    }
}

extension FetchReply {
    /// The identifier of the transfer; `nil` for the reply to a ping.
    fileprivate var transfer: UInt64? {
        switch self {
        case .head(let id, _), .data(let id, _), .end(let id, _), .failed(let id, _): id
        case .pong, .ready: nil
        }
    }
}
