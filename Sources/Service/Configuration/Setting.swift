internal import Fetching
internal import Glibc
internal import HTTP
internal import Logging
internal import Serialization

/// One setting: `--max-content-bytes` on the command line, `DECANT_MAX_CONTENT_BYTES` in the environment. The lists at the end of this
/// file, and ``OptionTable`` for limits, define all settings. Flags, checks and help are derived from them.
struct Setting: Sendable {
    /// The name, such as `max-content-bytes`.
    let name: String

    /// The description in the help, in one line.
    let summary: String

    let kind: Kind

    typealias Path<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    enum Kind: Sendable {
        case integer(Path<Int>, ClosedRange<Int>)
        case limit(OptionDefinition.Path<Int>, ClosedRange<Int>)
        case boolean(Path<Bool>)
        case address(Path<String>)
        case url(Path<String>)
        case file(Path<String>)
        /// One of these.
        case choice(Path<String>, [String])
        /// Text of a form, which is described for a person.
        case text(Path<String>, form: String, isValid: @Sendable (String) -> Bool)
        /// Text that is parsed to a value: see ``Setting/Kind/parsed(_:form:_:)``.
        case value(
            form: String,
            text: @Sendable (Configuration) -> String,
            set: @Sendable (String, inout Configuration) throws(SettingError) -> Void
        )
        case logLevel(Path<Logger.Level>)
        case accessLog(Path<AccessLogMode?>)
    }

    init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    var flag: String { "--" + name }

    var variable: String {
        "DECANT_"
            + String(decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 & 0xDF }, as: UTF8.self)
    }

    /// A description of the allowed values for errors and help, such as `1 to 65535`.
    var allowed: String {
        switch kind {
        case .integer(_, let bounds), .limit(_, let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .boolean: "true or false"
        case .address: "a numeric IPv4 or IPv6 address"
        case .url: "an http or https URL without query and fragment"
        case .file: "the path of a file"
        case .choice(_, let values): values.joined(separator: ", ")
        case .text(_, let form, _), .value(let form, _, _): form
        case .logLevel: Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        case .accessLog: AccessLogMode.allCases.map(\.rawValue).joined(separator: ", ")
        }
    }

    /// The value of this setting in `configuration`, as it is written on the command line.
    func value(in configuration: Configuration) -> String {
        switch kind {
        case .integer(let path, _): String(configuration[keyPath: path])
        case .limit(let path, _): String(RequestOptions(limits: configuration.limits)[keyPath: path])
        case .boolean(let path): String(configuration[keyPath: path])
        case .address(let path), .url(let path), .file(let path), .choice(let path, _), .text(let path, _, _):
            configuration[keyPath: path]
        case .value(_, let text, _): text(configuration)
        case .logLevel(let path): configuration[keyPath: path].rawValue
        case .accessLog(let path): configuration[keyPath: path]?.rawValue ?? "json, or text on a terminal"
        }
    }

    /// Sets `text` in `configuration`.
    func set(_ text: String, in configuration: inout Configuration) throws(SettingError) {
        switch kind {
        case .integer(let path, let bounds):
            guard let value = Self.integer(text, in: bounds) else { throw SettingError() }
            configuration[keyPath: path] = value
        case .limit(let path, let bounds):
            guard let value = Self.integer(text, in: bounds) else { throw SettingError() }
            var options = RequestOptions(limits: configuration.limits)
            options[keyPath: path] = value
            configuration.limits = options.limits
        case .boolean(let path):
            guard let value = Bool(text) else { throw SettingError() }
            configuration[keyPath: path] = value
        case .address(let path):
            guard (try? SocketAddress(parsing: text, port: 0)) != nil else { throw SettingError() }
            configuration[keyPath: path] = text
        case .url(let path):
            guard PublicURL.isValid(text) else { throw SettingError() }
            configuration[keyPath: path] = text
        case .file(let path):
            guard !text.isEmpty, !text.utf8.contains(0) else { throw SettingError() }
            configuration[keyPath: path] = text
        case .choice(let path, let values):
            guard values.contains(text) else { throw SettingError() }
            configuration[keyPath: path] = text
        case .text(let path, _, let isValid):
            guard isValid(text) else { throw SettingError() }
            configuration[keyPath: path] = text
        case .value(_, _, let set): try set(text, &configuration)
        case .logLevel(let path):
            guard let level = Logger.Level(rawValue: text) else { throw SettingError() }
            configuration[keyPath: path] = level
        case .accessLog(let path):
            guard let mode = AccessLogMode(rawValue: text) else { throw SettingError() }
            configuration[keyPath: path] = mode
        }
    }

    /// Reads a number that consists of digits only: `Int` would accept a sign.
    private static func integer(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ $0.isDecimalDigit }), let value = Int(text), bounds ~= value else { return nil }
        return value
    }
}

