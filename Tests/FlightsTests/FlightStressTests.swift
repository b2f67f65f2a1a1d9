import Fetching
import Platform
import Primitives
import Testing

@testable import Flights

/// Random requests, cancellations, replies and faults, most of them with a cache, several partitions, credentials, and
/// redirects within and across origins. The fixture checks after each step that permits equal transfers, and that no
/// request receives two responses. ``FlightWitness`` checks that each response, and each stored one, is that of its own
/// request.
@Suite struct FlightStressTests {
    @Test(arguments: 0..<40)
    func `each request receives exactly one response, which is its own`(seed: UInt64) throws {
        var random = FlightRandom(seed: seed)
        let cacheBytes = seed % 4 == 0 ? nil : seed % 3 == 0 ? 16 << 10 : 1 << 20
        let flights = FlightFixture(memoryBytes: 4 << 20, cacheBytes: cacheBytes) {
            $0.permits.maxActive = 4
            $0.permits.maxActivePerOrigin = 2
            $0.permits.maxQueued = 20
            $0.permits.isLIFO = seed % 2 == 1
            $0.cache.policy.keyFields = seed % 8 < 4 ? .all : .vary
            // An open breaker would hide everything else.
            $0.attempts.breaker.minRequests = .max
            $0.attempts.breaker.failuresInARow = .max
        }
        flights.checksContent = true
        var witness = FlightWitness()
        var requests: Set<RequestNumber> = []
        var left: Set<RequestNumber> = []
        for number in 0..<800 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                let url = FlightWitness.url(Int.random(in: 0..<FlightWitness.urls, using: &random))
                let callerRequest = try flights.callerRequest(url) {
                    Self.vary(&$0, &random)
                }
                let request = flights.join(callerRequest)
                witness.joined(request, callerRequest)
                requests.insert(request)
            case 45..<52:
                if let request = requests.sorted().randomElement(using: &random), flights.result(request) == nil {
                    flights.leave(request)
                    left.insert(request)
                }
            case 52..<56: _ = flights.cancel(receipt: "r\(Int.random(in: 0..<8, using: &random))")
            case 56..<58: _ = flights.cancel(slot: "s")
            case 58..<81: try step(flights, &witness, &random)
            case 81..<91: flights.serialize()
            case 91..<96: flights.wait(.milliseconds(Int.random(in: 1..<3_000, using: &random)))
            case 96..<97:
                let url = FlightWitness.url(Int.random(in: 0..<FlightWitness.urls, using: &random))
                let cacheKey = Bool.random(using: &random) ? "k" : nil
                let key = CacheKey(partition: "", url: try FetchURL(parsing: url), cacheKey: cacheKey)
                let isSoft = Bool.random(using: &random)
                flights.cache?.store.purge(.index(key), isSoft: isSoft)
                if !isSoft { witness.purged(key) }
            case 97..<98:
                flights.die()
                if seed % 4 == 3 { flights.cache?.store.purge(.partition("")) }
            default: flights.ready()
            }
            witness.checkTransfers(flights)
            witness.checkHops(flights)
            witness.checkDeliveries(flights)
            if number % 100 == 0 { try witness.checkStored(flights, isComplete: false) }
            guard witness.faults.isEmpty else { break }
        }
        try witness.checkStored(flights, isComplete: true)
        #expect(flights.cache == nil || witness.storedCount > 0)
        if seed % 2 == 0 {
            flights.table.isDraining = true
            flights.endUnattended()
        }
        flights.stop()
        witness.checkDeliveries(flights)
        #expect(witness.faults == [], "seed \(seed)")
        for request in requests.subtracting(left) { #expect(flights.result(request) != nil) }
        for request in left { #expect(flights.result(request) == nil) }
        // Validations without requests continue until they have failed.
        flights.die(mayReturn: false)
        flights.wait(.seconds(60))
        flights.checkIsEmpty()
        _ = flights.takeJobs()
        #expect(flights.account.usedBytes == 0)
        guard let cache = flights.cache else { return }
        cache.store.removeAll()
        #expect(cache.store.usedBytes == 0)
    }

    private static func vary(_ callerRequest: inout CallerRequest, _ random: inout FlightRandom) {
        func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        if oneIn(3) {
            callerRequest.request.fields.append(HeaderFields.Field(name: "Authorization", value: "Bearer 1"))
        }
        if oneIn(3) {
            let value = "id=\(Int.random(in: 1...2, using: &random))"
            callerRequest.request.fields.append(HeaderFields.Field(name: "Cookie", value: value))
        }
        if oneIn(6) { callerRequest.request.fields.append(HeaderFields.Field(name: "X-Flag", value: "1")) }
        if oneIn(3) { callerRequest.partition = "p" }
        if oneIn(8) { callerRequest.cacheKey = "k" }
        if oneIn(12) { callerRequest.redirects = oneIn(2) ? .manual : .error }
        if oneIn(20) { callerRequest.request.method = "HEAD" }
        if oneIn(20) { callerRequest.permitsStoring = false }
        let choice = Int.random(in: 0..<10, using: &random)
        callerRequest.receipt = "r\(Int.random(in: 0..<8, using: &random))"
        callerRequest.slot = choice < 2 ? "s" : nil
        callerRequest.wait = choice == 3 ? .zero : choice == 4 ? .seconds(1) : nil
        let modes: [CacheMode] = [.noStore, .noCache, .reload, .forceCache, .onlyIfCached]
        callerRequest.cache = choice >= 5 && oneIn(2) ? modes[choice - 5] : .default
        callerRequest.timeout = .seconds(choice == 2 ? 1 : 60)
    }

    /// One frame of a random transfer.
    private func step(_ flights: FlightFixture, _ witness: inout FlightWitness, _ random: inout FlightRandom) throws {
        guard let id = flights.active.sorted().randomElement(using: &random), let url = witness.url(of: id) else {
            return
        }
        guard let flight = flights.table.transfers[id], case .active(let attempt) = flight.state else { return }
        let isHead = flight.route.hop.request.method == "HEAD"
        let content = isHead ? "" : "{}"
        guard flight.route.hop.head == nil else {
            switch Int.random(in: 0..<4, using: &random) {
            // The content is truncated.
            case 0: flights.fail(id, .connectionLost, in: .content)
            case 1 where !isHead: flights.data(id, [UInt8](repeating: UInt8(id & 0x3F), count: 1_000))
            default: flights.end(id, bytes: Int(attempt.progress.contentBytes))
            }
            return
        }
        let kinds: [FlightWitness.Sharing] = [.stored, .stored, .varying, .shared, .isPrivate, .isNotStored]
        let sharing = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        let fields = witness.responds(id, sharing)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: flights.fail(id, .connectionLost, in: .head)
        case 1:
            let status = Bool.random(using: &random) ? 429 : 503
            try flights.respond(id, status, [("Retry-After", "1"), ("Content-Length", "2")] + fields, content: content)
        case 2...5:
            if let target = FlightWitness.target(of: url) {
                // Nobody else may follow a redirect that must not be shared.
                let suffix = sharing.isForOne ? "?via=\(id)" : ""
                let redirect = [("Location", target + suffix)] + fields
                if Bool.random(using: &random) {
                    try flights.respond(id, 302, redirect, content: "")
                } else {
                    try flights.head(id, 307, redirect + [("Content-Length", "100000")])
                }
            } else {
                try flights.head(id, 200, fields)
            }
        default:
            if flights.sentFields(id)["if-none-match"] != nil, Bool.random(using: &random) {
                try flights.respond(id, 304, fields, content: "")
            } else if Bool.random(using: &random) {
                let status = Int.random(in: 0..<8, using: &random) == 0 ? 404 : 200
                try flights.respond(id, status, fields, content: content)
            } else {
                try flights.head(id, 200, fields)
            }
        }
    }
}
