internal import Fetching
internal import Flights
internal import Serialization

extension Settings {
    /// Requests to origins, which are disabled unless `fetch-allow` is set.
    struct Fetching: SettingGroup {
        let fetchAllow = Self.urls(
            "fetch-allow",
            "URLs that may be fetched. Without it, fetching is disabled. * is every public host."
        )
        let fetchDeny = Self.urls("fetch-deny", "URLs that may not be fetched, although fetch-allow contains them.")

        let fetchAllowRedirects = Self.urls(
            "fetch-allow-redirects",
            "URLs that may be fetched only as the target of a redirect."
        )
        let fetchAllowAddresses = Self.addresses(
            "fetch-allow-addresses",
            "Addresses that are not public, and may be fetched from hosts that fetch-allow names."
        )
        let fetchDenyAddresses = Self.addresses("fetch-deny-addresses", "Addresses from which nothing is fetched.")

        let fetchMethods = Setting(
            "fetch-methods",
            syntax: "methods, comma-separated",
            default: ParsedText("GET,HEAD", FetchMethods.safe),
            "Methods that callers may use.",
            FetchMethods.init(parsing:)
        )
        let fetchAllowGetContent = Setting<Bool>(
            "fetch-allow-get-content",
            "Permit content in a GET or HEAD. Origins that ignore it take it for another request."
        )
        let fetchMaxActive = Setting(
            "fetch-max-active",
            1...65_535,
            default: 256,
            "Maximum number of active transfers."
        )
        let fetchMaxActivePerOrigin = Setting(
            "fetch-max-active-per-origin",
            1...65_535,
            default: 8,
            "Maximum number of active transfers per origin."
        )
        let fetchMaxQueued = Setting(
            "fetch-max-queued",
            0...65_535,
            default: 2_048,
            "Maximum number of fetches that wait for a transfer."
        )
        let fetchOrder = Setting<QueueOrder>(
            "fetch-order",
            default: .fifo,
            "Order of the fetches of one origin that wait; lifo: the latest first."
        )
        let fetchResolveSeconds = Setting(
            "fetch-resolve-seconds",
            1...3_600,
            default: 3,
            "Maximum time to resolve the name of a host."
        )
        let fetchConnectSeconds = Setting(
            "fetch-connect-seconds",
            1...3_600,
            default: 5,
            "Maximum time to connect to an origin, with TLS."
        )
        let fetchIdleSeconds = Setting(
            "fetch-idle-seconds",
            1...3_600,
            default: 15,
            "Maximum time without a byte from an origin."
        )
        let fetchTimeoutSeconds = Setting(
            "fetch-timeout-seconds",
            1...3_600,
            default: 60,
            "Maximum time of a request that fetches; it can be lowered by timeoutSeconds."
        )
        let fetchQueueSeconds = Setting(
            "fetch-queue-seconds",
            1...3_600,
            default: 10,
            "Maximum time that a fetch waits for a transfer before it is rejected with 503."
        )
        let fetchResultSeconds = Setting(
            "fetch-result-seconds",
            1...3_600,
            default: 10,
            "Time for which a result is kept after the response 202."
        )
        let fetchSlowestBytesPerSecond = Setting(
            "fetch-slowest-bytes-per-second",
            0...1 << 30,
            default: 1_024,
            "Minimum rate of a transfer over 10 seconds; 0: none."
        )
        let fetchMaxRedirects = Setting(
            "fetch-max-redirects",
            0...20,
            default: 5,
            "Maximum number of redirects that are followed."
        )
        let fetchRetries = Setting(
            "fetch-retries",
            0...10,
            default: 2,
            "Maximum number of retries of a GET or HEAD; it can be lowered by retries."
        )
        let fetchBreakerFailures = Setting(
            "fetch-breaker-failures",
            1...100,
            default: 50,
            "Share of at least 20 transfers in 10 seconds, in percent, whose failure makes the service reject "
                + "requests to their origin."
        )
        let fetchBreakerOpenSeconds = Setting(
            "fetch-breaker-open-seconds",
            1...3_600,
            default: 5,
            "Time for which requests to a failing origin are rejected; it doubles up to 60 seconds."
        )
        let fetchProxy = Setting(
            "fetch-proxy",
            syntax: "an http or https URL without a path",
            default: ParsedText("", FetchProxy?.none),
            "Proxy for all fetches."
        ) { text throws(FetchProxyError) in try FetchProxy(parsing: text) }
        let fetchNoProxy = Setting(
            "fetch-no-proxy",
            syntax: "host names, comma-separated",
            default: ParsedText("", ProxyExceptions()),
            "Hosts that are fetched without the proxy.",
            ProxyExceptions.init(parsing:)
        )
        let fetchCAFile = Setting.file(
            "fetch-ca-file",
            "PEM file with the certificate authorities that are trusted; by default those of the system."
        )
        let fetchCredentialsFile = Setting.file(
            "fetch-credentials-file",
            "JSON file with fields, such as Authorization, that are added to requests to origins; SIGHUP reloads it."
        )
        let fetchCDNID = Setting(
            "fetch-cdn-id",
            syntax: "a token, or a host with a port",
            default: ParsedText("", CDNLoop?.none),
            "Identifier in CDN-Loop (RFC 8586), the same for all replicas of a deployment; by default random."
        ) { text in
            CDNLoop(identifier: text)
        }
        let fetchUserAgent = Setting(
            "fetch-user-agent",
            syntax: "text without control characters",
            default: "decant/\(decantVersion)",
            "User-Agent of fetches whose callers send none."
        ) { text in
            !text.isEmpty && text.utf8.count <= 256 && text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
        }
        let imageSizes = Setting(
            "image-sizes",
            syntax: "sizes as WxH of 1 to \(PlainImage.maxSide), comma-separated, each followed by its other parts",
            default: ParsedText("", ImageSizes()),
            "Thumbnails of GET /v1/image that need no signature; by default all.",
            ImageSizes.init(parsing:)
        )
        let imageCORSOrigins = Setting(
            "image-cors-origins",
            syntax: "*, or origins (https://a.example), comma-separated",
            default: ParsedText("", CORSOrigins()),
            "Origins of pages whose scripts may read the responses of GET /v1/image.",
            CORSOrigins.init(parsing:)
        )

