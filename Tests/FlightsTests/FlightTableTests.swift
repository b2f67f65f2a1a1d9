import Fetching
import Platform
import Primitives
import Testing

@testable import Flights

/// Flights from the first request to the last response, with a manual clock.
@Suite struct FlightTableTests {
    // MARK: Joining

    /// Each of them is a serialization, and a request is compared with each.
    @Test func `requests with at most 64 different options share a flight, and all with the same ones do`() throws {
        let flights = FlightFixture { $0.permits.maxActive = 8 }
        func join(_ name: Int) throws -> RequestNumber {
            try flights.join { $0.rendition = TestRendition("\(name)") }
        }
        let first = try (0..<64).map(join)
        #expect(flights.started == [1])
        let beyond = try join(64)
        #expect(flights.started == [1, 2])
        // The newest flight is joined.
        let more = try (0..<64).map(join)
        #expect(flights.started == [1, 2, 3])
        let (again, left) = (try join(63), try join(63))
        flights.leave(left)
        for id in [1, 2, 3] as [UInt64] { try flights.respond(id) }
        #expect(flights.jobs.count == 129)
        flights.serialize()
        #expect((first + more + [beyond, again]).allSatisfy { flights.result($0) == .rendered(status: 200) })
        flights.checkIsEmpty()
    }

