internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

// The problems of requests for resources of origins.

extension FetchFailure {
    /// - Parameter hostIsNamed: whether the cause of a rejected address is no secret.
    fileprivate func code(hostIsNamed: Bool) -> ProblemCode {
        switch self {
        case .resolveFailed: .fetchResolveFailed
        case .connectFailed: .fetchConnectFailed
        case .connectionLost: .fetchConnectionLost
        case .timedOut: .fetchTimedOut
        case .tlsFailed: .fetchTLSFailed
        case .certificateUntrusted: .fetchCertificateUntrusted
        case .malformedResponse: .fetchMalformedResponse
        case .proxyFailed: .fetchProxyFailed
        case .addressNotAllowed: hostIsNamed ? .fetchAddressNotAllowed : .fetchResolveFailed
        case .fetcherDied: .fetchFetcherDied
        }
    }

    /// The sentence for the caller, without a full stop.
    fileprivate func message(in phase: FetchPhase, hostIsNamed: Bool) -> String {
        switch self {
        case .resolveFailed: "the host could not be resolved"
        case .connectFailed: "no connection to the origin could be established"
        case .connectionLost: "the connection to the origin ended before the response was complete"
        case .timedOut: "the origin did not respond in time (\(phase.setting))"
        case .tlsFailed: "the TLS handshake with the origin failed"
        case .certificateUntrusted: "the certificate of the origin is not trusted (fetch-ca-file)"
        case .malformedResponse: "the response of the origin violates HTTP"
        case .proxyFailed: "the proxy could not be reached, or refused the request (fetch-proxy)"
        case .addressNotAllowed:
            hostIsNamed
                ? "the host has an address that is not allowed (fetch-allow-addresses)"
                : Self.resolveFailed.message(in: phase, hostIsNamed: hostIsNamed)
        case .fetcherDied: "the process that requested the resource has ended"
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

extension FlightFailure {
    var code: ProblemCode {
        switch self {
        case .attempt(let failure, _, let hostIsNamed): failure.code(hostIsNamed: hostIsNamed)
        case .redirect(let rejection): ProblemCode(rawValue: "\(rejection.code)") ?? .fetchRedirectRefused
        case .timedOut: .fetchTimedOut
        case .cancelled: .fetchCancelled
        case .superseded: .fetchSuperseded
        case .queueFull, .queueTimeout, .memory, .originMemory, .requestContent, .nameFull: .fetchSaturated
        case .circuitOpen: .fetchCircuitOpen
        case .unavailable: .fetchUnavailable
        case .contentTooLong: .contentTooLong
        case .onlyIfCached: .cacheOnlyIfCached
        case .draining: .draining
        }
    }

    /// The time after which the request may be repeated, in seconds; `nil` if repeating it is not the remedy.
    var retryAfterSeconds: Int? {
        switch self {
        case .queueFull, .memory, .originMemory, .requestContent, .nameFull, .unavailable: 1
        case .queueTimeout(let pauseSeconds): max(1, pauseSeconds)
        case .circuitOpen(let seconds): max(1, seconds)
        case .draining: 5
        case .attempt, .redirect, .timedOut, .cancelled, .superseded, .contentTooLong, .onlyIfCached: nil
        }
    }

    /// The sentence for the caller, without a full stop.
    fileprivate func message(_ facts: FlightFacts) -> String {
        switch self {
        case .attempt(let failure, let phase, let hostIsNamed):
            return failure.message(in: phase, hostIsNamed: hostIsNamed)
        case .redirect(let rejection): return rejection.message
        case .timedOut: return "the result was not available in time (timeoutSeconds, fetch-timeout-seconds)"
        // AFNetworking's text.
        case .cancelled: return "ImageDownloader cancelled URL request: \(facts.url)"
        case .superseded: return "a later request in the same slot is for another resource"
        case .queueFull: return "the maximum number of requests wait for a permit (fetch-max-queued)"
        case .queueTimeout(0):
            return "the request has waited for a permit as long as it may (fetch-queue-seconds, fetch-max-active, "
                + "fetch-max-active-per-origin)"
        case .queueTimeout(let pauseSeconds):
            return "the origin has asked for no more requests for \(pauseSeconds) seconds (Retry-After)"
        case .memory: return "all memory for requests (max-buffered-bytes) is in use"
        case .requestContent: return "the contents of the requests to origins are too long together"
        case .nameFull:
            return "\(FlightSettings.maxReceiptsPerName) requests wait under the same receipt or in the same slot"
        case .originMemory:
            return "responses of this origin use \(FlightSettings.originMemoryPercent) % of the memory for requests "
                + "(max-buffered-bytes)"
        case .circuitOpen(let seconds):
            return "the origin has failed repeatedly; the next attempt is made in \(seconds) seconds "
                + "(fetch-breaker-failures)"
        case .unavailable: return "the process that requests resources is not running"
        case .contentTooLong(let max): return "the content is longer than the \(max) bytes that are allowed"
        case .onlyIfCached: return "there is no stored response, and the request has cache=only-if-cached"
        case .draining: return "the service is stopping"
        }
    }
}

extension RedirectRejection {
    /// The sentence for the caller, without a full stop.
    fileprivate var message: String {
        switch self {
        case .refused(let status):
            "the origin responded with a redirect (\(status)), and the request has redirects=error"
        case .tooMany(let max): "the origin redirected the request more than \(max) times (fetch-max-redirects)"
        case .malformedLocation(.unsupportedScheme), .malformedLocation(.credentials):
            "the redirect leads to a URL that is not requested"
        case .malformedLocation: "the field Location of the redirect is not one valid URL"
        case .downgrade: "the redirect leads from https to http"
        case .notAllowed(let rejection): rejection.explanation.withoutFullStop
        }
    }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension Problem {
    /// A request for a resource that has no result.
    init(_ failure: FlightFailure, _ facts: FlightFacts) {
        var link = Link(code: failure.code, message: failure.message(facts))
        link.failingURL = facts.url.isEmpty ? nil : facts.url
        if failure.code.definition.type.stage == .fetch {
            link.attempts = facts.attempts
            link.timings = facts.durations
            switch failure {
            case .attempt(_, let phase, _): link.phase = "\(phase.name)"
            case .queueFull, .queueTimeout, .requestContent, .nameFull, .circuitOpen, .unavailable: link.phase = "queue"
            case .timedOut: link.phase = facts.attempts == 0 ? "queue" : facts.phase.map { "\($0.name)" }
            case .redirect, .cancelled, .superseded, .memory, .originMemory, .contentTooLong, .onlyIfCached,
                .draining:
                break
            }
        }
        switch failure {
        case .redirect(.notAllowed(let rejection)): link.expected = rejection.settings
        case .attempt(.addressNotAllowed, _, hostIsNamed: true): link.expected = ["fetch-allow-addresses"]
        case .contentTooLong(let max): link.expected = ["at most \(max) bytes"]
        case .attempt, .redirect, .timedOut, .cancelled, .superseded, .queueFull, .queueTimeout, .memory,
            .originMemory, .requestContent, .nameFull, .circuitOpen, .unavailable, .onlyIfCached, .draining:
            break
        }
        self.init(link)
        if let seconds = failure.retryAfterSeconds { fields = [.retryAfter(seconds: seconds)] }
        fields.append(.noStore)
    }

    /// A request that the rules of fetching reject.
    init(_ rejection: FetchRejection, url: FetchURL?) {
        var link = Link(
            code: ProblemCode(rawValue: "\(rejection.code)") ?? .internal,
            message: rejection.explanation.withoutFullStop
        )
        link.expected = rejection.settings
        link.failingURL = url?.text
        self.init(link)
        fields = [.noStore]
        if !rejection.settings.isEmpty {
            hint = "Setting that can allow it: \(rejection.settings.joined(separator: ", "))."
        }
    }

    /// A URL that is not requested. The text of the URL is not repeated, because it may contain secrets.
    init(_ error: FetchURLError) {
        let code = ProblemCode(rawValue: "\(error.code)") ?? .internal
        var link = Link(code: code, message: "the URL is not one that is requested: \(error.reason)")
        if case .unsupportedScheme(let scheme) = error {
            link.expected = ["http", "https"]
            link.found = scheme.excerpt
        }
        self.init(link)
        fields = [.noStore]
    }

    /// A field that a caller may not send.
    init(_ rejection: FieldRejection) {
        let message: String
        switch rejection {
        case .malformedName(let index): message = "the name in headers/\(index) is not a token"
        case .malformedValue(let index, let offset):
            message = "the value in headers/\(index) has a control character at byte \(offset)"
        case .notAllowed(let name, let index): message = "headers/\(index): callers may not send the field \(name)"
        case .tooLong(let bytes, let max): message = "headers are \(bytes) bytes long; at most \(max) are allowed"
        }
        self.init(.fetchFieldNotAllowed, message)
        fields = [.noStore]
    }
}
