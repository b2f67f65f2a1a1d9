internal import Serialization

/// A refusal, as RFC 9457 problem details with the whole chain of errors.
struct Problem: Sendable {
    /// One error of the chain.
    struct Link: Equatable, Sendable {
        var code: ProblemCode
        /// The number within the code's domain, where it is not the same for all occurrences.
        var domainCode: Int?
        var message: String
        var at: SourceLocation?
        /// Of a duplicate, the position of the first occurrence.
        var firstAt: SourceLocation?
        /// What would have been accepted.
        var expected: [String] = []
        /// The path where the rest of ``expected`` is listed; `nil` if it is complete.
        var see: String?
        var found: String?
        /// What the content's own signature says it is.
        var looksLike: String?
        var excerpt: String?
        /// URL of the upstream response.
        var failingURL: String?
        /// The phase of a fetch in which it failed.
        var phase: String?
        /// The number of attempts of a fetch.
        var attempts: Int?
    }

    /// What one component of a compound said.
    struct Attempt: Equatable, Sendable {
        var serializer: SerializerChoice.Component
        var chain: [Link]
    }

    /// Most links that are written. Ours are shorter by construction; the bound is the contract's.
    static let maxLinks = 16

    /// The outermost error; decides status, title and type.
    var first: Link

    /// What lies beneath it, down to the root.
    var rest: [Link] = []

    /// The sentence for this occurrence. Default: the outermost error's message.
    var detail: String

    /// One sentence about what would help; `nil` if nothing is known to.
    var hint: String?
    /// The option that would help, as it would be written.
    var accepts: String?

    var attempts: [Attempt] = []
    var upstream: UpstreamFacts?
    /// The normalized value as JSON text, where the response was refused and still decoded.
    var value: [UInt8]?
    var warnings: [Warning] = []

    /// Fields of the answer beside `Content-Type`, such as `Allow`.
    var fields: [HeaderFields.Field] = []

    init(_ first: Link, rest: [Link] = []) {
        self.first = first
        self.rest = rest
        detail = first.message
    }

    init(_ code: ProblemCode, _ message: String, expected: [String] = [], found: String? = nil) {
        self.init(Link(code: code, message: message, expected: expected, found: found))
    }

    /// The declared type and that of the content, if they explain the problem.
    var mismatch: TypeMismatch?

    /// The code of the problem: that of the outermost error, unless the reason is the type. The chain is the same in both cases.
    var code: ProblemCode { mismatch == nil ? first.code : .typeMismatch }
    var status: Int { code.entry.status }
}
