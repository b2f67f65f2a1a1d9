internal import Serialization

/// The reason why the options of a request are rejected.
enum OptionError: Error, Equatable, Sendable {
    /// The raw query cannot be decoded. `at` is an offset in bytes, not counting the `?`.
    case malformedQuery(QueryFault, at: Int)

    /// No option has this name.
    case unknownName(String)

    /// This endpoint does not have the option, but other endpoints have it. `allowed` contains the options of this
    /// endpoint.
    case notAvailable(String, allowed: [OptionName])

    /// The option is given more than once.
    case repeated(OptionName)

    /// The value is not allowed. `expected` lists the allowed values, or describes their form.
    case invalidValue(OptionName, got: String, expected: [String])

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
    /// One or two sentences for people, on the command line and in a problem, without a full stop at the end.
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
        case .notAvailable(let name, let allowed):
            "there is no option '\(name.excerpt)' here" + list(allowed.map(\.rawValue))
        case .repeated(let option):
            "the option '\(option.rawValue)' is given more than once"
        case .invalidValue(let option, let got, let expected):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)'" + list(expected)
        case .invalidPart(let option, let got, let part, let expected):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)': '\(part.excerpt)' is wrong" + list(expected)
        case .limitRaised(let option, let got, let max):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)': "
                + "a request may lower this limit, but not raise it; allowed: 1 to \(max)"
        }
    }

    private var question: String? {
        suggestion.map { ". Did you mean '\($0)'?" }
    }

    /// Returns the nearest match, if there is one, and the list of allowed values.
    private func list(_ allowed: [String]) -> String {
        (question.map { $0 + " Allowed: " } ?? "; allowed: ") + allowed.joined(separator: ", ")
    }

    /// The maximum length of a list in which an unknown value is searched, in bytes, inclusive. Each part is compared with each expected value.
    private static let maxSearchedBytes = 1024

    /// The nearest match of an unknown name or value; `nil` if there is none.
    var suggestion: String? {
        switch self {
        case .unknownName(let name): NearestName.nearest(to: name, in: OptionName.allCases.map(\.rawValue))
        case .notAvailable(let name, let allowed): NearestName.nearest(to: name, in: allowed.map(\.rawValue))
        case .invalidValue(_, let got, let expected):
            // The first unknown part of a list. A list that nobody has typed is not searched.
            if got.utf8.count > Self.maxSearchedBytes {
                nil
            } else {
                got.parts(separatedBy: ",").first { !expected.contains(String($0)) }
                    .flatMap { NearestName.nearest(to: String($0), in: expected) }
            }
        case .invalidPart(_, _, let part, let expected): NearestName.nearest(to: part, in: expected)
        case .malformedQuery, .repeated, .limitRaised: nil
        }
    }

    /// The option with ``suggestion`` as its value, as it is written in a query; or the suggested name.
    var accepts: String? {
        guard let suggestion else { return nil }
        switch self {
        case .invalidValue(let option, let got, let expected):
            let parts = got.parts(separatedBy: ",").map(String.init)
            guard let wrong = parts.firstIndex(where: { !expected.contains($0) }) else { return nil }
            let value = parts.indices.map { $0 == wrong ? suggestion : parts[$0] }.joined(separator: ",")
            return "\(option.rawValue)=\(value)".excerpt
        case .invalidPart(let option, let got, let part, _):
            let parts = got.parts(separatedBy: ",", omittingEmpty: false).map {
                $0 == part ? suggestion : "\($0)"
            }
            return "\(option.rawValue)=\(parts.joined(separator: ","))".excerpt
        case .unknownName, .notAvailable, .malformedQuery, .repeated, .limitRaised: return suggestion
        }
    }

    /// The allowed values or names.
    var expected: [String] {
        switch self {
        case .malformedQuery: []
        case .unknownName: OptionName.allCases.map(\.rawValue)
        case .notAvailable(_, let allowed): allowed.map(\.rawValue)
        case .repeated(let option): ["\(option.rawValue) once"]
        case .invalidValue(_, _, let expected), .invalidPart(_, _, _, let expected): expected
        case .limitRaised(_, _, let max): ["1 to \(max)"]
        }
    }

    /// The value or the name in the request.
    var found: String? {
        switch self {
        case .malformedQuery: nil
        case .unknownName(let name), .notAvailable(let name, _): name.excerpt
        case .repeated(let option): option.rawValue
        case .invalidPart(_, _, let part, _): part.excerpt
        case .invalidValue(_, let got, _), .limitRaised(_, let got, _): got.excerpt
        }
    }
}

extension String {
    /// At most 64 bytes of this text, which ends between two characters, for use in a message.
    var excerpt: String {
        guard utf8.count > 64 else { return self }
        var end = startIndex
        while end < endIndex, case let next = index(after: end), self[..<next].utf8.count <= 61 {
            end = next
        }
        return self[..<end] + "…"
    }
}
