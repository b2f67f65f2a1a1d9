internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

// The problems of requests for resources of origins.

extension FlightFailure {
    /// The code of the problem, which is also the result in the log and the metrics.
    var code: ProblemCode { diagnostic(FlightFacts()).code }

    /// The reason in words. Everything else that follows from it is in its ``Row``.
    fileprivate func diagnostic(_ facts: FlightFacts) -> Diagnostic {
        switch self {
        case .attempt(let failure, let phase, let hostIsNamed): failure.diagnostic(in: phase, hostIsNamed: hostIsNamed)
        case .redirect(let rejection): rejection.diagnostic
        case .timedOut:
            Diagnostic(
                .fetchTimedOut,
                "the result was not available in time (timeoutSeconds, fetch-timeout-seconds)"
            )
        // AFNetworking's text.
        case .cancelled: Diagnostic(.fetchCancelled, "ImageDownloader cancelled URL request: \(facts.url)")
        case .superseded: Diagnostic(.fetchSuperseded, "a later request in the same slot is for another resource")
        case .queueFull:
            Diagnostic(.fetchSaturated, "the maximum number of requests wait for a permit (fetch-max-queued)")
        case .queueTimeout(0):
            Diagnostic(
                .fetchSaturated,
                """
                the request has waited for a permit as long as it may (fetch-queue-seconds, fetch-max-active, \
                fetch-max-active-per-origin)
                """
            )
        case .queueTimeout(let pauseSeconds):
            Diagnostic(
                .fetchSaturated,
                "the origin has asked for no more requests for \(pauseSeconds) seconds (Retry-After)"
            )
        case .memory: Diagnostic(.fetchSaturated, "all memory for requests (max-buffered-bytes) is in use")
        case .requestContent:
            Diagnostic(.fetchSaturated, "the contents of the requests to origins are too long together")
        case .nameFull:
            Diagnostic(
                .fetchSaturated,
                "\(FlightSettings.maxWaitersPerName) requests wait under the same receipt or in the same slot"
            )
        case .originMemory:
            Diagnostic(
                .fetchSaturated,
                """
                responses of this origin use \(FlightSettings.originMemoryPercent) % of the memory for requests \
                (max-buffered-bytes)
                """
            )
        case .circuitOpen(let seconds):
            Diagnostic(
                .fetchCircuitOpen,
                """
                the origin has failed repeatedly; the next attempt is made in \(seconds) seconds \
                (fetch-breaker-failures)
                """
            )
        case .unavailable: Diagnostic(.fetchUnavailable, "the process that requests resources is not running")
        case .contentTooLong(let max):
            Diagnostic(
                .contentTooLong,
                "the content is longer than the allowed \(max) bytes (max-content-bytes)",
                expected: ["at most \(max) bytes"]
            )
        case .onlyIfCached:
            Diagnostic(
                .cacheOnlyIfCached,
                "there is no stored response, and the request has cache=only-if-cached"
            )
        case .draining: Diagnostic(.draining, "the service is stopping")
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
        var link = Link(failure.diagnostic(facts))
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
