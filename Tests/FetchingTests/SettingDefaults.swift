import Fetching

// Values for tests. The service takes them from its settings.

extension FetchPolicy {
    /// Only safe methods, and no rules but those that are given.
    static func testing(
        allow: HostRules = HostRules(),
        deny: HostRules = HostRules(),
        allowRedirects: HostRules = HostRules(),
        methods: FetchMethods = .safe,
        addresses: AddressRules = .testing()
    ) -> FetchPolicy {
        FetchPolicy(allow: allow, deny: deny, allowRedirects: allowRedirects, methods: methods, addresses: addresses)
    }
}

extension AddressRules {
    static func testing(
        allowed: [AddressBlock] = [],
        denied: [AddressBlock] = [],
        listeners: LocalListeners = .none
    ) -> AddressRules {
        AddressRules(allowed: allowed, denied: denied, listeners: listeners)
    }
}

extension CachePolicy {
    static func testing(
        heuristicSeconds: Int = 0,
        staleIfErrorSeconds: Int = 0,
        keyFields: CacheKeyFields = .all
    ) -> CachePolicy {
        CachePolicy(
            heuristicSeconds: heuristicSeconds,
            staleIfErrorSeconds: staleIfErrorSeconds,
            keyFields: keyFields
        )
    }
}

extension CircuitBreaker.Settings {
    init() { self.init(failurePercent: 50, openSeconds: 5) }
}

extension FetcherSettings {
    /// No addresses but public ones, and no proxy.
    init() {
        self.init(
            addresses: .testing(),
            caFile: Self.systemCAFile,
            proxy: nil,
            noProxy: ProxyExceptions(),
            userAgent: "test/1",
            maxContentBytes: 32 << 20
        )
    }
}