    @Test func `equal requests share one transfer and one serialization`() throws {
        let flights = FlightFixture()
        let requests = try (0..<5).map { _ in try flights.join() }
        #expect(flights.started == [1])
        try flights.respond(1)
        #expect(flights.jobs.map(\.number) == [1])
        flights.serialize()
        for request in requests { #expect(flights.result(request) == .rendered(status: 200)) }
        #expect(requests.map { flights.facts[$0]?.isCollapsed } == [false, true, true, true, true])
        flights.checkIsEmpty()
        #expect(flights.account.usedBytes == 0)
    }

    @Test func `groups of equal options are serialized once each`() throws {
        let flights = FlightFixture()
        let other = TestRendition("other")
        let equal = TestRendition("other")
        let first = try flights.join()
        let second = try flights.join { $0.rendition = other }
        let third = try flights.join { $0.rendition = equal }
        try flights.respond(1)
        let jobs = flights.takeJobs()
        #expect(jobs.count == 2)
        flights.serialize(jobs[1])
        #expect(flights.result(first) == nil)
        #expect(flights.result(second) == .rendered(status: 200) && flights.result(third) == .rendered(status: 200))
        flights.serialize(jobs[0])
        #expect(flights.result(first) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test(arguments: ["HEAD", "POST", "field", "content", "partition", "cacheKey", "redirects", "url", "no-store"])
    func `different requests do not share a flight`(difference: String) throws {
        let flights = FlightFixture()
        try flights.join()
        try flights.join(difference == "url" ? "https://a.example/y" : "https://a.example/x") { callerRequest in
            switch difference {
            case "HEAD", "POST": callerRequest.request.method = difference
            case "field": callerRequest.request.fields = [HeaderFields.Field(name: "Accept", value: "a/b")]
            case "content": callerRequest.request.content = [1]
            case "partition": callerRequest.partition = "p"
            case "cacheKey": callerRequest.cacheKey = "https://a.example/x"
            case "redirects": callerRequest.redirects = .manual
            case "no-store": callerRequest.cache = .noStore
            default: break
            }
        }
        #expect(flights.started == [1, 2])
    }

    @Test func `requests with content of another method are never merged`() throws {
        let flights = FlightFixture()
        for _ in 0..<2 {
            try flights.join {
                $0.request.method = "POST"
                $0.request.content = [1]
            }
        }
        #expect(flights.started == [1, 2])
    }

    @Test(arguments: [CacheMode.default, .noCache, .reload, .forceCache])
    func `requests merge in every cache mode but no-store`(mode: CacheMode) throws {
        let flights = FlightFixture()
        try flights.join()
        try flights.join { $0.cache = mode }
        #expect(flights.started == [1])
    }

    @Test func `the identity does not depend on the order and case of field names, and has no ambiguity`() throws {
        let flights = FlightFixture()
        func identity(_ fields: [(String, String)]) throws -> FlightIdentity {
            try flights.callerRequest { callerRequest in
                callerRequest.request.fields = fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }
            }.identity
        }
        #expect(try identity([("A", "1"), ("b", "2")]) == identity([("B", "2"), ("a", "1")]))
        #expect(try identity([("A", "1"), ("A", "2")]) != identity([("A", "2"), ("A", "1")]))
        #expect(try identity([("im", "age")]) != identity([("i", "mage")]))
        #expect(try identity([("a", "1")]) != identity([("a", "1"), ("a", "")]))
    }

    @Test(arguments: [0, 600, 2_000]) func `the identity contains everything that the origin sees, however long`(
        length: Int
    ) throws {
        let flights = FlightFixture()
        let padding = String(repeating: "p", count: length)
        func identity(_ change: (inout CallerRequest) -> Void) throws -> FlightIdentity {
            try flights.callerRequest("https://a.example/\(padding)") { callerRequest in
                callerRequest.request.fields = [HeaderFields.Field(name: "Accept", value: padding)]
                change(&callerRequest)
            }.identity
        }
        let identities = [
            try identity { _ in },
            try identity { $0.request.fields[0].value += "x" },
            try identity { $0.request.fields[0].name += "x" },
            try identity { $0.request.fields = [] },
            try identity { $0.request.method = "HEAD" },
            try identity { $0.request.content = [] },
            try identity { $0.request.content = Array(padding.utf8) + [1] },
            try identity { $0.request.content = Array(padding.utf8) + [2] },
            try identity { $0.partition = "p" },
            try identity { $0.cacheKey = "" },
            try identity { $0.cacheKey = "p" },
            try identity { $0.redirects = .manual },
        ]
        #expect(Set(identities).count == identities.count)
        #expect(Set(identities.map(\.digest)).count == identities.count)
        #expect(try identity { $0.receipt = "other" } == identities[0])
        #expect(try identity { $0.receipt = "other" }.digest == identities[0].digest)
    }

    @Test func `only-if-cached is a failure without a request to the origin`() throws {
        let flights = FlightFixture()
        let request = try flights.join { $0.cache = .onlyIfCached }
        #expect(flights.result(request) == .failed(.onlyIfCached))
        #expect(flights.started == [])
    }

    @Test func `a request joins while the response is serialized`() throws {
        let flights = FlightFixture()
        try flights.join()
        try flights.respond(1)
        let late = try flights.join()
        #expect(flights.started == [1])
        flights.serialize()
        #expect(flights.result(late) == .rendered(status: 200))
        try flights.join()
        #expect(flights.started == [1, 2])
    }

    // MARK: Responses that must not be shared

    @Test(arguments: [
        "no-store", "private", "max-age=3, Private", "private=\"set-cookie\"", "a=\"x, y\", no-store",
    ])
    func `a response that must not be shared is released at its head`(value: String) throws {
        let flights = FlightFixture()
        let requests = try (0..<3).map { _ in try flights.join() }
        try flights.head(1, 200, [("Cache-Control", value)])
        #expect(flights.started == [1, 2, 3])
        flights.data(1, [0x7B, 0x7D])
        flights.end(1, bytes: 2)
        flights.serialize()
        #expect(flights.result(requests[0]) == .rendered(status: 200))
        #expect(flights.result(requests[1]) == nil)
        try flights.respond(2)
        try flights.respond(3)
        flights.serialize()
        #expect(requests.allSatisfy { flights.result($0) == .rendered(status: 200) })

        // The key does not merge for 120 s.
        try flights.join()
        try flights.join()
        #expect(flights.started.count == 5)
        try flights.respond(4)
        try flights.respond(5)
        flights.serialize()
        flights.wait(.seconds(120))
        try flights.join()
        try flights.join()
        #expect(flights.started.count == 6)
    }

    @Test(arguments: ["public", "no-storex", "x=no-store", "x=\"a, private\"", "no-cache"])
    func `other directives permit sharing`(value: String) throws {
        let flights = FlightFixture()
        try flights.join()
        try flights.join()
        try flights.head(1, 200, [("Cache-Control", value)])
        #expect(flights.started == [1])
    }

    // MARK: Permits and queues

    @Test func `permits limit transfers per origin and in total, and origins take turns`() throws {
        let flights = FlightFixture {
            $0.permits.maxActive = 3
            $0.permits.maxActivePerOrigin = 2
        }
        for number in 0..<4 { try flights.join("https://a.example/\(number)") }
        for number in 0..<3 { try flights.join("https://b.example/\(number)") }
        #expect(flights.startedURLs == ["https://a.example/0", "https://a.example/1", "https://b.example/0"])
        for id in UInt64(1)...6 { try flights.respond(id) }
        #expect(
            flights.startedURLs.dropFirst(3) == [
                "https://b.example/1", "https://a.example/2", "https://b.example/2", "https://a.example/3",
            ] || Set(flights.startedURLs).count == 7
        )
        #expect(flights.startedURLs.count == 7)
    }

