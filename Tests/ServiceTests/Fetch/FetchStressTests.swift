import Fetching
import Flights
import FuzzOracles
import Glibc
import Origin
import Platform
import Serialization
import Testing

import struct Foundation.Data
import class Foundation.JSONDecoder

@testable import HTTP
@testable import Service

/// Clients of a real service, with its loops, lanes, fetch thread, cache and fetcher, that join, cancel and fail at
/// random, in several partitions and with several credentials. Two origins redirect to each other. Each request
/// receives one response, its own, and nothing remains.
///
/// `Tests/Fuzz/flights` runs it under ThreadSanitizer for minutes. The seed determines the requests of each client, but
/// not their order.
@Suite(.serialized) struct FetchStressTests {
    private static func variable(_ name: String) -> String? {
        // The environment is not changed while tests run.
        getenv(name).map { String(cString: $0) }
    }

    @Test func `random clients receive one response per request`() throws {
        let seed = Self.variable("DECANT_STRESS_SEED").flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        let seconds = Self.variable("DECANT_STRESS_SECONDS").flatMap { Int($0) }
        print("FetchStressTests: DECANT_STRESS_SEED=\(seed)")
        let origin = try Origin()
        let other = try Origin()
        let marking = MarkingOrigins(origin, other)
        let fetch = try FetchServer(
            for: origin,
            executable: Self.variable("DECANT_STRESS_FETCHER") ?? FetchServer.builtFetcher,
            threads: 2
        ) { settings in
            settings.permits.maxActive = 4
            settings.permits.maxActivePerOrigin = 3
            settings.permits.maxQueued = 12
            settings.permits.isLIFO = seed % 2 == 1
            settings.times.total = .seconds(3)
            settings.times.queue = .seconds(2)
            settings.times.result = .milliseconds(300)
            let allowed = "\(origin.url("/")),\(other.url("/"))"
            settings.policy.allow = (try? HostRules(parsing: allowed)) ?? settings.policy.allow
            settings.cache.limits = CacheLimits(
                capacityBytes: 1 << 20,
                bytesAfterPurge: 1 << 19,
                maxEntryBytes: 1 << 18
            )
            settings.cache.policy.keyFields = seed % 4 < 2 ? .all : .vary
            settings.policy.methods = (try? FetchMethods(parsing: "GET,HEAD,POST")) ?? settings.policy.methods
            // An open breaker would hide everything else.
            settings.attempts.breaker.minRequests = .max
            settings.attempts.breaker.failuresInARow = .max
        }
        let end = seconds.map { MonotonicTime.now + .seconds($0) }
        let report = Monitor(StressReport())
        let threads = try (0..<8).map { number in
            try Thread {
                var client = StressClient(
                    number: number,
                    random: RandomSource(seed: seed &+ UInt64(number)),
                    fetch: fetch,
                    origin: origin,
                    marking: marking
                )
                while end.map({ MonotonicTime.now < $0 }) ?? (client.steps < 60), client.report.faults.isEmpty {
                    client.step()
                }
                client.leave()
                report.withLock { $0.add(client.report) }
            }
        }
        for thread in threads { thread.join() }
        let result = report.withLock { $0 }
        print("FetchStressTests: \(result.summary)")
        #expect(result.faults == [], "DECANT_STRESS_SEED=\(seed)")
        #expect(
            eventually {
                let figures = fetch.service.thread.metrics.figures
                return figures.requests == 0 && figures.active == 0 && figures.queued == 0
            }
        )
        // Kept results are dropped after their time.
        #expect(eventually { fetch.service.account.usedBytes == 0 }, "\(fetch.service.account.usedBytes)")
        #expect(result.marks.count > 20)
        // No permit was lost.
        #expect(eventually { fetch.service.thread.metrics.figures.isFetcherReady })
        let held = try (0..<4).map { number in
            let client = try fetch.client()
            FetchServer.post(#"{"url":"\#(origin.url("/hold/last/json/\(20 + number)"))","retries":0}"#, on: client)
            return client
        }
        #expect(origin.awaitHolding(3, at: "last"))
        origin.release("last")
        for client in held { #expect(try client.readResponse().status == 200) }
    }
}

/// What the clients have seen.
private struct StressReport: Sendable {
    var statuses: [Int: Int] = [:]
    var left = 0
    var kills = 0
    var faults: [String] = []
    /// The requests that have received responses of the marking origins, by their numbers.
    var marks: [Int: Mark] = [:]

    struct Mark: Sendable {
        var partitions: Set<String>
        /// The requests for which the response was received; empty if it may be shared.
        var owners: Set<String>
    }

