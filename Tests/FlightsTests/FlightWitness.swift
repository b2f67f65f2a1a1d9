import Fetching
import Primitives
import Testing

@testable import Flights

/// Knows which request each transfer was for, and checks who receives its response and under which key it is stored.
///
/// Each response has a marker with the number of its transfer. Redirects between URLs do not change, so that the URLs
/// and the credentials that may be the result of a request are known:
///
///     0 ─► 4 ─► 8        another origin each time
///     1 ─► 7             the same origin
///     2 ─► 3             another origin
struct FlightWitness {
    /// A transfer as it was sent.
    struct Transfer {
        let callerRequest: CallerRequest
        let url: String
        let credentials: [String: String]
        /// The caller's key, which is that of the first hop; `nil` if the URL is the key.
        let cacheKey: String?
        var sharing: Sharing?
    }

    /// What an origin permits.
    enum Sharing {
        case stored, varying, shared, isPrivate, isNotStored

        /// Whether only one request may receive the response.
        var isForOne: Bool { self == .isPrivate || self == .isNotStored }

        var fields: [(String, String)] {
            switch self {
            case .stored:
                [
                    ("Cache-Control", "public, max-age=1, stale-while-revalidate=1, stale-if-error=5"),
                    ("ETag", "\"v\""),
                ]
            case .varying: [("Cache-Control", "public, max-age=2"), ("Vary", "Cookie"), ("ETag", "\"v\"")]
            case .shared: []
            case .isPrivate: [("Cache-Control", "private, max-age=60"), ("ETag", "\"v\"")]
            case .isNotStored: [("Cache-Control", "no-store"), ("ETag", "\"v\"")]
            }
        }
    }

    private(set) var faults: [String] = []
    /// The number of stored responses that were checked, each time.
    private(set) var storedCount = 0
    private var callerRequests: [RequestNumber: CallerRequest] = [:]
    private var transfers: [UInt64: Transfer] = [:]
    /// The requests that have received nothing yet.
    private var waiting: Set<RequestNumber> = []
    /// The last transfers that had begun when a key was purged.
    private var purges: [CacheKey: UInt64] = [:]
    /// The requests that have received a response for one, by its transfer.
    private var receivers: [UInt64: RequestNumber] = [:]

    // MARK: URLs

    static let urls = 9

    static func url(_ number: Int) -> String { "https://\(number % 3).example/\(number)" }

    /// The URL to which one redirects; `nil` if it does not.
    static func target(of url: String) -> String? {
        [0: 4, 4: 8, 1: 7, 2: 3][number(of: url)].map { Self.url($0) }
    }

    private static func number(of url: String) -> Int {
        Int(withoutQuery(url).split(separator: "/").last ?? "") ?? -1
    }

    private static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" }) }

    /// Returns the credentials that a request sends to one of the URLs to which it may be redirected; `nil` for any
    /// other URL.
    private static func credentials(of callerRequest: CallerRequest, at url: String) -> [String: String]? {
        var current = withoutQuery(callerRequest.request.url.text)
        var credentials = credentials(in: callerRequest.request.fields)
        while current != withoutQuery(url) {
            guard let next = target(of: current) else { return nil }
            if next.prefix(10) != current.prefix(10) { credentials = [:] }
            current = next
        }
        return credentials
    }

    private static func credentials(in fields: [HeaderFields.Field]) -> [String: String] {
        let names = ["authorization", "cookie", "x-flag"]
        return Dictionary(
            fields.map { ($0.name.lowercased(), $0.value) }.filter { names.contains($0.0) },
            uniquingKeysWith: { $0 + ", " + $1 }
        )
    }

    // MARK: What happens

    mutating func joined(_ request: RequestNumber, _ callerRequest: CallerRequest) {
        callerRequests[request] = callerRequest
        waiting.insert(request)
    }

    func url(of transfer: UInt64) -> String? { transfers[transfer]?.url }

    /// Records that a URL was purged.
    mutating func purged(_ key: CacheKey) { purges[key] = transfers.keys.max() ?? 0 }

    /// Returns the fields of the response of a transfer.
    mutating func responds(_ id: UInt64, _ sharing: Sharing) -> [(String, String)] {
        transfers[id]?.sharing = sharing
        return sharing.fields + [(FlightFixture.markerName, "\(id)")]
    }

