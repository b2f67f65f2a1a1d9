internal import Fetching
internal import Flights
internal import HTTP
internal import Platform
internal import Serialization
internal import Workers

/// `GET /metrics`: the metrics of the service in the text format of Prometheus.
///
/// The response is created on the HTTP thread, so that it is available when the lanes are saturated. Metrics are read
/// one after the other: their values may differ by the requests that end in the meantime.
struct MetricsEndpoint: Sendable {
    let readiness: Readiness
    let workers: ServiceParts.Workers
    let access: AccessControl
    let sources: MetricsSources

    func response() -> Response {
        var text = PrometheusText()
        if let telemetry = sources.telemetry { Self.write(telemetry.requestCounts, to: &text) }
        writeLanes(to: &text)
        if let figures = sources.telemetry?.serverFigures { Self.write(figures, to: &text) }
        if !workers.pools.isEmpty { Self.write(workers.pools, to: &text) }
        if let fetching = sources.fetching {
            Self.write(fetching.metrics.figures, to: &text)
            Self.write(fetching.cache, to: &text)
        }
        if let droppedLogLines = sources.droppedLogLines { text.family(.droppedLogLines, droppedLogLines()) }
        writeReloads(to: &text)
        writeService(to: &text)
        if let process = sources.process { Self.write(process(), to: &text) }
        return Response(
            status: 200,
            contentType: PrometheusText.contentType,
            fields: [.noStore],
            content: text.finish()
        )
    }

    // MARK: Requests

    private static func write(_ counts: RequestCounts, to text: inout PrometheusText) {
        text.family(.requests)
        for (labels, requests) in counts.requests.sorted {
            text.sample(
                requests,
                .init("endpoint", labels.endpoint),
                .init("status", labels.status),
                .init("serializer", labels.serializer),
                .init("code", labels.code)
            )
        }
        text.family(.requestDuration)
        for endpoint in Endpoint.allCases {
            let durations = counts.durations(of: endpoint)
            // Otherwise, endpoints that are not used would be most of the text.
            if durations.count > 0 { text.histogram(durations, .init("endpoint", endpoint.name)) }
        }
        text.family(.stageDuration)
        for stage in RequestStage.allCases { text.histogram(counts.durations(of: stage), .init("stage", stage.name)) }
        text.family(.receivedContent, counts.receivedBytes)
        text.family(.sentContent, counts.sentBytes)
        text.family(.exchangeEnds)
        for end in ConnectionEnd.allCases { text.sample(counts.requests(endingWith: end), .init("end", end.name)) }
        text.family(.laneRequests)
        for lane in Lane.allCases { text.sample(counts.requests(on: lane), .init("lane", lane.name)) }
    }

    private func writeLanes(to text: inout PrometheusText) {
        guard sources.waitingForCompute != nil || !workers.pools.isEmpty else { return }
        text.family(.laneWaiting)
        if let waiting = sources.waitingForCompute { text.sample(waiting(), .init("lane", Lane.compute.name)) }
        for (lane, pool) in workers.pools { text.sample(pool.waitingJobs, .init("lane", lane.name)) }
    }

    // MARK: Server and workers

    private static func write(_ figures: ServerFigures, to text: inout PrometheusText) {
        text.family(.requestsInFlight, figures.requestsInFlight)
        text.family(.contentMemory, figures.contentBytes)
        text.family(.maxContentMemory, figures.maxContentBytes)
        text.family(.openConnections, figures.connections.open)
        text.family(.acceptedConnections, figures.connections.accepted)
        text.family(.rejectedConnections)
        text.sample(figures.connections.rejected, .init("reason", "address_limit" as StaticString))
        text.family(.evictedConnections, figures.connections.evicted)
        text.family(.acceptFailures, figures.connections.acceptFailures)
    }

    private static func write(_ pools: [(lane: Lane, pool: WorkerPool)], to text: inout PrometheusText) {
        let pools = pools.map { lane, pool in (PrometheusText.Label("lane", lane.name), pool, pool.status) }
        text.family(.workers)
        for (lane, _, status) in pools {
            text.sample(status.idle, lane, .init("state", "idle" as StaticString))
            text.sample(status.busy, lane, .init("state", "busy" as StaticString))
            text.sample(status.starting, lane, .init("state", "starting" as StaticString))
            text.sample(status.dead, lane, .init("state", "dead" as StaticString))
        }
        text.family(.workerRestarts)
        for (lane, pool, _) in pools {
            let ends = pool.endsByReason
            for reason in WorkerEndReason.allCases {
                text.sample(ends[reason] ?? 0, lane, .init("reason", reason.rawValue))
            }
        }
        text.family(.workerSandbox)
        for (lane, _, status) in pools {
            for sandbox in WorkerPool.Status.Sandbox.allCases {
                text.sample(status.sandbox == sandbox ? 1 : 0, lane, .init("state", sandbox.rawValue))
            }
        }
        text.family(.workerResidentMemory)
        for (lane, pool, _) in pools { text.sample(pool.residentBytes, lane) }
    }

