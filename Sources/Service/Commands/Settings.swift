internal import HTTP
internal import Logging
internal import Platform

/// The flags of every setting.
enum AllSettings: FlagTable {
    static let flags = Setting.all.definitions()
}

/// The flags for the address of a service.
enum EndpointSettings: FlagTable {
    static let flags = Setting.endpoint.definitions()
}

extension [Setting] {
    fileprivate func definitions() -> [FlagDefinition] {
        let defaults = Configuration(resources: .current())
        return map { setting in
            FlagDefinition(
                name: setting.name,
                valueName: setting.name.split(separator: "-").last.map(String.init) ?? setting.name,
                help: "\(setting.summary) [\(setting.allowed); \(setting.variable)] "
                    + "(default: \(setting.value(in: defaults)))",
                completions: setting.completions
            )
        }
    }
}

extension Setting {
    /// The values that a shell completes; empty if they cannot be listed.
    fileprivate var completions: [String] {
        if case .boolean = kind { return ["true", "false"] }
        if case .logLevel = kind { return Logger.Level.allCases.map(\.rawValue) }
        if case .accessLog = kind { return AccessLogMode.allCases.map(\.rawValue) }
        if case .address = kind { return ["127.0.0.1", "0.0.0.0", "::1", "::"] }
        return []
    }
}

extension Configuration {
    /// Returns the configuration of this process.
    /// - Throws: ``CommandFailure`` for wrong usage.
    static func reading(flags: [String: String]) throws -> Configuration {
        do {
            return try Configuration(flags: flags, environment: Environment.variables(), resources: .current())
        } catch {
            throw CommandFailure(usage: error.description)
        }
    }

    /// Returns some settings of this process; see ``init(only:flags:environment:resources:)``.
    static func reading(only settings: [Setting], flags: [String: String] = [:]) throws -> Configuration {
        do {
            return try Configuration(
                only: settings,
                flags: flags,
                environment: Environment.variables(),
                resources: .current()
            )
        } catch {
            throw CommandFailure(usage: error.description)
        }
    }

    func socketAddress() throws(HTTPServerError) -> SocketAddress {
        try SocketAddress(parsing: address, port: UInt16(clamping: port))
    }

    /// The address of the listener for the administration; `nil` if there is none.
    func adminSocketAddress() throws(HTTPServerError) -> SocketAddress? {
        adminAddress.isEmpty ? nil : try SocketAddress(parsingListener: adminAddress)
    }
}

extension AccessControl {
    /// The tokens and the signing keys of the service.
    /// - Throws: ``CommandFailure`` if a file cannot be used.
    static func reading(_ configuration: Configuration) throws(CommandFailure) -> AccessControl {
        do {
            return try AccessControl(
                tokensPath: configuration.tokensFile,
                signingKeysPath: configuration.fetchSigningKeysFile
            )
        } catch {
            throw CommandFailure(usage: error.description)
        }
    }
}

extension ProfileRegistry {
    /// Returns the profiles for a command.
    /// - Throws: ``CommandFailure`` if the file cannot be used.
    static func reading(_ configuration: Configuration) throws(CommandFailure) -> ProfileRegistry {
        do {
            return try ProfileRegistry(
                path: configuration.profiles,
                limits: configuration.limits,
                fetch: FetchDefaults.Bounds(
                    timeoutSeconds: configuration.fetchTimeoutSeconds,
                    retries: configuration.fetchRetries
                )
            )
        } catch {
            throw CommandFailure(usage: error.description)
        }
    }
}
