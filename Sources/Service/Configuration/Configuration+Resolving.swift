internal import Platform
internal import Serialization

extension Configuration {
    /// Creates the configuration from flags and environment variables. A flag takes precedence over its variable, and an empty variable
    /// is treated as unset.
    /// - Parameters:
    ///   - flags: the values of flags by the name of the setting (`port`).
    ///   - environment: all variables; those that are not settings are ignored.
    /// - Throws: ``ConfigurationError`` with all errors.
    init(
        flags: [String: String],
        environment: [String: String],
        resources: MachineResources
    ) throws(ConfigurationError) {
        self.init(resources: resources)
        workers = resources.cores
        var problems = apply(Setting.all, flags: flags, environment: environment)
        let given = Set(Setting.all.filter { $0.isGiven(in: flags, environment) }.map(\.name))
        fitDefaults(
            into: resources,
            keepsConnections: given.contains("max-connections"),
            keepsContent: given.contains("max-content-bytes")
        )
        fitCacheDefaults(into: resources, given: given)
        problems += contradictions(resources: resources)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        try fitWorkers(into: resources, given: given)
    }

    /// Adapts the sizes of the cache that were not set: the default capacity leaves enough memory for a worker, and the other sizes depend
    /// on the capacity.
    private mutating func fitCacheDefaults(into resources: MachineResources, given: Set<String>) {
        if !given.contains("cache-capacity-bytes") {
            let others = bytesWithoutWorkers - cacheBytes + Self.minWorkerMemoryBytes
            let rest = Self.availableBytes(resources) - others
            cacheCapacityBytes = min(cacheCapacityBytes, max(rest, Self.minDefaultCacheBytes))
        }
        let capacity = cacheCapacityBytes
        if !given.contains("cache-bytes-after-purge") {
            cacheBytesAfterPurge = Self.defaultBytesAfterPurge(ofCapacity: capacity)
        }
        if !given.contains("cache-max-entry-bytes") {
            cacheMaxEntryBytes = Self.defaultMaxEntryBytes(ofCapacity: capacity)
        }
    }

    /// Reduces the number of workers to the available memory. An explicit setting that leaves no worker is an error.
    private mutating func fitWorkers(
        into resources: MachineResources,
        given: Set<String>
    ) throws(ConfigurationError) {
        let wanted = workers
        fitWorkers(into: resources, keepsMemory: given.contains("worker-memory-bytes"))
        guard workers == 0, wanted > 0, !given.isDisjoint(with: ["workers", "worker-memory-bytes"]) else { return }
        throw ConfigurationError(problems: [
            .noMemoryForWorker(
                neededBytes: bytesWithoutWorkers + workerMemoryBytes,
                availableBytes: Self.availableBytes(resources),
                memoryBytes: resources.memoryBytes,
                fetches: fetches
            )
        ])
    }

    /// Creates the configuration of a command that needs only some settings. The others have their defaults, and are not checked.
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

    /// Returns the errors that concern several settings, except for those about workers: see ``fitWorkers(into:given:)``.
    private func contradictions(resources: MachineResources) -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        if limits.maxContentBytes > maxBufferedBytes {
            problems.append(
                .contentExceedsBuffer(maxContentBytes: limits.maxContentBytes, maxBufferedBytes: maxBufferedBytes)
            )
        }
        if cacheBytesAfterPurge > cacheCapacityBytes {
            problems.append(
                .cacheKeepsMoreThanCapacity(
                    bytesAfterPurge: cacheBytesAfterPurge,
                    capacityBytes: cacheCapacityBytes
                )
            )
        }
        let available = Self.availableBytes(resources)
        if bytesWithoutWorkers > available {
            problems.append(
                .memoryTooSmall(
                    neededBytes: bytesWithoutWorkers,
                    availableBytes: available,
                    memoryBytes: resources.memoryBytes,
                    fetches: fetches
                )
            )
        }
        return problems
    }

    /// Returns the variables that begin with `DECANT_` and are not settings. They are probably misspelled.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = Set(Setting.all.map(\.variable))
        return environment.keys.filter { $0.hasPrefix("DECANT_") && !known.contains($0) }.sorted()
    }
}

extension Setting {
    /// Returns the flag or the variable that sets this setting, and its value; `nil` if it is not set.
    fileprivate func given(
        in flags: [String: String],
        _ environment: [String: String]
    ) -> (source: String, value: String)? {
        if let value = flags[name] { return (flag, value) }
        if let value = environment[variable], !value.isEmpty { return (variable, value) }
        return nil
    }

    fileprivate func isGiven(in flags: [String: String], _ environment: [String: String]) -> Bool {
        given(in: flags, environment) != nil
    }
}
