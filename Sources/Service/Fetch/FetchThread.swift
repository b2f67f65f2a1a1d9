internal import Fetching
internal import Flights
internal import Glibc
internal import HTTP
internal import Platform
internal import Serialization
internal import Synchronization

/// The thread that waits for origins: it drives the table of flights and the fetcher.
///
///     HTTP loops, lanes ─► inbox (EventLoop.submit) ─► FlightTable ─► FetcherProcess ─► decant-fetcher
///                                                          │
///                      connections, lanes ◄── effects ◄────┘
///
/// It never decodes. One thread, so that the state needs no lock.
///
/// @unchecked Sendable: everything except the constants, the atomic and ``EventLoop/submit(_:)`` is accessed by the
/// thread that ``start(_:policy:)`` starts, or before it.
@safe final class FetchThread: EventHandler, @unchecked Sendable {
    /// A client that waits for a response.
    private struct Client {
        let parked: ParkedConnection
        let callerRequest: CallerRequest?
        let start: MonotonicTime
        /// Where the result is available after 202.
        var location = ResultLocation(query: "", hasURL: false)
        /// The fields that the response has in addition if the result is that of a request for an image.
        var imageFields: [HeaderFields.Field] = []
    }

    let metrics: FetchMetrics
    private let events: EventLoop
    private let account: MemoryAccount
    private let cache: ResponseCache
    private let log: FetchLog
    /// The time for which a result is kept.
    private let resultTime: Duration
    private let nextNumber = Atomic<UInt64>(1)
    private let threads = Monitor<[Thread]>([])
    private let lanes = Monitor<Lanes?>(nil)
    /// Whether nothing waits without a client, while the service drains.
    private let drained = Monitor<Bool>(false)

    private var table: FlightTable
    private var evictor: CacheEvictor
    private var process: FetcherProcess
    private var clients: [RequestNumber: Client] = [:]
    private var work: [UInt64: SharedWork] = [:]
    /// The thumbnails that are being made of the response of a flight, and its content.
    private var thumbnails: [UInt64: (batch: RenderingBatch, content: HashedContent)] = [:]
    private var registration = FetcherRegistration()
    private var isStopping = false
    private var nextFigures = MonotonicTime(nanoseconds: 0)
    /// The state that the metrics contain.
    private var published = (queued: 0, active: 0, requests: 0, isFetcherReady: false)

    init(
        _ settings: FlightSettings,
        _ fetcher: FetcherConfiguration,
        account: MemoryAccount,
        cache: ResponseCache,
        log: FetchLog
    ) throws(SystemError) {
        self.cache = cache
        evictor = CacheEvictor(cache)
        resultTime = settings.times.result
        self.account = account
        self.log = log
        events = try EventLoop()
        metrics = FetchMetrics()
        table = FlightTable(settings, account: account, cache: cache) { WallClock.seconds }
        process = FetcherProcess(fetcher, now: .now)
    }

    // MARK: Any thread

    /// Starts the thread. Requests that came before wait.
    /// - Parameters:
    ///   - lanes: decode responses.
    ///   - policy: the rules with which redirects are checked, including the service's own addresses.
    func start(_ lanes: Lanes, policy: FetchPolicy) throws(SystemError) {
        self.lanes.withLock { $0 = lanes }
        table.policy = policy
        process.configuration.settings.addresses = policy.addresses
        let thread = try Thread { [self] in run() }
        threads.withLock { $0.append(thread) }
    }

    /// Waits until the results of all requests that received a 202 response were received, or have expired.
    ///
    /// What is not complete `fetch-result-seconds` before `end`, but not before half of the time, ends then, so that
    /// there is time to receive this as its result.
    /// - Returns: whether that happened before `end`.
    func drain(until end: MonotonicTime) -> Bool {
        guard !threads.withLock({ $0.isEmpty }) else { return true }
        onThread { [self] _ in table.isDraining = true }
        let start = MonotonicTime.now
        let time = end.nanoseconds(since: start)
        let patience = time - min(time / 2, resultTime.saturatedNanoseconds)
        if drained.wait(until: start + .nanoseconds(Int64(clamping: patience)), { $0 ? true : nil }) ?? false {
            return true
        }
        onThread { [self] now in table.endUnattended(at: now) }
        return drained.wait(until: end) { $0 ? true : nil } ?? false
    }

