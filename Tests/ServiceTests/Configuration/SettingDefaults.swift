import Fetching
import Platform
import Serialization

@testable import Flights
@testable import HTTP
@testable import Service
@testable import Workers

// Values for tests. The service takes them from its settings.

extension FetchPreferences.Bounds {
    init() { self.init(Configuration(resources: .init(cores: 1, memoryBytes: 4 << 30))) }
}

extension HTTPServerConfiguration {
    init() {
        self.init(
            address: "127.0.0.1",
            port: 8080,
            threads: ProcessorCount.available,
            connections: Connections(max: 4_096, maxPerAddress: 0, backlog: 4_096),
            content: Content(maxBufferedBytes: 64 << 20, gzipAboveBytes: 0),
            timeouts: Timeouts(
                head: .seconds(10),
                content: .seconds(60),
                response: .seconds(60),
                queue: .seconds(10),
                idle: .seconds(75),
                halfCloseGrace: .seconds(1)
            )
        )
    }
}

extension WorkerConfiguration {
    /// One worker.
    init() {
        self.init(
            workers: 1,
            memoryBytes: 512 << 20,
            decodeTimeSeconds: 10,
            allowsUnsandboxed: false,
            maxWaitingJobs: 64,
            maxLengths: .init(content: 32 << 20, answer: 48 << 20)
        )
    }
}

extension ImageSettings {
    init(sizes: ImageSizes = ImageSizes()) { self.init(sizes: sizes, corsOrigins: CORSOrigins()) }
}

extension ProfilesReader {
    static func read(_ text: Span<UInt8>, path: String, limits: Limits) throws(ConfigurationFileError) -> ProfileSet {
        try read(text, path: path, limits: limits, fetch: FetchPreferences.Bounds())
    }
}

extension ProfileRegistry {
    convenience init(path: String, limits: Limits) throws(ConfigurationFileError) {
        try self.init(path: path, limits: limits, fetch: FetchPreferences.Bounds())
    }
}

extension CacheSettings {
    /// No cache.
    init() {
        self.init(
            limits: CacheLimits(capacityBytes: 0, bytesAfterPurge: 0, maxEntryBytes: 0),
            policy: CachePolicy(heuristicSeconds: 0, staleIfErrorSeconds: 0, keyFields: .vary),
            denied: HostRules(),
            allowsPurge: false
        )
    }
}

extension FlightSettings {
    init() {
        self.init(
            permits: Permits(maxActive: 256, maxActivePerOrigin: 8, maxQueued: 2_048, isLIFO: false),
            times: Times(
                resolve: .seconds(3),
                connect: .seconds(5),
                idle: .seconds(15),
                total: .seconds(60),
                queue: .seconds(10),
                result: .seconds(10)
            ),
            requests: Requests(slowestBytesPerSecond: 1_024, allowsGetContent: false, fields: []),
            attempts: Attempts(
                redirects: RedirectRules(maxRedirects: 5),
                maxRetries: 2,
                breaker: CircuitBreaker.Settings(failurePercent: 50, openSeconds: 5)
            ),
            cache: CacheSettings(),
            policy: .testing()
        )
    }
}

extension FetchPolicy {
    /// Only safe methods, and no rules but those that are given.
    static func testing(
        allow: HostRules = HostRules(),
        methods: FetchMethods = .safe,
        addresses: AddressRules = AddressRules(allowed: [], denied: [], listeners: .none)
    ) -> FetchPolicy {
        FetchPolicy(
            allow: allow,
            deny: HostRules(),
            allowRedirects: HostRules(),
            methods: methods,
            addresses: addresses
        )
    }
}

extension FetcherSettings {
    /// No addresses but public ones, and no proxy.
    init() {
        self.init(
            addresses: AddressRules(allowed: [], denied: [], listeners: .none),
            caFile: Self.systemCAFile,
            proxy: nil,
            noProxy: ProxyExceptions(),
            userAgent: "test/1",
            maxContentBytes: 32 << 20
        )
    }
}

extension FetcherConfiguration {
    init() { self.init(settings: FetcherSettings(), allowsUnsandboxed: false) }
}
