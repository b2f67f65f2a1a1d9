internal import Serialization

/// Why an envelope was refused. Places count in the envelope's own bytes.
enum EnvelopeError: Error, Equatable, Sendable {
    /// It is not JSON.
    case malformed(JSONError)

    /// It is JSON in another encoding than UTF-8 (RFC 8259 §8.1).
    case notUTF8(encoding: String)

    /// A value has another type than the member takes, or is out of its range.
    case unexpected(found: String, expected: [String], at: SourceLocation)

    case unknownMember(String, expected: [String], at: SourceLocation)

    /// The same member twice: a second one could say something else.
    case duplicateMember(String, at: SourceLocation)

    /// Content that is not Base64 (RFC 4648 §4).
    case malformedBase64(found: String, expected: [String], at: SourceLocation)

    /// Once decoded, the content is longer than `maxContentBytes`.
    case contentTooLarge(max: Int)
}

extension Problem {
    init(_ error: EnvelopeError) {
        switch error {
        case .malformed(let error):
            self.init(error, as: .invalidEnvelope)
        case .notUTF8(let encoding):
            self.init(
                .invalidEnvelope,
                "the envelope is in \(encoding.uppercased()); JSON is exchanged in UTF-8",
                expected: ["utf-8"],
                found: encoding
            )
        case .unexpected(let found, let expected, let at):
            self.init(envelope: "expected \(expected.joined(separator: " or ")), found \(found)", expected, found, at)
        case .unknownMember(let name, let expected, let at):
            self.init(envelope: "there is no member '\(name.excerpt)'", expected, name.excerpt, at)
        case .duplicateMember(let name, let at):
            self.init(envelope: "the member '\(name.excerpt)' is there twice", [], name.excerpt, at)
        case .malformedBase64(let found, let expected, let at):
            self.init(envelope: "expected \(expected.joined(separator: " or ")), found \(found)", expected, found, at)
        case .contentTooLarge(let max):
            self.init(contentOver: max)
        }
    }

    /// The envelope itself is not JSON: the reader's own error, under the request's code.
    private init(_ error: JSONError, as code: ProblemCode) {
        self.init(
            Link(
                code: code,
                message: "the envelope is not JSON: \(error.message)",
                at: error.location,
                expected: error.reason.expected,
                found: error.found,
                excerpt: error.excerpt
            ),
            rest: [Link(.json(error))]
        )
    }

    private init(envelope what: String, _ expected: [String], _ found: String, _ at: SourceLocation) {
        let pointer = at.pointer.flatMap { $0.isEmpty ? nil : $0 + ", " } ?? ""
        self.init(
            Link(
                code: .invalidEnvelope,
                message: "the envelope is not valid: \(what) at \(pointer)\(at.sentence)",
                at: at,
                expected: expected,
                found: found
            )
        )
    }
}
