import Glibc

/// A failure of the origin itself, or of a tool that it starts.
public enum OriginError: Error, Equatable, CustomStringConvertible {
    /// A failed system call, and the value of `errno`.
    case system(String, Int32)
    /// A command in a path that does not exist, or has an invalid argument.
    case invalidCommand(String)
    /// A program that failed, and its output.
    case tool(String, output: String)

    public var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
        case .invalidCommand(let command): "invalid command: \(command)"
        case .tool(let name, let output): "\(name) failed: \(output)"
        }
    }

    /// The error of a system call that has just failed.
    static func last(_ call: String) -> OriginError {
        .system(call, errno)
    }
}
