internal import Platform

/// The flags of every setting.
enum AllSettings: FlagTable {
    static let flags = Setting.all.definitions()
}

/// The flags that say where a service is to be found.
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
                    + "(default: \(setting.value(in: defaults)))"
            )
        }
    }
}

extension Configuration {
    /// The configuration of this process.
    /// - Throws: ``CommandFailure`` for wrong usage.
    static func reading(flags: [String: String]) throws -> Configuration {
        do {
            return try Configuration(flags: flags, environment: Environment.variables(), resources: .current())
        } catch {
            throw CommandFailure(usage: error.description)
        }
    }

    /// Some settings of this process; see ``init(only:flags:environment:resources:)``.
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
}
