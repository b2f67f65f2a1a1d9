internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

// The problems of requests for resources of origins.

/// Everything that is reported about a failure: one row for each.
struct FlightFailureRow {
    var diagnostic: Diagnostic
    /// The time after which the request may be repeated, in seconds; `nil` if repeating it is not the remedy.
    var retryAfterSeconds: Int?
    /// The phase in which the request failed, as in the problem; `nil` if it has none.
    var phase: StaticString?
    /// Whether the log contains it at `info`, because the origin or the process that fetches is the cause.
    var isNotable: Bool

    init(
        _ code: ProblemCode,
        _ sentence: String,
        expected: [String] = [],
        retryAfterSeconds: Int? = nil,
        phase: StaticString? = nil,
        isNotable: Bool = false
    ) {
        diagnostic = Diagnostic(code, sentence, expected: expected)
        self.retryAfterSeconds = retryAfterSeconds
        self.phase = phase
        self.isNotable = isNotable
    }

    init(_ diagnostic: Diagnostic, phase: StaticString? = nil, isNotable: Bool) {
        self.diagnostic = diagnostic
        self.phase = phase
        self.isNotable = isNotable
    }
}

extension FlightFailure {
    /// The code of the problem, which is also the result in the log and the metrics.
    var code: ProblemCode { row(FlightFacts()).diagnostic.code }

    func row(_ facts: FlightFacts) -> FlightFailureRow {
        switch self {
        case .attempt(let failure, let phase, let hostIsNamed):
            FlightFailureRow(
                failure.diagnostic(in: phase, hostIsNamed: hostIsNamed),
                phase: phase.name,
                isNotable: true
            )
        case .redirect(let rejection): FlightFailureRow(rejection.diagnostic, isNotable: true)
        case .timedOut:
            FlightFailureRow(
                .fetchTimedOut,
                "the result was not available in time (timeoutSeconds, fetch-timeout-seconds)",
                phase: facts.attempts == 0 ? "queue" : facts.phase?.name
            )
        // AFNetworking's text.
        case .cancelled: FlightFailureRow(.fetchCancelled, "ImageDownloader cancelled URL request: \(facts.url)")
        case .superseded:
            FlightFailureRow(.fetchSuperseded, "a later request in the same slot is for another resource")
        case .queueFull:
            FlightFailureRow(
                .fetchSaturated,
                "the maximum number of requests wait for a permit (fetch-max-queued)",
                retryAfterSeconds: 1,
                phase: "queue"
            )
        case .queueTimeout(0):
            FlightFailureRow(
                .fetchSaturated,
                """
                the request has waited for a permit as long as it may (fetch-queue-seconds, fetch-max-active, \
                fetch-max-active-per-origin)
                """,
                retryAfterSeconds: 1,
                phase: "queue"
            )
        case .queueTimeout(let pauseSeconds):
            FlightFailureRow(
                .fetchSaturated,
                "the origin has asked for no more requests for \(pauseSeconds) seconds (Retry-After)",
                retryAfterSeconds: max(1, pauseSeconds),
                phase: "queue"
            )
        case .memory:
            FlightFailureRow(
                .fetchSaturated,
                "all memory for requests (max-buffered-bytes) is in use",
                retryAfterSeconds: 1
            )
        case .requestContent:
            FlightFailureRow(
                .fetchSaturated,
                "the contents of the requests to origins are too long together",
                retryAfterSeconds: 1,
                phase: "queue"
            )
        case .nameFull:
            FlightFailureRow(
                .fetchSaturated,
                "\(FlightSettings.maxReceiptsPerName) requests wait under the same receipt or in the same slot",
                retryAfterSeconds: 1,
                phase: "queue"
            )
        case .originMemory:
            FlightFailureRow(
                .fetchSaturated,
                """
                responses of this origin use \(FlightSettings.originMemoryPercent) % of the memory for requests \
                (max-buffered-bytes)
                """,
                retryAfterSeconds: 1
            )
        case .circuitOpen(let seconds):
            FlightFailureRow(
                .fetchCircuitOpen,
                """
                the origin has failed repeatedly; the next attempt is made in \(seconds) seconds \
                (fetch-breaker-failures)
                """,
                retryAfterSeconds: max(1, seconds),
                phase: "queue",
                isNotable: true
            )
        case .unavailable:
            FlightFailureRow(
                .fetchUnavailable,
                "the process that requests resources is not running",
                retryAfterSeconds: 1,
                phase: "queue",
                isNotable: true
            )
        case .contentTooLong(let max):
            FlightFailureRow(
                .contentTooLong,
                "the content is longer than the \(max) bytes that are allowed",
                expected: ["at most \(max) bytes"]
            )
        case .onlyIfCached:
            FlightFailureRow(
                .cacheOnlyIfCached,
                "there is no stored response, and the request has cache=only-if-cached"
            )
        case .draining: FlightFailureRow(.draining, "the service is stopping", retryAfterSeconds: 5)
        }
    }
}