    // MARK: Checks

    /// Checks that each new transfer sends what the request that caused it would send to this URL, and that it is that
    /// of the current hop.
    mutating func checkTransfers(_ flights: FlightFixture) {
        for (id, start) in flights.takeStarts() {
            guard let flight = flights.table.transfers[id] else { continue }
            let callerRequest = flight.callerRequest
            let url = start.request.url.text
            let transfer = Transfer(
                callerRequest: callerRequest,
                url: url,
                credentials: Self.credentials(in: start.request.fields),
                cacheKey: flight.route.passed.isEmpty ? callerRequest.cacheKey : nil
            )
            transfers[id] = transfer
            if flight.route.hop.request.url.text != url {
                faults.append("transfer \(id) to \(url) is not that of the hop \(flight.route.hop.request.url.text)")
            }
            if start.partition != callerRequest.partition {
                faults.append("transfer \(id) uses the connections of '\(start.partition)'")
            }
            if Self.credentials(of: callerRequest, at: url) != transfer.credentials {
                faults.append(
                    "transfer \(id): \(callerRequest.request.url.text) sent \(transfer.credentials) to \(url)"
                )
            }
        }
    }

    /// Checks that the hops of all flights follow from each other, that each knows its own key and fields, and that the
    /// requests of a flight are equal.
    mutating func checkHops(_ flights: FlightFixture) {
        var seen: Set<UInt64> = []
        let all =
            Array(flights.table.transfers.values) + Array(flights.table.flights.values)
            + flights.table.waiters.values.map(\.flight)
        for flight in all where seen.insert(flight.number).inserted { checkHops(flight, flights.table.settings) }
    }

    private mutating func checkHops(_ flight: Flight, _ settings: FlightSettings) {
        let callerRequest = flight.callerRequest
        func fault(_ text: String) {
            faults.append("flight \(flight.number) for \(callerRequest.request.url.text): \(text)")
        }
        for waiter in flight.waiters where waiter.callerRequest.identity != flight.identity {
            fault("request \(waiter.number) is another one")
        }
        let (passed, last) = (flight.route.passed, flight.route.hop)
        var hops = passed.map { (request: $0.request, admission: $0.admission, lookup: $0.lookup) }
        hops.append((last.request, last.admission, last.match?.lookup))
        if hops[0].request != callerRequest.request { fault("the first hop is not that of the caller") }
        for (index, hop) in hops.enumerated() {
            let cacheKey = index == 0 ? callerRequest.cacheKey : nil
            if let lookup = hop.lookup {
                let key = CacheKey(partition: callerRequest.partition, url: hop.request.url, cacheKey: cacheKey)
                if lookup.index != key || lookup.partition != callerRequest.partition
                    || lookup.isCallersKey != (cacheKey != nil)
                {
                    fault("hop \(index) has another key")
                }
                if lookup.request.url != hop.request.url || lookup.request.fields != hop.request.fields {
                    fault("hop \(index) was looked up with another request")
                }
                let selected = index < passed.count ? passed[index].selected : last.match?.selection?.key.index
                if let selected, selected != key { fault("hop \(index) selects the response to another request") }
            }
            guard index < passed.count else { break }
            let next = try? settings.attempts.redirects.decide(
                after: hop.request,
                status: passed[index].status,
                locations: [passed[index].location],
                count: index,
                mode: callerRequest.redirects,
                policy: settings.policy
            )
            if next != .follow(hops[index + 1].request, hops[index + 1].admission) {
                fault("hop \(index) does not lead to \(hops[index + 1].request.url.text)")
            }
        }
        if let source = flight.source, source.key.index != flight.route.hop.match?.lookup.index {
            fault("its result is that of another hop")
        }
    }

    /// Checks that each request has received a response to itself.
    mutating func checkDeliveries(_ flights: FlightFixture) {
        for request in waiting {
            guard let callerRequest = callerRequests[request], let result = flights.result(request) else { continue }
            waiting.remove(request)
            switch result {
            case .rendered:
                guard let transfer = flights.markers[request].flatMap({ UInt64($0) }) else {
                    faults.append("request \(request) received a response without a marker")
                    continue
                }
                check(transfer, for: callerRequest, "request \(request)")
                guard transfers[transfer]?.sharing?.isForOne == true || isBehindPrivateRedirect(transfer) else {
                    continue
                }
                if let other = receivers.updateValue(request, forKey: transfer) {
                    faults.append("requests \(other) and \(request) received the response to transfer \(transfer)")
                }
            case .failed, .postponed, .reply: break
            }
        }
    }