    /// Rejects all requests, ends the fetcher, and waits for the thread. Has no effect if it was called before.
    func stop() {
        let threads = self.threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        guard !threads.isEmpty else { return }
        events.submit { [self] in
            table.stop(at: .now)
            flush()
            process.stop()
            isStopping = true
        }
        for thread in threads { thread.join() }
        lanes.withLock { $0 = nil }
    }

    /// Waits for the result of a request, which is delivered to `parked`.
    /// - Parameter location: where the result is available after 202.
    func join(_ callerRequest: CallerRequest, _ parked: ParkedConnection, location: ResultLocation) {
        let number = newNumber()
        onThread { [self] now in
            clients[number] = Client(parked: parked, callerRequest: callerRequest, start: now, location: location)
            table.join(callerRequest, as: number, at: now)
        }
        // After `join`, because both call immediately what has happened already.
        parked.onDisconnect { [self] in
            onThread { [self] now in
                clients[number] = nil
                table.leave(number, at: now)
            }
        }
        parked.onEndOfStream { [self] in onThread { [self] now in table.cancel(number, at: now) } }
    }

    /// Calls `body` on the thread, which then performs the effects of what has changed.
    private func onThread(_ body: @escaping @Sendable (_ now: MonotonicTime) -> Void) {
        events.submit { [self] in
            body(.now)
            flush()
        }
    }

    private func newNumber() -> RequestNumber { RequestNumber(nextNumber.wrappingAdd(1, ordering: .relaxed).oldValue) }

    /// A request about a receipt or a slot.
    enum Inquiry: Sendable {
        /// - Parameter onlyGenerated: whether receipts that callers have chosen do not exist for the request.
        /// - Parameter imageFields: the fields of the response if the result is an image.
        case result(ScopedName, onlyGenerated: Bool, location: ResultLocation, imageFields: [HeaderFields.Field])
        case cancelReceipt(ScopedName)
        case cancelSlot(ScopedName)
    }

    /// Responds to a request about a receipt or a slot.
    func respond(to inquiry: Inquiry, _ parked: ParkedConnection) {
        let number = newNumber()
        onThread { [self] now in
            var client = Client(parked: parked, callerRequest: nil, start: now)
            if case .result(_, _, let location, let imageFields) = inquiry {
                (client.location, client.imageFields) = (location, imageFields)
            }
            clients[number] = client
            switch inquiry {
            case .result(let name, let onlyGenerated, _, _):
                table.lookUp(name, onlyGenerated: onlyGenerated, for: number, at: now)
            case .cancelReceipt(let name): table.cancel(receipt: name, for: number, at: now)
            case .cancelSlot(let name): table.cancel(slot: name, for: number, at: now)
            }
        }
    }

    // MARK: The thread

    private func run() {
        // The first call starts the process. This thread must live as long as it.
        react(to: process.handle(at: .now))
        while !isStopping {
            // The commands of one iteration are sent together.
            process.flush()
            watch()
            let deadline = min(process.deadline, table.nextTime, evictor.nextTime)
            events.runOnce(until: evictor.isEvicting ? .now : deadline)
            let now = MonotonicTime.now
            if process.deadline <= now { react(to: process.handle(at: now)) }
            if table.nextTime <= now {
                table.advance(to: now)
                flush()
            }
            evictor.advance(to: now)
            publish(at: now)
        }
        evictor.stop()
        registration.remove(from: events)
        publish(at: .now)
        events.close()
    }

    /// Called when the fetcher's socket is readable or writable.
    func handle(_ events: Events) {
        let now = MonotonicTime.now
        if events.contains(.writable) { process.writable() }
        if !events.isDisjoint(with: [.readable, .error, .hangUp, .endOfStream]) {
            react(to: process.readable(at: now))
        }
        watch()
    }

