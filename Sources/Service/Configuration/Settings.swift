internal import Fetching
internal import HTTP
internal import Logging
internal import Platform
internal import Serialization

/// All settings, in the order of the help: a property for each, which is its only declaration, and the limits of
/// ``OptionTable``.
///
/// To add a setting, add a property here or in one of the other groups, and use it: `configuration.maxConnections`.
/// Nothing else lists it. All limits are inclusive. The names contain the units.
enum Settings {
    static let address = Address()
    static let server = Server()
    static let fetching = Fetching()
    static let caching = Caching()
    static let isolation = Isolation()

    /// The limits of one serialization, in the service and on the command line.
    static let limits = OptionTable.limits.compactMap { LimitSetting($0) }

    static let all: [any AnySetting] = address.all + server.all + fetching.all + caching.all + isolation.all + limits

    /// The address of the service. A health check needs no other settings.
    struct Address: SettingGroup {
        let address = Setting(
            "address",
            syntax: "a numeric IPv4 or IPv6 address",
            completions: ["127.0.0.1", "0.0.0.0", "::1", "::"],
            // Reachable only from this machine.
            default: "127.0.0.1",
            "Address on which to listen; 0.0.0.0 is every IPv4 address."
        ) { (try? SocketAddress(parsing: $0, port: 0)) != nil }
        let port = Setting("port", 0...65_535, default: 8080, "TCP port; 0 selects a free one.")

        /// Empty if there is none.
        let adminAddress = Setting(
            "admin-address",
            syntax: "HOST:PORT with a numeric address, or unix:PATH",
            default: "",
            "Address of a second listener, for probes, metrics and the administration of the cache, with a "
                + "thread of its own."
        ) { (try? SocketAddress(parsingListener: $0)) != nil }
    }

    struct Server: SettingGroup {
        /// Empty if responses refer to paths.
        let publicURL = Setting(
            "public-url",
            syntax: "an http or https URL without query and fragment",
            default: "",
            "URL under which callers reach the service; with it, the references in problems are absolute.",
            isValid: PublicURL.isValid
        )
        let threads = Setting("threads", 1...256, default: \.resources.cores, "Number of HTTP threads.")

        /// Further connections wait in the kernel's queue.
        let maxConnections = Setting(
            "max-connections",
            1...65_535,
            default: \.connectionsThatFit,
            "Maximum number of open connections; by default as many as fit into a tenth of the memory."
        )

        /// The kernel reduces it to `net.core.somaxconn`, which has the same default (listen(2)).
        let listenBacklog = Setting(
            "listen-backlog",
            1...65_535,
            default: 4_096,
            "Maximum number of connections that wait in the kernel's queue; at most net.core.somaxconn."
        )

        /// By default there is no limit, because a proxy is a single address.
        let maxConnectionsPerAddress = Setting(
            "max-connections-per-address",
            0...65_535,
            default: 0,
            "Maximum number of open connections per client address; 0 for no limit."
        )

        /// It begins when the connection is accepted, or with the first byte of a later request, and protects against
        /// clients that send very slowly.
        let headTimeoutSeconds = Setting(
            "head-timeout-seconds",
            1...3_600,
            default: 10,
            "Maximum time to receive the head of a request."
        )
        let contentTimeoutSeconds = Setting(
            "content-timeout-seconds",
            1...3_600,
            default: 60,
            "Maximum time to receive the content of a request, plus one second per 64 KiB."
        )
        let responseTimeoutSeconds = Setting(
            "response-timeout-seconds",
            1...3_600,
            default: 60,
            "Maximum time to send a response, plus one second per 64 KiB."
        )
        let queueTimeoutSeconds = Setting(
            "queue-timeout-seconds",
            1...3_600,
            default: 10,
            "Maximum time that a request waits for a thread or a worker; after that it is rejected with 503."
        )
        let idleTimeoutSeconds = Setting(
            "idle-timeout-seconds",
            1...3_600,
            default: 75,
            "Maximum time that a connection waits for its next request."
        )
        let halfCloseGraceSeconds = Setting(
            "half-close-grace-seconds",
            0...60,
            default: 1,
            "Time after a request in which a client that closes its side still receives the response."
        )

        /// It must exceed the interval of a load balancer's checks times the number of failures that it waits for.
        let drainDelaySeconds = Setting(
            "drain-delay-seconds",
            0...600,
            default: 0,
            "Time after SIGTERM during which new connections are still accepted, and /readyz responds with 503."
        )

