internal import Platform

/// The source from which a command reads the content of a response.
enum ContentSource: Equatable, Sendable {
    case standardInput
    case file(String)

    /// Creates the source of an operand: standard input if it is `-` or missing.
    init(_ operand: String?) { self = if let operand, operand != "-" { .file(operand) } else { .standardInput } }

    /// Returns the sources of the operands: standard input if there are none.
    /// - Throws: ``CommandFailure`` if standard input would be read twice.
    static func all(_ operands: [String]) throws(CommandFailure) -> [ContentSource] {
        let sources = operands.isEmpty ? [.standardInput] : operands.map { ContentSource($0) }
        guard sources.count(where: { $0 == .standardInput }) <= 1 else {
            throw CommandFailure(usage: "standard input (-) is given more than once.")
        }
        return sources
    }

    /// The name of the file; `nil` for standard input.
    var path: String? {
        switch self {
        case .standardInput: nil
        case .file(let path): path
        }
    }

    /// Reads the complete content.
    /// - Parameter maxBytes: the maximum length of the content, inclusive.
    func read(maxBytes: Int) throws(ReadError) -> [UInt8] {
        let input: FileDescriptor
        do throws(SystemError) {
            input = try open()
        } catch { throw .system(error) }
        return try input.readAll(maxBytes: maxBytes)
    }

    /// Opens the source for reading.
    func open() throws(SystemError) -> FileDescriptor {
        switch self {
        case .standardInput: try .standardInput()
        case .file(let path): try FileDescriptor(opening: path)
        }
    }
}
