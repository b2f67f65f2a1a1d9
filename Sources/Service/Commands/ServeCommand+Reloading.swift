internal import Fetching
internal import Logging
internal import Serialization

extension ServeCommand {
    /// The files of the configuration that are read again on SIGHUP. Each one is independent of the others. Requests in
    /// flight keep what they began with.
    struct Files: Sendable {
        let profiles: ProfileRegistry
        let access: AccessControl
        let credentials: ReloadableFile<CredentialsFile>?

        init(_ configuration: Configuration) throws(CommandFailure) {
            profiles = try ProfileRegistry.reading(configuration)
            access = try AccessControl.reading(configuration)
            credentials = try ReloadableFile.credentials(configuration)
        }
    }
}

extension ServeCommand.Files {
    /// Reads all files again.
    func reload(for fetch: FetchService?, _ log: Logger) {
        var files = 0
        if let file = profiles.file {
            files += 1
            reload(file, "profiles", key: "profiles", log) { $0.profiles.count - Profile.builtIn.count }
        }
        if let file = access.tokens {
            files += 1
            reload(file, "tokens", key: "tokens", log) { $0.tokens.count }
        }
        if let file = access.signingKeys {
            files += 1
            reload(file, "signing keys", key: "keys", log) { $0.count }
        }
        if let credentials {
            files += 1
            let isReloaded = reload(credentials, "credentials", key: "origins", log) { $0.credentials.count }
            if isReloaded {
                fetch?.use(credentials.value.credentials)
                warnOfReadableCredentials(log)
            }
        }
        if files == 0 {
            log.info("SIGHUP has no effect: there is no file of profiles, tokens, signing keys or credentials")
        }
    }

    /// - Parameters:
    ///   - content: what the file contains, in the plural.
    ///   - key: the name of the number of values in the log.
    /// - Returns: whether the file is valid.
    @discardableResult private func reload<Value>(
        _ file: ReloadableFile<Value>,
        _ content: String,
        key: Logger.Metadata.Key,
        _ log: Logger,
        count: (Value) -> Int
    ) -> Bool {
        do throws(ConfigurationFileError) {
            let value = try file.reload()
            log.notice("the \(content) are reloaded", metadata: [key: .stringConvertible(count(value))])
            return true
        } catch {
            for problem in error.problems {
                var metadata = problem.metadata
                metadata["file"] = "\(file.path)"
                log.error("the \(content) are not reloaded; the previous ones stay in force", metadata: metadata)
            }
            return false
        }
    }

    /// Warns if other users of the machine can read the credentials.
    func warnOfReadableCredentials(_ log: Logger) {
        guard let credentials, credentials.value.isReadableByOthers else { return }
        log.warning(
            "every user of the machine can read the file of credentials (fetch-credentials-file)",
            metadata: ["file": "\(credentials.path)"]
        )
    }
}

extension ConfigurationFileError.Fault {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["problem": "\(message)"]
        if let line = at.line { metadata["line"] = .stringConvertible(line) }
        if let column = at.column { metadata["column"] = .stringConvertible(column) }
        if let pointer = at.pointer, !pointer.isEmpty { metadata["pointer"] = "\(pointer)" }
        if let line = first?.line { metadata["firstLine"] = .stringConvertible(line) }
        if let column = first?.column { metadata["firstColumn"] = .stringConvertible(column) }
        return metadata
    }
}
