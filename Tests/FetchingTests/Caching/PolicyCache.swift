import Serialization

@testable import Fetching

/// A cache that executes the decisions of a `CachePolicy`, and an origin that responds as a test says. Time stands
/// still unless the test moves it.
struct PolicyCache {
    /// What an origin responds.
    struct Response {
        var status = 200
        var fields: [(String, String)] = []
        /// A 304 response if the request has one of the validators of the fields.
        var isConditional = false
        /// The validators of the origin's representation, if they differ from those of the fields.
        var validators: [(String, String)]?
        /// The content; also identifies the response.
        var content = "a"
        /// The delay of the response, in seconds.
        var delay = 0
    }

    /// What the caller received.
    struct Result: Equatable {
        enum Source: Equatable {
            /// The cache alone.
            case cache
            /// The cache, while it revalidates.
            case staleCache
            /// The cache, after the origin confirmed the response.
            case validated
            /// The cache, because the origin has failed.
            case staleOnError
            case origin
            case gatewayTimeout
        }

        var source: Source
        var status: Int
        var content: String
        var fields: [HeaderFields.Field] = []
        var ageSeconds = 0
        var reason: CacheStatus.ForwardReason?
        var rejection: StoreRejection?

        func value(_ name: String) -> String? { HeaderFields(fields).combined(name) }
    }

    struct Entry {
        var head: StoredHead
        var content: String
    }

    /// 22 November 2026, 12:00:00 GMT.
    static let start = 1_795_348_800

    var policy: CachePolicy
    var now = CacheMoment(wallSeconds: Self.start, nanoseconds: 1_000_000_000)
    private var names: [CacheKey: VaryNames] = [:]
    /// The variants of each primary key.
    private var variants: [CacheKey: [VaryKey: Entry]] = [:]
    /// The fields of the last request at the origin.
    private(set) var sent: [HeaderFields.Field] = []
    private(set) var requestCount = 0

    init(_ policy: CachePolicy = CachePolicy.testing()) {
        self.policy = policy
    }

    /// The time as an IMF-fixdate, `seconds` after the start.
    static func date(_ seconds: Int) -> String {
        // Days of November 2026 only, so that tests can be read.
        let time = 12 * 3_600 + seconds
        let day = 22 + (time >= 0 ? time / 86_400 : -((-time + 86_399) / 86_400))
        let rest = ((time % 86_400) + 86_400) % 86_400
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let clock = "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
        return "\(names[(day - 22 + 70) % 7]), \(two(day)) Nov 2026 \(clock) GMT"
    }

    mutating func wait(_ seconds: Int, nanoseconds: Int = 0) {
        now.wallSeconds += seconds
        now.nanoseconds += UInt64(seconds * 1_000_000_000 + nanoseconds)
    }

    /// Sends a request, and returns what the caller receives. An origin that responds `nil` fails.
    mutating func fetch(
        _ fields: [(String, String)] = [],
        url: String = "http://a.example/",
        method: String = "GET",
        mode: CacheMode = .default,
        store: Bool = true,
        content: [UInt8]? = nil,
        origin: Response?
    ) throws -> Result {
        let url = try FetchURL(parsing: url)
        let request = CacheRequest(
            FetchRequest(method: method, url: url, fields: Self.fields(fields), content: content),
            mode: mode,
            store: store
        )
        let index = CacheKey(partition: "", url: url)
        let selected = select(request, index)
        let entry: Entry?
        let match: CacheMatch
        switch selected {
        case .some(let found?):
            entry = found
            match = .stored(found.head)
        case .some(.none):
            entry = nil
            match = .varyMiss
        case .none:
            entry = nil
            match = .uriMiss
        }
        switch policy.lookup(request, match, now: now) {
        case .gatewayTimeout: return Result(source: .gatewayTimeout, status: 504, content: "")
        case .serve(let isNotModified): return served(entry, .cache, isNotModified)
        case .staleWhileRevalidate(let isNotModified, let forward):
            let result = served(entry, .staleCache, isNotModified)
            _ = receive(request, index, forward, entry, origin)
            return result
        case .forward(let forward): return receive(request, index, forward, entry, origin)
        }
    }

