internal import Fetching
internal import Platform
internal import Primitives

// The beginning and the end of transfers, each of which has a permit.

extension FlightTable {
    mutating func begin(_ flight: Flight, _ origin: OriginState, at now: MonotonicTime) {
        let requestBytes = flight.route.hop.request.content?.count ?? 0
        guard requestBytes <= FlightSettings.maxActiveContentBytes - activeContentBytes else {
            fail(flight, .requestContent, at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        let permission: CircuitBreaker.Permission
        switch origin.breaker.admit(at: now.nanoseconds) {
        case .admitted(let admitted): permission = admitted
        case .rejected(let seconds):
            fail(flight, .circuitOpen(retryAfterSeconds: seconds), at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        guard let start = try? start(of: flight) else {
            origin.breaker.record(.none, permission, at: now.nanoseconds)
            fail(flight, .unavailable, at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        let id = nextTransfer
        nextTransfer += 1
        transfers[id] = flight
        shares.move(flight, to: .held, origin)
        if flight.facts.attempts == 0 || flight.retries.retries == 0 {
            origin.budget.recordRequest(at: now.nanoseconds)
        }
        flight.facts.attempts += 1
        flight.facts.url = flight.route.hop.request.url.text
        flight.facts.phase = nil
        (flight.route.hop.head, flight.route.hop.outcome) = (nil, nil)
        flight.state = .active(
            Flight.Attempt(
                transfer: id,
                start: moment(now),
                progress: TransferProgress(method: flight.route.hop.request.method),
                permission: permission,
                requestBytes: requestBytes
            )
        )
        activeContentBytes += requestBytes
        counts.attempts += 1
        effects.append(.send(.start(id: id, start)))
    }

    func start(of flight: Flight) throws(FetchFrameError) -> FetchStart {
        var request = flight.route.hop.request
        if let forward = flight.route.hop.match?.forward { request.fields = forward.fields }
        request.fields += flight.credentials
        for field in settings.requests.fields
        where !request.fields.contains(where: { $0.name.equalsIgnoringASCIICase(field.name) }) {
            request.fields.append(field)
        }
        for value in flight.callerRequest.loop {
            request.fields.append(HeaderFields.Field(name: CDNLoop.name, value: value))
        }
        return try FetchStart(
            request,
            partition: flight.callerRequest.partition,
            hostIsNamed: flight.route.hop.admission.hostIsNamed,
            timeouts: FetchStart.Timeouts(
                resolve: settings.times.resolve.milliseconds,
                connect: settings.times.connect.milliseconds,
                idle: settings.times.idle.milliseconds,
                total: settings.times.total.milliseconds
            ),
            slowestBytesPerSecond: UInt32(clamping: settings.requests.slowestBytesPerSecond)
        )
    }

    /// Returns the permit of an active transfer.
    mutating func endAttempt(_ flight: Flight, _ outcome: CircuitBreaker.Outcome, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state else { return }
        transfers[attempt.transfer] = nil
        activeContentBytes -= attempt.requestBytes
        flight.waitStart = now
        guard let origin = origins[flight.origin] else { return }
        let partition = flight.partition
        shares.move(flight, to: .none, origin)
        switch outcome {
        case .connectFailed, .silent: shares.setResponsive(false, origin)
        case .connected, .timedOut, .none: break
        }
        refill(partition, at: now)
        if let permission = attempt.permission { origin.breaker.record(outcome, permission, at: now.nanoseconds) }
        grantTurn(origin, at: now)
        retire(origin, at: now)
    }

    /// Cancels an active transfer, and returns its permit.
    mutating func cancelAttempt(_ flight: Flight, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state else { return }
        effects.append(.send(.cancel(id: attempt.transfer)))
        endAttempt(flight, flight.route.hop.head == nil ? .none : .connected, at: now)
    }
}

extension Duration {
    /// The duration in whole milliseconds, at least 1 and at most ``FetchStart/Timeouts/maxMilliseconds``.
    fileprivate var milliseconds: UInt32 {
        min(max(UInt32(clamping: saturatedNanoseconds / 1_000_000), 1), FetchStart.Timeouts.maxMilliseconds)
    }
}
