internal import HTTP
internal import Serialization

// The problems of rejected responses, options and requests. Each error has its own switch to a `Diagnostic`.

extension Problem {
    /// Creates the problem for a rejected upstream response.
    /// - Parameter content: the content of the response, whose codings are decoded.
    init(_ failure: SerializationFailure, _ content: Span<UInt8>?, under rules: RuleSet) {
        let links = Self.chain(failure.chain, under: rules)
        guard let first = links.first else {
            self.init(.internal, "the rejection has no error")
            return
        }
        self.init(first, rest: Array(links.dropFirst()))
        attempts = failure.attempts.map { attempt in
            Attempt(serializer: attempt.serializer, chain: Self.chain(attempt.chain, under: rules))
        }
        // A limit does not depend on the type.
        if links.contains(where: { $0.code.definition.type.cause == .content }) { mismatch = failure.mismatch }
        upstream = failure.upstream
        value = failure.value
        warnings = failure.warnings
        detail = sentence(for: content)
        if status == 503, isRetryable { fields = [.retryAfter(seconds: 1)] }
    }

    /// Returns the links of a chain, from the outermost error.
    ///
    /// Errors of the service and of limits are first, because they contain no information about the upstream. The
    /// status is before the errors of type, coding and content, because it explains them. The order of `afnetworking`
    /// is that of the serialization: an error of decoding wraps those of validation.
    private static func chain(_ errors: [SerializationError], under rules: RuleSet) -> [Link] {
        let links = errors.map { Link($0, under: rules) }
        switch rules {
        case .afnetworking: return links
        case .decant:
            let ranks = links.map(\.rank)
            return Set(ranks).sorted().flatMap { rank in zip(ranks, links).filter { $0.0 == rank }.map(\.1) }
        }
    }

    /// Returns the sentence about the errors of a rejected upstream response: the status, if it was not acceptable, and
    /// the outermost error of the response itself.
    private func sentence(for content: Span<UInt8>?) -> String {
        guard first.code == .unacceptableStatus else { return sentence(about: first, content) }
        return rest.first.map { first.message + "; " + sentence(about: $0, content) } ?? first.message
    }

    private func sentence(about link: Link, _ content: Span<UInt8>?) -> String {
        var sentence = link.message
        if let looksLike = link.looksLike, looksLike != link.found {
            sentence += "; the content looks like \(looksLike)"
        } else if link.code == .unacceptableType, link.looksLike == nil, link.isOfAcceptableType {
            // The content was not recognized.
            sentence += "; the content is not in a known format"
        }
        if let mismatch {
            sentence =
                "the response is declared as \(mismatch.declared.excerpt), and its content looks like "
                + "\(mismatch.looksLike): "
                + sentence
        }
        let looksLike = mismatch?.looksLike ?? link.looksLike
        if looksLike == ContentSignature.html.mediaType, let content, let title = PageTitle.of(content) {
            sentence += "; the title of the page is '\(title)'"
        }
        return sentence
    }

    init(_ error: OptionError) { self.init(error.diagnostic) }

    init(_ reason: RejectionReason) {
        switch reason {
        case .malformedFraming(let error): self.init(error.diagnostic)
        case .contentTooLarge(let maxBytes): self.init(contentOver: maxBytes)
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
            let resource =
                switch lane {
                case .inline, .compute: "a thread that decodes large content (threads)"
                case .facts: "a worker that reads facts (fact-workers)"
                case .pixels: "a worker (workers)"
                }
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
        case .draining: self.init(retriedAfter: 5, .draining, "the service is stopping")
        }
    }

    /// - Parameter seconds: the time after which the request may be repeated.
    private init(retriedAfter seconds: Int, _ code: ProblemCode, _ message: String) {
        self.init(code, message)
        fields = [.retryAfter(seconds: seconds)]
    }

    init(contentOver maxBytes: Int) { self.init(Diagnostic(contentOver: maxBytes)) }
}

extension Diagnostic {
    fileprivate init(contentOver maxBytes: Int) {
        self.init(
            .contentTooLarge,
            "the content is longer than the allowed \(maxBytes) bytes (max-content-bytes)",
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
        var listed = usual.filter { types.contains($0) }
        for type in types where listed.count < maxListedTypes && !listed.contains(type) { listed.append(type) }
        return Array(listed.prefix(maxListedTypes))
    }

    /// The rank of the error in a chain, from 0 for the outermost ones.
    fileprivate var rank: Int {
        switch code.definition.type.cause {
        case .limit, .service: 0
        case .status: 1
        case .content, .type, .request, .access, .fetch: 2
        }
    }

    init(_ error: SerializationError, under rules: RuleSet) {
        switch error {
        case .unacceptableStatus(let status, let acceptable, let url):
            self.init(
                Diagnostic(
                    .unacceptableStatus,
                    rules.sentence(forStatus: status),
                    expected: acceptable.descriptions,
                    found: String(status)
                )
            )
            failingURL = url
        case .unacceptableMediaType(let got, let acceptable, let looksLike, let url):
            self.init(
                Diagnostic(
                    .unacceptableType,
                    rules.sentence(forType: got),
                    expected: Self.mostCommon(acceptable),
                    found: got
                )
            )
            see = acceptable.count > Self.maxListedTypes ? "/v1/serializers" : nil
            self.looksLike = looksLike
            isOfAcceptableType = got.map { acceptable.contains($0) } ?? true
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
        case .coding(let error): self.init(error.diagnostic)
        case .content(let error): self.init(error.base.diagnostic)
        case .partNotFound(let error): self.init(error.diagnostic)
        case .contentTooLong(let max): self.init(Diagnostic(contentOver: max))
        case .outputTooLong(let max):
            self.init(
                Diagnostic(
                    .outputTooLong,
                    "the value is longer than the allowed \(max) bytes (max-output-bytes)",
                    expected: ["at most \(max) bytes"]
                )
            )
        case .outOfMemory: self.init(Diagnostic.outOfMemory)
        }
    }
}

extension RuleSet {
    /// Returns the sentence of −1011. That of `afnetworking` is AFNetworking's.
    fileprivate func sentence(forStatus status: Int) -> String {
        switch self {
        case .decant: "the upstream responded \(status) \(ReasonPhrase.of(status))"
        case .afnetworking: "Request failed: \(ReasonPhrase.of(status)) (\(status))"
        }
    }

    /// Returns the sentence of −1016. That of `afnetworking` is AFNetworking's.
    /// - Parameter type: the media type; `nil` if there is none.
    fileprivate func sentence(forType type: String?) -> String {
        switch self {
        case .decant: type.map { "the media type \($0) is not acceptable" } ?? "the response has no media type"
        case .afnetworking: "Request failed: unacceptable content-type: \(type ?? "(null)")"
        }
    }
}
