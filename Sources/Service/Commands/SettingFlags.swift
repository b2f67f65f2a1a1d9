internal import HTTP
internal import Platform

/// The flags of every setting.
enum SettingFlags: FlagTable {
    static let flags = definitions(Settings.all)

    fileprivate static func definitions(_ settings: [any AnySetting]) -> [FlagDefinition] {
        let defaults = Configuration(resources: .current())
        return settings.map { $0.flag(byDefault: $0.text(in: defaults)) }
    }
}

extension AnySetting {
    /// The flag of the setting.
    /// - Parameter byDefault: the description of its default; empty if there is none.
    func flag(byDefault: String) -> FlagDefinition {
        FlagDefinition(
            name: name,
            valueName: valueName,
            help: "\(summary) [\(allowed)] (default: \(byDefault.isEmpty ? "none" : byDefault))",
            completions: completions
        )
    }

    /// The name of the value in the help.
    fileprivate var valueName: String {
        let last = name.split(separator: "-").last.map(String.init) ?? name
        return switch values {
        case .integer: ["seconds", "bytes", "port"].contains(last) ? last : "number"
        case .boolean: "boolean"
        case .choice: "choice"
        case .text where last == "address": name == last ? "ip" : "host:port"
        case .text: ["url", "path", "file"].contains(last) ? last : "text"
        }
    }
}

/// The flags for the address of a service.
enum AddressFlags: FlagTable {
    static let flags = SettingFlags.definitions(Settings.address.all)
}

extension Configuration {
    /// Returns the configuration of this process.
    /// - Throws: ``CommandFailure`` for wrong usage.
    static func reading(flags: [String: String]) throws -> Configuration {
        do {
            return try Configuration(flags: flags, environment: Environment.variables(), resources: .current())
        } catch { throw CommandFailure(usage: error.description) }
    }

    /// Returns some settings of this process; see ``init(only:flags:environment:resources:)``.
    static func reading(only settings: [any AnySetting], flags: [String: String] = [:]) throws -> Configuration {
        do {
            return try Configuration(
                only: settings,
                flags: flags,
                environment: Environment.variables(),
                resources: .current()
            )
        } catch { throw CommandFailure(usage: error.description) }
    }

    func socketAddress() throws(HTTPServerError) -> SocketAddress {
        try SocketAddress(parsing: self.address, port: UInt16(clamping: self.port))
    }

    /// The address of the listener for the administration; `nil` if there is none.
    func adminSocketAddress() throws(HTTPServerError) -> SocketAddress? {
        self.adminAddress.isEmpty ? nil : try SocketAddress(parsingListener: self.adminAddress)
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
        } catch { throw CommandFailure(usage: error.description) }
    }
}

extension ReloadableFile<CredentialsFile> {
    /// Returns the fields that are added to requests to origins; `nil` if there is no file.
    /// - Throws: ``CommandFailure`` if the file cannot be used.
    static func credentials(_ configuration: Configuration) throws(CommandFailure) -> ReloadableFile? {
        guard !configuration.fetchCredentialsFile.isEmpty else { return nil }
        do {
            return try ReloadableFile(path: configuration.fetchCredentialsFile, read: CredentialsReader.read)
        } catch { throw CommandFailure(usage: error.description) }
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
                fetch: FetchPreferences.Bounds(configuration)
            )
        } catch { throw CommandFailure(usage: error.description) }
    }
}

extension FetchPreferences.Bounds {
    init(_ configuration: Configuration) {
        self.init(timeoutSeconds: configuration.fetchTimeoutSeconds, retries: configuration.fetchRetries)
    }
}