extension FetchFailure {
    /// The reason in words.
    /// - Parameter hostIsNamed: whether the cause of a rejected address is no secret.
    fileprivate func diagnostic(in phase: FetchPhase, hostIsNamed: Bool) -> Diagnostic {
        switch self {
        case .resolveFailed: Diagnostic(.fetchResolveFailed, "the host could not be resolved")
        case .connectFailed: Diagnostic(.fetchConnectFailed, "no connection to the origin could be established")
        case .connectionLost:
            Diagnostic(.fetchConnectionLost, "the connection to the origin ended before the response was complete")
        case .timedOut: Diagnostic(.fetchTimedOut, "the origin did not respond in time (\(phase.setting))")
        case .tlsFailed: Diagnostic(.fetchTLSFailed, "the TLS handshake with the origin failed")
        case .certificateUntrusted:
            Diagnostic(.fetchCertificateUntrusted, "the certificate of the origin is not trusted (fetch-ca-file)")
        case .malformedResponse: Diagnostic(.fetchMalformedResponse, "the response of the origin violates HTTP")
        case .proxyFailed:
            Diagnostic(.fetchProxyFailed, "the proxy could not be reached, or refused the request (fetch-proxy)")
        case .addressNotAllowed:
            hostIsNamed
                ? Diagnostic(
                    .fetchAddressNotAllowed,
                    "the host has an address that is not allowed (fetch-allow-addresses)",
                    expected: ["fetch-allow-addresses"]
                ) : Self.resolveFailed.diagnostic(in: phase, hostIsNamed: hostIsNamed)
        case .fetcherDied: Diagnostic(.fetchFetcherDied, "the process that requested the resource has ended")
        }
    }
}

extension FetchPhase {
    /// The name in problems and metrics.
    var name: StaticString {
        switch self {
        case .resolve: "resolve"
        case .connect: "connect"
        case .tls: "tls"
        case .head: "head"
        case .content: "content"
        }
    }

    /// The settings that limit the time of the phase.
    fileprivate var setting: StaticString {
        switch self {
        case .resolve: "fetch-resolve-seconds"
        case .connect, .tls: "fetch-connect-seconds"
        case .head: "fetch-idle-seconds or fetch-timeout-seconds"
        case .content: "fetch-idle-seconds, fetch-timeout-seconds or fetch-slowest-bytes-per-second"
        }
    }
}

extension Problem {
    /// A request for a resource that has no result.
    init(_ failure: FlightFailure, _ facts: FlightFacts) {
        let row = failure.row(facts)
        var link = Link(row.diagnostic)
        link.failingURL = facts.url.isEmpty ? nil : facts.url
        if link.code.definition.type.stage == .fetch {
            link.attempts = facts.attempts
            link.timings = facts.durations
            link.phase = row.phase.map { "\($0)" }
        }
        self.init(link)
        if let seconds = row.retryAfterSeconds { fields = [.retryAfter(seconds: seconds)] }
        fields.append(.noStore)
    }

    /// A request that the rules of fetching reject.
    init(_ rejection: FetchRejection, url: FetchURL?) {
        self.init(rejection.diagnostic)
        first.failingURL = url?.text
        fields = [.noStore]
    }
}