    private static func write(_ cache: ResponseCache, to text: inout PrometheusText) {
        let figures = cache.figures
        let counters = cache.store.counters
        text.family(.cacheRequests)
        for use in CacheUse.allCases { text.sample(figures.uses[use.rawValue], .init("result", use.name)) }
        text.family(.cacheEvicted)
        text.sample(counters.evictedEntries, .init("kind", "response" as StaticString))
        text.sample(counters.evictedRenditions, .init("kind", "rendition" as StaticString))
        text.family(.cacheEvictedBytes, counters.evictedBytes)
        text.family(.cachePurged)
        text.sample(counters.purgedEntries, .init("kind", "removed" as StaticString))
        text.sample(counters.staleEntries, .init("kind", "stale" as StaticString))
        text.family(.cacheBytes, cache.store.usedBytes)
        text.family(.cacheCapacity, cache.store.limits.capacityBytes)
        text.family(.cacheEntries)
        text.sample(cache.store.count, .init("kind", "response" as StaticString))
        text.sample(cache.store.renditionCount, .init("kind", "rendition" as StaticString))
    }

    private static func write(_ figures: FetchFigures, to text: inout PrometheusText) {
        text.family(.fetches)
        let outcomes = figures.outcomes.sorted { ($0.key.entry, $0.key.result) < ($1.key.entry, $1.key.result) }
        for (outcome, count) in outcomes {
            text.sample(count, .init("entry", outcome.entry), .init("result", outcome.result))
        }
        text.family(.fetchPhaseDuration)
        for (index, phase) in FetchFigures.phaseNames.enumerated() {
            text.histogram(figures.phases[index], .init("phase", phase))
        }
        text.family(.fetchAttempts, figures.flights.attempts)
        text.family(.fetchRetries)
        text.sample(figures.flights.retries, .init("reason", "retry" as StaticString))
        text.sample(figures.flights.restarts, .init("reason", "fetcher_ended" as StaticString))
        text.family(.fetchMerged, figures.flights.merged)
        text.family(.fetchCancelled)
        text.sample(figures.flights.cancelled, .init("reason", "cancelled" as StaticString))
        text.sample(figures.flights.superseded, .init("reason", "superseded" as StaticString))
        text.family(.fetchRequests, figures.requests)
        text.family(.fetchQueued, figures.queued)
        text.family(.fetchActive, figures.active)
        text.family(.fetchBreakers)
        text.sample(figures.openBreakers, .init("state", "open" as StaticString))
        text.sample(figures.halfOpenBreakers, .init("state", "half_open" as StaticString))
        text.family(.fetcherReady, figures.isFetcherReady ? 1 : 0)
        text.family(.fetcherEnds)
        for reason in FetcherEndReason.allCases {
            text.sample(figures.fetcherEnds[reason.rawValue] ?? 0, .init("reason", reason.rawValue))
        }
    }

    // MARK: Service and process

    /// Writes the reloads of the files that the configuration names.
    private func writeReloads(to text: inout PrometheusText) {
        let files: [(ReloadFigures?, reloads: Metric, current: Metric)] = [
            (sources.profiles?.file?.figures, .profileReloads, .profilesCurrent),
            (access.tokens?.figures, .tokenReloads, .tokensCurrent),
            (access.signingKeys?.figures, .signingKeyReloads, .signingKeysCurrent),
            (sources.fetching?.credentials?.figures, .credentialReloads, .credentialsCurrent),
        ]
        for case (let figures?, let reloads, let current) in files {
            text.family(reloads)
            text.sample(figures.succeeded, .init("result", "succeeded" as StaticString))
            text.sample(figures.failed, .init("result", "failed" as StaticString))
            text.family(current, figures.isCurrent ? 1 : 0)
        }
    }

    private func writeService(to text: inout PrometheusText) {
        text.family(.buildInfo, 1, .init("version", decantVersion), .init("libmicrohttpd", HTTPServer.libraryVersion))
        text.family(.ready, readiness.state == .ready ? 1 : 0)
    }

    private static func write(_ process: ProcessFigures, to text: inout PrometheusText) {
        if let nanoseconds = process.processorNanoseconds { text.family(.processorTime, nanoseconds: nanoseconds) }
        if let memory = process.memory {
            text.family(.residentMemory, memory.residentBytes)
            text.family(.virtualMemory, memory.virtualBytes)
        }
        if let openFiles = process.openFiles { text.family(.openFiles, openFiles) }
        if let maxOpenFiles = process.maxOpenFiles { text.family(.maxOpenFiles, maxOpenFiles) }
        if let nanoseconds = process.startNanoseconds { text.family(.startTime, nanoseconds: nanoseconds) }
    }
}
