internal import ArgumentParser
internal import Fetching
internal import Platform
internal import Serialization

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Signs a URL of GET /v1/fetch or GET /v1/image, so that it can be used without a token.",
        discussion: """
            Prints the URL with its signature. The first key of the file signs; the service accepts all keys of its \
            file.

            Exit code 0: the URL was signed. 2: wrong usage, or the file of keys cannot be used.
            """
    )

    private static let setting = Settings.server.fetchSigningKeysFile

    @Argument(help: "The URL or its target; its values are percent-encoded: /v1/fetch?url=https%3A%2F%2Fexample.com%2F")
    var url: String

    @Option(
        help: ArgumentHelp(
            "The time at which the signature expires, in seconds since 1970, or +N for N seconds from now.",
            valueName: "time"
        )
    )
    var expires: String?

    @Option(help: ArgumentHelp("The file of keys. [\(Self.setting.variable)]", valueName: "file"), completion: .file())
    var keyFile: String?

    func run() throws {
        let path = try keyFile ?? Configuration.reading(only: [Self.setting]).fetchSigningKeysFile
        guard !path.isEmpty else {
            throw CommandFailure(usage: "there is no file of keys; give --key-file or \(Self.setting.variable).")
        }
        let signed: String
        do {
            let url = try SignableURL(parsing: url, expires: try expirationTime())
            signed = url.signed(with: try SigningKeysReader.read(path: path))
        } catch let error as SignableURLError {
            throw CommandFailure(usage: error.message)
        } catch let error as ConfigurationFileError { throw CommandFailure(usage: error.description) }
        do {
            try FileDescriptor.standardOutput().writeLine(signed)
        } catch { throw CommandFailure(error.description) }
    }

    /// The time at which the signature expires, in seconds since 1970.
    private func expirationTime() throws(CommandFailure) -> Int? {
        guard let expires else { return nil }
        let isRelative = expires.hasPrefix("+")
        let digits = isRelative ? expires.dropFirst() : expires[...]
        guard digits.utf8.count <= 12, let number = digits.decimal() else {
            throw CommandFailure(
                usage: "--expires is '\(expires.excerpt)'; it must be seconds since 1970, or +N for N seconds from now."
            )
        }
        return isRelative ? Int(WallClock.now / 1_000_000_000) + number : number
    }
}
