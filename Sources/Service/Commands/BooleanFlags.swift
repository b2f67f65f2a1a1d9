/// The flags whose value is `true` or `false`, and may be omitted: `--hints` is `--hints true`.
enum BooleanFlags {
    /// The flags with their dashes.
    static let names = Set(
        OptionTable.all.filter { $0.values == .boolean }.map { "--" + $0.name.rawValue }
            + Setting.all.filter(\.isBoolean).map(\.flag) + ["--pretty"]
    )

    /// Returns the arguments with a value for each Boolean flag.
    ///
    /// The next argument is the value if it is `true` or `false`; any other argument is not: `--hints list.plist`.
    static func withValues(_ arguments: [String]) -> [String] {
        // The words of a command line that a shell completes are not arguments yet.
        if arguments.first?.hasPrefix("---") == true { return arguments }
        var result: [String] = []
        for (index, argument) in arguments.enumerated() {
            // Only operands follow the terminator (POSIX, Utility Conventions, guideline 10).
            if argument == "--" { return result + arguments[index...] }
            let next = index + 1 < arguments.count ? arguments[index + 1] : nil
            let isComplete = !names.contains(argument) || next == "true" || next == "false"
            result.append(isComplete ? argument : argument + "=true")
        }
        return result
    }
}

extension Setting {
    fileprivate var isBoolean: Bool {
        if case .boolean = kind { true } else { false }
    }
}