        /// Together with the delay, it must stay below the 30 seconds that orchestrators commonly give.
        let drainTimeoutSeconds = Setting(
            "drain-timeout-seconds",
            1...3_600,
            default: 25,
            "Maximum time for requests in flight after the drain delay."
        )
        let maxBufferedBytes = Setting(
            "max-buffered-bytes",
            1 << 20...1 << 40,
            default: \.bufferedBytesThatFit,
            "Maximum memory of all requests together (content, decoding, responses); by default at least a "
                + "quarter of the memory."
        )
        let gzipResponsesAboveBytes = Setting(
            "gzip-responses-above-bytes",
            0...1 << 30,
            default: 0,
            "Minimum size of a response that is compressed with gzip for clients that accept it, in bytes; 0: never."
        )
        let requireUpstreamStatus = Setting<Bool>(
            "require-upstream-status",
            "Whether requests in the direct form without Upstream-Status are rejected. Otherwise their status is 200."
        )
        let page = Setting<PageMode>(
            "page",
            default: .on,
            "Whether there is a page for trying the service at /, and a reference at /docs."
        )
        let profiles = Setting.file("profiles", "JSON file with profiles besides the built-in ones; SIGHUP reloads it.")

        let tokensFile = Setting.file(
            "tokens-file",
            "JSON file with tokens, one of which each request needs; without it, all requests are permitted. "
                + "SIGHUP reloads it."
        )
        let fetchSigningKeysFile = Setting.file(
            "fetch-signing-keys-file",
            "File with keys that sign the URLs of GET /v1/fetch and GET /v1/image, one per line; SIGHUP reloads it."
        )
        let logLevel = Setting<Logger.Level>(
            "log-level",
            default: .info,
            "Minimum severity of the lines that are logged."
        )
        let accessLog = Setting<AccessLogMode?>(
            "access-log",
            derived: "json, or text on a terminal",
            "Format of log lines; off: requests are not logged."
        )
    }

    /// The workers, which decode images in the service and on the command line.
    struct Isolation: SettingGroup {
        let workers = Setting(
            "workers",
            0...256,
            default: \.resources.cores,
            "Number of processes that decode images, up to the available memory; 0: images are rejected."
        )
        /// They decode no pixels, and need little memory (``Configuration/factWorkerBytes``).
        let factWorkers = Setting(
            "fact-workers",
            1...64,
            default: 1,
            "Number of processes that read the facts of images, so that these never wait for pixels."
        )
        let workerMemoryBytes = Setting(
            "worker-memory-bytes",
            Configuration.minWorkerMemoryBytes...1 << 40,
            default: \.workerMemoryThatFits,
            "Maximum memory of one worker."
        )
        let decodeTimeSeconds = Setting(
            "decode-time-seconds",
            1...3_600,
            default: 10,
            "Maximum time to decode one image."
        )
        let allowUnsandboxed = Setting<Bool>(
            "allow-unsandboxed",
            "Whether images are decoded even if the system has no seccomp. This is dangerous."
        )
    }
}

/// Settings that are declared, and may be needed by a command, together. All of its properties are settings.
protocol SettingGroup: Sendable {}

extension SettingGroup {
    /// The settings in the order of their declaration.
    var all: [any AnySetting] { Mirror(reflecting: self).children.compactMap { $0.value as? any AnySetting } }
}

extension Configuration {
    subscript<Value>(dynamicMember path: KeyPath<Settings.Address, Setting<Value>>) -> Value {
        get { self[Settings.address[keyPath: path]] }
        set { self[Settings.address[keyPath: path]] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<Settings.Server, Setting<Value>>) -> Value {
        get { self[Settings.server[keyPath: path]] }
        set { self[Settings.server[keyPath: path]] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<Settings.Fetching, Setting<Value>>) -> Value {
        get { self[Settings.fetching[keyPath: path]] }
        set { self[Settings.fetching[keyPath: path]] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<Settings.Caching, Setting<Value>>) -> Value {
        get { self[Settings.caching[keyPath: path]] }
        set { self[Settings.caching[keyPath: path]] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<Settings.Isolation, Setting<Value>>) -> Value {
        get { self[Settings.isolation[keyPath: path]] }
        set { self[Settings.isolation[keyPath: path]] = newValue }
    }
}