extension Setting.Kind {
    /// Text that is parsed when it is set. Only the value is used from then on.
    /// - Parameter parse: returns `nil` if the text does not have the form.
    static func recognized<Value>(
        _ path: Setting.Path<ParsedText<Value>>,
        form: String,
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> Self {
        .value(form: form, text: { $0[keyPath: path].text }) { text, configuration throws(SettingError) in
            guard let value = parse(text) else { throw SettingError() }
            configuration[keyPath: path] = ParsedText(text, value)
        }
    }

    /// Text that is parsed when it is set, with the reason if that is impossible.
    static func parsed<Value, Reason: SettingReason>(
        _ path: Setting.Path<ParsedText<Value>>,
        form: String,
        _ parse: @escaping @Sendable (String) throws(Reason) -> Value
    ) -> Self {
        .value(form: form, text: { $0[keyPath: path].text }) { text, configuration throws(SettingError) in
            do throws(Reason) {
                configuration[keyPath: path] = ParsedText(text, try parse(text))
            } catch {
                throw SettingError(reason: error.reason)
            }
        }
    }
}

/// The text of a setting is not allowed.
struct SettingError: Error, Equatable, Sendable {
    /// The reason and its location (``SettingReason``); `nil` if the description of the form explains it.
    var reason: String?
}

/// The text of a setting, and the value that was parsed from it.
struct ParsedText<Value: Sendable>: Sendable {
    /// The text as it is written on the command line; empty for a default that has no text.
    let text: String
    let value: Value

    init(_ text: String, _ value: Value) {
        self.text = text
        self.value = value
    }
}

extension ParsedText: Equatable where Value: Equatable {}

extension Setting {
    static let all = endpoint + server + fetching + caching + isolation + limits

    /// The settings for the address of the service. A health check needs no others.
    static let endpoint = [
        Setting("address", .address(\.address), "Address on which to listen; 0.0.0.0 is every IPv4 address."),
        Setting("port", .integer(\.port, 0...65_535), "TCP port; 0 selects a free one."),
        Setting(
            "admin-address",
            .text(\.adminAddress, form: "HOST:PORT with a numeric address, or unix:PATH") {
                (try? SocketAddress(parsingListener: $0)) != nil
            },
            "Address of a second listener, for probes, metrics and the administration of the cache, with a thread of its own."
        ),
    ]

    /// The file of profiles, which other commands also read.
    static let profiles = Setting(
        "profiles",
        .file(\.profiles),
        "JSON file with profiles besides the built-in ones; SIGHUP reloads it."
    )

    /// The file of signing keys, which the command `sign` reads too.
    static let fetchSigningKeysFile = Setting(
        "fetch-signing-keys-file",
        .file(\.fetchSigningKeysFile),
        "File with keys that sign the URLs of GET /v1/fetch and GET /v1/image, one per line; SIGHUP reloads it."
    )

