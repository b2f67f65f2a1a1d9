internal import Platform
internal import Serialization

/// The reason why a file that the configuration names, such as that of the profiles, is not used.
enum ConfigurationFileError: Error, Equatable, Sendable {
    /// - Parameter content: what the file contains, for the message: `profiles`.
    case unreadable(ReadError, content: String)

    /// The file is not JSON, or contains a repeated member.
    case malformed(JSONError, path: String)

    /// The file is JSON in an encoding other than UTF-8 (RFC 8259 §8.1).
    case notUTF8(encoding: String, path: String)

    /// The file is JSON with invalid content. The faults are in the order of the file, and there is at least one.
    case invalid([Fault], path: String)

    /// One error in the file.
    struct Fault: Equatable, Sendable {
        /// One sentence without the location.
        var message: String
        var at: SourceLocation
        /// The location of the first occurrence, if the error is a duplicate.
        var first: SourceLocation?
    }
}

extension ConfigurationFileError {
    /// Each error as one sentence with its location, without the name of the file.
    var problems: [Fault] {
        switch self {
        case .unreadable(let error, _): [Fault(message: error.description, at: SourceLocation(byte: 0))]
        case .malformed(let error, _):
            [Fault(message: error.reasonDiagnostic.sentence, at: error.location, first: error.first)]
        case .notUTF8(let encoding, _):
            [
                Fault(
                    message: "the file is encoded in \(encoding.uppercased()), not in UTF-8",
                    at: SourceLocation(byte: 0)
                )
            ]
        case .invalid(let faults, _): faults
        }
    }

    /// One line per error, with the name of the file and the location.
    var description: String {
        switch self {
        case .unreadable(let error, let content): "the \(content): \(error.description)"
        case .notUTF8(_, let path): "\(path): \(problems[0].message)"
        case .malformed(_, let path), .invalid(_, let path):
            problems.map { "\(path), \($0.location): \($0.message)" }.joined(separator: "\n")
        }
    }
}

extension ConfigurationFileError.Fault {
    /// `line 3, column 7 (/profiles/0/options/nulls)`.
    fileprivate var location: String {
        let location = at.line.map { "line \($0), column \(at.column ?? 1)" } ?? "byte \(at.byte)"
        let pointer = at.pointer.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
        let other = first?.line.map { "; first at line \($0), column \(first?.column ?? 1)" } ?? ""
        return location + pointer + other
    }
}