    @Test(arguments: [false, true])
    func `the queue of an origin is FIFO or LIFO`(isLIFO: Bool) throws {
        let flights = FlightFixture {
            $0.permits.maxActivePerOrigin = 1
            $0.permits.isLIFO = isLIFO
        }
        for number in 0..<4 { try flights.join("https://a.example/\(number)") }
        for id in UInt64(1)...3 { try flights.respond(id) }
        let paths = flights.startedURLs.map { String($0.suffix(1)) }
        #expect(paths == (isLIFO ? ["0", "3", "2", "1"] : ["0", "1", "2", "3"]))
    }

    @Test func `a queue that is full rejects, and waiting too long is a failure`() throws {
        let flights = FlightFixture {
            $0.permits.maxActive = 1
            $0.permits.maxQueued = 1
        }
        try flights.join("https://a.example/0")
        let waiting = try flights.join("https://a.example/1")
        let rejected = try flights.join("https://b.example/2")
        #expect(flights.result(rejected) == .failed(.queueFull))
        flights.wait(.seconds(10))
        #expect(flights.result(waiting) == .failed(.queueTimeout(pauseSeconds: 0)))
        #expect(flights.table.waiting == 0)
    }

    @Test func `without a fetcher requests wait, and are unavailable after the time of the queue`() throws {
        let flights = FlightFixture(isReady: false)
        let first = try flights.join()
        flights.wait(.seconds(5))
        let second = try flights.join("https://a.example/y")
        flights.wait(.seconds(5))
        #expect(flights.result(first) == .failed(.unavailable))
        flights.ready()
        #expect(flights.startedURLs == ["https://a.example/y"])
        flights.die(mayReturn: false)
        #expect(flights.result(second) == .failed(.unavailable))
        let third = try flights.join()
        #expect(flights.result(third) == .failed(.unavailable))
    }

    // MARK: Leaving and cancelling

    @Test func `one client leaves, and the flight continues for the others`() throws {
        let flights = FlightFixture()
        let first = try flights.join()
        let second = try flights.join()
        flights.leave(first)
        #expect(flights.cancelledTransfers == [])
        try flights.respond(1)
        flights.serialize()
        #expect(flights.result(first) == nil && flights.result(second) == .rendered(status: 200))
    }

    @Test func `the last client leaves, and the transfer is cancelled`() throws {
        let flights = FlightFixture()
        let first = try flights.join()
        let second = try flights.join()
        flights.leave(first)
        flights.leave(second)
        #expect(flights.cancelledTransfers == [1])
        // Frames that were sent before the fetcher received the cancellation.
        #expect(flights.reply(.head(id: 1, try FetchHead(status: 200, fields: []))) == nil)
        flights.checkIsEmpty()
    }

    @Test func `a thousand clients leave at once, and nothing is left`() throws {
        let flights = FlightFixture { $0.permits.maxQueued = 1000 }
        let requests = try (0..<1000).map { try flights.join("https://\($0 % 50).example/\($0)") }
        for request in requests { flights.leave(request) }
        #expect(flights.active.isEmpty)
        flights.checkIsEmpty()
    }