    private func isBehindPrivateRedirect(_ transfer: UInt64) -> Bool {
        transfers[transfer]?.url.contains("?via=") == true
    }

    /// Checks that the response of a transfer is one to a request.
    private mutating func check(_ id: UInt64, for callerRequest: CallerRequest, _ subject: String) {
        guard let transfer = transfers[id] else { return faults.append("\(subject): no transfer \(id)") }
        let cause = transfer.callerRequest
        func fault(_ difference: String) {
            faults.append(
                "\(subject) for \(callerRequest.request.url.text) of '\(callerRequest.partition)' "
                    + "\(callerRequest.request.fields): \(difference) "
                    + "of transfer \(id) to \(transfer.url) of '\(cause.partition)' \(transfer.credentials)"
            )
        }
        if cause.partition != callerRequest.partition { fault("partition") }
        if let key = transfer.cacheKey {
            // Other URLs at the origin have the same key, but what they redirect to has not.
            if callerRequest.cacheKey != key || cause.request.url.origin != callerRequest.request.url.origin {
                fault("key")
            }
            if transfer.credentials != Self.credentials(in: callerRequest.request.fields) { fault("credentials") }
            return
        }
        let expected = Self.credentials(of: callerRequest, at: transfer.url)
        if expected == nil { fault("URL") }
        if let expected, expected != transfer.credentials { fault("credentials") }
    }

    /// Checks that what is stored under the key of a URL is the response of a transfer for this URL, with the same
    /// credentials.
    /// - Parameter isComplete: whether the keys of all transfers are checked, and not only those of the URLs that
    ///   requests have.
    mutating func checkStored(_ flights: FlightFixture, isComplete: Bool) throws {
        guard let cache = flights.cache else { return }
        let names = [("Authorization", "Bearer 1"), ("Cookie", "id=1"), ("Cookie", "id=2"), ("X-Flag", "1")]
        let fields = names.map { HeaderFields.Field(name: $0.0, value: $0.1) }
        for number in 0..<Self.urls {
            for partition in ["", "p"] {
                for set in 0..<(1 << fields.count) {
                    let sent = fields.indices.filter { set & 1 << $0 != 0 }.map { fields[$0] }
                    for key in [nil, "k"] {
                        try checkStored(Self.url(number), key, partition, sent, flights, cache)
                    }
                }
            }
        }
        guard isComplete else { return }
        for transfer in transfers.values {
            let sent = fields.filter { transfer.credentials[$0.name.lowercased()] == $0.value }
            try checkStored(transfer.url, nil, transfer.callerRequest.partition, sent, flights, cache)
        }
    }

    private mutating func checkStored(
        _ url: String,
        _ cacheKey: String?,
        _ partition: String,
        _ fields: [HeaderFields.Field],
        _ flights: FlightFixture,
        _ cache: ResponseCache
    ) throws {
        let callerRequest = try flights.callerRequest(url) { callerRequest in
            callerRequest.partition = partition
            callerRequest.request.fields = fields
            callerRequest.cache = .forceCache
            callerRequest.cacheKey = cacheKey
        }
        let now = flights.table.moment(flights.now)
        let lookup = cache.lookup(callerRequest.request, of: callerRequest, isFirst: true)
        guard let stored = cache.find(lookup, for: callerRequest, now: now).selection?.response else { return }
        storedCount += 1
        guard let id = HeaderFields(stored.head.fields).first(FlightFixture.markerName).flatMap({ UInt64($0) }) else {
            return faults.append("a response without a marker is stored for \(callerRequest.request.url.text)")
        }
        let transfer = transfers[id]
        if transfer?.cacheKey != cacheKey || cacheKey == nil && transfer?.url != url {
            faults.append("\(url) is stored with the response of transfer \(id) to \(transfer?.url ?? "nothing")")
        }
        if let last = purges[lookup.index], id <= last { faults.append("transfer \(id) is stored after a purge") }
        if transfers[id]?.sharing?.isForOne != false { faults.append("transfer \(id) is stored") }
        check(id, for: callerRequest, "what is stored")
    }
}
