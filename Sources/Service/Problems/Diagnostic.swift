internal import Serialization

/// The reason of an error in words. Each error has one switch from its reasons to diagnostics, and ``Problem/Link``
/// adds the location.
struct Diagnostic: Equatable, Sendable {
    var code: ProblemCode
    /// One sentence, without a full stop at the end.
    var sentence: String
    /// The alternatives that would have been accepted.
    var expected: [String]
    /// The text that was found instead of them.
    var found: String?
    /// One sentence with a remedy; `nil` if none is known.
    var hint: String?
    /// The option, the field or the setting that would be accepted, as it is written.
    var accepts: String?

    init(
        _ code: ProblemCode,
        _ sentence: String,
        expected: [String] = [],
        found: String? = nil,
        hint: String? = nil,
        accepts: String? = nil
    ) {
        self.code = code
        self.sentence = sentence
        self.expected = expected
        self.found = found
        self.hint = hint
        self.accepts = accepts
    }

    /// The memory for the content is not available.
    static var outOfMemory: Diagnostic {
        Diagnostic(.saturated, "there is not enough memory to process the content")
    }

    /// Returns the diagnostic with the location at the end of its sentence.
    func at(_ location: SourceLocation, first: SourceLocation? = nil) -> Diagnostic {
        var located = self
        located.sentence += " at " + location.sentence
        if let first { located.sentence += ", first at " + first.sentence }
        return located
    }
}

extension SourceLocation {
    /// `byte 41 (line 3, column 7)`.
    var sentence: String {
        guard let line, let column else { return "byte \(byte)" }
        return "byte \(byte) (line \(line), column \(column))"
    }
}

extension [String] {
    /// `a`, `a or b`, `a, b or c`.
    var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
