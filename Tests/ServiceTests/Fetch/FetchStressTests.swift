import Fetching
import FuzzOracles
import Glibc
import Origin
import Platform
import Serialization
import Testing

@testable import Service

/// Clients of a real service, with its loops, lanes, fetch thread and fetcher, that join, cancel and fail at random. Each request receives
/// one response, its own, and nothing remains.
///
/// `Tests/Fuzz/flights` runs it under ThreadSanitizer for minutes. The seed determines the requests of each client, but not their order.
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
        let fetch = try FetchServer(
            for: origin,
            executable: Self.variable("DECANT_STRESS_FETCHER") ?? FetchServer.builtFetcher,
            threads: 2
        ) { settings in
            settings.maxActive = 4
            settings.maxActivePerOrigin = 3
            settings.maxQueued = 12
            settings.isLIFO = seed % 2 == 1
            settings.timeout = .seconds(3)
            settings.queueTimeout = .seconds(2)
            settings.resultTime = .milliseconds(300)
            settings.policy.methods = (try? FetchMethods(parsing: "GET,HEAD,POST")) ?? settings.policy.methods
            // An open breaker would hide everything else.
            settings.breaker.minRequests = .max
            settings.breaker.failuresInARow = .max
        }
        let end = seconds.map { MonotonicTime.now + .seconds($0) }
        let report = Monitor(StressReport())
        let threads = try (0..<8).map { number in
            try Thread {
                var client = StressClient(
                    number: number,
                    random: RandomSource(seed: seed &+ UInt64(number)),
                    fetch: fetch,
                    origin: origin
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
        // No permit was lost.
        #expect(eventually { fetch.service.thread.metrics.figures.isFetcherReady })
        let held = try (0..<4).map { number in
            let client = try fetch.client()
            FetchServer.post(#"{"url":"\#(origin.url("/hold/last/json/\(20 + number)"))","retries":0}"#, on: client)
            return client
        }
        #expect(origin.awaitHolding(3, at: "last"))
        origin.release("last")
        for client in held { #expect(try client.readAnswer().status == 200) }
    }
}

/// What the clients have seen.
private struct StressReport: Sendable {
    var statuses: [Int: Int] = [:]
    var left = 0
    var kills = 0
    var faults: [String] = []

    mutating func add(_ other: StressReport) {
        statuses.merge(other.statuses, uniquingKeysWith: +)
        left += other.left
        kills += other.kills
        faults += other.faults
    }

    var summary: String {
        let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return "responses \(counts); \(left) clients left, \(kills) fetchers killed"
    }
}

/// One client with one connection at a time.
private struct StressClient {
    let number: Int
    var random: RandomSource
    let fetch: FetchServer
    let origin: Origin
    var steps = 0
    var report = StressReport()
    private var client: RawClient?

    init(number: Int, random: RandomSource, fetch: FetchServer, origin: Origin) {
        self.number = number
        self.random = random
        self.fetch = fetch
        self.origin = origin
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
            case 0..<70: try request(client)
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
        let identifier = "\(number)-\(steps)"
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
        default: return try read(client, identifier, path, Self.results)
        }
        report.left += 1
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
        let identifier = "\(number)-\(steps)"
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\nX-Request-ID: \(identifier)\r\n\r\n")
        try read(client, identifier, nil, statuses)
    }

    /// Reads the response, which must be the one to this request.
    private mutating func read(
        _ client: RawClient,
        _ identifier: String,
        _ path: String?,
        _ statuses: Set<Int>
    ) throws {
        let answer = try client.readAnswer(within: 120)
        report.statuses[answer.status, default: 0] += 1
        if answer.fields["connection"] == "close" { self.client = nil }
        guard statuses.contains(answer.status), answer.fields["x-request-id"] == identifier else {
            report.faults.append(
                "step \(identifier), \(path ?? ""): \(answer.status) \(answer.fields) \(answer.text.prefix(300))"
            )
            return
        }
        // The response is that of the requested resource.
        if let path, answer.status == 200, !path.hasPrefix("/redirect"),
            !answer.text.contains(#""url":"\#(origin.url(path))""#)
        {
            report.faults.append("step \(identifier): \(path) has the response \(answer.text.suffix(300))")
        }
    }
}
