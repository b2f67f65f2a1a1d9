/// The reason for which the options of a request are rejected.
enum OptionError: Error, Equatable, Sendable {
    /// The raw query cannot be decoded; `at` counts its bytes from 0, without the `?`.
    case malformedQuery(QueryFault, at: Int)

    /// No option has this name.
    case unknownName(String)

    /// The endpoint does not have an option of this name, although others may; `allowed` are the options that it has.
    case notTaken(String, allowed: [OptionName])

    /// The option is given more than once.
    case repeated(OptionName)

    /// The value is not allowed; `expected` lists the values that are, or describes their form.
    case invalidValue(OptionName, got: String, expected: [String])

    /// One part of a value is not allowed; `expected` lists what is allowed in its place.
    case invalidPart(OptionName, got: String, part: String, expected: [String])

    /// The value is above the limit of the service: a request may lower a limit, but not raise it.
    case limitRaised(OptionName, got: String, max: Int)

    enum QueryFault: Equatable, Sendable {
        /// A `%` is not followed by two hexadecimal digits.
        case invalidEscape
        /// `%00`: no option allows NUL, and much software cuts text at it.
        case nul
        /// The decoded bytes are not UTF-8.
        case notUTF8
    }
}

extension OptionError {
    /// One or two sentences for a person, on the command line and in a problem; without a full stop at the end.
    var message: String {
        switch self {
        case .malformedQuery(.invalidEscape, let at):
            "the query has a '%' without two hexadecimal digits at byte \(at); a literal '%' is written '%25'"
        case .malformedQuery(.nul, let at):
            "the query has '%00' at byte \(at), which no option allows"
        case .malformedQuery(.notUTF8, let at):
            "the query is not UTF-8 in the part that starts at byte \(at)"
        case .unknownName(let name):
            "there is no option '\(name.excerpt)'" + (question ?? "")
        case .notTaken(let name, let allowed):
            "there is no option '\(name.excerpt)' here" + list(allowed.map(\.rawValue))
        case .repeated(let option):
            "the option '\(option.rawValue)' is given more than once"
        case .invalidValue(let option, let got, let expected):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)'" + list(expected)
        case .invalidPart(let option, let got, let part, let expected):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)': '\(part.excerpt)' is wrong" + list(expected)
        case .limitRaised(let option, let got, let max):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)': "
                + "a request may lower this limit, from \(max) down to 1, and never raise it"
        }
    }

    private var question: String? {
        suggestion.map { ". Did you mean '\($0)'?" }
    }

    /// The nearest match, if there is one, and everything that is allowed.
    private func list(_ allowed: [String]) -> String {
        (question.map { $0 + " Allowed: " } ?? "; allowed: ") + allowed.joined(separator: ", ")
    }

    /// The nearest match of an unknown name or value; `nil` if there is none.
    var suggestion: String? {
        switch self {
        case .unknownName(let name): NearestName.nearest(to: name, in: OptionName.allCases.map(\.rawValue))
        case .notTaken(let name, let allowed): NearestName.nearest(to: name, in: allowed.map(\.rawValue))
        case .invalidValue(_, let got, let expected):
            // In a list, the first unknown part.
            got.split(separator: ",").map(String.init).first { !expected.contains($0) }
                .flatMap { NearestName.nearest(to: $0, in: expected) }
        case .invalidPart(_, _, let part, let expected): NearestName.nearest(to: part, in: expected)
        case .malformedQuery, .repeated, .limitRaised: nil
        }
    }

    /// The option or the name with ``suggestion``, as it is written in a query.
    var accepts: String? {
        guard let suggestion else { return nil }
        switch self {
        case .invalidValue(let option, let got, let expected):
            let parts = got.split(separator: ",").map(String.init)
            guard let wrong = parts.firstIndex(where: { !expected.contains($0) }) else { return nil }
            let value = parts.indices.map { $0 == wrong ? suggestion : parts[$0] }.joined(separator: ",")
            return "\(option.rawValue)=\(value)".excerpt
        case .invalidPart(let option, let got, let part, _):
            let parts = got.split(separator: ",", omittingEmptySubsequences: false).map {
                $0 == part ? suggestion : "\($0)"
            }
            return "\(option.rawValue)=\(parts.joined(separator: ","))".excerpt
        case .unknownName, .notTaken, .malformedQuery, .repeated, .limitRaised: return suggestion
        }
    }

    /// The values or names that are allowed.
    var expected: [String] {
        switch self {
        case .malformedQuery: []
        case .unknownName: OptionName.allCases.map(\.rawValue)
        case .notTaken(_, let allowed): allowed.map(\.rawValue)
        case .repeated(let option): ["\(option.rawValue) once"]
        case .invalidValue(_, _, let expected), .invalidPart(_, _, _, let expected): expected
        case .limitRaised(_, _, let max): ["1 to \(max)"]
        }
    }

    /// The value or the name in the request.
    var found: String? {
        switch self {
        case .malformedQuery: nil
        case .unknownName(let name), .notTaken(let name, _): name.excerpt
        case .repeated(let option): option.rawValue
        case .invalidPart(_, _, let part, _): part.excerpt
        case .invalidValue(_, let got, _), .limitRaised(_, let got, _): got.excerpt
        }
    }
}

extension String {
    /// At most 64 bytes of this text, cut between characters, for use in a message.
    var excerpt: String {
        guard utf8.count > 64 else { return self }
        var end = startIndex
        while end < endIndex, case let next = index(after: end), self[..<next].utf8.count <= 61 {
            end = next
        }
        return self[..<end] + "…"
    }
}