    @Test func `cancelling by receipt ends every request of that name in the partition`() throws {
        let flights = FlightFixture()
        let first = try flights.join { $0.receipt = "a" }
        let second = try flights.join("https://a.example/y") { $0.receipt = "a" }
        let other = try flights.join("https://a.example/z") { $0.receipt = "b" }
        let tenant = try flights.join { callerRequest in
            callerRequest.receipt = "a"
            callerRequest.partition = "p"
        }
        #expect(flights.result(flights.cancel(receipt: "a")) == .reply(.cancelled(2)))
        #expect(flights.result(first) == .failed(.cancelled) && flights.result(second) == .failed(.cancelled))
        #expect(flights.result(other) == nil && flights.result(tenant) == nil)
        #expect(flights.cancelledTransfers == [1, 2])
        #expect(flights.result(flights.cancel(receipt: "a")) == .reply(.missing))
        #expect(flights.result(flights.cancel(receipt: "a", in: "p")) == .reply(.cancelled(1)))
    }

    @Test func `a serialization whose requests have left is dropped`() throws {
        let flights = FlightFixture()
        let request = try flights.join()
        try flights.respond(1)
        flights.leave(request)
        #expect(flights.dropped == [1])
        flights.checkIsEmpty()
        #expect(flights.takeJobs().count == 1)
    }

    @Test func `deadlines belong to requests`() throws {
        let flights = FlightFixture()
        let short = try flights.join { $0.timeout = .seconds(2) }
        let long = try flights.join()
        flights.wait(.seconds(2))
        #expect(flights.result(short) == .failed(.timedOut))
        #expect(flights.cancelledTransfers == [])
        flights.wait(.seconds(58))
        #expect(flights.result(long) == .failed(.timedOut))
        #expect(flights.cancelledTransfers == [1])
        flights.checkIsEmpty()
    }

    // MARK: Content

    @Test func `a request over its own limit leaves, and the flight continues`() throws {
        let flights = FlightFixture()
        let small = try flights.join { $0.maxContentBytes = 10 }
        let large = try flights.join()
        try flights.head(1)
        flights.data(1, [UInt8](repeating: 1, count: 10))
        #expect(flights.result(small) == nil)
        flights.data(1, [1])
        #expect(flights.result(small) == .failed(.contentTooLong(max: 10)))
        flights.end(1, bytes: 11)
        flights.serialize()
        #expect(flights.result(large) == .rendered(status: 200))
    }

    @Test func `requests with different limits leave when their own is exceeded`() throws {
        let flights = FlightFixture()
        let limits = [30, 10, 20, 10, 40]
        let requests = try limits.map { limit in try flights.join { $0.maxContentBytes = limit } }
        try flights.head(1)
        for count in 1...40 {
            if count == 15 {
                // It joins when 14 bytes have arrived.
                let late = try flights.join { $0.maxContentBytes = 14 }
                flights.data(1, [1])
                #expect(flights.result(late) == .failed(.contentTooLong(max: 14)))
            } else {
                flights.data(1, [1])
            }
            for (request, limit) in zip(requests, limits) {
                #expect(flights.result(request) == (count > limit ? .failed(.contentTooLong(max: limit)) : nil))
            }
        }
        flights.end(1, bytes: 40)
        flights.serialize()
        #expect(flights.result(requests[4]) == .rendered(status: 200))
    }

    @Test func `content is charged, and a flight without memory fails`() throws {
        let flights = FlightFixture(memoryBytes: 100_000)
        let request = try flights.join()
        try flights.head(1)
        flights.data(1, [UInt8](repeating: 1, count: 60_000))
        #expect(flights.account.usedBytes == 60_000 + [HeaderFields.Field]().heapBytes)
        flights.data(1, [UInt8](repeating: 1, count: 60_000))
        #expect(flights.result(request) == .failed(.memory))
        #expect(flights.cancelledTransfers == [1])
        #expect(flights.account.usedBytes == 0)
    }

