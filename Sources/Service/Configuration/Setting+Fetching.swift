internal import Fetching
internal import Flights
internal import Serialization

extension Setting {
    /// Requests to origins, which are disabled unless `fetch-allow` is set.
    static let fetching = [
        Setting(
            "fetch-allow",
            .parsed(\.fetchAllow, form: urlForm, HostRules.init(parsing:)),
            "URLs that may be fetched. Without it, fetching is disabled. * is every public host."
        ),
        Setting(
            "fetch-deny",
            .parsed(\.fetchDeny, form: urlForm, HostRules.init(parsing:)),
            "URLs that may not be fetched, although fetch-allow contains them."
        ),
        Setting(
            "fetch-allow-redirects",
            .parsed(\.fetchAllowRedirects, form: urlForm, HostRules.init(parsing:)),
            "URLs that may be fetched only as the target of a redirect."
        ),
        Setting(
            "fetch-allow-addresses",
            .parsed(\.fetchAllowAddresses, form: addressForm, AddressBlock.list(parsing:)),
            "Addresses that are not public, and may be fetched from hosts that fetch-allow names."
        ),
        Setting(
            "fetch-deny-addresses",
            .parsed(\.fetchDenyAddresses, form: addressForm, AddressBlock.list(parsing:)),
            "Addresses from which nothing is fetched."
        ),
        Setting(
            "fetch-methods",
            .parsed(\.fetchMethods, form: "methods, comma-separated", FetchMethods.init(parsing:)),
            "Methods that callers may use."
        ),
        Setting(
            "fetch-allow-get-content",
            .boolean(\.fetchAllowGetContent),
            "Permit content in a GET or HEAD. Origins that ignore it take it for another request."
        ),
        Setting(
            "fetch-max-active",
            .integer(\.fetchMaxActive, 1...65_535),
            "Maximum number of active transfers."
        ),
        Setting(
            "fetch-max-active-per-origin",
            .integer(\.fetchMaxActivePerOrigin, 1...65_535),
            "Maximum number of active transfers per origin."
        ),
        Setting(
            "fetch-max-queued",
            .integer(\.fetchMaxQueued, 0...65_535),
            "Maximum number of fetches that wait for a transfer."
        ),
        Setting(
            "fetch-order",
            .choice(\.fetchOrder, ["fifo", "lifo"]),
            "Order of the fetches of one origin that wait; lifo: the latest first."
        ),
        Setting(
            "fetch-resolve-seconds",
            .integer(\.fetchResolveSeconds, 1...3_600),
            "Maximum time to resolve the name of a host."
        ),
        Setting(
            "fetch-connect-seconds",
            .integer(\.fetchConnectSeconds, 1...3_600),
            "Maximum time to connect to an origin, with TLS."
        ),
        Setting(
            "fetch-idle-seconds",
            .integer(\.fetchIdleSeconds, 1...3_600),
            "Maximum time without a byte from an origin."
        ),
        Setting(
            "fetch-timeout-seconds",
            .integer(\.fetchTimeoutSeconds, 1...3_600),
            "Maximum time of a request that fetches; it can be lowered by timeoutSeconds."
        ),
        Setting(
            "fetch-queue-seconds",
            .integer(\.fetchQueueSeconds, 1...3_600),
            "Maximum time that a fetch waits for a transfer before it is rejected with 503."
        ),
        Setting(
            "fetch-result-seconds",
            .integer(\.fetchResultSeconds, 1...3_600),
            "Time for which a result is kept after the response 202."
        ),
        Setting(
            "fetch-slowest-bytes-per-second",
            .integer(\.fetchSlowestBytesPerSecond, 0...1 << 30),
            "Minimum rate of a transfer over 10 seconds; 0: none."
        ),
        Setting(
            "fetch-max-redirects",
            .integer(\.fetchMaxRedirects, 0...20),
            "Maximum number of redirects that are followed."
        ),
        Setting(
            "fetch-retries",
            .integer(\.fetchRetries, 0...10),
            "Maximum number of retries of a GET or HEAD; it can be lowered by retries."
        ),
        Setting(
            "fetch-breaker-failures",
            .integer(\.fetchBreakerFailures, 1...100),
            "Share of at least 20 transfers in 10 seconds, in percent, whose failure makes the service reject requests to their origin."
        ),
        Setting(
            "fetch-breaker-open-seconds",
            .integer(\.fetchBreakerOpenSeconds, 1...3_600),
            "Time for which requests to a failing origin are rejected; it doubles up to 60 seconds."
        ),
        Setting(
            "fetch-proxy",
            .parsed(\.fetchProxy, form: "an http or https URL without a path") { text throws(FetchProxyError) in
                try FetchProxy(parsing: text)
            },
            "Proxy for all fetches."
        ),
        Setting(
            "fetch-no-proxy",
            .parsed(\.fetchNoProxy, form: "host names, comma-separated", ProxyExceptions.init(parsing:)),
            "Hosts that are fetched without the proxy."
        ),
        Setting(
            "fetch-ca-file",
            .file(\.fetchCAFile),
            "PEM file with the certificate authorities that are trusted; by default those of the system."
        ),
        Setting(
            "fetch-user-agent",
            .text(\.fetchUserAgent, form: "text without control characters") { text in
                !text.isEmpty && text.utf8.count <= 256 && text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
            },
            "User-Agent of fetches whose callers send none."
        ),
        Setting(
            "image-sizes",
            .recognized(\.imageSizes, form: "sizes as WxH, comma-separated") { ImageSizes(parsing: $0) },
            "Sizes of GET /v1/image that need no signature; by default all."
        ),
        Setting(
            "image-cors-origins",
            .recognized(\.imageCORSOrigins, form: "*, or origins (https://a.example), comma-separated") {
                CORSOrigins(parsing: $0)
            },
            "Origins of pages whose scripts may read the responses of GET /v1/image."
        ),
    ]

