import Fetching
import Platform
import Primitives
import Testing

@testable import Flights

/// How flights use the cache, with a manual clock.
@Suite struct FlightCacheTests {
    private static let fresh = [("content-type", "application/json"), ("cache-control", "max-age=60")]
    private static let validated = fresh + [("etag", "\"v1\"")]

    private func make(_ change: (inout FlightSettings) -> Void = { _ in }) -> FlightFixture {
        FlightFixture(cacheBytes: 1 << 20, change)
    }

    /// Fetches a URL whose response is stored.
    private func store(
        _ flights: FlightFixture,
        _ url: String = "https://a.example/x",
        _ fields: [(String, String)] = fresh,
        content: String = "{}",
        _ change: (inout CallerRequest) -> Void = { _ in }
    ) throws {
        try flights.join(url, change)
        let id = try #require(flights.started.last)
        try flights.respond(id, 200, fields, content: content)
        flights.serialize()
    }

    private func status(_ flights: FlightFixture, _ request: RequestNumber) -> String? {
        guard let facts = flights.facts[request] else { return nil }
        return facts.cache?.text(isCollapsed: facts.isCollapsed)
    }

    // MARK: Hits

    @Test func `a fresh response is delivered without a transfer and without a serialization`() throws {
        let flights = make()
        try store(flights)
        #expect(status(flights, 1) == "decant; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        flights.wait(.seconds(12))
        let hit = try flights.join()
        #expect(flights.result(hit) == .rendered(status: 200))
        #expect(status(flights, hit) == "decant; hit; ttl=48")
        #expect(flights.facts[hit]?.cache?.stored?.ageSeconds == 12)
        #expect(flights.started == [1] && flights.takeJobs().isEmpty)
        flights.checkIsEmpty()
        #expect(flights.account.usedBytes == 0)
    }

    @Test func `other options are serialized once from the stored content`() throws {
        let flights = make()
        try store(flights)
        let other = TestRendition("other")
        let requests = try (0..<3).map { _ in try flights.join { $0.rendition = other } }
        #expect(flights.started == [1] && flights.table.jobs.count == 1)
        flights.serialize()
        #expect(requests.allSatisfy { flights.result($0) == .rendered(status: 200) })
        #expect(requests.map { flights.facts[$0]?.isCollapsed } == [false, true, true])
        let hit = try flights.join { $0.rendition = other }
        #expect(flights.result(hit) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `a stored response above the limit of a request is the same problem as without a cache`() throws {
        let flights = make()
        try store(flights, content: "[1,2]")
        func limited(_ bytes: Int) throws -> RequestNumber {
            try flights.join {
                $0.maxContentBytes = bytes
                $0.rendition = TestRendition("at most \(bytes) bytes")
            }
        }
        let small = try limited(4)
        #expect(flights.result(small) == .failed(.contentTooLong(max: 4)))
        flights.checkIsEmpty()
        let sufficient = try limited(5)
        flights.serialize()
        #expect(flights.result(sufficient) == .rendered(status: 200))
        #expect(flights.started == [1])
        flights.checkIsEmpty()
    }

