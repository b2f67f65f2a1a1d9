internal import HTTP
internal import Serialization

// The problems of rejected responses, options and requests. Each error has its own switch to a `Diagnostic`.

extension Problem {
    /// Creates the problem for a rejected upstream response.
    init(_ failure: SerializationFailure) {
        let links = failure.chain.map { Link($0) }
        guard let first = links.first else {
            self.init(.internal, "the rejection has no error")
            return
        }
        self.init(first, rest: Array(links.dropFirst()))
        attempts = failure.attempts.map { attempt in
            Attempt(serializer: attempt.serializer, chain: attempt.chain.map { Link($0) })
        }
        if let looksLike = first.looksLike, looksLike != first.found {
            detail += "; the content looks like \(looksLike)"
        } else if case .unacceptableMediaType(let got, let acceptable, nil, _)? = failure.chain.first,
            got.map({ acceptable.contains($0) }) ?? true
        {
            // The type is missing or acceptable, but the content was not recognized.
            detail += "; the content is not in a known format"
        }
        if let mismatch = failure.mismatch {
            self.mismatch = mismatch
            detail =
                "the response is declared as \(mismatch.declared.excerpt), and its content looks like "
                + "\(mismatch.looksLike): "
                + detail
        }
        upstream = failure.upstream
        value = failure.value
        warnings = failure.warnings
        if status == 503 { fields = [.retryAfter(seconds: 1)] }
    }

    init(_ error: OptionError) {
        self.init(error.diagnostic)
    }

    init(_ reason: RejectionReason) {
        switch reason {
        case .malformedFraming(let error):
            self.init(error.diagnostic)
        case .contentTooLarge(let maxBytes):
            self.init(contentOver: maxBytes)
        case .saturated:
            self.init(retriedAfter: 1, .saturated, "all memory for requests (max-buffered-bytes) is in use")
        case .neverFits(let neededBytes, let maxBytes):
            self.init(
                .contentTooLarge,
                """
                decoding this content may require \(neededBytes) bytes of memory, and all requests together may use \
                \(maxBytes) (max-buffered-bytes)
                """,
                expected: ["content whose decoding requires at most \(maxBytes) bytes"]
            )
        case .overloaded:
            self.init(
                retriedAfter: 1,
                .saturated,
                "the service receives more requests than its processors can handle (threads)"
            )
        case .computeLaneFull:
            self.init(
                retriedAfter: 1,
                .saturated,
                "the queue of requests for the threads that decode large content (threads) is full"
            )
        case .queueTimeout(let lane):
            let resource = lane == .isolated ? "a worker (workers)" : "a thread that decodes large content (threads)"
            self.init(
                retriedAfter: 1,
                .queueTimeout,
                "the request has waited for \(resource) for the maximum time (queue-timeout-seconds)"
            )
        case .tooManyConnections:
            self.init(
                retriedAfter: 1,
                .saturated,
                "this address has the maximum number of connections per address (max-connections-per-address)"
            )
        case .draining:
            self.init(retriedAfter: 5, .draining, "the service is stopping")
        }
    }

    /// - Parameter seconds: the time after which the request may be repeated.
    private init(retriedAfter seconds: Int, _ code: ProblemCode, _ message: String) {
        self.init(code, message)
        fields = [.retryAfter(seconds: seconds)]
    }

    init(contentOver maxBytes: Int) {
        self.init(Diagnostic(contentOver: maxBytes))
    }
}

extension Diagnostic {
    fileprivate init(contentOver maxBytes: Int) {
        self.init(
            .contentTooLarge,
            "the content is longer than the allowed \(maxBytes) bytes",
            expected: ["at most \(maxBytes) bytes"]
        )
    }
}

extension Problem.Link {
    /// The maximum number of acceptable media types that an error lists.
    static let maxListedTypes = 8

    /// Returns at most ``maxListedTypes`` of `types`, beginning with those that are in wide use.
    private static func mostCommon(_ types: [String]) -> [String] {
        guard types.count > maxListedTypes else { return types }
        let usual = [
            "application/json", "+json", "application/xml", "text/xml", "+xml", "application/x-plist", "image/*",
            "text/plain",
        ]
        let listed = usual.filter { types.contains($0) }
        return Array((listed + types.filter { !listed.contains($0) }).prefix(maxListedTypes))
    }

    init(_ error: SerializationError) {
        switch error {
        case .unacceptableStatus(let status, let acceptable, let url):
            self.init(
                Diagnostic(
                    .unacceptableStatus,
                    "Request failed: \(ReasonPhrase.of(status)) (\(status))",
                    expected: acceptable.descriptions,
                    found: String(status)
                )
            )
            failingURL = url
        case .unacceptableMediaType(let got, let acceptable, let looksLike, let url):
            self.init(
                Diagnostic(
                    .unacceptableType,
                    "Request failed: unacceptable content-type: \(got ?? "(null)")",
                    expected: Self.mostCommon(acceptable),
                    found: got
                )
            )
            see = acceptable.count > Self.maxListedTypes ? "/v1/serializers" : nil
            self.looksLike = looksLike
            failingURL = url
        case .unsupportedContentCoding(let coding):
            self.init(
                Diagnostic(
                    .codingUnsupported,
                    "the content coding '\(coding.excerpt)' is not known",
                    expected: ["gzip", "x-gzip", "deflate", "br", "zstd", "identity"],
                    found: coding.excerpt
                )
            )
        case .coding(let error):
            self.init(error.diagnostic)
        case .content(let error):
            self.init(error.base.diagnostic)
        case .contentTooLong(let max):
            self.init(Diagnostic(contentOver: max))
        case .outputTooLong(let max):
            self.init(
                Diagnostic(
                    .outputTooLong,
                    "the value is longer than the allowed \(max) bytes",
                    expected: ["at most \(max) bytes"]
                )
            )
        case .outOfMemory:
            self.init(Diagnostic.outOfMemory)
        }
    }
}