    /// Records that a request has received a response.
    mutating func received(_ number: Int, _ mark: Mark) {
        var known = marks[number, default: Mark(partitions: [], owners: [])]
        known.partitions.formUnion(mark.partitions)
        known.owners.formUnion(mark.owners)
        marks[number] = known
        if known.partitions.count > 1 || known.owners.count > 1 {
            faults.append("response \(number) was received by \(known.owners) in the partitions \(known.partitions)")
        }
    }

    mutating func add(_ other: StressReport) {
        for (number, mark) in other.marks { received(number, mark) }
        statuses.merge(other.statuses, uniquingKeysWith: +)
        left += other.left
        kills += other.kills
        faults += other.faults
    }

    var summary: String {
        let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return "responses \(counts); \(marks.count) were marked; \(left) clients left, \(kills) fetchers killed"
    }
}

/// One client with one connection at a time.
private struct StressClient {
    let number: Int
    var random: RandomSource
    let fetch: FetchServer
    let origin: Origin
    let marking: MarkingOrigins
    var steps = 0
    var report = StressReport()
    private var client: RawClient?

    init(number: Int, random: RandomSource, fetch: FetchServer, origin: Origin, marking: MarkingOrigins) {
        self.number = number
        self.random = random
        self.fetch = fetch
        self.origin = origin
        self.marking = marking
    }

