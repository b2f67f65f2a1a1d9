internal import Flights
internal import Serialization

/// A rejection as problem details (RFC 9457), with the complete chain of errors.
///
/// **Invariant.** A problem has at least one link, and the first one determines its status, title and type, which are
/// those of the row of its code (``ProblemCode/definition``). Each reason of an error has one diagnostic, and each code
/// one row: a switch that lacks one does not compile. At most ``maxLinks`` links are written. `ProblemCodeTests` and
/// `ProblemExampleGoldenTests`, which compares a running service with the pages of the codes, check this.
struct Problem: Sendable {
    /// One error of the chain.
    struct Link: Equatable, Sendable {
        var code: ProblemCode
        /// The number in the domain of the code; `nil` if it is the same for all occurrences.
        var domainCode: Int?
        var message: String
        var at: SourceLocation?
        /// The location of the first occurrence, if the error is a duplicate.
        var firstAt: SourceLocation?
        /// The alternatives that would have been accepted.
        var expected: [String]
        /// The path where the rest of ``expected`` is listed; `nil` if it is complete.
        var see: String?
        var found: String?
        /// The media type that the signature of the content indicates.
        var looksLike: String?
        /// Whether the media type is acceptable or missing, if the error is that of the type.
        var isOfAcceptableType = false
        var excerpt: String?
        /// The URL of the upstream response.
        var failingURL: String?
        /// The phase of a fetch in which it failed.
        var phase: String?
        /// The number of attempts of a fetch.
        var attempts: Int?
        /// The durations of the phases of a fetch that took place.
        var timings: [PhaseDuration] = []

        init(_ diagnostic: Diagnostic) {
            code = diagnostic.code
            // Other domains have numbers of their own.
            if code.definition.type.domain == .xmlParser { domainCode = diagnostic.xmlNumber }
            message = diagnostic.sentence
            at = diagnostic.location
            firstAt = diagnostic.first
            expected = diagnostic.expected
            found = diagnostic.found
            excerpt = diagnostic.excerpt
        }
    }

    /// The errors of one component of a compound.
    struct Attempt: Equatable, Sendable {
        var serializer: SerializerKind?
        var chain: [Link]
    }

    /// The maximum number of links that are written. The contract specifies it; the chains of the service are shorter.
    static let maxLinks = 16

    /// The outermost error, which determines the status, the title and the type.
    var first: Link

    /// The other errors, down to the root cause.
    var rest: [Link] = []

    /// The sentence about this occurrence. The default is the message of the outermost error.
    var detail: String

    /// One sentence with a remedy; `nil` if none is known.
    var hint: String?
    /// The change with which the request would be accepted; `nil` if none is known.
    var accepts: Diagnostic.Change?

    var attempts: [Attempt] = []
    var upstream: UpstreamFacts?
    /// The normalized value as JSON text, if the response was rejected but its content was decoded.
    var value: [UInt8]?
    var warnings: [Warning] = []

    /// The fields of the response besides `Content-Type`, such as `Allow`.
    var fields: [HeaderFields.Field] = []

    init(_ first: Link, rest: [Link] = []) {
        self.first = first
        self.rest = rest
        detail = first.message
    }

    init(_ diagnostic: Diagnostic) {
        self.init(Link(diagnostic))
        hint = diagnostic.hint
        accepts = diagnostic.accepts
    }

    init(_ code: ProblemCode, _ message: String, expected: [String] = [], found: String? = nil) {
        self.init(Diagnostic(code, message, expected: expected, found: found))
    }

    /// The declared type and the type of the content, if their difference explains the problem.
    var mismatch: TypeMismatch?

    /// The code of the problem: that of the outermost error, or ``ProblemCode/typeMismatch`` if that is an error of the
    /// content. The chain is the same in both cases.
    var code: ProblemCode {
        guard mismatch != nil, first.code.definition.type.cause == .content else { return first.code }
        return .typeMismatch
    }

    var status: Int { code.definition.type.status }

    /// Whether the same request can succeed later.
    var isRetryable: Bool {
        guard code == .unacceptableStatus, let status = upstream?.status else {
            return code.definition.type.isRetryable
        }
        return Self.temporaryStatuses.contains(status)
    }

    /// The statuses with which an upstream reports a condition that passes (RFC 9110 §15, RFC 6585 §4, RFC 8470 §5.2).
    private static let temporaryStatuses: Set = [408, 425, 429, 500, 502, 503, 504]
}
