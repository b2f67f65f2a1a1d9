/// The account of an error: its public code, and its reason in words. Each error has one switch from its reasons to
/// diagnostics.
package struct Diagnostic: Equatable, Sendable {
    package var code: ProblemCode
    /// One sentence, without a full stop at the end.
    package var sentence: String
    /// The alternatives that would have been accepted.
    package var expected: [String]
    /// The text that was found instead of them.
    package var found: String?
    /// One sentence with a remedy; `nil` if none is known.
    package var hint: String?
    /// The change with which the request would be accepted; `nil` if none is known.
    package var accepts: Change?
    /// Where the error is; `nil` if it has no location.
    package var location: SourceLocation?
    /// The location of the first occurrence, if the error is a duplicate.
    package var first: SourceLocation?
    /// The content around the location.
    package var excerpt: String?
    /// The number of the error in libxml2, if it is an error of XML.
    package var xmlNumber: Int?

    /// A change of a request, which a client can apply without knowing its meaning.
    package enum Change: Equatable, Sendable {
        /// Sets an option.
        case option(name: String, value: String)
        /// Sends the request to another path.
        case path(String)
    }

    package init(
        _ code: ProblemCode,
        _ sentence: String,
        expected: [String] = [],
        found: String? = nil,
        hint: String? = nil,
        accepts: Change? = nil
    ) {
        self.code = code
        self.sentence = sentence
        self.expected = expected
        self.found = found
        self.hint = hint
        self.accepts = accepts
    }

    /// - Parameter limit: What is accepted, with its unit: `64 bytes`.
    init(_ code: ProblemCode, _ sentence: String, atMost limit: String) {
        self.init(code, sentence, expected: ["at most \(limit)"])
    }

    /// The memory for the content is not available.
    package static var outOfMemory: Diagnostic {
        Diagnostic(.saturated, "there is not enough memory to process the content")
    }

    /// The content is not valid UTF-8, and its declared charset is unknown or not supported.
    static func unsupportedCharset(_ label: String) -> Diagnostic {
        Diagnostic(
            .charsetUnsupported,
            "the charset '\(label.excerpt)' is not supported, and the content is not valid UTF-8"
        )
    }

    /// Returns the diagnostic with the location, which is at the end of its sentence too, and with what is there.
    func at(
        _ location: SourceLocation,
        first: SourceLocation? = nil,
        found: String? = nil,
        excerpt: String? = nil
    ) -> Diagnostic {
        var located = self
        located.sentence += " at " + location.sentence
        if let first { located.sentence += ", first at " + first.sentence }
        located.location = location
        located.first = first
        located.found = found
        located.excerpt = excerpt
        return located
    }
}

extension SourceLocation {
    /// `byte 41 (line 3, column 7)`.
    package var sentence: String {
        guard let line, let column else { return "byte \(byte)" }
        return "byte \(byte) (line \(line), column \(column))"
    }
}

extension [String] {
    /// `a`, `a or b`, `a, b or c`.
    package var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}

extension String {
    /// At most 64 bytes of this text, for use in a message.
    package var excerpt: String { excerpt(maxBytes: 64) }

    /// At most 128 bytes of this text, for text of an upstream: media types are often longer than 64 bytes.
    var longExcerpt: String { excerpt(maxBytes: 128) }

    /// Returns this text if it has at most `maxBytes` bytes, and otherwise its beginning and "…", which have no more.
    private func excerpt(maxBytes: Int) -> String {
        guard utf8.count > maxBytes else { return self }
        var end = utf8.index(startIndex, offsetBy: maxBytes - "…".utf8.count)
        // UTF-8 continuation bytes have the form 10xxxxxx.
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