        private static func addresses(_ name: String, _ summary: String) -> Setting<ParsedText<[AddressBlock]>> {
            Setting(
                name,
                syntax: "addresses or CIDR blocks, comma-separated",
                default: ParsedText("", []),
                summary,
                AddressBlock.list(parsing:)
            )
        }
    }

    /// The settings of fetching that a profile may lower.
    static let boundsOfProfiles: [any AnySetting] = [fetching.fetchTimeoutSeconds, fetching.fetchRetries]
}

extension SettingGroup {
    /// Rules for URLs.
    static func urls(_ name: String, _ summary: String) -> Setting<ParsedText<HostRules>> {
        Setting(
            name,
            syntax: "*, host names, *.host names or URLs, comma-separated",
            default: ParsedText("", HostRules()),
            summary,
            HostRules.init(parsing:)
        )
    }
}

/// The order in which the fetches of an origin begin that wait.
enum QueueOrder: String, CaseIterable, Sendable {
    case fifo, lifo
}

extension Configuration {
    /// Whether fetching is enabled.
    var fetches: Bool { !self.fetchAllow.text.isEmpty }

    var flightSettings: FlightSettings {
        FlightSettings(
            permits: FlightSettings.Permits(
                maxActive: self.fetchMaxActive,
                maxActivePerOrigin: self.fetchMaxActivePerOrigin,
                maxQueued: self.fetchMaxQueued,
                isLIFO: self.fetchOrder == .lifo
            ),
            times: FlightSettings.Times(
                resolve: .seconds(self.fetchResolveSeconds),
                connect: .seconds(self.fetchConnectSeconds),
                idle: .seconds(self.fetchIdleSeconds),
                total: .seconds(self.fetchTimeoutSeconds),
                queue: .seconds(self.fetchQueueSeconds),
                result: .seconds(self.fetchResultSeconds)
            ),
            requests: FlightSettings.Requests(
                slowestBytesPerSecond: self.fetchSlowestBytesPerSecond,
                allowsGetContent: self.fetchAllowGetContent,
                fields: [
                    HeaderFields.Field(name: "User-Agent", value: self.fetchUserAgent),
                    HeaderFields.Field(name: "Accept-Encoding", value: "gzip, deflate, br, zstd"),
                ]
            ),
            attempts: FlightSettings.Attempts(
                redirects: RedirectRules(maxRedirects: self.fetchMaxRedirects),
                maxRetries: self.fetchRetries,
                breaker: CircuitBreaker.Settings(
                    failurePercent: self.fetchBreakerFailures,
                    openSeconds: self.fetchBreakerOpenSeconds
                )
            ),
            cache: cacheSettings,
            policy: FetchPolicy(
                allow: self.fetchAllow.value,
                deny: self.fetchDeny.value,
                allowRedirects: self.fetchAllowRedirects.value,
                methods: self.fetchMethods.value,
                addresses: addressRules
            )
        )
    }

    /// The identifier in `CDN-Loop`.
    var cdnLoop: CDNLoop { self.fetchCDNID.value ?? CDNLoop(random: UInt128.random(in: 0 ... .max)) }

    /// The rules for addresses, without the service's listeners, which exist later.
    private var addressRules: AddressRules {
        AddressRules(
            allowed: self.fetchAllowAddresses.value,
            denied: self.fetchDenyAddresses.value,
            listeners: .none
        )
    }

    /// The settings of images.
    var imageSettings: ImageSettings {
        ImageSettings(sizes: self.imageSizes.value, corsOrigins: self.imageCORSOrigins.value)
    }

    /// What the process that fetches needs to know.
    var fetcherConfiguration: FetcherConfiguration {
        FetcherConfiguration(
            settings: FetcherSettings(
                addresses: addressRules,
                caFile: self.fetchCAFile.isEmpty ? FetcherSettings.systemCAFile : self.fetchCAFile,
                proxy: self.fetchProxy.value,
                noProxy: self.fetchNoProxy.value,
                userAgent: self.fetchUserAgent,
                maxContentBytes: min(limits.maxContentBytes, FetchStart.maxContentBytes)
            ),
            allowsUnsandboxed: self.allowUnsandboxed
        )
    }
}