    @Test func `the response enters the cache before its flight ends`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 200, Self.fresh)
        // It is not serialized yet.
        let second = try flights.join()
        #expect(flights.started == [1])
        flights.serialize()
        #expect(flights.result(second) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test(arguments: ["partition", "field", "url", "method"])
    func `a different request does not receive a stored response`(difference: String) throws {
        let flights = make()
        try store(flights)
        try flights.join(difference == "url" ? "https://a.example/y" : "https://a.example/x") { callerRequest in
            switch difference {
            case "partition": callerRequest.partition = "p"
            case "field": callerRequest.request.fields = [HeaderFields.Field(name: "X-Flag", value: "1")]
            case "method": callerRequest.request.method = "POST"
            default: break
            }
        }
        #expect(flights.started == [1, 2])
    }

    @Test func `the fields that Vary names select a variant`() throws {
        let flights = make()
        func language(_ value: String) -> (inout CallerRequest) -> Void {
            { $0.request.fields = [HeaderFields.Field(name: "Accept-Language", value: value)] }
        }
        let fields = Self.fresh + [("vary", "Accept-Language")]
        try store(flights, "https://a.example/x", fields, language("de"))
        try store(flights, "https://a.example/x", fields, language("en"))
        #expect(flights.started == [1, 2])
        for value in ["de", "en"] {
            let hit = try flights.join("https://a.example/x", language(value))
            #expect(flights.result(hit) == .rendered(status: 200))
        }
        try flights.join("https://a.example/x", language("fr"))
        #expect(flights.started == [1, 2, 3])
    }

    @Test(arguments: [
        [("cache-control", "no-store")], [("cache-control", "private")],
        [("vary", "*"), ("cache-control", "max-age=60")],
        [("set-cookie", "a=b"), ("cache-control", "max-age=60")],
    ])
    func `a response that must not be stored is not stored`(fields: [(String, String)]) throws {
        let flights = make()
        try store(flights, "https://a.example/x", fields)
        try flights.join()
        #expect(flights.started == [1, 2])
        #expect(flights.facts[1]?.cache?.isStored == false && flights.facts[1]?.cache?.stored == nil)
    }

    @Test func `fields of the connection are not a part of renditions`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 200, Self.fresh + [("connection", "x-hop"), ("x-hop", "1"), ("x-end", "2")])
        let fields = HeaderFields(try #require(flights.takeJobs().first).upstream.fields)
        #expect(fields.first("x-hop") == nil && fields.first("connection") == nil && fields.first("x-end") == "2")
    }

    @Test func `a capacity of 0 stores nothing`() throws {
        let flights = FlightFixture(cacheBytes: 0)
        try store(flights)
        #expect(status(flights, 1) == "decant; fwd=bypass; fwd-status=200")
        try flights.join()
        #expect(flights.started == [1, 2])
    }

    @Test func `a URL that cache-deny matches is not stored`() throws {
        let flights = make { $0.cache.denied = (try? HostRules(parsing: "https://a.example/x")) ?? HostRules() }
        try store(flights)
        try flights.join()
        #expect(flights.started == [1, 2])
    }

    @Test func `one request that permits storing is enough`() throws {
        let flights = make()
        try flights.join { $0.permitsStoring = false }
        try flights.join()
        try flights.respond(1, 200, Self.fresh)
        flights.serialize()
        let hit = try flights.join { $0.permitsStoring = false }
        #expect(flights.result(hit) == .rendered(status: 200))
        try store(flights, "https://a.example/y") { $0.permitsStoring = false }
        try flights.join("https://a.example/y")
        #expect(flights.started == [1, 2, 3])
    }

    @Test func `a validation after a redirect does not store under the caller's key at the other origin`() throws {
        let flights = make()
        try store(flights, "https://b.example/y", [("cache-control", "max-age=1, stale-while-revalidate=60")])
        flights.wait(.seconds(2))
        try flights.join("https://a.example/x") { $0.cacheKey = "k" }
        try flights.respond(2, 302, [("location", "https://b.example/y")], content: "")
        #expect(flights.startedURLs.last == "https://b.example/y")
        try flights.respond(3, 302, [("location", "https://b.example/z")], content: "")
        try flights.respond(4, 200, Self.fresh)
        flights.serialize()
        try flights.join("https://b.example/other") { $0.cacheKey = "k" }
        #expect(flights.startedURLs.last == "https://b.example/other")
    }

    // MARK: Content that cannot be used

    @Test func `with force-cache, content that is rejected is used only as long as HTTP permits`() throws {
        let flights = make()
        func fails() throws -> RequestNumber {
            let request = try flights.join { $0.cache = .forceCache }
            return request
        }
        let first = try fails()
        try flights.respond(1, 200, Self.validated)
        flights.serialize(try #require(flights.takeJobs().first), isRejected: true)
        #expect(flights.result(first) == .rendered(status: 422))
        // It is fresh: the origin would send the same.
        _ = try fails()
        flights.serialize(try #require(flights.takeJobs().first), isRejected: true)
        #expect(flights.started == [1])
        // With other options, it is not rejected.
        let other = TestRendition("other")
        try flights.join {
            $0.cache = .forceCache
            $0.rendition = other
        }
        flights.serialize()

        flights.wait(.seconds(61))
        let last = try fails()
        #expect(flights.started == [1, 2] && flights.sentFields(2)["if-none-match"] == "\"v1\"")
        let hit = try flights.join {
            $0.cache = .forceCache
            $0.rendition = other
        }
        #expect(flights.result(hit) == .rendered(status: 200))
        try flights.respond(2, 200, Self.validated)
        flights.serialize()
        #expect(flights.result(last) == .rendered(status: 200))
        flights.wait(.seconds(61))
        #expect(flights.result(try fails()) == .rendered(status: 200))
        #expect(flights.started == [1, 2])
        flights.checkIsEmpty()
    }

    @Test func `rejected content is not used behind a stored redirect either`() throws {
        let flights = make()
        func join() throws {
            try flights.join { $0.cache = .forceCache }
        }
        try join()
        try flights.respond(1, 302, [("location", "https://b.example/y")], content: "")
        try flights.respond(2, 200, Self.validated)
        flights.serialize(try #require(flights.takeJobs().first), isRejected: true)
        flights.wait(.seconds(61))
        try join()
        #expect(flights.startedURLs.last == "https://b.example/y" && flights.started.count == 3)
        #expect(flights.sentFields(3)["if-none-match"] == "\"v1\"")
    }

    @Test func `a part that was not requested is malformed`() throws {
        let flights = make { $0.attempts.maxRetries = 0 }
        let requests = try (0..<2).map { _ in try flights.join() }
        try flights.head(1, 206, Self.fresh + [("content-range", "bytes 0-1/9")])
        let failure = FlightFailure.attempt(.malformedResponse, in: .head, hostIsNamed: false)
        #expect(requests.allSatisfy { flights.result($0) == .failed(failure) })
        #expect(flights.cancelledTransfers == [1] && flights.cache?.store.count == 0)
        flights.checkIsEmpty()
    }

    @Test(arguments: [CacheMode.default, .reload, .noCache])
    func `a response that no request could use is not stored`(mode: CacheMode) throws {
        let flights = make()
        try store(flights, "https://a.example/x", [("content-type", "application/json")]) { $0.cache = mode }
        #expect(flights.cache?.store.count == 0)
        #expect(flights.facts[1]?.cache?.stored == nil)
        for field in [("last-modified", "Sun, 22 Nov 2026 12:00:00 GMT"), ("etag", "\"v\""), Self.fresh[1]] {
            try store(flights, "https://a.example/\(field.0)", [field])
        }
        #expect(flights.cache?.store.count == 3)
    }

    @Test func `a request that accepts every stored response stores it`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", []) { $0.cache = .forceCache }
        try flights.join("https://a.example/y")
        try flights.join("https://a.example/y") { $0.cache = .forceCache }
        try flights.respond(2)
        flights.serialize()
        #expect(flights.started == [1, 2] && flights.cache?.store.count == 2)
        for url in ["https://a.example/x", "https://a.example/y"] {
            let hit = try flights.join(url) { $0.cache = .forceCache }
            #expect(flights.result(hit) == .rendered(status: 200))
        }
    }

    // MARK: Age

    @Test func `a result becomes older while it is decoded and kept`() throws {
        let flights = make()
        try flights.join { callerRequest in
            callerRequest.receipt = "a"
            callerRequest.wait = .zero
        }
        try flights.respond(1, 200, Self.fresh)
        let joined = try flights.join()
        flights.wait(.milliseconds(3_500))
        flights.serialize()
        #expect(flights.facts[joined]?.cache?.stored?.ageSeconds == 3)
        flights.wait(.milliseconds(4_500))
        let again = try flights.join { $0.wait = .zero }
        for request in [flights.lookUp("a"), again] {
            #expect(flights.result(request) == .rendered(status: 200))
            #expect(flights.facts[request]?.cache?.stored?.ageSeconds == 8)
            #expect(flights.facts[request]?.cache?.stored?.ttl == 52)
            #expect(flights.facts[request]?.cache?.stored?.cacheControl == "max-age=60")
        }
    }

    // MARK: Responses that must not be shared

    @Test(arguments: ["private", "no-store"])
    func `a request that is released after a redirect begins at its own first hop`(directive: String) throws {
        let flights = make()
        let token = HeaderFields.Field(name: "Authorization", value: "Bearer 1")
        let requests = try (0..<2).map { _ in try flights.join("https://a.example/x") { $0.request.fields = [token] } }
        try flights.respond(1, 302, [("location", "https://b.example/y")], content: "")
        try flights.head(2, 200, [("cache-control", directive)])
        #expect(flights.startedURLs == ["https://a.example/x", "https://b.example/y", "https://a.example/x"])
        #expect(flights.sentFields(2)["authorization"] == nil)
        #expect(flights.sentFields(3)["authorization"] == "Bearer 1")

        // The response to it is that of the first URL, and is stored as such.
        try flights.respond(3, 200, Self.fresh + [("cache-control", "public")])
        flights.serialize()
        #expect(flights.result(requests[1]) == .rendered(status: 200))
        #expect(flights.facts[requests[1]]?.url == "https://a.example/x")
        try flights.join("https://b.example/y")
        #expect(flights.startedURLs.last == "https://b.example/y" && flights.started.count == 4)
        let hit = try flights.join("https://a.example/x") { $0.request.fields = [token] }
        #expect(flights.result(hit) == .rendered(status: 200))
    }

    @Test func `requests that are released after a redirect follow it again`() throws {
        let flights = make()
        for _ in 0..<3 { try flights.join("https://a.example/x") }
        try flights.respond(1, 302, [("location", "https://b.example/y")], content: "")
        try flights.head(2, 200, [("cache-control", "private")])
        let redirect = [("location", "https://b.example/y")]
        for id in [3, 4] as [UInt64] { try flights.respond(id, 302, redirect, content: "") }
        flights.data(2, [0x7B, 0x7D])
        flights.end(2, bytes: 2)
        for id in [5, 6] as [UInt64] { try flights.respond(id, 200, [("cache-control", "private")]) }
        flights.serialize()
        for request in [1, 2, 3] as [RequestNumber] {
            #expect(flights.result(request) == .rendered(status: 200))
            #expect(flights.facts[request]?.url == "https://b.example/y")
        }
        #expect(flights.cache?.store.count == 0)
        flights.checkIsEmpty()
    }

    @Test func `a redirect that must not be shared is released at its head`() throws {
        let flights = make()
        for _ in 0..<2 { try flights.join("https://a.example/x") }
        try flights.respond(1, 302, [("location", "/1"), ("cache-control", "private")], content: "")
        #expect(flights.startedURLs == ["https://a.example/x", "https://a.example/x", "https://a.example/1"])
        try flights.respond(2, 302, [("location", "/2"), ("cache-control", "private")], content: "")
        for id in [3, 4] as [UInt64] { try flights.respond(id, 200, Self.fresh) }
        flights.serialize()
        #expect([1, 2].map { flights.facts[$0]?.url } == ["https://a.example/1", "https://a.example/2"])
        flights.checkIsEmpty()
    }

    @Test func `a request that is released after a stored redirect uses it`() throws {
        let flights = make()
        try flights.join("https://a.example/x")
        let redirect = [("location", "https://b.example/y"), ("cache-control", "max-age=60")]
        try flights.respond(1, 302, redirect, content: "")
        try flights.join("https://a.example/x")
        try flights.respond(2, 200, [("cache-control", "private")])
        #expect(flights.startedURLs == ["https://a.example/x", "https://b.example/y", "https://b.example/y"])
        try flights.respond(3, 200, Self.fresh)
        flights.serialize()
        let hit = try flights.join("https://b.example/y")
        #expect(flights.result(hit) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `a request that is released from a validation selects what is stored by then`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        flights.wait(.seconds(61))
        for _ in 0..<2 { try flights.join() }
        // The response replaces what was stored.
        try flights.respond(2, 200, [("cache-control", "private")])
        #expect(flights.started == [1, 2, 3] && flights.sentFields(3)["if-none-match"] == nil)
        try flights.respond(3, 200, [("cache-control", "private")])
        flights.serialize()
        flights.checkIsEmpty()
    }

    // MARK: Validation

    @Test func `a stale response is validated and keeps its renditions`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        flights.wait(.seconds(61))
        let request = try flights.join()
        #expect(flights.started == [1, 2])
        #expect(flights.sentFields(2)["if-none-match"] == "\"v1\"")
        try flights.respond(2, 304, [("etag", "\"v1\""), ("cache-control", "max-age=30")], content: "")
        #expect(flights.result(request) == .rendered(status: 200))
        #expect(flights.takeJobs().isEmpty)
        #expect(status(flights, request) == "decant; fwd=stale; fwd-status=304; ttl=30; stored")
        let hit = try flights.join()
        #expect(status(flights, hit) == "decant; hit; ttl=30")
        flights.checkIsEmpty()
    }

    @Test func `after a validation, what describes the stored response is written once`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 200, Self.validated)
        flights.serialize(try #require(flights.takeJobs().first), isDescription: true)
        flights.wait(.seconds(61))
        let first = try flights.join()
        try flights.respond(2, 304, [("etag", "\"v1\""), ("x-new", "1")], content: "")
        let hits = try (0..<2).map { _ in try flights.join() }
        let content = try #require(flights.contents[first])
        #expect(hits.allSatisfy { flights.contents[$0] == content })
        #expect(flights.facts[hits[0]]?.cache?.stored?.entityTag == flights.facts[1]?.cache?.stored?.entityTag)
        #expect(flights.cache?.store.renditionCount == 1)
        flights.cache?.store.removeAll()
        flights.checkIsEmpty()
    }

    @Test func `after a validation, all requests that waited for it receive one rendition`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 200, Self.validated)
        flights.serialize(try #require(flights.takeJobs().first), isDescription: true)
        flights.wait(.seconds(61))
        let requests = try (0..<3).map { _ in try flights.join() }
        try flights.respond(2, 304, [("etag", "\"v1\"")], content: "")
        let hit = try flights.join()
        #expect(flights.takeJobs().isEmpty)
        let content = try #require(flights.contents[hit])
        #expect(requests.allSatisfy { flights.contents[$0] == content })
        #expect(flights.cache?.store.renditionCount == 1)
        flights.cache?.store.removeAll()
        flights.checkIsEmpty()
    }

    /// A rendition for the path without redirects is used by most requests, and is therefore kept.
    @Test func `one rendition serves all paths, and is replaced by that without redirects`() throws {
        let flights = make()
        let redirect = [("location", "https://a.example/y"), ("cache-control", "max-age=60")]
        var jobs: [Int] = []
        for path in ["x", "x", "y", "y", "x", "y"] {
            let request = try flights.join("https://a.example/" + path)
            if jobs.isEmpty {
                try flights.respond(1, 301, redirect, content: "")
                try flights.respond(2, 200, Self.fresh)
            }
            let pending = flights.takeJobs()
            jobs.append(pending.count)
            for job in pending { flights.serialize(job, isDescription: true) }
            #expect(flights.result(request) == .rendered(status: 200))
        }
        #expect(jobs == [1, 0, 0, 0, 0, 0] && flights.cache?.store.renditionCount == 1)
        #expect(flights.startedURLs == ["https://a.example/x", "https://a.example/y"])
        flights.cache?.store.removeAll()
        flights.checkIsEmpty()
    }

    /// The head of a redirect may be long, and has no content that keeps its charge.
    @Test func `a stored redirect counts as long as a flight validates it`() throws {
        let flights = make()
        let store = try #require(flights.cache?.store)
        let long = ("x-long", String(repeating: "v", count: 10_000))
        try flights.join("https://a.example/x")
        let fields = [("location", "/y"), ("etag", "\"v1\""), ("cache-control", "max-age=60"), long]
        try flights.respond(1, 301, fields, content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        flights.wait(.seconds(61))
        let request = try flights.join("https://a.example/x")
        #expect(flights.sentFields(3)["if-none-match"] == "\"v1\"")
        store.removeAll()
        #expect((10_000..<20_000).contains(store.usedBytes))
        try flights.respond(3, 304, [("etag", "\"v1\"")], content: "")
        #expect(store.usedBytes == 0)
        try flights.respond(4, 200, Self.fresh)
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200))
        store.removeAll()
        flights.checkIsEmpty()
    }

    /// The URL may contain secrets of another caller.
    @Test(arguments: [(true, ["x", "y", "y"]), (false, ["x"])])
    func `under a caller's key, what depends on the URL is made again for another URL`(
        dependsOnURL: Bool,
        made: [String]
    ) throws {
        let flights = make()
        var paths: [String] = []
        for path in ["x", "x", "y", "y", "x"] {
            let request = try flights.join("https://a.example/" + path) { $0.cacheKey = "k" }
            if paths.isEmpty { try flights.respond(1, 200, Self.fresh) }
            for job in flights.takeJobs() {
                paths.append(String(job.upstream.path.url.suffix(1)))
                flights.serialize(job, dependsOnURL: dependsOnURL)
            }
            #expect(flights.result(request) == .rendered(status: 200))
        }
        #expect(paths == made && flights.startedURLs == ["https://a.example/x"])
        flights.cache?.store.removeAll()
        flights.checkIsEmpty()
    }

    @Test(arguments: ["no-store, max-age=60", "private, max-age=60"])
    func `a response that a validation forbids to store must not be stored by callers`(directives: String) throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        flights.wait(.seconds(61))
        let request = try flights.join()
        try flights.respond(2, 304, [("etag", "\"v1\""), ("cache-control", directives)], content: "")
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200))
        #expect(status(flights, request) == "decant; fwd=stale; fwd-status=304")
        #expect(flights.facts[request]?.cache?.stored == nil && flights.cache?.store.count == 0)
        flights.checkIsEmpty()
    }

    @Test func `a new response replaces a stale one`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        flights.wait(.seconds(61))
        try flights.join()
        try flights.respond(2, 200, Self.fresh, content: "[1]")
        #expect(flights.takeJobs().count == 1)
        #expect(flights.cache?.store.count == 1)
    }

    @Test func `a slow response does not replace one that was requested later`() throws {
        let flights = make()
        for number in 1...2 {
            try flights.join("https://a.example/x?signature=\(number)") { $0.cacheKey = "k" }
            flights.wait(.seconds(1))
        }
        for (number, seconds) in [(2, 90), (1, 60)] as [(UInt64, Int)] {
            try flights.respond(number, 200, [("cache-control", "max-age=\(seconds)")])
            flights.serialize()
            #expect(flights.result(RequestNumber(number)) == .rendered(status: 200))
        }
        #expect(status(flights, 1) == "decant; fwd=uri-miss; fwd-status=200")
        let hit = try flights.join { $0.cacheKey = "k" }
        // The response took a second.
        #expect(status(flights, hit) == "decant; hit; ttl=89")
        flights.checkIsEmpty()
    }

    @Test func `304 for another representation is followed by an unconditional request`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        flights.wait(.seconds(61))
        let request = try flights.join()
        try flights.respond(2, 304, [("etag", "\"v2\"")], content: "")
        #expect(flights.started == [1, 2, 3])
        #expect(flights.sentFields(3)["if-none-match"] == nil)
        try flights.respond(3, 200, Self.fresh)
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `reload joins a request that has no stored response, and not a validation`() throws {
        let flights = make()
        let first = try flights.join()
        let reload = try flights.join { $0.cache = .reload }
        #expect(flights.started == [1])
        try flights.respond(1, 200, Self.validated)
        flights.serialize()
        #expect(flights.result(first) == .rendered(status: 200) && flights.result(reload) == .rendered(status: 200))
        flights.wait(.seconds(61))
        try flights.join()
        try flights.join { $0.cache = .reload }
        #expect(flights.started == [1, 2, 3])
        #expect(flights.sentFields(3)["if-none-match"] == nil)
    }

    @Test func `no-cache does not receive a response that was not validated for it`() throws {
        let flights = make()
        try store(flights)
        try flights.join { $0.cache = .noCache }
        #expect(flights.started == [1, 2])
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        // The hit is being decoded with other options; no-cache asks the origin.
        try flights.join { $0.rendition = TestRendition("other") }
        try flights.join { $0.cache = .noCache }
        #expect(flights.started == [1, 2, 3])
    }

    @Test func `the condition of the caller is evaluated against the stored response`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        let request = try flights.join {
            $0.request.fields = [HeaderFields.Field(name: "If-None-Match", value: "\"v1\"")]
        }
        #expect(flights.started == [1])
        let job = try #require(flights.takeJobs().first)
        #expect(job.upstream.status == 304)
        flights.serialize(job)
        #expect(flights.facts[request]?.status == 304)
        #expect(status(flights, request) == "decant; hit; ttl=60")
        flights.checkIsEmpty()
    }

    // MARK: Stale responses

    @Test(arguments: [503, 500])
    func `an error of the origin is replaced by a stale response that permits it`(error: Int) throws {
        let flights = make { $0.attempts.maxRetries = 0 }
        try store(flights, "https://a.example/x", [("cache-control", "max-age=1, stale-if-error=60")])
        flights.wait(.seconds(2))
        let request = try flights.join()
        try flights.respond(2, error)
        #expect(flights.result(request) == .rendered(status: 200))
        #expect(status(flights, request) == "decant; fwd=stale; fwd-status=\(error); ttl=-1; detail=stale-if-error")
        flights.checkIsEmpty()
    }

    @Test func `a failure to connect is replaced by a stale response that permits it`() throws {
        let flights = make { $0.attempts.maxRetries = 0 }
        try store(flights, "https://a.example/x", [("cache-control", "max-age=1, stale-if-error=60")])
        flights.wait(.seconds(2))
        let request = try flights.join()
        flights.fail(2, .connectFailed)
        #expect(flights.result(request) == .rendered(status: 200))
        let other = try flights.join { $0.cache = .noCache }
        flights.fail(3, .connectFailed)
        #expect(flights.result(other) == .failed(.attempt(.connectFailed, in: .connect, hostIsNamed: false)))
        flights.checkIsEmpty()
    }

    @Test func `a stale response that permits it is used when the time of a request is over`() throws {
        let flights = make { $0.attempts.maxRetries = 0 }
        try store(flights, "https://a.example/x", Self.validated + [("cache-control", "stale-if-error=600")])
        flights.wait(.seconds(61))
        let hasty = try flights.join { $0.timeout = .seconds(2) }
        let patient = try flights.join()
        flights.wait(.seconds(2))
        #expect(flights.result(hasty) == .rendered(status: 200))
        #expect(status(flights, hasty) == "decant; fwd=stale; ttl=-3; detail=stale-if-error")
        // Its end does not concern the other one.
        #expect(flights.result(patient) == nil && flights.started == [1, 2])
        try flights.respond(2, 304, [("etag", "\"v1\"")], content: "")
        #expect(status(flights, patient) == "decant; fwd=stale; fwd-status=304; ttl=58; stored; collapsed")
        flights.wait(.seconds(61))
        let last = try flights.join()
        flights.wait(.seconds(60))
        #expect(flights.result(last) == .rendered(status: 200))
        #expect(flights.cancelledTransfers == [3])
        let strict = try flights.join { $0.cache = .noCache }
        flights.wait(.seconds(60))
        #expect(flights.result(strict) == .failed(.timedOut))
        flights.checkIsEmpty()
    }

    @Test func `a stale response that permits it is used if too many requests wait`() throws {
        let flights = make {
            $0.permits.maxActive = 1
            $0.permits.maxQueued = 0
        }
        try store(flights, "https://a.example/x", [("cache-control", "max-age=1, stale-if-error=60")])
        flights.wait(.seconds(2))
        try flights.join("https://a.example/y")
        let request = try flights.join()
        #expect(flights.result(request) == .rendered(status: 200) && flights.started == [1, 2])
    }

    @Test func `a stale response is used while one flight without requests validates it`() throws {
        let flights = make()
        try store(
            flights,
            "https://a.example/x",
            [("cache-control", "max-age=1, stale-while-revalidate=60"), ("etag", "\"v1\"")]
        )
        flights.wait(.seconds(2))
        for _ in 0..<3 {
            let request = try flights.join()
            #expect(flights.result(request) == .rendered(status: 200))
            #expect(status(flights, request) == "decant; hit; ttl=-1")
        }
        #expect(flights.started == [1, 2])
        #expect(flights.sentFields(2)["if-none-match"] == "\"v1\"")
        try flights.respond(2, 304, [("cache-control", "max-age=60")], content: "")
        let hit = try flights.join()
        #expect(status(flights, hit) == "decant; hit; ttl=60")
        flights.checkIsEmpty()
    }

    @Test func `requests whose own fields differ share the validation without requests`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", [("cache-control", "max-age=1, stale-while-revalidate=60")])
        flights.wait(.seconds(2))
        let fields = [
            ("If-None-Match", "\"a\""), ("If-Modified-Since", "Mon, 23 Nov 2026 00:00:00 GMT"),
            ("Cache-Control", "no-transform"), ("Pragma", ""),
        ]
        for (name, value) in fields {
            try flights.join {
                $0.request.fields = [HeaderFields.Field(name: name, value: value)]
                $0.permitsStoring = false
            }
            try flights.join { $0.request.method = "HEAD" }
        }
        #expect(flights.started == [1, 2])
        #expect(flights.sentFields(2).isEmpty)
        try flights.respond(2, 200, Self.fresh)
        let hit = try flights.join()
        flights.serialize()
        #expect(flights.result(hit) == .rendered(status: 200) && flights.started == [1, 2])
        flights.checkIsEmpty()
    }

    @Test(arguments: [CacheMode.reload, .noCache])
    func `a request that joins before a redirect determines how its target is used`(mode: CacheMode) throws {
        let flights = make()
        try store(flights, "https://a.example/y", [("cache-control", "max-age=60"), ("etag", "\"v1\"")])
        let first = try flights.join()
        let second = try flights.join { $0.cache = mode }
        #expect(flights.started == [1, 2])
        try flights.respond(2, 302, [("location", "/y")], content: "")
        #expect(flights.startedURLs.last == "https://a.example/y" && flights.started == [1, 2, 3])
        #expect(flights.sentFields(3)["if-none-match"] == (mode == .reload ? nil : "\"v1\""))
        try flights.respond(3, 200, Self.fresh, content: "2")
        flights.serialize()
        #expect(flights.result(first) == .rendered(status: 200) && flights.result(second) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `a stale target of a redirect is only used for requests that permit it`() throws {
        let flights = make()
        try store(flights, "https://a.example/y", [("cache-control", "max-age=1")])
        flights.wait(.seconds(2))
        try flights.join { $0.cache = .forceCache }
        try flights.join()
        #expect(flights.started == [1, 2])
        try flights.respond(2, 302, [("location", "/y")], content: "")
        #expect(flights.started == [1, 2, 3])
    }

    @Test func `stale redirects that are followed are validated, each on its own`() throws {
        let flights = make()
        let stale = [("cache-control", "max-age=1, stale-while-revalidate=60"), ("etag", "\"v1\"")]
        try flights.join()
        try flights.respond(1, 302, stale + [("location", "/y")], content: "")
        try flights.respond(2, 302, Self.fresh + [("location", "/z")], content: "")
        try flights.respond(3, 200, stale)
        flights.serialize()
        flights.wait(.seconds(2))
        for _ in 0..<3 {
            let request = try flights.join()
            #expect(flights.result(request) == .rendered(status: 200))
        }
        #expect(flights.startedURLs.dropFirst(3) == ["https://a.example/x", "https://a.example/z"])
        #expect(flights.sentFields(4)["if-none-match"] == "\"v1\"")
        try flights.respond(4, 302, Self.fresh + [("location", "/w")], content: "")
        try flights.respond(5, 304, Self.fresh, content: "")
        // The new redirect is used from now on.
        let other = try flights.join()
        #expect(flights.startedURLs.dropFirst(5) == ["https://a.example/w"])
        try flights.respond(6, 200, Self.fresh)
        flights.serialize()
        #expect(flights.result(other) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `a request for a redirect itself does not join the validation of one without content`() throws {
        let flights = make()
        let stale = [("cache-control", "max-age=1, stale-while-revalidate=60"), ("etag", "\"v\""), ("location", "/y")]
        try flights.join()
        try flights.respond(1, 302, stale, content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        flights.wait(.seconds(2))
        try flights.join()
        #expect(flights.started == [1, 2, 3])
        // The same redirect is stored with its content.
        try flights.join { $0.redirects = .manual }
        try flights.respond(4, 302, [("cache-control", "max-age=1"), ("etag", "\"v\""), ("location", "/y")])
        flights.serialize()
        flights.wait(.seconds(2))
        let request = try flights.join { callerRequest in
            callerRequest.redirects = .manual
            callerRequest.rendition = TestRendition("other")
        }
        #expect(flights.started == [1, 2, 3, 4, 5])
        for id in [3, 5] as [UInt64] { try flights.respond(id, 304, [("etag", "\"v\"")], content: "") }
        #expect(flights.jobs.map { $0.upstream.content?.count } == [2])
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `a validation does not remove what was stored after it began`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        flights.wait(.seconds(61))
        try flights.join()
        try flights.join { $0.cache = .reload }
        try flights.respond(3, 200, Self.fresh)
        // This concerns the response that was validated.
        try flights.respond(2, 200, [("cache-control", "no-store")])
        flights.serialize()
        let hit = try flights.join()
        #expect(flights.result(hit) == .rendered(status: 200) && flights.started == [1, 2, 3])
        flights.checkIsEmpty()
    }

    @Test func `a validation without requests survives a request that leaves`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", [("cache-control", "max-age=1, stale-while-revalidate=1")])
        flights.wait(.milliseconds(1_500))
        try flights.join()
        #expect(flights.started == [1, 2])
        // Too old for stale-while-revalidate: it joins the validation.
        flights.wait(.seconds(2))
        let request = try flights.join()
        #expect(flights.started == [1, 2])
        flights.leave(request)
        #expect(flights.cancelledTransfers.isEmpty)
        try flights.respond(2, 200, Self.fresh)
        let hit = try flights.join()
        flights.serialize()
        #expect(flights.result(hit) == .rendered(status: 200) && flights.started == [1, 2])
        flights.checkIsEmpty()
    }

    // MARK: Modes

    @Test func `only-if-cached never asks the origin`() throws {
        let flights = make()
        let missing = try flights.join { $0.cache = .onlyIfCached }
        #expect(flights.result(missing) == .failed(.onlyIfCached))
        #expect(status(flights, missing) == "decant")
        try store(flights)
        flights.wait(.seconds(100))
        let stale = try flights.join { $0.cache = .onlyIfCached }
        #expect(flights.result(stale) == .rendered(status: 200))
        let forced = try flights.join { $0.cache = .forceCache }
        #expect(flights.result(forced) == .rendered(status: 200))
        #expect(flights.started == [1])
    }

    @Test func `no-store neither reads nor writes`() throws {
        let flights = make()
        try store(flights)
        try store(flights, "https://a.example/y") { $0.cache = .noStore }
        try flights.join { $0.cache = .noStore }
        try flights.join("https://a.example/y")
        #expect(flights.started == [1, 2, 3, 4])
    }

    // MARK: Keys

    @Test func `a caller's key replaces the URL at its origin`() throws {
        let flights = make()
        try store(flights, "https://a.example/x?signature=1") { $0.cacheKey = "k" }
        let hit = try flights.join("https://a.example/x?signature=2") { $0.cacheKey = "k" }
        #expect(flights.result(hit) == .rendered(status: 200))
        try flights.join("https://b.example/x") { $0.cacheKey = "k" }
        try flights.join("https://a.example/x?signature=1")
        #expect(flights.started == [1, 2, 3])
    }

    @Test func `a redirect is not stored under a caller's key, and what follows is stored under its own URL`() throws {
        let flights = make()
        func join(_ url: String) throws -> RequestNumber { try flights.join(url) { $0.cacheKey = "k" } }
        _ = try join("https://a.example/x")
        let redirect = [("location", "https://b.example/y"), ("cache-control", "max-age=60")]
        try flights.respond(1, 301, redirect, content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        #expect(flights.cache?.store.count == 1 && flights.facts[1]?.cache?.stored == nil)
        // Another caller's URL redirects on its own.
        _ = try join("https://a.example/z")
        try flights.respond(3, 301, [("location", "https://b.example/w")], content: "")
        #expect(flights.startedURLs.dropFirst(2) == ["https://a.example/z", "https://b.example/w"])
        let hit = try flights.join("https://b.example/y")
        #expect(flights.result(hit) == .rendered(status: 200))
        // The key is that of the first URL, also if another one at its origin follows.
        try flights.respond(4, 302, [("location", "https://a.example/end")], content: "")
        try flights.respond(5, 200, Self.fresh)
        flights.serialize()
        _ = try join("https://a.example/v")
        #expect(flights.startedURLs.last == "https://a.example/v")
    }

    @Test func `a redirect that is the result is not stored under a caller's key`() throws {
        let flights = make()
        func manual(_ callerRequest: inout CallerRequest) {
            callerRequest.cacheKey = "k"
            callerRequest.redirects = .manual
        }
        let fields = [("location", "/y?signature=1"), ("cache-control", "max-age=60")]
        try flights.join { manual(&$0) }
        try flights.respond(1, 301, fields)
        flights.serialize()
        #expect(flights.cache?.store.count == 0)
        try flights.join("https://a.example/z") { manual(&$0) }
        #expect(flights.started == [1, 2])
        // Under its URL, it is.
        try flights.join { $0.redirects = .manual }
        try flights.respond(3, 301, fields)
        #expect(flights.cache?.store.count == 1)
    }

    @Test(arguments: [("k", ["x-plain"]), (nil, ["content-location", "link", "x-target", "x-plain"])])
    func `fields that may repeat a URL are not stored under a caller's key`(key: String?, names: [String]) throws {
        let flights = make()
        let fields = [
            ("content-location", "/y"), ("link", "</x?signature=1>; rel=self"), ("x-target", "signature%3D1"),
            ("x-plain", "1"),
        ]
        try store(flights, "https://a.example/x?signature=1", Self.validated + fields) { $0.cacheKey = key }
        for number in 0..<2 {
            try flights.join("https://a.example/x?signature=1") {
                $0.cacheKey = key
                $0.rendition = TestRendition("other \(number)")
            }
            let stored = HeaderFields(try #require(flights.takeJobs().last).upstream.fields)
            #expect(fields.map(\.0).filter { stored.first($0) != nil } == names)
            #expect(stored.first("etag") == "\"v1\"" && stored.first("cache-control") == "max-age=60")
            // The fields of a validation are not stored either.
            flights.wait(.seconds(61))
            try flights.join("https://a.example/x?signature=1") { $0.cacheKey = key }
            let id = try #require(flights.started.last)
            try flights.respond(id, 304, [("etag", "\"v1\"")] + fields, content: "")
        }
    }

    // MARK: Redirects

    @Test func `redirects are stored hop by hop`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 301, [("location", "/y"), ("cache-control", "max-age=60")], content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        for url in ["https://a.example/x", "https://a.example/y"] {
            let hit = try flights.join(url)
            #expect(flights.result(hit) == .rendered(status: 200), "\(url)")
        }
        #expect(flights.started == [1, 2])
        // Without its content, a stored redirect is not a result.
        try flights.join { $0.redirects = .manual }
        #expect(flights.started == [1, 2, 3])
        let refused = try flights.join { $0.redirects = .error }
        #expect(flights.result(refused) == .failed(.redirect(.refused(status: 301))))
        #expect(status(flights, refused) == "decant")
    }

    @Test func `a redirect without a lifetime is asked again, and its target is not`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 302, [("location", "/y")], content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        let request = try flights.join()
        #expect(flights.startedURLs == ["https://a.example/x", "https://a.example/y", "https://a.example/x"])
        try flights.respond(3, 302, [("location", "/y")], content: "")
        #expect(flights.result(request) == .rendered(status: 200))
        // Its own response must not be stored by callers.
        #expect(flights.facts[request]?.cache?.stored == nil)
        flights.checkIsEmpty()
    }

    @Test func `a redirect without a lifetime is stored for requests that accept every stored response`() throws {
        let flights = make()
        try flights.join { $0.cache = .forceCache }
        try flights.respond(1, 302, [("location", "/y")], content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        for mode in [CacheMode.forceCache, .onlyIfCached] {
            let hit = try flights.join { $0.cache = mode }
            #expect(flights.result(hit) == .rendered(status: 200))
            #expect(status(flights, hit) == "decant; hit; ttl=60")
            // Their caches do not accept it.
            #expect(flights.facts[hit]?.cache?.stored?.cacheControl == "max-age=0")
        }
        #expect(flights.started == [1, 2] && flights.cache?.store.count == 2)
        // For others, it is stale.
        try flights.join()
        #expect(flights.startedURLs.last == "https://a.example/x" && flights.started == [1, 2, 3])
        try flights.respond(3, 302, [("location", "/z")], content: "")
        #expect(flights.startedURLs.last == "https://a.example/z")
    }

    @Test func `one request that accepts every stored response is enough to store a redirect`() throws {
        let flights = make()
        for mode in [CacheMode.default, .forceCache] { try flights.join { $0.cache = mode } }
        #expect(flights.started == [1])
        try flights.respond(1, 307, [("location", "/y")], content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        let hit = try flights.join { $0.cache = .onlyIfCached }
        #expect(flights.result(hit) == .rendered(status: 200))
    }

    @Test(arguments: [
        [("cache-control", "no-store")], [("cache-control", "private, max-age=60")], [("vary", "*")],
        [("set-cookie", "a=b")],
    ])
    func `a redirect that must not be stored is asked for again, whatever the mode`(fields: [(String, String)]) throws {
        for key in [nil, "k"] {
            let flights = make()
            func join() throws { try flights.join { ($0.cache, $0.cacheKey) = (.forceCache, key) } }
            try join()
            try flights.respond(1, 302, [("location", "/y")] + fields, content: "")
            try flights.respond(2, 200, Self.fresh)
            flights.serialize()
            #expect(flights.cache?.store.count == 1)
            try join()
            #expect(flights.startedURLs.last == "https://a.example/x")
        }
    }

    @Test(arguments: [
        ("max-age=60", "max-age=600", "max-age=60"), ("max-age=60, s-maxage=5", "max-age=600", "max-age=5"),
        ("max-age=600", "max-age=60", "max-age=60"), ("max-age=600", "no-cache", "no-cache"),
    ])
    func `callers may use a response only as long as the redirects before it`(
        redirect: String,
        target: String,
        expected: String
    ) throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 301, [("location", "/y"), ("cache-control", redirect)], content: "")
        try flights.respond(2, 200, [("cache-control", target), ("etag", "\"a\"")])
        flights.serialize()
        #expect(flights.facts[1]?.cache?.stored?.cacheControl == expected)
        guard target != "no-cache" else { return }
        flights.wait(.seconds(4))
        let hit = try flights.join()
        #expect(flights.facts[hit]?.cache?.stored?.cacheControl == expected)
        #expect(flights.facts[hit]?.cache?.stored?.ageSeconds == 4 && flights.started == [1, 2])
        let own = try flights.join("https://a.example/y")
        #expect(flights.facts[own]?.cache?.stored?.cacheControl == target)
    }

    @Test(arguments: [503, nil])
    func `a stale redirect that is used in place of an error is followed`(error: Int?) throws {
        for mode in RedirectMode.allCases where mode != .manual {
            let flights = make()
            try flights.join()
            let redirect = [("location", "/y"), ("cache-control", "max-age=0, stale-if-error=60")]
            try flights.respond(1, 301, redirect, content: "")
            try flights.respond(2, 200, Self.fresh)
            flights.serialize()
            let request = try flights.join {
                $0.redirects = mode
                $0.retries = 0
            }
            if let error {
                try flights.respond(3, error, [], content: "")
            } else {
                flights.fail(3, .connectFailed)
            }
            switch mode {
            case .error: #expect(flights.result(request) == .failed(.redirect(.refused(status: 301))))
            case .follow, .manual:
                #expect(flights.result(request) == .rendered(status: 200))
                #expect(flights.facts[request]?.cache?.stored?.cacheControl == "max-age=0")
            }
            #expect(flights.started == [1, 2, 3])
            flights.checkIsEmpty()
        }
    }

    /// The origin of the redirect could otherwise choose the beginning of the content of any other one.
    @Test func `what follows a stale redirect contains nothing of the content that was lost before`() throws {
        let flights = make()
        try flights.join()
        let redirect = [("location", "https://b.example/y"), ("cache-control", "max-age=0, stale-if-error=60")]
        try flights.respond(1, 301, redirect, content: "")
        try flights.respond(2, 200, [("cache-control", "no-store")])
        flights.serialize()
        let request = try flights.join { $0.retries = 0 }
        try flights.head(3, 200, [("cache-control", "max-age=60")])
        flights.data(3, Array("EVIL".utf8))
        flights.fail(3, .connectionLost, in: .content)
        #expect(flights.startedURLs.last == "https://b.example/y")
        #expect(flights.table.origins.values.allSatisfy { $0.contentBytes == 0 })
        try flights.respond(4, 200, Self.fresh, content: "ok")
        let content = flights.jobs.first?.upstream.content as? TestContent
        #expect(content.map { String(decoding: $0.bytes, as: UTF8.self) } == "ok")
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200))
        let other = try flights.join("https://b.example/y")
        #expect(flights.facts[other]?.cache?.action == .hit)
        flights.checkIsEmpty()
    }

    @Test func `a stale redirect is not used when the time of a request is over`() throws {
        let flights = make()
        try flights.join()
        let redirect = [("location", "/y"), ("cache-control", "max-age=0, stale-if-error=600")]
        try flights.respond(1, 301, redirect, content: "")
        try flights.respond(2, 200, [("cache-control", "max-age=0")])
        flights.serialize()
        let request = try flights.join { $0.timeout = .seconds(5) }
        flights.wait(.seconds(5))
        #expect(flights.result(request) == .failed(.timedOut))
        flights.checkIsEmpty()
    }

    @Test func `the status is no hit if the origin was asked for a redirect`() throws {
        let flights = make()
        for _ in 0..<2 {
            try flights.join()
            try flights.respond(try #require(flights.started.last), 302, [("location", "/y")], content: "")
            if flights.started.count == 2 { try flights.respond(2, 200, Self.fresh) }
            flights.serialize()
        }
        #expect(flights.started == [1, 2, 3])
        #expect(status(flights, 2) == "decant; fwd=uri-miss; fwd-status=302")
    }

    @Test(arguments: ["purge", "POST"], ["x", "y"])
    func `after the purge of one URL, only this one is asked for again`(change: String, name: String) throws {
        let flights = make()
        let url = "https://a.example/\(name)"
        try flights.join()
        try flights.respond(1, 301, Self.fresh + [("location", "/y")], content: "")
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        if change == "POST" {
            try flights.join(url) { $0.request.method = "POST" }
            try flights.respond(3, 200, [], content: "")
        } else {
            flights.cache?.store.purge(.index(CacheKey(partition: "", url: try FetchURL(parsing: url))))
        }
        let count = flights.started.count
        let request = try flights.join()
        #expect(flights.startedURLs.dropFirst(count) == [url])
        let id = try #require(flights.started.last)
        try flights.respond(id, name == "x" ? 301 : 200, Self.fresh + (name == "x" ? [("location", "/y")] : []))
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200) && flights.started.count == count + 1)
    }

    @Test func `each hop is selected by the fields that its own Vary names`() throws {
        for key in [nil, "k"] {
            let flights = make { $0.cache.policy.keyFields = .vary }
            func join(_ language: String) throws -> RequestNumber {
                try flights.join {
                    $0.request.fields = [HeaderFields.Field(name: "lang", value: language)]
                    ($0.cache, $0.cacheKey) = (.forceCache, key)
                }
            }
            _ = try join("de")
            try flights.respond(1, 302, [("location", "/de"), ("vary", "lang")], content: "")
            try flights.respond(2, 200, Self.fresh)
            flights.serialize()
            _ = try join("en")
            #expect(flights.startedURLs.last == "https://a.example/x" && flights.started == [1, 2, 3])
            try flights.respond(3, 302, [("location", "/en"), ("vary", "lang")], content: "")
            try flights.respond(4, 200, Self.fresh)
            flights.serialize()
            guard key == nil else { continue }
            for (language, end) in [("de", "https://a.example/de"), ("en", "https://a.example/en")] {
                let hit = try join(language)
                #expect(flights.result(hit) == .rendered(status: 200) && flights.facts[hit]?.url == end)
            }
        }
    }

    @Test func `the response at the end of redirects is validated there, and survives them`() throws {
        let flights = make()
        var number = 0
        func join() throws -> RequestNumber {
            number += 1
            return try flights.join("https://a.example/x?\(number)") { $0.retries = 0 }
        }
        func redirect() throws {
            let id = try #require(flights.started.last)
            #expect(flights.sentFields(id)["if-none-match"] == nil)
            try flights.respond(id, 302, [("location", "/y")], content: "")
        }
        _ = try join()
        try redirect()
        let fields = [("cache-control", "max-age=0, stale-if-error=60"), ("etag", "\"v1\"")]
        try flights.respond(2, 200, fields)
        flights.serialize()
        // 304 confirms it, and an error is replaced by it.
        for (end, detail) in [(304, "fwd-status=304"), (503, "detail=stale-if-error"), (304, "fwd-status=304")] {
            let request = try join()
            try redirect()
            let id = try #require(flights.started.last)
            #expect(flights.sentFields(id)["if-none-match"] == "\"v1\"")
            try flights.respond(id, end, end == 304 ? fields : [], content: "")
            #expect(flights.result(request) == .rendered(status: 200))
            #expect(status(flights, request)?.contains(detail) == true, "\(status(flights, request) ?? "")")
            #expect(flights.cache?.store.count == 1)
        }
        flights.checkIsEmpty()
    }

    @Test func `a head that grows with each validation is fetched again`() throws {
        let flights = make()
        try store(flights, "https://a.example/x", Self.validated)
        var id: UInt64 = 1
        func validate(_ name: String) throws {
            flights.wait(.seconds(61))
            try flights.join()
            id += 1
            let long = (name, String(repeating: "a", count: 40_000))
            try flights.respond(id, 304, [("etag", "\"v1\""), long], content: "")
        }
        try validate("x-1")
        #expect(flights.started == [1, 2] && flights.cache?.store.count == 1)
        try validate("x-2")
        #expect(flights.started == [1, 2, 3, 4] && flights.sentFields(4)["if-none-match"] == nil)
        try flights.respond(4, 200, Self.validated)
        flights.serialize()
        flights.checkIsEmpty()
    }

    @Test func `a soft purge ends the freshness for callers`() throws {
        let flights = make()
        try store(flights)
        flights.wait(.seconds(2))
        flights.cache?.store.purge(.partition(""), isSoft: true)
        let stale = try flights.join()
        #expect(flights.facts[stale]?.cache?.stored?.cacheControl == "max-age=2")
        #expect(flights.started == [1, 2])
    }

    // MARK: Changes

    @Test func `an unsafe request invalidates the URL`() throws {
        let flights = make()
        try store(flights)
        try flights.join { $0.request.method = "POST" }
        try flights.respond(2, 204, [], content: "")
        try flights.join()
        #expect(flights.started == [1, 2, 3])
    }

    @Test func `a flight that began before a purge stores nothing`() throws {
        let flights = make()
        try flights.join()
        flights.cache?.store.purge(.partition(""))
        try flights.respond(1, 200, Self.fresh)
        flights.serialize()
        #expect(flights.cache?.store.count == 0)
        #expect(flights.facts[1]?.cache?.isStored == false)
    }

    @Test(arguments: [false, true])
    func `a request after a purge does not join a flight that began before it`(isSoft: Bool) throws {
        let flights = make()
        try flights.join()
        try flights.join()
        #expect(flights.started == [1])
        flights.cache?.store.purge(.partition("other"), isSoft: isSoft)
        try flights.join()
        #expect(flights.started == [1])
        flights.cache?.store.purge(.partition(""), isSoft: isSoft)
        let later = try flights.join()
        let joined = try flights.join()
        #expect(flights.started == [1, 2])
        try flights.respond(2, 200, Self.fresh)
        flights.serialize()
        #expect(flights.result(later) == .rendered(status: 200) && flights.result(joined) == .rendered(status: 200))
        // The response of the first flight does not replace it.
        try flights.respond(1, 200, Self.fresh)
        flights.serialize()
        #expect(flights.result(1) == .rendered(status: 200) && flights.result(3) == .rendered(status: 200))
        #expect(flights.cache?.store.count == 1)
        try flights.join()
        #expect(flights.started == [1, 2])
    }

    @Test func `a request after an unsafe one does not join a flight that began before it`() throws {
        let flights = make()
        try flights.join()
        try flights.join { $0.request.method = "POST" }
        try flights.respond(2, 204, [], content: "")
        try flights.join()
        #expect(flights.started == [1, 2, 3])
    }

    @Test func `the purge of a redirect's target ends the sharing of a flight`() throws {
        let flights = make()
        try flights.join()
        try flights.respond(1, 302, [("location", "/y")], content: "")
        flights.cache?.store.purge(.index(CacheKey(partition: "", url: try FetchURL(parsing: "https://a.example/y"))))
        try flights.join()
        #expect(flights.startedURLs == ["https://a.example/x", "https://a.example/y", "https://a.example/x"])
    }

    @Test func `a kept result is not delivered to requests after a purge, only to its receipt`() throws {
        let flights = make()
        let url = try FetchURL(parsing: "https://a.example/x")
        func wait(_ callerRequest: inout CallerRequest) {
            callerRequest.wait = .zero
            callerRequest.receipt = "r"
        }
        let first = try flights.join { wait(&$0) }
        #expect(flights.result(first) == .postponed(receipt: "r"))
        try flights.respond(1, 200, Self.fresh)
        flights.serialize()
        let second = try flights.join { wait(&$0) }
        #expect(flights.result(second) == .rendered(status: 200))
        flights.cache?.store.purge(.index(CacheKey(partition: "", url: url)))
        let third = try flights.join {
            wait(&$0)
            $0.receipt = "s"
        }
        #expect(flights.result(third) == .postponed(receipt: "s"))
        #expect(flights.started == [1, 2])
    }

    @Test(arguments: CacheMode.allCases)
    func `a kept result is only delivered to requests that require no more of the origin`(mode: CacheMode) throws {
        for kept in CacheMode.allCases where kept != .onlyIfCached && kept != .noStore {
            let flights = make()
            func join(_ mode: CacheMode, _ receipt: String) throws -> RequestNumber {
                try flights.join { ($0.cache, $0.wait, $0.receipt) = (mode, .zero, receipt) }
            }
            _ = try join(kept, "r")
            try flights.respond(1, 200, [("cache-control", "max-age=0")])
            flights.serialize()
            let repeated = try join(mode, "s")
            let isDelivered = flights.result(repeated) == .rendered(status: 200)
            #expect(isDelivered == (mode != .noStore && kept.strictness >= mode.strictness), "\(kept)")
        }
    }

    @Test func `a response above the maximum of an entry is delivered and not stored`() throws {
        let flights = make()
        let content = "\"" + String(repeating: "a", count: 300 << 10) + "\""
        try flights.join()
        try flights.head(1, 200, Self.fresh)
        for start in stride(from: 0, to: content.utf8.count, by: 32 << 10) {
            flights.data(1, Array(content.utf8.dropFirst(start).prefix(32 << 10)))
        }
        flights.end(1, bytes: content.utf8.count)
        flights.serialize()
        #expect(flights.result(1) == .rendered(status: 200))
        #expect(flights.cache?.store.count == 0 && flights.cache?.store.usedBytes == 0)
        flights.checkIsEmpty()
    }

    @Test func `the options of a rendition are charged`() throws {
        let flights = make()
        try store(flights)
        let store = try #require(flights.cache?.store)
        let before = store.usedBytes
        try flights.join { $0.rendition = TestRendition("long", heapBytes: 16_000) }
        flights.serialize()
        #expect(store.renditionCount == 2)
        #expect(store.usedBytes - before > 16_000)
        store.removeAll()
        #expect(store.usedBytes == 0)
    }

    @Test func `a rendition with long options is not stored`() throws {
        let flights = make()
        try store(flights)
        for _ in 0..<2 {
            let request = try flights.join { $0.rendition = TestRendition("long", heapBytes: 300_000) }
            #expect(flights.result(request) == nil)
            flights.serialize()
            #expect(flights.result(request) == .rendered(status: 200))
        }
        #expect(flights.cache?.store.renditionCount == 1 && flights.started == [1])
        flights.checkIsEmpty()
    }

    @Test func `the values that Vary names are charged as often as they are kept`() throws {
        let flights = make()
        let value = String(repeating: "v", count: 10_000)
        try store(flights, "https://a.example/x", Self.fresh + [("vary", "x-v")]) {
            $0.request.fields = [HeaderFields.Field(name: "X-V", value: value)]
        }
        #expect(flights.cache?.store.usedBytes ?? 0 > 2 * value.utf8.count)
    }

    @Test func `the account of the cache is empty after everything was removed`() throws {
        let flights = make()
        for index in 0..<20 { try store(flights, "https://a.example/\(index)") }
        #expect(flights.cache?.store.usedBytes ?? 0 > 20 * 640)
        flights.cache?.store.removeAll()
        #expect(flights.cache?.store.usedBytes == 0)
    }
}
