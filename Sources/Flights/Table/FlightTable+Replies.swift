package import Fetching
package import Platform
internal import Primitives

// What the fetcher replies, and what follows from a head, content and its end.

extension FlightTable {
    /// The content of a response that is not the result, such as a redirect, up to which its transfer is completed, in
    /// bytes: so the connection to the origin can be used again.
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

    mutating func received(_ head: FetchHead, _ flight: Flight, at now: MonotonicTime, unixSeconds: Int) {
        guard case .active(var attempt) = flight.state, let origin = origins[flight.origin] else { return }
        guard charge(head.fields.heapBytes, to: flight) else {
            cancelAttempt(flight, at: now)
            return fail(flight, .memory, at: now, isInQueue: false)
        }
        flight.route.hop.head = Hop.Head(status: head.status, fields: head.fields)
        flight.facts.status = head.status
        flight.facts.phase = .content
        if origin.breaker.state(at: now.nanoseconds) == .halfOpen, let permission = attempt.permission.take() {
            // The probe has its result: others need not wait for its content.
            origin.breaker.record(.connected, permission, at: now.nanoseconds)
        }
        guard head.status != 206 else {
            // RFC 9110 §15.3.7: callers cannot request a range, and a part of a response must not pass for all of it.
            flight.state = .active(attempt)
            cancelAttempt(flight, at: now)
            let failure = FlightFailure.attempt(
                .malformedResponse,
                in: .head,
                hostIsNamed: flight.route.hop.admission.hostIsNamed
            )
            return fail(flight, failure, cause: "206 to a request for all of it", at: now, isInQueue: false)
        }
        let fields = HeaderFields(head.fields)
        let retryAfter = fields.first("retry-after").flatMap { RetryAfter($0, now: unixSeconds) }
        responded(origin, at: now)
        if let retryAfter { pause(origin, after: head.status, retryAfter, flight, at: now) }
        let response = OriginResponse(
            status: head.status,
            fields: head.fields,
            requested: attempt.start,
            received: moment(now)
        )
        switch decide(flight, origin, .responded(status: head.status, retryAfter), at: now) {
        case .retry(let delay): attempt.then = .retry(after: delay)
        case .restart, .final:
            if let cache {
                flight.route.hop.receive(response, for: flight.waiters, in: cache, began: flight.began)
                flight.facts.cache?.forwardStatus = head.status
            }
            do throws(FlightFailure) {
                attempt.then = try next(after: head, flight)
            } catch {
                cancelAttempt(flight, at: now)
                return fail(flight, error, at: now, isInQueue: false)
            }
        }
        flight.state = .active(attempt)
        if flight.isShared, Self.isUsed(attempt.then), response.control.forbidsSharing {
            split(flight, at: now)
        }
        if let next = attempt.then {
            let count = fields.first("content-length").flatMap { Int($0) } ?? .max
            // The transfer ends soon, or is not worth waiting for.
            if count > Self.maxDrainedBytes { proceed(flight, next, at: now) }
        }
    }

    /// Begins no transfers for the time that a response asks for.
    private mutating func pause(
        _ origin: OriginState,
        after status: Int,
        _ retryAfter: RetryAfter,
        _ flight: Flight,
        at now: MonotonicTime
    ) {
        let end = now + .seconds(retryAfter.pauseSeconds)
        switch status {
        // Another caller has another budget.
        case 429: origin.callerPauses.pause(flight, until: end, at: now)
        case 503:
            origin.pauseEnd = max(origin.pauseEnd, end)
            timers.set(origin, to: origin.pauseEnd)
        default: break
        }
    }

    /// Returns what follows a response; `nil` if it is the result, or confirms a stored one that is the result.
    func next(after head: FetchHead, _ flight: Flight) throws(FlightFailure) -> Flight.Next? {
        var head = Hop.Head(status: head.status, fields: head.fields)
        switch flight.route.hop.outcome {
        case .fetchAgain(let forward): return .again(forward)
        case .staleIfError:
            if let selection = flight.route.hop.match?.selection { return .stored(selection) }
        case .freshened(let stored, _): head = Hop.Head(stored)
        case .store, .pass, .update, nil: break
        }
        return try target(of: flight.route, head, flight.callerRequest.redirects).map { .redirect($0) }
    }

    /// Whether the requests of a flight receive a response, or what it redirects to.
    private static func isUsed(_ next: Flight.Next?) -> Bool {
        switch next {
        case nil, .redirect: true
        case .retry, .again, .stored: false
        }
    }

