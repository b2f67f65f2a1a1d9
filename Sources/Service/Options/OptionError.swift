internal import Serialization

/// The reason why the options of a request are rejected.
enum OptionError: Error, Equatable, Sendable {
    /// The raw query cannot be decoded. `at` is an offset in bytes, not counting the `?`.
    case malformedQuery(QueryFault, at: Int)

    case unknownName(String)

    /// This endpoint does not have the option, but other endpoints have it. `allowed` contains the options of this
    /// endpoint.
    case notAvailable(String, allowed: [OptionName])

    /// The option is given more than once.
    case repeated(OptionName)

    /// The value is not allowed. `expected` lists the allowed values, or describes their form.
    case invalidValue(OptionName, got: String, expected: [String])

    /// The value does not have the syntax of the option. `fault` is a part of a sentence. `expected` describes the
    /// syntax, and `intended` has it.
    case invalidSyntax(OptionName, got: String, _ fault: String, expected: [String], intended: String?)

    /// One part of a value is not allowed. `expected` lists the allowed alternatives.
    case invalidPart(OptionName, got: String, part: String, expected: [String])

    /// The value is above the limit of the service: a request may lower a limit, but not raise it.
    case limitRaised(OptionName, got: String, max: Int)

    enum QueryFault: Equatable, Sendable {
        /// A `%` is not followed by two hexadecimal digits.
        case invalidEscape
        /// The query contains `%00`. No option allows NUL, and many programs end text at a NUL.
        case nul
        /// The decoded bytes are not UTF-8.
        case notUTF8
    }
}

extension OptionError {
    /// The reason in words.
    var diagnostic: Diagnostic {
        switch self {
        case .malformedQuery(.invalidEscape, let at):
            return Diagnostic(
                .invalidOption,
                "the query has a '%' without two hexadecimal digits at byte \(at); a literal '%' is written '%25'"
            )
        case .malformedQuery(.nul, let at):
            return Diagnostic(.invalidOption, "the query has '%00' at byte \(at), which no option allows")
        case .malformedQuery(.notUTF8, let at):
            return Diagnostic(.invalidOption, "the query is not UTF-8 in the part that starts at byte \(at)")
        case .unknownName(let name):
            let names = OptionName.allCases.map(\.rawValue)
            let nearest = NearestName.nearest(to: name, in: names)
            return Diagnostic(
                .invalidOption,
                "there is no option '\(name.excerpt)'",
                expected: names,
                found: name.excerpt,
                hint: nearest.map(Self.question)
            )
        case .notAvailable(let name, let allowed):
            let names = allowed.map(\.rawValue)
            let nearest = NearestName.nearest(to: name, in: names)
            return Self.notAllowed(
                "there is no option '\(name.excerpt)' here",
                found: name,
                allowed: names,
                nearest: nearest
            )
        case .repeated(let option):
            return Diagnostic(
                .invalidOption,
                "the option '\(option.rawValue)' is given more than once",
                expected: ["\(option.rawValue) once"],
                found: option.rawValue
            )
        case .invalidValue(let option, let got, let expected):
            // The first unknown part of a list. A list that nobody has typed is not searched.
            var parts = got.utf8.count > Self.maxSearchedBytes ? [] : got.parts(separatedBy: ",").map(String.init)
            let wrong = parts.firstIndex { !expected.contains($0) }
            let nearest = wrong.flatMap { NearestName.nearest(to: parts[$0], in: expected) }
            if let wrong, let nearest { parts[wrong] = nearest }
            return Self.notAllowed(
                "the option '\(option.rawValue)' cannot be '\(got.excerpt)'",
                found: got,
                allowed: expected,
                nearest: nearest,
                accepts: .option(option, parts.joined(separator: ","))
            )
        case .invalidSyntax(let option, let got, let fault, let expected, let intended):
            return Self.notAllowed(
                "the option '\(option.rawValue)' cannot be '\(got.excerpt)': \(fault)",
                found: got,
                allowed: expected,
                nearest: intended,
                accepts: intended.map { Diagnostic.Change.option(option, $0) }
            )
        case .invalidPart(let option, let got, let part, let expected):
            let nearest = NearestName.nearest(to: part, in: expected)
            let parts = got.parts(separatedBy: ",", omittingEmpty: false).map { $0 == part ? nearest ?? "" : "\($0)" }
            return Self.notAllowed(
                "the option '\(option.rawValue)' cannot be '\(got.excerpt)': '\(part.excerpt)' is wrong",
                found: part,
                allowed: expected,
                nearest: nearest,
                accepts: .option(option, parts.joined(separator: ","))
            )
        case .limitRaised(let option, let got, let max):
            return Self.notAllowed(
                """
                the option '\(option.rawValue)' cannot be '\(got.excerpt)': a request may lower this limit, but not \
                raise it
                """,
                found: got,
                allowed: ["1 to \(max)"]
            )
        }
    }

    /// The error with its hint, for people.
    var message: String {
        let diagnostic = diagnostic
        return diagnostic.sentence + (diagnostic.hint.map { ". \($0)" } ?? "")
    }

    /// The maximum length of a list in which an unknown value is searched, in bytes, inclusive. Each part is compared
    /// with each expected value.
    private static let maxSearchedBytes = 1024

    private static func question(_ nearest: String) -> String { "Did you mean '\(nearest)'?" }

    /// Returns a diagnostic with the list of what is allowed.
    /// - Parameters:
    ///   - nearest: the allowed text that was probably intended; `nil` if none is similar.
    ///   - accepts: the option with `nearest` in place of the unknown text.
    private static func notAllowed(
        _ sentence: String,
        found: String,
        allowed: [String],
        nearest: String? = nil,
        accepts: Diagnostic.Change? = nil
    ) -> Diagnostic {
        Diagnostic(
            .invalidOption,
            "\(sentence); allowed: \(allowed.joined(separator: ", "))",
            expected: allowed,
            found: found.excerpt,
            hint: nearest.map(question),
            accepts: nearest == nil ? nil : accepts
        )
    }
}