    /// Returns the stored response that a request selects; `.some(nil)` if there are only others.
    private func select(_ request: CacheRequest, _ index: CacheKey) -> Entry?? {
        guard let names = names[index] else { return .none }
        let variant = VaryKey(names, request: request.fields)
        for fields in [request.fields, CacheKey.withoutDirectives(request.fields)].compactMap({ $0 }) {
            let primary = index.primaryKey(fields, excluding: names, keyFields: policy.keyFields)
            if let found = variants[primary]?[variant] { return .some(found) }
        }
        return .some(nil)
    }

    private func served(_ entry: Entry?, _ source: Result.Source, _ isNotModified: Bool) -> Result {
        guard let entry else { return Result(source: source, status: 500, content: "nothing is stored") }
        return Result(
            source: source,
            status: isNotModified ? 304 : entry.head.status,
            content: isNotModified ? "" : entry.content,
            fields: isNotModified ? Preconditions.notModifiedFields(entry.head) : entry.head.fields,
            ageSeconds: entry.head.freshness.ageSeconds(at: now)
        )
    }

    private mutating func receive(
        _ request: CacheRequest,
        _ index: CacheKey,
        _ forward: CacheForward,
        _ entry: Entry?,
        _ origin: Response?
    ) -> Result {
        let requested = now
        sent = forward.fields
        requestCount += 1
        guard let origin else {
            if let entry, policy.permitsStaleIfError(request, entry.head, now: now) {
                return served(entry, .staleOnError, false)
            }
            return Result(source: .origin, status: 502, content: "", reason: forward.reason)
        }
        wait(origin.delay)
        let fields = Self.fields(origin.fields)
        let isConfirmed =
            origin.isConditional
            && [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")].contains { condition, validator in
                let value = HeaderFields(origin.validators.map(Self.fields) ?? fields).combined(validator)
                return value != nil && HeaderFields(sent).combined(condition) == value
            }
        let response = OriginResponse(
            status: isConfirmed ? 304 : origin.status,
            fields: fields,
            requested: requested,
            received: now
        )
        for url in Invalidation.urls(after: request, status: response.status, fields: fields) {
            names[CacheKey(partition: "", url: url)] = nil
        }
        var result = Result(
            source: .origin,
            status: response.status,
            content: response.status == 304 ? "" : origin.content,
            fields: fields,
            reason: forward.reason
        )
        switch policy.receive(response, for: request, forward) {
        case .store(let head):
            remove(forward.stored, request, index)
            store(Entry(head: head, content: origin.content), request, index)
            if Preconditions.isNotModified(request, head) {
                result.status = 304
                result.content = ""
            }
        case .freshened(let head, let isStorable):
            let entry = Entry(head: head, content: entry?.content ?? "nothing is stored")
            remove(forward.stored, request, index)
            if isStorable { store(entry, request, index) }
            result = served(entry, .validated, Preconditions.isNotModified(request, head))
            result.reason = forward.reason
        case .fetchAgain(let forward): return receive(request, index, forward, entry, origin)
        case .staleIfError: return served(entry, .staleOnError, false)
        case .pass(let rejection, let removesStored):
            result.rejection = rejection
            if removesStored { remove(forward.stored, request, index) }
        case .update(let head):
            if let entry { store(Entry(head: head, content: entry.content), request, index) }
        }
        return result
    }

    private mutating func store(_ entry: Entry, _ request: CacheRequest, _ index: CacheKey) {
        names[index] = entry.head.varyNames
        let primary = index.primaryKey(request.fields, excluding: entry.head.varyNames, keyFields: policy.keyFields)
        variants[primary, default: [:]][entry.head.variant] = entry
    }

    private mutating func remove(_ head: StoredHead?, _ request: CacheRequest, _ index: CacheKey) {
        guard let head else { return }
        for fields in [request.fields, CacheKey.withoutDirectives(request.fields)].compactMap({ $0 }) {
            let primary = index.primaryKey(fields, excluding: head.varyNames, keyFields: policy.keyFields)
            variants[primary]?[head.variant] = nil
        }
    }

    /// Requests validation of what is stored for a URL.
    mutating func purgeSoftly(_ url: String = "http://a.example/") throws {
        let index = CacheKey(partition: "", url: try FetchURL(parsing: url))
        let primary = index.primaryKey([], excluding: names[index] ?? .none, keyFields: policy.keyFields)
        variants[primary] = variants[primary]?.mapValues { entry in
            var entry = entry
            entry.head.isSoftPurged = true
            return entry
        }
    }

    static func fields(_ pairs: [(String, String)]) -> [HeaderFields.Field] {
        pairs.map { HeaderFields.Field(name: $0.0, value: $0.1) }
    }
}