    /// The settings of fetching that a profile may lower.
    static let boundsOfProfiles = fetching.filter { ["fetch-timeout-seconds", "fetch-retries"].contains($0.name) }

    static let urlForm = "*, host names, *.host names or URLs, comma-separated"
    private static let addressForm = "addresses or CIDR blocks, comma-separated"
}

extension Configuration {
    /// Whether fetching is enabled.
    var fetches: Bool { !fetchAllow.text.isEmpty }

    /// The settings of flights.
    var flightSettings: FlightSettings {
        var settings = FlightSettings()
        settings.allowsGetContent = fetchAllowGetContent
        settings.maxActive = fetchMaxActive
        settings.maxActivePerOrigin = fetchMaxActivePerOrigin
        settings.maxQueued = fetchMaxQueued
        settings.isLIFO = fetchOrder == "lifo"
        settings.resolveTimeout = .seconds(fetchResolveSeconds)
        settings.connectTimeout = .seconds(fetchConnectSeconds)
        settings.idleTimeout = .seconds(fetchIdleSeconds)
        settings.timeout = .seconds(fetchTimeoutSeconds)
        settings.queueTimeout = .seconds(fetchQueueSeconds)
        settings.resultTime = .seconds(fetchResultSeconds)
        settings.slowestBytesPerSecond = fetchSlowestBytesPerSecond
        settings.redirects = RedirectRules(maxRedirects: fetchMaxRedirects)
        settings.maxRetries = fetchRetries
        settings.breaker.failurePercent = fetchBreakerFailures
        settings.breaker.openSeconds = fetchBreakerOpenSeconds
        settings.breaker.maxOpenSeconds = max(60, fetchBreakerOpenSeconds)
        settings.policy = FetchPolicy(
            allow: fetchAllow.value,
            deny: fetchDeny.value,
            allowRedirects: fetchAllowRedirects.value,
            methods: fetchMethods.value,
            addresses: AddressRules(allowed: fetchAllowAddresses.value, denied: fetchDenyAddresses.value)
        )
        settings.cache = cacheSettings
        settings.fields = [
            HeaderFields.Field(name: "User-Agent", value: fetchUserAgent),
            HeaderFields.Field(name: "Accept-Encoding", value: "gzip, deflate, br, zstd"),
        ]
        return settings
    }

    /// The settings of the cache.
    var cacheSettings: CacheSettings {
        CacheSettings(
            limits: CacheLimits(
                capacityBytes: cacheCapacityBytes,
                bytesAfterPurge: cacheBytesAfterPurge,
                maxEntryBytes: cacheMaxEntryBytes
            ),
            policy: CachePolicy(
                heuristicSeconds: cacheHeuristicSeconds,
                staleIfErrorSeconds: cacheStaleIfErrorSeconds,
                keyFields: cacheKeyFields.value
            ),
            denied: cacheDeny.value,
            allowsPurge: allowPurge
        )
    }

    /// The settings of images.
    var imageSettings: ImageSettings {
        ImageSettings(sizes: imageSizes.value, corsOrigins: imageCORSOrigins.value)
    }

    /// What the process that fetches needs to know.
    var fetcherConfiguration: FetcherConfiguration {
        var configuration = FetcherConfiguration()
        if !fetchCAFile.isEmpty { configuration.settings.caFile = fetchCAFile }
        configuration.settings.proxy = fetchProxy.value
        configuration.settings.noProxy = fetchNoProxy.value
        configuration.settings.userAgent = fetchUserAgent
        configuration.settings.maxContentBytes = min(limits.maxContentBytes, FetchStart.maxContentBytes)
        configuration.allowsUnsandboxed = allowUnsandboxed
        return configuration
    }
}
