import Fetching
import Platform
import Serialization
import Testing

@testable import Service

/// Random requests, cancellations, replies and faults, half of them with a cache. The fixture checks after each step that permits equal transfers, and that no
/// request receives two responses.
@Suite struct FlightStressTests {
    @Test(arguments: 0..<20)
    func `each request receives exactly one response`(seed: UInt64) throws {
        var random = FlightRandom(seed: seed)
        let flights = FlightFixture(memoryBytes: 4 << 20, cacheBytes: seed % 4 < 2 ? nil : 16 << 10) {
            $0.maxActive = 4
            $0.maxActivePerOrigin = 2
            $0.maxQueued = 20
            $0.isLIFO = seed % 2 == 1
        }
        var tickets: Set<UInt64> = []
        var left: Set<UInt64> = []
        for _ in 0..<600 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                let number = Int.random(in: 0..<8, using: &random)
                let choice = Int.random(in: 0..<10, using: &random)
                let ticket = try flights.join("https://\(number % 3).example/\(number)") { order in
                    order.receipt = "r\(number)"
                    order.slot = choice < 2 ? "s" : nil
                    order.wait = choice == 3 ? .zero : choice == 4 ? .seconds(1) : nil
                    let modes: [CacheMode] = [.noStore, .noCache, .reload, .forceCache, .onlyIfCached]
                    order.cache = choice >= 5 ? modes[choice - 5] : .default
                    order.aliasesRedirects = choice == 1
                    order.timeout = .seconds(choice == 2 ? 1 : 60)
                }
                tickets.insert(ticket)
            case 45..<55:
                if let ticket = tickets.sorted().randomElement(using: &random), flights.result(ticket) == nil {
                    flights.leave(ticket)
                    left.insert(ticket)
                }
            case 55..<60: _ = flights.cancel(receipt: "r\(Int.random(in: 0..<8, using: &random))")
            case 60..<62: _ = flights.cancel(slot: "s")
            case 62..<80: try step(flights, &random)
            case 80..<90: flights.serialize()
            case 90..<97: flights.wait(.milliseconds(Int.random(in: 1..<3_000, using: &random)))
            case 97..<98:
                flights.die()
                if seed % 4 == 3 { flights.cache?.store.purge(.partition("")) }
            default: flights.ready()
            }
        }
        flights.stop()
        for ticket in tickets.subtracting(left) { #expect(flights.result(ticket) != nil) }
        for ticket in left { #expect(flights.result(ticket) == nil) }
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

    /// Fields of a response that is stored, and can be used while it is stale.
    private static let stored = [
        ("Cache-Control", "max-age=1, stale-while-revalidate=1, stale-if-error=5"), ("ETag", "\"v\""),
    ]

    /// One frame of a random transfer.
    private func step(_ flights: FlightFixture, _ random: inout FlightRandom) throws {
        guard let id = flights.active.sorted().randomElement(using: &random) else { return }
        let hasHead = flights.table.transfers[id]?.head != nil
        switch Int.random(in: 0..<6, using: &random) {
        case 0: flights.fail(id, .connectionLost, in: hasHead ? .content : .head)
        case 1 where !hasHead: try flights.respond(id, 200, [("Cache-Control", "private")])
        case 2 where !hasHead: try flights.respond(id, 503, [("Retry-After", "1"), ("Content-Length", "2")])
        case 3 where !hasHead:
            try flights.head(id, 302, [("Location", "https://9.example/"), ("Cache-Control", "max-age=2")])
        case 4 where !hasHead: try flights.head(id)
        default:
            if hasHead {
                flights.data(id, [UInt8](repeating: 1, count: 1_000))
            } else if flights.sentFields(id)["if-none-match"] != nil, Bool.random(using: &random) {
                try flights.respond(id, 304, [("Cache-Control", "max-age=1")], content: "")
            } else {
                try flights.respond(id, 200, Bool.random(using: &random) ? [] : Self.stored)
            }
        }
    }
}