    mutating func decide(
        _ flight: Flight,
        _ origin: OriginState,
        _ outcome: RetryPolicy.Outcome,
        at now: MonotonicTime
    ) -> RetryPolicy.Decision {
        RetryPolicy(maxRetries: min(settings.attempts.maxRetries, flight.maxRetries)).decide(
            after: RetryPolicy.Attempt(flight.route.hop.request, outcome, history: flight.retries),
            remaining: .nanoseconds(Int64(clamping: flight.deadline.nanoseconds(since: now))),
            budget: &origin.budget,
            now: now.nanoseconds,
            using: &random
        )
    }

    /// Splits a flight whose response must not be shared: its first request keeps it, and each other one gets its own,
    /// which begins at its own first hop.
    private mutating func split(_ flight: Flight, at now: MonotonicTime) {
        endJoining(flight)
        hitForMiss.insert(flight.identity, at: now)
        let others = Array(flight.waiters.dropFirst())
        for waiter in others { flight.remove(waiter) }
        updateClients(flight, by: -others.count { $0.countsAsClient }, at: now)
        for waiter in others {
            let callerRequest = waiter.callerRequest
            let key = FlightKey(identity: flight.identity, kind: .origin)
            let own = newFlight(callerRequest, key, Route(of: callerRequest), isShared: false, at: now)
            own.add(waiter)
            waiter.isCollapsed = false
            walk(own, of: callerRequest, at: now)
        }
    }

    mutating func endJoining(_ flight: Flight) {
        guard flight.isShared else { return }
        if flights[flight.key] === flight { flights[flight.key] = nil }
        flight.isShared = false
    }

    // MARK: The content

    mutating func received(_ piece: [UInt8], _ flight: Flight, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state, let origin = origins[flight.origin] else { return }
        if let next = attempt.then {
            if attempt.progress.contentBytes > Self.maxDrainedBytes { proceed(flight, next, at: now) }
            return
        }
        let total = flight.contentBytes + piece.count
        for waiter in flight.waiters(exceededBy: total) {
            end(waiter, .contentTooLong(max: waiter.callerRequest.maxContentBytes), at: now)
        }
        guard case .active = flight.state else { return }
        if flight.isBackground, flight.waiters.isEmpty, let cache, total > cache.store.limits.maxEntryBytes {
            // Nobody needs it, and it cannot be stored.
            cancelAttempt(flight, at: now)
            return abandon(flight, .contentTooLong(max: cache.store.limits.maxEntryBytes), at: now)
        }
        let share = account.maxBytes / 100 * FlightSettings.originMemoryPercent
        guard origin.contentBytes + piece.count <= share || origin.contentBytes == flight.contentBytes else {
            cancelAttempt(flight, at: now)
            return fail(flight, .originMemory, at: now, isInQueue: false)
        }
        guard charge(piece.count, to: flight) else {
            cancelAttempt(flight, at: now)
            return fail(flight, .memory, at: now, isInQueue: false)
        }
        origin.contentBytes += piece.count
        flight.chargedBytes += piece.count
        flight.append(piece)
    }

    /// Charges a part of the response of the current hop.
    /// - Returns: `false` if there is no memory for it.
    private func charge(_ bytes: Int, to flight: Flight) -> Bool {
        let memory = flight.memory ?? account.emptyMemory()
        flight.memory = memory
        return memory.grow(by: bytes)
    }

    // MARK: The end

    private mutating func completed(_ flight: Flight, at now: MonotonicTime) {
        endAttempt(flight, .connected, at: now)
        var received = flight.takeContent()
        received.shrink()
        let content = account.content(received)
        guard let cache, let match = flight.route.hop.match,
            let stored = flight.route.hop.store(content, in: cache, began: flight.began)
        else {
            flight.content = content
            return serialize(flight, at: now)
        }
        var isEvaluatedHere = match.forward?.isValidation == true
        if case .freshened = flight.route.hop.outcome {
            // The origin has confirmed it.
            cache.count(.revalidated)
            isEvaluatedHere = true
        }
        var report = flight.facts.cache ?? CacheReport(.forwarded(.stale))
        report.isStored = stored.isStored
        serve(
            stored.selection,
            // The origin has received the stored validators in place of the caller's.
            isNotModified: isEvaluatedHere
                && Preconditions.isNotModified(match.lookup.request, stored.selection.response.head),
            flight,
            report: report,
            isStored: stored.isStored,
            at: now
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