    static let server = [
        Setting(
            "public-url",
            .url(\.publicURL),
            "URL under which callers reach the service; with it, the references in problems are absolute."
        ),
        Setting("threads", .integer(\.threads, 1...256), "Number of HTTP threads."),
        Setting(
            "max-connections",
            .integer(\.maxConnections, 1...65_535),
            "Maximum number of open connections; by default as many as fit into a tenth of the memory."
        ),
        Setting(
            "max-connections-per-address",
            .integer(\.maxConnectionsPerAddress, 0...65_535),
            "Maximum number of open connections per client address; 0 for no limit."
        ),
        Setting(
            "head-timeout-seconds",
            .integer(\.headTimeoutSeconds, 1...3_600),
            "Maximum time to receive the head of a request."
        ),
        Setting(
            "content-timeout-seconds",
            .integer(\.contentTimeoutSeconds, 1...3_600),
            "Maximum time to receive the content of a request, plus one second per 64 KiB."
        ),
        Setting(
            "response-timeout-seconds",
            .integer(\.responseTimeoutSeconds, 1...3_600),
            "Maximum time to send a response, plus one second per 64 KiB."
        ),
        Setting(
            "queue-timeout-seconds",
            .integer(\.queueTimeoutSeconds, 1...3_600),
            "Maximum time that a request waits for a thread or a worker; after that it is rejected with 503."
        ),
        Setting(
            "idle-timeout-seconds",
            .integer(\.idleTimeoutSeconds, 1...3_600),
            "Maximum time that a connection waits for its next request."
        ),
        Setting(
            "half-close-grace-seconds",
            .integer(\.halfCloseGraceSeconds, 0...60),
            "Time after a request in which a client that closes its side still receives the response."
        ),
        Setting(
            "drain-delay-seconds",
            .integer(\.drainDelaySeconds, 0...600),
            "Time after SIGTERM during which new connections are still accepted, and /readyz responds with 503."
        ),
        Setting(
            "drain-timeout-seconds",
            .integer(\.drainTimeoutSeconds, 1...3_600),
            "Maximum time for requests in flight after the drain delay."
        ),
        Setting(
            "max-buffered-bytes",
            .integer(\.maxBufferedBytes, 1 << 20...1 << 40),
            "Maximum memory of all requests together (content, decoding, responses); by default at least a quarter of the memory."
        ),
        Setting(
            "gzip-responses-above-bytes",
            .integer(\.gzipResponsesAboveBytes, 0...1 << 30),
            "Minimum size of a response that is compressed with gzip for clients that accept it, in bytes; 0: never."
        ),
        profiles,
        Setting(
            "tokens-file",
            .file(\.tokensFile),
            "JSON file with tokens, one of which each request needs; without it, all requests are permitted. SIGHUP reloads it."
        ),
        fetchSigningKeysFile,
        Setting("log-level", .logLevel(\.logLevel), "Minimum severity of the lines that are logged."),
        Setting(
            "access-log",
            .accessLog(\.accessLog),
            "Format of log lines; off: requests are not logged."
        ),
    ]

    /// The workers, which decode images in the service and on the command line.
    static let isolation = [
        Setting(
            "workers",
            .integer(\.workers, 0...256),
            "Number of processes that decode images, up to the available memory; 0: no pixels are decoded."
        ),
        Setting(
            "worker-memory-bytes",
            .integer(\.workerMemoryBytes, Configuration.minWorkerMemoryBytes...1 << 40),
            "Maximum memory of one worker."
        ),
        Setting(
            "decode-time-seconds",
            .integer(\.decodeTimeSeconds, 1...3_600),
            "Maximum time to decode one image."
        ),
        Setting(
            "allow-unsandboxed",
            .boolean(\.allowUnsandboxed),
            "Whether images are decoded even if the system has no seccomp. This is dangerous."
        ),
    ]

    /// The limits of one serialization, in the service and on the command line: those of ``OptionTable``.
    static let limits = OptionTable.limits.compactMap { definition -> Setting? in
        guard case .limit(let path, let bounds, let note) = definition.target else { return nil }
        let summary = note.isEmpty ? definition.summary : "\(definition.summary) \(note)"
        return Setting(definition.name.rawValue, .limit(path, bounds), summary)
    }
}
