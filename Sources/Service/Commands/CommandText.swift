/// A command as a person would type it, with a change that a hint proposes.
struct CommandText: Sendable {
    /// The name of the subcommand.
    var name: String
    var flags: [(name: String, value: String)]
    /// The operand; `nil` for standard input.
    var operand: String?

    /// Returns the command with the change that would accept the content; `nil` if no flag makes it.
    func changed(by accepts: [(name: String, value: String)]) -> CommandText? {
        guard !accepts.isEmpty else { return nil }
        var command = self
        for (name, value) in accepts {
            guard let flag = Self.flag(name, value) else { return nil }
            command.flags.removeAll { $0.name == flag.name }
            command.flags.append(flag)
        }
        return command
    }

    private static func flag(_ name: String, _ value: String) -> (name: String, value: String)? {
        guard name == "path" else { return (name, value) }
        return value == Endpoint.message.row.paths[0] ? ("form", InputFormat.message.rawValue) : nil
    }

    /// The command for a shell.
    var text: String {
        let flags = flags.map { "--\($0.name) \(Self.quoted($0.value))" }
        // An operand that begins with a dash would be a flag.
        let operand = operand.map { $0.hasPrefix("-") ? "./" + $0 : $0 }.map(Self.quoted)
        return (["decant", name] + flags + [operand].compactMap { $0 }).joined(separator: " ")
    }

    /// Returns a word of a shell with this value.
    private static func quoted(_ value: String) -> String {
        if TerminalText.escaped(value) != value {
            // bash, ksh and zsh know these escapes, and POSIX.1-2024.
            let bytes = value.utf8.map { byte in
                0x20..<0x7F ~= byte && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
                    ? String(UnicodeScalar(byte)) : "\\" + octal(byte)
            }
            return "$'\(bytes.joined())'"
        }
        let isPlain = value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_@%+=:,./-".utf8.contains(byte)
            }
        }
        if isPlain, !value.isEmpty { return value }
        return "'\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }
}
