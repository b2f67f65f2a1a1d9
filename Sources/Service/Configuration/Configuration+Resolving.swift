internal import Serialization

extension Configuration {
    /// The configuration that flags and environment make: a flag wins over its variable, an empty variable counts as unset.
    /// - Parameters:
    ///   - flags: values by setting name (`port`), as given on the command line.
    ///   - environment: all variables; those that are no setting are ignored.
    /// - Throws: everything that is wrong, at once.
    init(
        flags: [String: String],
        environment: [String: String],
        resources: MachineResources
    ) throws(ConfigurationError) {
        self.init(resources: resources)
        let problems = apply(Setting.all, flags: flags, environment: environment) + contradictions(resources: resources)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// Some settings, for a command that needs no others; the rest keep their defaults and are not checked.
    init(
        only settings: [Setting],
        flags: [String: String] = [:],
        environment: [String: String],
        resources: MachineResources
    ) throws(ConfigurationError) {
        self.init(resources: resources)
        let problems = apply(settings, flags: flags, environment: environment)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    private mutating func apply(
        _ settings: [Setting],
        flags: [String: String],
        environment: [String: String]
    ) -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        for setting in settings {
            let source: String
            let value: String
            if let flag = flags[setting.name] {
                (source, value) = (setting.flag, flag)
            } else if let variable = environment[setting.variable], !variable.isEmpty {
                (source, value) = (setting.variable, variable)
            } else {
                continue
            }
            if !setting.set(value, in: &self) {
                problems.append(.notAllowed(source: source, value: value, allowed: setting.allowed))
            }
        }
        return problems
    }

    /// What no single setting can tell.
    private func contradictions(resources: MachineResources) -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        if limits.maxContentBytes > maxBufferedBytes {
            problems.append(
                .contentExceedsBuffer(maxContentBytes: limits.maxContentBytes, maxBufferedBytes: maxBufferedBytes)
            )
        }
        let needed = maxBufferedBytes + MachineResources.baseBytes
        let available = resources.memoryBytes / 5 * 4
        if needed > available {
            problems.append(
                .memoryTooSmall(neededBytes: needed, availableBytes: available, memoryBytes: resources.memoryBytes)
            )
        }
        return problems
    }

    /// The variables that look like settings and are none: misspelt ones, most likely.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = Set(Setting.all.map(\.variable))
        return environment.keys.filter { $0.hasPrefix("DECANT_") && !known.contains($0) }.sorted()
    }
}