    private func react(to changes: [FetcherProcess.Event]) {
        var pending = changes[...]
        while let event = pending.popFirst() {
            let now = MonotonicTime.now
            switch event {
            case .started:
                registration.remove(from: events)
                watch()
            case .ready(let sandbox):
                log.ready(sandbox, process: process.process)
                table.fetcherReady(at: now)
                flush()
            case .reply(let reply):
                do throws(FetchFrameError) {
                    try table.handle(reply, at: now, unixSeconds: time(nil))
                } catch {
                    // The rest of what it has sent is not trusted either.
                    pending = process.replace(because: "\(error)", at: now)[...]
                }
                flush()
            case .died(let end):
                registration.remove(from: events)
                log.died(end)
                metrics.update { $0.fetcherEnds[end.reason.rawValue, default: 0] += 1 }
                table.fetcherDied(at: now, mayReturn: !end.reason.isLasting)
                flush()
            }
        }
    }

    private func watch() {
        do throws(SystemError) {
            try registration.update(for: process, in: events, self)
        } catch { log.failed(error) }
    }

    /// The interval at which the states of breakers are counted for the metrics.
    private static let figuresInterval = Duration.milliseconds(250)

    private func publish(at now: MonotonicTime) {
        let state = (table.waiting, table.active, table.requests, table.isReady)
        if state != published {
            published = state
            metrics.update { ($0.queued, $0.active, $0.requests, $0.isFetcherReady) = state }
        }
        guard now >= nextFigures else { return }
        nextFigures = now + Self.figuresInterval
        let breakers = table.breakers(at: .now)
        metrics.update { ($0.openBreakers, $0.halfOpenBreakers) = breakers }
    }

    // MARK: Effects

    private func flush() {
        repeat {
            let effects = table.takeEffects()
            // Before a client can see a response.
            metrics.record(effects, table.counts)
            for effect in effects { perform(effect) }
        } while !table.effects.isEmpty
        if table.isDraining, table.isDrained { drained.change { $0 = true } }
        watch()
    }

    private func perform(_ effect: FlightEffect) {
        switch effect {
        case .send(let command): process.add(command)
        case .deliver(let number, let result, let facts):
            guard let client = clients.removeValue(forKey: number) else { return }
            deliver(result, facts, client.callerRequest?.image, to: client)
        case .deliverKept(let number, let kept, let facts):
            guard let client = clients.removeValue(forKey: number) else { return }
            deliver(kept.result, facts, kept.callerRequest.image, to: client)
        case .postpone(let number, let receipt, let isPreference, let stale):
            guard let client = clients.removeValue(forKey: number) else { return }
            note(client)
            let location = client.location.reference(to: receipt, in: client.callerRequest?.partition ?? "")
            client.parked.deliver(
                client.callerRequest?.image?.postponed(
                    receipt,
                    location: location,
                    isPreference: isPreference,
                    stale: stale?.inService,
                    account
                ) ?? FetchResponse.postponed(receipt, location: location, isPreference: isPreference)
            )
        case .postponeAgain(let number, let callerRequest):
            guard let client = clients.removeValue(forKey: number) else { return }
            note(client)
            var response = FetchResponse.postponed(
                callerRequest.receipt,
                location: client.location.reference(to: callerRequest.receipt, in: callerRequest.partition),
                isPreference: false
            )
            if callerRequest.image != nil { response.append(client.imageFields) }
            client.parked.deliver(response)
        case .reply(let number, let reply):
            guard let client = clients.removeValue(forKey: number) else { return }
            client.parked.deliver(FetchResponse.reply(reply, requestID: client.parked.requestID))
        case .serialize(let job): serialize(job)
        case .drop(let job): work.removeValue(forKey: job)?.drop()
        case .measured: break
        case .ended(let flight):
            thumbnails[flight.flight] = nil
            log.ended(flight)
        }
    }

    private func note(_ client: Client) {
        client.parked.add(fetchingNanoseconds: MonotonicTime.now.nanoseconds(since: client.start))
    }