    /// 2 000 requests for an origin with long heads ended a service with 512 MiB.
    @Test func `heads are charged, and what remains of those of redirects is small`() throws {
        let flights = FlightFixture(memoryBytes: 1 << 20)
        let long = (0..<800).map { ("name-\($0)-which-is-long", "value-\($0)-which-is-long-too") }
        let request = try flights.join()
        for (index, id) in (1...4 as ClosedRange<UInt64>).enumerated() {
            // The transfer ends before the redirect is followed.
            try flights.head(id, 302, [("location", "/\(index)"), ("content-length", "0")] + long)
            #expect(flights.account.usedBytes > 100_000)
            flights.end(id, bytes: 0)
            #expect((500 * (index + 1)..<1_000 * (index + 1)).contains(flights.account.usedBytes))
        }
        try flights.respond(5)
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200) && flights.account.usedBytes == 0)
        let other = FlightFixture(memoryBytes: 100_000)
        let failed = try other.join()
        try other.head(1, 200, long)
        #expect(other.result(failed) == .failed(.memory) && other.cancelledTransfers == [1])
        #expect(other.account.usedBytes == 0)
    }

    @Test func `without memory for the redirects that were followed, a request fails`() throws {
        let flights = FlightFixture(memoryBytes: 40_000)
        let request = try flights.join()
        let path = String(repeating: "p", count: 8_000)
        try flights.respond(1, 302, [("location", "/\(path)")], content: "")
        try flights.respond(2, 302, [("location", "/\(path)")], content: "")
        #expect(flights.result(request) == .failed(.memory))
        #expect(flights.account.usedBytes == 0)
    }

    @Test func `the memory of a request counts everything that its caller has sent`() throws {
        let flights = FlightFixture()
        let plain = try flights.callerRequest("https://a.example/x") { _ in }
        #expect(plain.heapBytes < CallerRequest.maxUnreservedBytes)
        let long = String(repeating: "a", count: 10_000)
        let changes: [(inout CallerRequest) -> Void] = [
            {
                let field = HeaderFields.Field(name: "a", value: long)
                $0.request = FetchRequest(method: "GET", url: $0.request.url, fields: [field])
            },
            { $0.request = FetchRequest(method: "POST", url: $0.request.url, content: Array(long.utf8)) },
            { $0.ifNoneMatch = [long] }, { $0.loop = [long] }, { $0.cacheKey = long }, { $0.receipt = long },
            { $0.slot = long }, { $0.partition = long },
        ]
        for change in changes {
            let callerRequest = try flights.callerRequest("https://a.example/x", change)
            #expect(callerRequest.heapBytes >= plain.heapBytes + 9_000)
        }
    }

    @Test func `one origin holds a quarter of the memory, or more with a single flight`() throws {
        let flights = FlightFixture(memoryBytes: 100_000)
        let first = try flights.join("https://a.example/1")
        let second = try flights.join("https://a.example/2")
        let other = try flights.join("https://b.example/3")
        for id in UInt64(1)...3 { try flights.head(id) }
        flights.data(1, [UInt8](repeating: 1, count: 40_000))
        flights.data(3, [UInt8](repeating: 1, count: 10_000))
        flights.data(2, [UInt8](repeating: 1, count: 1))
        #expect(flights.result(first) == nil && flights.result(other) == nil)
        #expect(flights.result(second) == .failed(.originMemory))
    }

    // MARK: Failures, retries and restarts

    @Test func `a failure before a head is retried, up to the number that a request permits`() throws {
        let flights = FlightFixture()
        let request = try flights.join()
        for id in UInt64(1)...3 {
            #expect(flights.started.last == id)
            flights.fail(id, .connectFailed)
            flights.wait(.seconds(2))
        }
        #expect(
            flights.result(request) == .failed(.attempt(.connectFailed, in: .connect, hostIsNamed: false))
        )
        #expect(flights.facts[request]?.attempts == 3)
        let impatient = try flights.join("https://b.example/") { $0.retries = 0 }
        flights.fail(4, .connectionLost, in: .head)
        #expect(flights.result(impatient) == .failed(.attempt(.connectionLost, in: .head, hostIsNamed: false)))
    }

    @Test func `a failure after a head is final`() throws {
        let flights = FlightFixture()
        let request = try flights.join()
        try flights.head(1)
        flights.fail(1, .connectionLost, in: .content)
        #expect(flights.result(request) == .failed(.attempt(.connectionLost, in: .content, hostIsNamed: false)))
    }

    @Test func `Retry-After delays the retry and pauses the queue of the origin`() throws {
        let flights = FlightFixture { $0.times.queue = .seconds(30) }
        let first = try flights.join()
        try flights.respond(1, 503, [("Retry-After", "3"), ("Content-Length", "2")])
        let second = try flights.join("https://a.example/y")
        let other = try flights.join("https://b.example/")
        #expect(flights.startedURLs == ["https://a.example/x", "https://b.example/"])
        flights.wait(.milliseconds(2_999))
        #expect(flights.startedURLs.count == 2)
        flights.wait(.milliseconds(1))
        #expect(Set(flights.startedURLs.suffix(2)) == ["https://a.example/x", "https://a.example/y"])
        for id in flights.active.sorted() { try flights.respond(id) }
        flights.serialize()
        #expect([first, second, other].allSatisfy { flights.result($0) == .rendered(status: 200) })
    }

    @Test func `the last attempt's response is the result, whatever its status is`() throws {
        let flights = FlightFixture { $0.attempts.maxRetries = 0 }
        let request = try flights.join { $0.retries = 0 }
        try flights.respond(1, 503)
        #expect(flights.takeJobs().map(\.upstream.status) == [503])
        #expect(flights.result(request) == nil)
    }

    @Test func `a flight restarts once if the fetcher dies`() throws {
        let flights = FlightFixture()
        let first = try flights.join("https://a.example/1")
        let second = try flights.join("https://a.example/2")
        let posted = try flights.join("https://a.example/3") {
            $0.request.method = "POST"
            $0.request.content = []
        }
        try flights.head(2)
        flights.data(2, Array("[1".utf8))
        flights.die()
        #expect(flights.result(first) == nil && flights.result(second) == nil)
        #expect(flights.result(posted) == .failed(.attempt(.fetcherDied, in: .head, hostIsNamed: false)))
        flights.ready()
        #expect(flights.startedURLs.suffix(2) == ["https://a.example/1", "https://a.example/2"])
        // Nothing is left of the response.
        try flights.respond(5)
        #expect(flights.jobs.map { $0.upstream.content?.count } == [2])
        flights.serialize()
        #expect(flights.result(second) == .rendered(status: 200))
        flights.die()
        #expect(flights.result(first) == .failed(.attempt(.fetcherDied, in: .head, hostIsNamed: false)))
        flights.checkIsEmpty()
    }

    @Test func `a flight that has lost its response when the fetcher died reports no status of it`() throws {
        let flights = FlightFixture(cacheBytes: 1 << 20) { $0.attempts.maxRetries = 0 }
        let request = try flights.join { $0.retries = 0 }
        try flights.head(1, 203)
        flights.die()
        flights.ready()
        flights.fail(2, .connectFailed)
        let facts = try #require(flights.facts[request])
        #expect(facts.status == nil && facts.cache?.forwardStatus == nil)
    }

    @Test(
        arguments: [
            (.attempt(.connectFailed, in: .connect, hostIsNamed: true), nil, "connect", true, true, true),
            (.attempt(.addressNotAllowed, in: .resolve, hostIsNamed: true), nil, "resolve", true, false, true),
            (.redirect(.downgrade), nil, nil, true, false, true), (.timedOut, nil, "content", false, true, true),
            (.cancelled, nil, nil, false, false, false), (.superseded, nil, nil, false, false, false),
            (.queueFull, 1, "queue", false, true, true),
            (.queueTimeout(pauseSeconds: 0), 1, "queue", false, true, true),
            (.queueTimeout(pauseSeconds: 7), 7, "queue", false, true, true),
            (.memory, 1, nil, false, false, true), (.requestContent, 1, "queue", false, true, true),
            (.nameFull, 1, "queue", false, true, true), (.originMemory, 1, nil, false, false, true),
            (.circuitOpen(retryAfterSeconds: 9), 9, "queue", true, true, true),
            (.unavailable, 1, "queue", true, true, true), (.contentTooLong(max: 1), nil, nil, false, false, false),
            (.onlyIfCached, nil, nil, false, false, true), (.draining, 5, nil, false, false, false),
        ] as [(FlightFailure, Int?, String?, Bool, Bool, Bool)]
    )
    func `each failure has a row that says what follows from it`(
        failure: FlightFailure,
        retryAfterSeconds: Int?,
        phase: String?,
        isNotable: Bool,
        permitsStored: Bool,
        isShared: Bool
    ) {
        var facts = FlightFacts()
        (facts.attempts, facts.phase) = (1, .content)
        let row = failure.row(facts)
        #expect(row.retryAfterSeconds == retryAfterSeconds && row.phase.map { "\($0)" } == phase)
        #expect(row.isNotable == isNotable && row.permitsStored == permitsStored && row.isShared == isShared)
        // A request whose time has passed in the queue.
        #expect(FlightFailure.timedOut.row(FlightFacts()).phase.map { "\($0)" } == "queue")
    }

    @Test func `the breaker rejects requests to an origin that does not accept connections`() throws {
        let flights = FlightFixture { $0.attempts.maxRetries = 0 }
        for number in 0..<5 {
            try flights.join("https://a.example/\(number)") { $0.retries = 0 }
            flights.fail(UInt64(number + 1), .connectFailed)
        }
        let rejected = try flights.join()
        #expect(flights.result(rejected) == .failed(.circuitOpen(retryAfterSeconds: 5)))
        try flights.join("https://b.example/")
        #expect(flights.started.count == 6)
        flights.wait(.seconds(5))
        let probe = try flights.join()
        let other = try flights.join("https://a.example/other")
        #expect(flights.result(probe) == nil)
        #expect(flights.result(other) == .failed(.circuitOpen(retryAfterSeconds: 1)))
        try flights.head(7)
        try flights.join("https://a.example/after")
        #expect(flights.startedURLs.last == "https://a.example/after")
    }

    @Test func `what callers cause does not open the breaker`() throws {
        let flights = FlightFixture()
        for number in 0..<30 {
            let request = try flights.join("https://a.example/\(number)") { callerRequest in
                callerRequest.timeout = .seconds(1)
                callerRequest.lowersTimeout = true
            }
            if number % 2 == 0 { flights.leave(request) } else { flights.wait(.seconds(1)) }
        }
        for number in 30..<60 {
            let request = try flights.join("https://a.example/\(number)")
            try flights.respond(flights.started.last ?? 0, 500)
            flights.serialize()
            #expect(flights.result(request) == .rendered(status: 200))
        }
        #expect(flights.table.origins.values.allSatisfy { $0.breaker.state(at: flights.now.nanoseconds) == .closed })
    }

    // MARK: Redirects

    @Test func `a redirect takes a permit of its origin, and is a part of the history`() throws {
        let flights = FlightFixture()
        let request = try flights.join()
        try flights.head(1, 302, [("Location", "//b.example/y"), ("Content-Length", "0")])
        #expect(flights.started == [1])
        flights.end(1, bytes: 0)
        #expect(flights.startedURLs == ["https://a.example/x", "https://b.example/y"])
        try flights.respond(2)
        let job = try #require(flights.takeJobs().first)
        #expect(job.upstream.path.url == "https://b.example/y")
        #expect(job.upstream.path.history.map(\.url) == ["https://a.example/x"])
        flights.serialize(job)
        #expect(flights.result(request) == .rendered(status: 200))
    }

    @Test func `a redirect with long content is cut off`() throws {
        let flights = FlightFixture()
        try flights.join()
        try flights.head(1, 302, [("Location", "/y")])
        #expect(flights.cancelledTransfers == [1])
        #expect(flights.startedURLs.last == "https://a.example/y")
    }

    @Test(arguments: [
        ("http://a.example/y", RedirectRejection.downgrade), ("https://[", nil), ("ftp://a.example/", nil),
        ("https://127.0.0.1/", nil),
    ])
    func `a redirect that breaks the rules is a failure`(location: String, rejection: RedirectRejection?) throws {
        let flights = FlightFixture()
        let request = try flights.join()
        try flights.head(1, 302, [("Location", location), ("Content-Length", "0")])
        #expect(flights.cancelledTransfers == [1])
        guard case .failed(.redirect(let got)) = flights.result(request) else {
            Issue.record("\(String(describing: flights.result(request)))")
            return
        }
        if let rejection { #expect(got == rejection) }
    }

    @Test func `redirects are counted`() throws {
        let flights = FlightFixture()
        let request = try flights.join()
        for id in UInt64(1)...6 {
            try flights.head(id, 302, [("Location", "/x"), ("Content-Length", "0")])
            if id < 6 { flights.end(id, bytes: 0) }
        }
        #expect(flights.result(request) == .failed(.redirect(.tooMany(max: 5))))
        flights.checkIsEmpty()
    }

    // MARK: Frames

    @Test func `frames that cannot follow each other are errors`() throws {
        let flights = FlightFixture()
        try flights.join()
        #expect(flights.reply(.data(id: 1, content: [1])) == .unexpected(.data))
        #expect(flights.reply(.head(id: 2, try FetchHead(status: 200, fields: []))) == .unexpected(.head))
        #expect(flights.reply(.head(id: 0, try FetchHead(status: 200, fields: []))) == .unexpected(.head))
        #expect(flights.reply(.head(id: .max, try FetchHead(status: 200, fields: []))) == .unexpected(.head))
        try flights.head(1)
        #expect(flights.reply(.head(id: 1, try FetchHead(status: 200, fields: []))) == .unexpected(.head))
    }

    // MARK: Stopping

    @Test func `stopping ends every request, and rejects later ones`() throws {
        let flights = FlightFixture { $0.permits.maxActive = 1 }
        var requests = [try flights.join(), try flights.join(), try flights.join("https://b.example/")]
        try flights.join { $0.wait = .zero }
        flights.stop()
        requests.append(try flights.join())
        for request in requests { #expect(flights.result(request) == .failed(.draining)) }
        flights.checkIsEmpty()
        #expect(flights.account.usedBytes == 0)
    }
}

@Suite struct FlightBackpressureTests {
    /// Otherwise responses that were received would be rejected, because the lane is full.
    @Test func `no transfer begins while too many responses wait for their serialization`() throws {
        let flights = FlightFixture { $0.permits.maxActive = 1_000 }
        let max = FlightSettings.maxSerializations
        let first = try (0..<max).map { try flights.join("https://\($0).example/") }
        for id in flights.started { try flights.respond(id) }
        let last = try flights.join("https://last.example/")
        #expect(flights.started.count == max && flights.table.waiting == 1)
        flights.serialize(flights.takeJobs()[0])
        #expect(flights.started.count == max + 1 && flights.table.waiting == 0)
        // The end of the only request of a serialization makes room too.
        try flights.respond(flights.started[max])
        let next = try flights.join("https://next.example/")
        #expect(flights.started.count == max + 1)
        flights.leave(last)
        #expect(flights.started.count == max + 2)
        #expect(flights.result(first[0]) == .rendered(status: 200) && flights.result(next) == nil)
    }
}

@Suite struct FlightFactsTests {
    @Test func `durations are those of the phases that took place, in milliseconds`() {
        var facts = FlightFacts()
        #expect(facts.durations == [])
        facts.queueNanoseconds = 1_002_003_999
        facts.timings = FetchTimings(connect: 0, firstByte: 12_345)
        #expect(
            facts.durations.map { "\($0.phase) \($0.milliseconds)" } == [
                "queue 1002.003", "connect 0.000", "ttfb 12.345",
            ]
        )
    }
}
