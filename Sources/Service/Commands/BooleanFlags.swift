/// The flags whose value is `true` or `false`. The value may be omitted: `--hints` means `--hints true`.
enum BooleanFlags {
    /// The flags, including their dashes.
    static let names = Set(
        OptionTable.all.filter { $0.values == .boolean }.map { "--" + $0.name.rawValue }
            + Settings.all.filter { $0.values == .boolean }.map(\.flag) + ["--pretty", "--unordered", "--resume"]
    )

    /// Returns the arguments with an explicit value for each Boolean flag.
    ///
    /// The argument after a flag is its value only if it is `true` or `false`. In `--hints list.plist` it is an
    /// operand.
    static func withValues(_ arguments: [String]) -> [String] {
        // A completion request of a shell contains words that are not arguments yet.
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
