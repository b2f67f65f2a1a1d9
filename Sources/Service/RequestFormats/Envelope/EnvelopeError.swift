internal import Serialization

/// The reason why an envelope was rejected. Locations refer to the bytes of the envelope.
enum EnvelopeError: Error, Equatable, Sendable {
    /// The envelope is not JSON.
    case malformed(JSONError)

    /// The envelope is JSON in an encoding other than UTF-8 (RFC 8259 §8.1).
    case notUTF8(encoding: String)

    /// A value has a type that the member does not accept, is out of range, or is not Base64 (RFC 4648 §4).
    case unexpected(found: String, expected: [String], at: SourceLocation)

    case unknownMember(String, expected: [String], at: SourceLocation)

    /// A member is repeated, which is ambiguous.
    case duplicateMember(String, at: SourceLocation, firstAt: SourceLocation)

    /// The decoded content is longer than `maxContentBytes`.
    case contentTooLarge(max: Int)
}

extension EnvelopeError {
    /// Whether the text is JSON, but probably not meant as an envelope: it is no object, or has a member that does not
    /// resemble one of an envelope.
    var isOfOtherContent: Bool {
        switch self {
        case .unexpected(_, _, let at): at.pointer == ""
        case .unknownMember(let name, let expected, let at):
            at.pointer == "" && OptionName(rawValue: name) == nil
                && NearestName.nearest(to: name, in: expected) == nil
        case .malformed, .notUTF8, .duplicateMember, .contentTooLarge: false
        }
    }

    init(_ error: JSONDocumentError) {
        switch error {
        case .malformed(let error): self = .malformed(error)
        case .notUTF8(let encoding): self = .notUTF8(encoding: encoding)
        }
    }

    /// The error in an envelope that is JSON.
    init(_ fault: JSONDocumentFault, in text: Span<UInt8>) {
        func location(_ byte: Int) -> SourceLocation {
            var location = text.locate([byte])[0]
            location.pointer = fault.location.pointer
            return location
        }
        let at = location(fault.location.byte)
        switch fault.reason {
        case .unexpected(let found, let expected): self = .unexpected(found: found, expected: expected, at: at)
        case .number(let digits, let bounds):
            let expected = ["\(bounds.lowerBound) to \(bounds.upperBound)"]
            self = .unexpected(found: digits.excerpt, expected: expected, at: at)
        case .unknown("member", let name, let known): self = .unknownMember(name, expected: known, at: at)
        case .unknown(_, let name, let known): self = .unexpected(found: "'\(name.excerpt)'", expected: known, at: at)
        case .duplicate(let name, let first): self = .duplicateMember(name, at: at, firstAt: location(first))
        case .other(let message, _): self = .unexpected(found: message, expected: [], at: at)
        }
    }
}

extension Problem {
    /// - Parameters:
    ///   - subject: the content, as the subject of a sentence.
    ///   - code: the code for content that is not valid.
    init(_ error: EnvelopeError, of subject: String = "the envelope", as code: ProblemCode = .invalidEnvelope) {
        switch error {
        case .malformed(let error):
            var diagnostic = error.diagnostic
            diagnostic.code = code
            diagnostic.sentence = "\(subject) is not JSON: \(diagnostic.sentence)"
            diagnostic.first = nil
            self.init(Link(diagnostic), rest: [Link(error.diagnostic)])
        case .notUTF8(let encoding):
            self.init(
                code,
                "\(subject) is encoded in \(encoding.uppercased()), not in UTF-8",
                expected: ["utf-8"],
                found: encoding
            )
        case .unexpected(let found, let expected, let at):
            let reason = "expected \(expected.joined(separator: " or ")), found \(found)"
            self.init(Diagnostic(code, reason, expected: expected, found: found), in: subject, at: at)
            if code == .invalidEnvelope, error.isOfOtherContent { hint = Self.hintForContent }
        case .unknownMember(let name, let expected, let at):
            let reason = "there is no member '\(name.excerpt)'"
            self.init(Diagnostic(code, reason, expected: expected, found: name.excerpt), in: subject, at: at)
            if OptionName(rawValue: name) != nil {
                hint = "'\(name)' is an option, which belongs to the query: ?\(name)=…"
            } else if let nearest = NearestName.nearest(to: name, in: expected) {
                hint = "Did you mean '\(nearest)'?"
            } else if code == .invalidEnvelope, error.isOfOtherContent {
                hint = Self.hintForContent
            }
        case .duplicateMember(let name, let at, let firstAt):
            let reason = "the member '\(name.excerpt)' is repeated"
            self.init(Diagnostic(code, reason, found: name.excerpt), in: subject, at: at, firstAt: firstAt)
        case .contentTooLarge(let max): self.init(contentOver: max)
        }
    }

    /// The hint for JSON that is no envelope.
    private static let hintForContent = """
        an envelope is {"status":…,"headers":…,"body":{"text":"…"}}; content without an envelope is sent to \
        POST /v1/normalize
        """

    private init(_ diagnostic: Diagnostic, in subject: String, at: SourceLocation, firstAt: SourceLocation? = nil) {
        let pointer = at.pointer.flatMap { $0.isEmpty ? nil : $0 + ", " } ?? ""
        var located = diagnostic
        located.sentence = "\(subject) is not valid: \(diagnostic.sentence) at \(pointer)\(at.sentence)"
        located.location = at
        located.first = firstAt
        self.init(Link(located))
    }
}