    /// The identifier of the current request, which is a UUID: problems contain it.
    private var identifier: String {
        let digits = String(number * 1_000_000 + steps, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The paths at the origin. All clients request the same ones, so that they share flights.
    private static let paths = [
        "/json/64", "/json/65", "/json/300000", "/delay/3/json/66", "/delay/20/json/67", "/drip/40/1/json/400",
        "/chunked/100/json/68", "/reset/before-head", "/reset/in-head/json/69", "/reset/in-content/json/5000",
        "/end/in-content/json/80000", "/status/503/json/10", "/status/503/then/json/70", "/status/404/json/71",
        "/length/-1/json/10", "/fields/Cache-Control:%20private/delay/2/json/72",
        "/fields/Cache-Control:%20no-store/json/73",
        "/redirect/302/%2Fjson%2F74", "/redirect/302/%2Fdelay%2F5%2Fjson%2F75", "/content/500000",
        "/delay/4000/json/76",
    ]

    mutating func step() {
        steps += 1
        do {
            let client = try self.client ?? fetch.client()
            self.client = client
            switch random.below(100) {
            case 0..<35: try request(client)
            case 35..<70: try markedRequest(client)
            case 70..<80: try exchange("DELETE", "/v1/fetches/\(receipt)", client, [200, 404])
            case 80..<84: try exchange("DELETE", "/v1/slots/\(slot)", client, [200, 404])
            case 84..<95: try exchange("GET", "/v1/fetches/\(receipt)", client, Self.results.union([404]))
            case 95..<99: try exchange("GET", "/metrics", client, [200])
            default:
                guard random.oneIn(4), let process = fetch.fetcherProcess else { return }
                kill(process, SIGKILL)
                report.kills += 1
            }
        } catch {
            report.faults.append("client \(number), step \(steps): \(error)")
        }
    }

    mutating func leave() {
        client = nil
    }

    /// The statuses of results, and 202.
    private static let results: Set<Int> = [200, 202, 204, 409, 422, 502, 503, 504]

    private var receipt: String { mutating get { "r-\(random.below(6))" } }
    private var slot: String { mutating get { "s-\(random.below(2))" } }

    private mutating func request(_ client: RawClient) throws {
        let path = random.pick(Self.paths)
        if random.oneIn(4) {
            let wait = random.oneIn(4) ? "&wait=0" : ""
            let target = "/v1/fetch?url=\(Script.argument(origin.url(path)))&hints=\(random.oneIn(2))\(wait)"
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nX-Request-ID: \(identifier)\r\n\r\n")
        } else {
            let content = call(path)
            FetchServer.post(content, on: client, fields: "X-Request-ID: \(identifier)\r\n")
        }
        switch random.below(20) {
        case 0: self.client = nil
        case 1:
            client.reset()
            self.client = nil
        case 2:
            client.endSending()
            try read(client, identifier, path, Self.results)
            self.client = nil
            return
        default:
            try read(client, identifier, path, Self.results)
            return
        }
        report.left += 1
    }

    /// Requests a response that contains what its request was.
    private mutating func markedRequest(_ client: RawClient) throws {
        let isSecond = random.oneIn(2)
        let resource = random.pick(MarkingOrigins.Resource.allCases)
        let authorization = random.oneIn(3) ? "Bearer \(random.below(2))" : nil
        let cookie = random.oneIn(3) ? "id=\(random.below(2))" : nil
        let partition = random.pick(["", "p", "q"])
        let url = marking.url(of: resource, isSecond: isSecond)
        var members = [#""url":"\#(url)""#]
        if !partition.isEmpty { members.append(#""partition":"\#(partition)""#) }
        let fields = [("authorization", authorization), ("cookie", cookie)].compactMap { name, value in
            value.map { #"["\#(name)","\#($0)"]"# }
        }
        members.append(#""headers":[\#(fields.joined(separator: ","))]"#)
        if random.oneIn(3) {
            members.append(#""cache":"\#(random.pick(["no-store", "no-cache", "reload", "force-cache"]))""#)
        }
        if random.oneIn(6) { members.append(#""receipt":"\#(receipt)""#) }
        if random.oneIn(8) { members.append(#""waitSeconds":0"#) }
        if random.oneIn(4) { members.append(#""options":{"keys":"sorted"}"#) }
        if random.oneIn(8) { members.append(#""options":{"serializer":"image"}"#) }
        if members.filter({ $0.hasPrefix(#""options""#) }).count > 1 { members.removeLast() }
        FetchServer.post("{\(members.joined(separator: ","))}", on: client, fields: "X-Request-ID: \(identifier)\r\n")
        guard let text = try read(client, identifier, nil, Self.results), text.hasPrefix(#"{"outcome":"value""#) else {
            return
        }
        let response = try JSONDecoder().decode(MarkedAnswer.self, from: Data(text.utf8))
        let value = response.value
        let expected = resource.result(isSecond: isSecond)
        func check(_ condition: Bool, _ subject: String) {
            if !condition { report.faults.append("step \(identifier): \(subject) of \(text), for \(members)") }
        }
        check(value.resource == expected.resource.rawValue && value.isSecond == expected.isSecond, "the resource")
        check(
            response.upstream.url.prefix { $0 != "?" }
                == marking.url(of: expected.resource, isSecond: expected.isSecond),
            "the URL"
        )
        let isForeign = expected.isSecond != isSecond
        check(value.authorization == (isForeign ? nil : authorization), "the authorization")
        check(value.cookie == (isForeign ? nil : cookie), "the cookie")
        let isForOne = expected.resource.isForOne || response.upstream.url.contains("?via=")
        report.received(value.number, StressReport.Mark(partitions: [partition], owners: isForOne ? [identifier] : []))
    }

    private mutating func call(_ path: String) -> String {
        var members = [#""url":"\#(origin.url(path))""#]
        if random.oneIn(3) { members.append(#""receipt":"\#(receipt)""#) }
        if random.oneIn(6) { members.append(#""slot":"\#(slot)""#) }
        if random.oneIn(6) { members.append(#""waitSeconds":0"#) }
        if random.oneIn(6) { members.append(#""timeoutSeconds":1"#) }
        if random.oneIn(3) { members.append(#""retries":\#(random.below(3))"#) }
        if random.oneIn(10) { members.append(#""cache":"no-store""#) }
        if random.oneIn(10) { members.append(#""partition":"p""#) }
        if random.oneIn(20) { members.append(#""method":"POST","body":{"json":{}}"#) }
        if random.oneIn(4) { members.append(#""options":{"keys":"sorted","max-content-bytes":100000}"#) }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func exchange(
        _ method: String,
        _ target: String,
        _ client: RawClient,
        _ statuses: Set<Int>
    ) throws {
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\nX-Request-ID: \(identifier)\r\n\r\n")
        try read(client, identifier, nil, statuses)
    }

    /// Reads the response, which must be the one to this request.
    /// - Returns: its content; `nil` if there is no result.
    @discardableResult
    private mutating func read(
        _ client: RawClient,
        _ identifier: String,
        _ path: String?,
        _ statuses: Set<Int>
    ) throws -> String? {
        let response = try client.readResponse(within: 120)
        report.statuses[response.status, default: 0] += 1
        if response.fields["connection"] == "close" { self.client = nil }
        guard statuses.contains(response.status), response.fields["x-request-id"] == identifier else {
            report.faults.append(
                "step \(identifier), \(path ?? ""): \(response.status) \(response.fields) \(response.text.prefix(300))"
            )
            return nil
        }
        if response.fields["content-type"] == "application/problem+json",
            !response.text.contains(Instance.urn(requestID: identifier))
        {
            report.faults.append("step \(identifier): the problem of another request: \(response.text.prefix(300))")
        }
        // The response is that of the requested resource.
        if let path, response.status == 200, !path.hasPrefix("/redirect"),
            !response.text.contains(#""url":"\#(origin.url(path))""#)
        {
            report.faults.append("step \(identifier): \(path) has the response \(response.text.suffix(300))")
        }
        return response.status == 200 ? response.text : nil
    }
}

/// What a client receives of a marked response.
private struct MarkedAnswer: Decodable {
    struct Value: Decodable {
        var number: Int
        var resource: String
        var isSecond: Bool
        var authorization: String?
        var cookie: String?
    }

    struct Upstream: Decodable {
        var url: String
    }

    var value: Value
    var upstream: Upstream
}

/// Two origins whose responses contain their number and what was requested.
private final class MarkingOrigins: Sendable {
    enum Resource: String, CaseIterable {
        case open, revalidated, plain, personal, secret, failing
        /// Redirects to the other origin, or to the same one.
        case toOpen, toPersonal, toSecret, toFailing, toSame
        /// Redirects that must not be shared.
        case personalToOpen, secretToRevalidated

        /// The result of a request for it.
        func result(isSecond: Bool) -> (resource: Resource, isSecond: Bool) {
            guard let target else { return (self, isSecond) }
            return (target.resource, target.isOther ? !isSecond : isSecond)
        }

        var target: (resource: Resource, isOther: Bool)? {
            switch self {
            case .open, .revalidated, .plain, .personal, .secret, .failing: nil
            case .toOpen: (.open, true)
            case .toPersonal: (.personal, true)
            case .toSecret: (.secret, true)
            case .toFailing: (.failing, true)
            case .toSame: (.personal, false)
            case .personalToOpen: (.open, true)
            case .secretToRevalidated: (.revalidated, true)
            }
        }

        /// Whether only one request may receive the response.
        var isForOne: Bool {
            switch self {
            case .personal, .secret, .personalToOpen, .secretToRevalidated: true
            case .open, .revalidated, .plain, .failing, .toOpen, .toPersonal, .toSecret, .toFailing, .toSame: false
            }
        }

        var cacheControl: String? {
            switch self {
            case .open, .toPersonal: "public, max-age=1"
            case .revalidated: "public, max-age=0, stale-while-revalidate=1, stale-if-error=5"
            case .personal, .personalToOpen: "private, max-age=60"
            case .secret, .secretToRevalidated: "no-store"
            case .failing: "public, max-age=0, stale-if-error=1"
            case .plain, .toOpen, .toSecret, .toFailing, .toSame: nil
            }
        }
    }

    private let origins: [Origin]
    private let numbers = Monitor(0)

    init(_ first: Origin, _ second: Origin) {
        origins = [first, second]
        for isSecond in [false, true] {
            for resource in Resource.allCases {
                origins[isSecond ? 1 : 0].respond(to: "/\(resource.rawValue)") { [weak self] request, count in
                    self?.script(for: request, count, resource, isSecond: isSecond) ?? Script(status: 503)
                }
            }
        }
    }

    func url(of resource: Resource, isSecond: Bool) -> String {
        origins[isSecond ? 1 : 0].url("/\(resource.rawValue)")
    }

    private func script(for request: Request, _ count: Int, _ resource: Resource, isSecond: Bool) -> Script {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        var script = Script()
        script.fieldLines = resource.cacheControl.map { ["Cache-Control: \($0)"] } ?? []
        // So that requests are merged.
        if count % 3 != 0 { script.waitsBeforeHead = [.delay(milliseconds: count % 3 * 4)] }
        if let target = resource.target {
            script.status = count % 2 == 0 ? 302 : 307
            // Nobody else may follow a redirect that must not be shared.
            let query = resource.isForOne ? "?via=\(number)" : ""
            let url = url(of: target.resource, isSecond: target.isOther ? !isSecond : isSecond)
            script.fieldLines.append("Location: \(url)\(query)")
            return script
        }
        script.fieldLines += ["Content-Type: application/json", "ETag: \"\(resource.rawValue)\""]
        if resource == .failing {
            switch count % 4 {
            case 0: script.status = 503
            case 1: script.failure = .end(.inContent)
            case 2: script.failure = .reset(.inHead)
            default: break
            }
        } else if !request.values(of: "if-none-match").isEmpty, count % 2 == 0 {
            script.status = 304
            return script
        }
        func text(_ name: String) -> String { request.values(of: name).first.map { "\"\($0)\"" } ?? "null" }
        script.content = .bytes(
            Array(
                #"""
                {"number":\#(number),"resource":"\#(resource.rawValue)","isSecond":\#(isSecond),\#
                "authorization":\#(text("authorization")),"cookie":\#(text("cookie"))}
                """#.utf8
            )
        )
        return script
    }
}
