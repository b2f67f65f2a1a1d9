internal import Fetching
internal import Platform
internal import Serialization
internal import Synchronization

/// Everything that requests for resources share: the settings, the rules and the thread. It exists only if `fetch-allow` is set.
final class FetchService: Sendable {
    let settings: FlightSettings
    let thread: FetchThread
    /// Detects requests that lead back to this process.
    let loop: CDNLoop
    let account: MemoryAccount
    private let currentPolicy: Mutex<FetchPolicy>

    init(_ settings: FlightSettings, fetcher: FetcherConfiguration, account: MemoryAccount, log: FetchLog)
        throws(SystemError)
    {
        var settings = settings
        loop = CDNLoop(random: UInt128.random(in: 0 ... .max))
        settings.fields.append(HeaderFields.Field(name: "CDN-Loop", value: loop.identifier))
        self.settings = settings
        self.account = account
        currentPolicy = Mutex(settings.policy)
        thread = try FetchThread(settings, fetcher, account: account, log: log)
    }

    /// The rules of URLs and addresses.
    var policy: FetchPolicy { currentPolicy.withLock { $0 } }

    /// Starts the fetcher.
    /// - Parameters:
    ///   - lanes: decode responses.
    ///   - listeners: the service's own addresses and ports, which must not be requested.
    func start(_ lanes: Lanes, listeners: LocalListeners) throws(SystemError) {
        let policy = currentPolicy.withLock { policy in
            policy.addresses.listeners = listeners
            return policy
        }
        try thread.start(lanes, policy: policy)
    }

    /// Applies the rules to a request.
    func order(
        _ call: FetchCall,
        _ pairs: [QueryString.Pair],
        _ configured: ConfiguredSerializer,
        _ access: AccessGrant,
        isMember: Bool,
        requestID: RequestID
    ) throws(FetchCallError) -> FetchOrder {
        try FetchRules(settings, policy).order(
            call,
            pairs,
            configured,
            access,
            isMember: isMember,
            requestID: requestID
        )
    }

    /// Applies the rules to a request whose options are a serializer.
    func order(
        _ call: FetchCall,
        _ serializer: ResponseSerializer,
        _ access: AccessGrant,
        isMember: Bool,
        requestID: RequestID
    ) throws(FetchCallError) -> FetchOrder {
        try FetchRules(settings, policy).order(call, serializer, access, isMember: isMember, requestID: requestID)
    }
}
