internal import Platform
internal import Serialization

extension Configuration {
    /// Creates the configuration from flags and environment variables. A flag takes precedence over its variable, and
    /// an empty variable is treated as unset.
    /// - Parameters:
    ///   - flags: the values of flags by the name of the setting (`port`).
    ///   - environment: all variables; those that are not settings are ignored.
    /// - Throws: ``ConfigurationError`` with all errors.
    init(
        flags: [String: String],
        environment: [String: String],
        resources: MachineResources
    ) throws(ConfigurationError) {
        self.init(unfittedFor: resources)
        var problems = apply(Settings.all, flags: flags, environment: environment)
        let given = Set(Settings.all.filter { $0.given(in: flags, environment) != nil }.map(\.name))
        if !given.contains(OptionName.maxContentBytes.rawValue) { limits.maxContentBytes = contentBytesThatFit }
        problems += contradictions()
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let wanted = self.workers
        fitWorkers()
        let isExplicit = [Settings.isolation.workers, Settings.isolation.workerMemoryBytes].contains {
            given.contains($0.name)
        }
        guard self.workers == 0, wanted > 0, isExplicit else { return }
        throw ConfigurationError(problems: [
            .noMemoryForWorker(
                neededBytes: bytesWithoutWorkers + factWorkersBytes + self.workerMemoryBytes,
                availableBytes: availableBytes,
                memoryBytes: resources.memoryBytes,
                fetches: fetches
            )
        ])
    }

    /// Creates the configuration of a command that needs only some settings. The others have their defaults, and are
    /// not checked.
    init(
        only settings: [any AnySetting],
        flags: [String: String] = [:],
        environment: [String: String],
        resources: MachineResources
    ) throws(ConfigurationError) {
        self.init(resources: resources)
        let problems = apply(settings, flags: flags, environment: environment)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    private mutating func apply(
        _ settings: [any AnySetting],
        flags: [String: String],
        environment: [String: String]
    ) -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        for setting in settings {
            guard let (source, value) = setting.given(in: flags, environment) else { continue }
            do throws(SettingError) {
                try setting.set(value, in: &self)
            } catch {
                problems.append(
                    .notAllowed(source: source, value: value, allowed: setting.allowed, reason: error.reason)
                )
            }
        }
        return problems
    }

    /// Returns the errors that concern several settings, except for those about workers.
    private func contradictions() -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        if limits.maxContentBytes > self.maxBufferedBytes {
            problems.append(
                .contentExceedsBuffer(maxContentBytes: limits.maxContentBytes, maxBufferedBytes: self.maxBufferedBytes)
            )
        }
        if self.cacheBytesAfterPurge > self.cacheCapacityBytes {
            problems.append(
                .cacheKeepsMoreThanCapacity(
                    bytesAfterPurge: self.cacheBytesAfterPurge,
                    capacityBytes: self.cacheCapacityBytes
                )
            )
        }
        if bytesWithoutWorkers > availableBytes {
            problems.append(
                .memoryTooSmall(
                    neededBytes: bytesWithoutWorkers,
                    availableBytes: availableBytes,
                    memoryBytes: resources.memoryBytes,
                    fetches: fetches
                )
            )
        }
        return problems
    }

    /// Returns the variables that begin with `DECANT_` and are not settings. They are probably misspelled.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = Set(Settings.all.map(\.variable))
        return environment.keys.filter { $0.hasPrefix("DECANT_") && !known.contains($0) }.sorted()
    }
}

extension AnySetting {
    /// Returns the flag or the variable that sets this setting, and its value; `nil` if it is not set.
    fileprivate func given(
        in flags: [String: String],
        _ environment: [String: String]
    ) -> (source: String, value: String)? {
        if let value = flags[name] { return (flag, value) }
        if let value = environment[variable], !value.isEmpty { return (variable, value) }
        return nil
    }
}