    /// - Parameter image: the properties of the response; `nil` if it is not an image.
    private func deliver(
        _ result: FlightResult,
        _ facts: FlightFacts,
        _ image: ImageResponseOptions?,
        to client: Client
    ) {
        note(client)
        let (account, imageFields) = (account, client.imageFields)
        @Sendable func finish(_ response: consuming Response) -> Response {
            guard let image else { return response }
            var response = image.finish(response, upstreamStatus: facts.status, account)
            response.append(imageFields)
            return response
        }
        let parked = client.parked
        let callerRequest = client.callerRequest
        switch result {
        case .failed(let failure):
            parked.deliver(finish(FetchResponse.failed(failure, facts, requestID: parked.requestID)))
        case .rendered(let response):
            let rendered = response.inService
            @Sendable func finished() -> Response {
                finish(
                    FetchResponse.rendered(
                        rendered,
                        facts,
                        ifNoneMatch: callerRequest?.ifNoneMatch ?? [],
                        requestID: parked.requestID
                    )
                )
            }
            guard parked.representation.mayTakeLong(ofBytes: rendered.count), let lanes = lanes.withLock({ $0 }) else {
                return parked.deliver(finished())
            }
            lanes.follow(
                .next(
                    on: .compute {
                        var response = finished()
                        parked.representation.apply(to: &response, account)
                        return .done(response)
                    }
                ),
                for: parked
            )
        }
    }

    private func serialize(_ job: FlightJob) {
        let number = job.number
        let rendition = job.callerRequest.rendition.inService
        var renderings: RenderingBatch.Part?
        var tag = RenditionTag.response
        if rendition.image != nil {
            let (serializer, thumbnails) = (rendition.serializer, thumbnails(of: job))
            let order = ImageOrder(.thumbnail, serializer.options, serializer.limits)
            renderings = RenderingBatch.Part(batch: thumbnails.batch, order: order)
            tag = .image(thumbnails.content, serializer.options)
        }
        let shared = SharedWork(
            requestID: rendition.requestID,
            renderings: renderings,
            tag: job.isStored ? tag : nil,
            account: account
        ) {
            [self] response, nanoseconds in
            response.add(decodingNanoseconds: nanoseconds)
            onThread { [self] now in
                work[number] = nil
                table.serialized(job: number, response, at: now)
            }
        }
        work[number] = shared
        let normalization = Normalization(
            of: job.upstream.response,
            with: rendition.serializer,
            requestID: rendition.requestID,
            thumbnail: rendition.image.map { .init(isNegotiated: $0.isNegotiated) },
            isStored: job.isStored
        )
        let content = job.upstream.normalizedContent
        guard let lanes = lanes.withLock({ $0 }) else { return shared.reject(.draining) }
        @Sendable func compute() { lanes.follow(.next(on: .compute { normalization.compute(content) }), for: shared) }
        guard content.withBytes({ $0?.count ?? 0 }) <= Lane.maxInlineBytes,
            let parked = job.client.flatMap({ clients[$0]?.parked })
        else { return compute() }
        // The HTTP thread that will send the response decodes it, as if its client had sent the content.
        parked.runOnLoop(otherwise: compute) {
            guard shared.beginWork(on: .inline) else { return }
            let start = MonotonicTime.now
            do throws(RejectionReason) {
                let step = try content.withBytes { bytes throws(RejectionReason) in
                    try normalization.begin(bytes) { content }
                }
                shared.add(decodingNanoseconds: MonotonicTime.now.nanoseconds(since: start))
                lanes.follow(step, for: shared)
            } catch { shared.reject(error) }
        }
    }

    /// Returns what the thumbnails of one response have in common.
    private func thumbnails(of job: FlightJob) -> (batch: RenderingBatch, content: HashedContent) {
        let shared = thumbnails[job.flight] ?? (RenderingBatch(), HashedContent(job.upstream.bytes))
        thumbnails[job.flight] = shared
        return shared
    }
}
