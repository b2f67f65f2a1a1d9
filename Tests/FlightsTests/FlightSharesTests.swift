import Fetching
import Glibc
import Platform
import Primitives
import TestSupport
import Testing

@testable import Flights

/// No part of the requests takes all permits and places from the others.
@Suite struct FlightSharesTests {
    private static func configure(_ settings: inout FlightSettings) {
        settings.permits.maxActive = 64
        settings.permits.maxQueued = 200
    }

    /// Lets an origin respond once.
    private func respond(_ host: String, _ flights: FlightFixture, for partition: String = "") throws {
        let request = try flights.join("https://\(host)/first") { $0.partition = partition }
        try flights.respond(try #require(flights.started.last))
        flights.serialize()
        #expect(flights.result(request) == .rendered(status: 200))
    }

    @Test func `origins that never respond leave permits for others`() throws {
        let flights = FlightFixture(Self.configure)
        try respond("good.example", flights)
        for number in 0..<400 { try flights.join("https://silent\(number % 8).example/\(number)") }
        // A quarter of the permits is silent. From then on, each of these origins has one at a time.
        #expect(flights.active.count == 16)
        try flights.join("https://new.example/")
        #expect(flights.startedURLs.last == "https://new.example/")
        for number in 0..<8 { try flights.join("https://good.example/\(number)") }
        #expect(flights.startedURLs.last == "https://good.example/7")
    }

    @Test func `origins that never respond have half of the permits, and those that respond get more`() throws {
        let flights = FlightFixture(Self.configure)
        for number in 0..<60 { try flights.join("https://silent\(number).example/") }
        #expect(flights.active.count == 32 && flights.table.waiting == 28)
        // One that fails makes room for one that waits.
        flights.fail(1, .malformedResponse, in: .head)
        #expect(flights.active.count == 32 && flights.table.waiting == 27)
        // One that responds no longer counts.
        try flights.head(2)
        #expect(flights.active.count == 32 && flights.table.waiting == 27)
        flights.end(2, bytes: 0)
        #expect(flights.active.count == 32 && flights.table.waiting == 26)
        flights.wait(.seconds(10))
        #expect(flights.table.waiting == 0)
    }

    @Test func `origins that never respond have half of the queue`() throws {
        let flights = FlightFixture {
            Self.configure(&$0)
            $0.permits.maxQueued = 40
        }
        try respond("good.example", flights)
        let silent = try (0..<60).map { try flights.join("https://silent\($0).example/") }
        #expect(flights.active.count == 32 && flights.table.waiting == 20)
        #expect(silent.count { flights.result($0) == .failed(.queueFull) } == 8)
        // An origin that responds has the other half.
        for number in 0..<28 { try flights.join("https://good.example/\(number)") }
        #expect(flights.table.waiting == 40)
        #expect(flights.result(try flights.join("https://good.example/x")) == .failed(.queueFull))
    }

    @Test func `requests that received a 202 response have half of the permits and of the queue`() throws {
        let flights = FlightFixture {
            Self.configure(&$0)
            $0.permits.maxQueued = 40
            $0.permits.maxActivePerOrigin = 20
        }
        for host in ["a", "b", "c"] { try respond("\(host).example", flights) }
        let requests = try (0..<60).map { number in
            try flights.join("https://\(["a", "b", "c"][number % 3]).example/\(number)") { callerRequest in
                callerRequest.receipt = "r\(number)"
                callerRequest.wait = .zero
            }
        }
        #expect(flights.active.count == 32 && flights.table.waiting == 20)
        #expect(requests.count { flights.result($0) == .failed(.queueFull) } == 8)
        // Another caller is not behind them in the queue of the same origin.
        let attended = try flights.join("https://a.example/attended")
        #expect(flights.startedURLs.last == "https://a.example/attended")
        try flights.respond(try #require(flights.started.last))
        flights.serialize()
        #expect(flights.result(attended) == .rendered(status: 200))
        #expect(flights.active.count == 32)
        // The end of one of them makes room for the next.
        let count = flights.started.count
        try flights.respond(flights.started[3])
        #expect(flights.started.count == count + 1 && flights.table.waiting == 19)
    }

    @Test func `a request without a client that a client joins is no longer set aside`() throws {
        let flights = FlightFixture(Self.configure)
        for host in 0..<4 { try respond("o\(host).example", flights) }
        for number in 0..<40 {
            try flights.join("https://o\(number % 5).example/\(number)") { callerRequest in
                callerRequest.receipt = "r\(number)"
                callerRequest.wait = .zero
            }
        }
        #expect(flights.active.count == 32)
        let urls = (0..<40).map { "https://o\($0 % 5).example/\($0)" }
        let waiting = try #require(urls.first { !flights.startedURLs.contains($0) })
        try flights.join(waiting)
        #expect(flights.startedURLs.last == waiting && flights.active.count == 33)
        flights.stop()
        flights.checkIsEmpty()
    }

    @Test func `one partition has half of the permits and of the queue while another one sends requests`() throws {
        let flights = FlightFixture(Self.configure)
        for host in 0..<20 { try respond("o\(host).example", flights, for: "p") }
        func join(_ partition: String, _ count: Int) throws -> [RequestNumber] {
            try (0..<count).map { number in
                try flights.join("https://o\(number % 20).example/\(partition)\(number)") { $0.partition = partition }
            }
        }
        // Alone, it has everything.
        let alone = try join("p", 150)
        #expect(flights.active.count == 64)
        for request in alone { flights.leave(request) }
        flights.checkIsEmpty()

        try join("q", 1).forEach { flights.leave($0) }
        let requests = try join("p", 150)
        #expect(flights.active.count == 32 && flights.table.waiting == 100)
        #expect(requests.count { flights.result($0) == .failed(.queueFull) } == 18)
        let others = try join("q", 32)
        #expect(flights.active.count == 64 && others.allSatisfy { flights.result($0) == nil })
        // Its share is free again when a transfer ends.
        let ended = try #require(flights.started.first { flights.active.contains($0) })
        let count = flights.started.count
        try flights.respond(ended)
        #expect(flights.started.count == count + 1 && flights.startedURLs.last?.contains("/p") == true)
        flights.wait(.seconds(10))
        #expect(flights.table.waiting == 0)
        flights.stop()
        flights.checkIsEmpty()
    }

    @Test func `429 with Retry-After pauses the requests with the same credentials, and 503 the origin`() throws {
        let flights = FlightFixture { $0.times.queue = .seconds(30) }
        func join(_ path: String, _ token: String, _ partition: String = "") throws {
            try flights.join("https://a.example/\(path)") { callerRequest in
                callerRequest.partition = partition
                callerRequest.retries = 0
                callerRequest.request.fields = [
                    HeaderFields.Field(name: "Accept", value: path),
                    HeaderFields.Field(name: "Authorization", value: token),
                    HeaderFields.Field(name: "User-Agent", value: path),
                    HeaderFields.Field(name: "traceparent", value: path),
                ]
            }
        }
        try join("1", "one")
        try flights.respond(1, 429, [("Retry-After", "3"), ("Content-Length", "2")])
        try join("2", "one")
        #expect(flights.started.count == 1 && flights.table.waiting == 1)
        try join("3", "two")
        try join("4", "one", "p")
        #expect(flights.startedURLs.map { $0.suffix(1) } == ["1", "3", "4"])
        flights.wait(.milliseconds(2_999))
        #expect(flights.started.count == 3)
        flights.wait(.milliseconds(1))
        #expect(flights.startedURLs.last == "https://a.example/2" && flights.table.waiting == 0)
        try flights.respond(flights.started[1], 503, [("Retry-After", "3"), ("Content-Length", "2")])
        try join("5", "three")
        #expect(flights.started.count == 4)
        flights.wait(.seconds(3))
        #expect(flights.startedURLs.last == "https://a.example/5")
    }

    /// The redirect leads to an origin with credentials, whose request then has none.
    @Test func `429 to a request without the credentials of the service does not pause requests with them`() throws {
        let flights = FlightFixture { $0.times.queue = .seconds(30) }
        let field = HeaderFields.Field(name: "Authorization", value: "own")
        let credentials = OriginCredentials([try FetchURL(parsing: "https://a.example").origin: [field]])
        func join(_ url: String) throws {
            try flights.join(url) { ($0.retries, $0.credentials) = (0, credentials) }
        }
        try join("https://b.example/1")
        try flights.respond(1, 302, [("Location", "https://a.example/1"), ("Content-Length", "0")], content: "")
        #expect(flights.sentFields(2)["authorization"] == nil)
        try flights.respond(2, 429, [("Retry-After", "3"), ("Content-Length", "2")])
        try join("https://a.example/2")
        #expect(flights.startedURLs.last == "https://a.example/2" && flights.sentFields(3)["authorization"] == "own")
        try flights.respond(3, 429, [("Retry-After", "3"), ("Content-Length", "2")])
        try join("https://a.example/3")
        #expect(flights.startedURLs.last == "https://a.example/2" && flights.table.waiting == 1)
        // Other credentials are those of another owner.
        let other = HeaderFields.Field(name: "Authorization", value: "new")
        let replaced = OriginCredentials([try FetchURL(parsing: "https://a.example").origin: [other]])
        try flights.join("https://a.example/4") { ($0.retries, $0.credentials) = (0, replaced) }
        #expect(flights.startedURLs.last == "https://a.example/4")
    }

    @Test func `a request that waits for Retry-After is rejected after fetch-queue-seconds`() throws {
        let flights = FlightFixture()
        try flights.join { $0.retries = 0 }
        try flights.respond(1, 429, [("Retry-After", "30"), ("Content-Length", "2")])
        let request = try flights.join("https://a.example/y")
        flights.wait(.seconds(10))
        #expect(flights.result(request) == .failed(.queueTimeout(pauseSeconds: 20)))
    }

    @Test func `without another fetcher, a request that waits for Retry-After is unavailable at once`() throws {
        let flights = FlightFixture()
        try flights.join { $0.retries = 0 }
        try flights.respond(1, 429, [("Retry-After", "30"), ("Content-Length", "2")])
        flights.serialize()
        let request = try flights.join("https://a.example/y")
        flights.die(mayReturn: false)
        #expect(flights.result(request) == .failed(.unavailable))
        flights.checkIsEmpty()
    }

    @Test func `a request that is set aside is in one list, however many others join it`() throws {
        let flights = FlightFixture(Self.configure)
        for host in 0..<20 { try respond("o\(host).example", flights, for: "p") }
        try flights.join("https://o0.example/q") { $0.partition = "q" }
        for number in 0..<40 { try flights.join("https://o\(number % 20).example/\(number)") { $0.partition = "p" } }
        let partition = try #require(flights.table.shares.partitions["p"])
        #expect(partition.active == 32 && partition.backlog.count == 8)
        for number in 0..<300 {
            try flights.join("https://o\(32 + number % 8 - 20).example/\(32 + number % 8)") { $0.partition = "p" }
        }
        #expect(partition.active == 32 && partition.backlog.count == 8)
        flights.stop()
        flights.checkIsEmpty()
    }

    @Test func `requests under one receipt and in one slot are limited`() throws {
        let max = FlightSettings.maxWaitersPerName
        let flights = FlightFixture { $0.permits.maxQueued = 65_000 }
        for _ in 0..<max { try flights.join() }
        #expect(flights.result(try flights.join()) == .failed(.nameFull))
        #expect(flights.result(flights.cancel(receipt: "r")) == .reply(.cancelled(max)))
        for number in 0...max {
            let request = try flights.join { callerRequest in
                callerRequest.receipt = "r\(number)"
                callerRequest.slot = "s"
            }
            #expect((flights.result(request) == .failed(.nameFull)) == (number == max))
        }
        #expect(flights.result(flights.cancel(slot: "s")) == .reply(.cancelled(max)))
        flights.checkIsEmpty()
    }

    @Test func `requests that share a flight are limited, and further ones begin another`() throws {
        let flights = FlightFixture()
        var table = FlightTable(flights.table.settings, account: flights.account) { 0 }
        table.fetcherReady(at: flights.now)
        for number in 0...FlightSettings.maxWaitersPerFlight {
            let callerRequest = try flights.callerRequest { $0.receipt = "r\(number)" }
            table.join(callerRequest, as: RequestNumber(UInt64(number)), at: flights.now)
            #expect(table.active == (number < FlightSettings.maxWaitersPerFlight ? 1 : 2))
            _ = table.takeEffects()
        }
    }

    @Test func `a list of requests keeps their order when some of them leave`() throws {
        var list = SparseList<Waiter>()
        let flights = FlightFixture()
        let callerRequest = try flights.callerRequest()
        let (now, key) = (flights.now, FlightKey(identity: callerRequest.identity, kind: .origin))
        let flight = Flight(1, callerRequest, key, Route(of: callerRequest), at: now, began: 0)
        let waiters = (0..<1_000).map {
            Waiter(callerRequest, number: RequestNumber(UInt64($0)), flight: flight, at: now, isCollapsed: false)
        }
        for waiter in waiters { list.append(waiter) }
        for (index, waiter) in waiters.enumerated() where index % 7 != 0 { list.remove(waiter) }
        list.remove(waiters[1])
        let remaining = stride(from: 0, to: 1_000, by: 7).map { RequestNumber($0) }
        #expect(list.map(\.number) == remaining && list.count == 143)
        #expect(list.next() === waiters[0] && list.next(isLIFO: true) === waiters[994] && list.count == 141)
        for waiter in list.dropFirst() { list.remove(waiter) }
        #expect(list.map(\.number) == [7])
        list.append(waiters[0])
        #expect(list.next() === waiters[7] && list.next(isLIFO: true) === waiters[0] && list.next() == nil)
        #expect(list.isEmpty)
    }

    /// 8 times as many requests take 8 times as long, and 64 times if each one looks for its place.
    @Test(arguments: ["a flight", "a flight that is decoded", "the queue of an origin"])
    func `leaving takes constant time`(place: String) throws {
        let few = try processorTimeOfLeaving(1_500, place)
        let many = try processorTimeOfLeaving(12_000, place)
        #expect(many < few * 24, "\(few), \(many)")
    }

    private func processorTimeOfLeaving(_ count: Int, _ place: String) throws -> Duration {
        let flights = FlightFixture { $0.permits.maxQueued = 65_000 }
        var callerRequest = try flights.callerRequest()
        var table = FlightTable(flights.table.settings, account: flights.account) { 0 }
        table.fetcherReady(at: flights.now)
        for number in 0..<count {
            callerRequest.receipt = "r\(number)"
            callerRequest.rendition = TestRendition(number < count / 2 ? "first" : "last")
            if place == "the queue of an origin" {
                callerRequest.request = FetchRequest(
                    method: "GET",
                    url: try FetchURL(parsing: "https://a.example/\(number)")
                )
            }
            table.join(callerRequest, as: RequestNumber(UInt64(number)), at: flights.now)
        }
        if place == "a flight that is decoded" {
            try table.handle(.head(id: 1, FetchHead(status: 200, fields: [])), at: flights.now, unixSeconds: 0)
            let end = FetchEnd(contentBytes: 0, timings: FetchTimings())
            try table.handle(.end(id: 1, end), at: flights.now, unixSeconds: 0)
        }
        let start = Self.processorTime
        // The last ones first: a search from the start of the queue would be long.
        for number in (0..<count).reversed() {
            table.leave(RequestNumber(UInt64(number)), at: flights.now)
            _ = table.takeEffects()
        }
        let time = Self.processorTime - start
        let remaining = table.waiters.count + table.transfers.count
        #expect(remaining == 0)
        return time
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    @Test func `the contents of active requests are limited together`() throws {
        let flights = FlightFixture()
        let content = [UInt8](repeating: 1, count: FetchStart.maxContentBytes)
        let requests = try [content, content, [1]].enumerated().map { number, content in
            try flights.join("https://a.example/\(number)") { callerRequest in
                callerRequest.request.method = "POST"
                callerRequest.request.content = content
            }
        }
        #expect(requests.map { flights.result($0) } == [nil, nil, .failed(.requestContent)])
        #expect(flights.table.origins.values.allSatisfy { $0.breaker.state(at: flights.now.nanoseconds) == .closed })
        flights.leave(requests[0])
        try flights.join("https://a.example/3") { callerRequest in
            callerRequest.request.method = "POST"
            callerRequest.request.content = [1]
        }
        #expect(flights.active.count == 2)
    }

    @Test func `while the service drains, nothing receives a 202 response, and results wait`() throws {
        let flights = FlightFixture()
        let first = try flights.join { callerRequest in
            callerRequest.receipt = "a"
            callerRequest.wait = .zero
        }
        #expect(flights.result(first) == .postponed(receipt: "a"))
        flights.table.isDraining = true
        #expect(!flights.isDrained)
        let second = try flights.join("https://a.example/y") { callerRequest in
            callerRequest.receipt = "b"
            callerRequest.wait = .seconds(1)
        }
        flights.wait(.seconds(2))
        #expect(flights.result(second) == nil)
        try flights.respond(1)
        try flights.respond(2)
        flights.serialize()
        #expect(flights.result(second) == .rendered(status: 200))
        #expect(!flights.isDrained)
        #expect(flights.result(flights.lookUp("a")) == .rendered(status: 200))
        #expect(flights.isDrained)
    }

    @Test func `a request without a client that the service does not finish has this as its result`() throws {
        let flights = FlightFixture()
        let unattended = try flights.join { callerRequest in
            callerRequest.receipt = "a"
            callerRequest.wait = .zero
        }
        let attended = try flights.join("https://a.example/y")
        flights.table.isDraining = true
        flights.endUnattended()
        #expect(flights.result(unattended) == .postponed(receipt: "a") && flights.cancelledTransfers == [1])
        #expect(!flights.isDrained)
        #expect(flights.result(flights.lookUp("a")) == .failed(.draining))
        #expect(flights.isDrained)
        // Repeating the request is another one.
        let repeated = try flights.join { $0.wait = .seconds(1) }
        for id in [2, 3] as [UInt64] { try flights.respond(id) }
        flights.serialize()
        #expect([attended, repeated].allSatisfy { flights.result($0) == .rendered(status: 200) })
    }
}
