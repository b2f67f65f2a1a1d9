import Platform
import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct RequestMetricsTests {
    /// Returns a record with the values that the metrics use.
    static func record(
        _ endpoint: Endpoint = .normalize,
        status: Int? = 200,
        problem: ProblemCode? = nil,
        serializer: SerializerKind? = .json,
        lane: Lane = .inline,
        bytes: (received: Int, sent: Int) = (0, 0),
        durations: StageDurations = StageDurations(),
        end: ConnectionEnd = .kept
    ) -> RequestRecord {
        RequestRecord(
            request: RequestRecord.Request(id: .made(1, 2), method: "POST", path: "/a\"b", endpoint: endpoint),
            response: RequestRecord.Response(
                status: status,
                problem: problem,
                serializer: serializer,
                lane: lane,
                sentBytes: bytes.sent
            ),
            receivedBytes: bytes.received,
            durations: durations,
            end: end,
            time: MonotonicTime(nanoseconds: 0)
        )
    }

    private struct Row: Equatable {
        var endpoint: String
        var status: String
        var serializer: String
        var code: String
        var requests: UInt64
    }

    private static func rows(_ counts: RequestCounts) -> [Row] {
        counts.requests.sorted.map { labels, requests in
            Row(
                endpoint: labels.endpoint,
                status: labels.status,
                serializer: labels.serializer,
                code: labels.code,
                requests: requests
            )
        }
    }

    // MARK: Labels

    @Test func `packing preserves every value of every label`() {
        for endpoint in Endpoint.allCases {
            for code in [nil] + ProblemCode.allCases.map(Optional.some) {
                for serializer in [nil] + SerializerKind.allCases.map(Optional.some) {
                    let labels = RequestLabels(endpoint: endpoint, status: 422, serializer: serializer, problem: code)
                    let values = [labels.endpoint, labels.status, labels.serializer, labels.code]
                    let expected = [
                        "\(endpoint.name)", "422", serializer?.rawValue ?? "none", code?.rawValue ?? "none",
                    ]
                    #expect(values == expected)
                }
            }
        }
    }

    @Test(arguments: [
        (nil, "none"), (100, "100"), (599, "599"), (99, "other"), (600, "other"), (0, "other"), (-1, "other"),
        (Int.max, "other"),
        (1_024, "other"),
    ])
    func `the status is a number, none or other`(status: Int?, label: String) {
        let labels = RequestLabels(endpoint: .none, status: status, serializer: nil, problem: nil)
        #expect([labels.endpoint, labels.status, labels.serializer, labels.code] == ["none", label, "none", "none"])
    }

    // MARK: Counts

    @Test func `requests are counted by endpoint, status, serializer and problem`() {
        let metrics = RequestMetrics()
        metrics.record(Self.record())
        metrics.record(Self.record(.none, status: nil, serializer: nil))
        metrics.record(Self.record(status: 422, problem: .jsonUnexpectedEnd, serializer: nil))
        metrics.record(Self.record())
        #expect(
            Self.rows(metrics.counts) == [
                Row(endpoint: "none", status: "none", serializer: "none", code: "none", requests: 1),
                Row(endpoint: "normalize", status: "422", serializer: "none", code: "json.unexpected_end", requests: 1),
                Row(endpoint: "normalize", status: "200", serializer: "json", code: "none", requests: 2),
            ]
        )
    }

    /// There are more combinations than initial buckets, and the keys differ in only a few bits.
    @Test func `a table that grows keeps every count`() {
        var table = RequestTable()
        var expected: [String: UInt64] = [:]
        for (index, code) in ProblemCode.allCases.enumerated() {
            for (offset, endpoint) in Endpoint.allCases.enumerated() {
                let labels = RequestLabels(endpoint: endpoint, status: 400, serializer: nil, problem: code)
                for _ in 0...1 { table.add(UInt64(index * 100 + offset), to: labels) }
                expected["\(endpoint.name) \(code.rawValue)"] = UInt64(index * 100 + offset) * 2
            }
        }
        let found = table.sorted.map { ("\($0.labels.endpoint) \($0.labels.code)", $0.requests) }
        #expect(Dictionary(uniqueKeysWithValues: found) == expected)
        #expect(table.count == expected.count)
    }

    @Test func `bytes, lanes and ends are counted`() {
        let metrics = RequestMetrics()
        for (count, lane) in zip(1..., Lane.allCases) {
            for _ in 0..<count { metrics.record(Self.record(lane: lane, bytes: (10, 1_000))) }
        }
        for (count, end) in zip(1..., ConnectionEnd.allCases) {
            for _ in 0..<count { metrics.record(Self.record(end: end)) }
        }
        let counts = metrics.counts
        #expect(counts.receivedBytes == 100 && counts.sentBytes == 10_000)
        #expect(Lane.allCases.map(counts.requests(on:)) == [1 + 21, 2, 3, 4])
        #expect(ConnectionEnd.allCases.map(counts.requests(endingWith:)) == [1 + 10, 2, 3, 4, 5, 6])
    }

    @Test func `durations are counted by endpoint and by stage, and stages that did not take place are not`() {
        let metrics = RequestMetrics()
        var durations = StageDurations()
        durations.receiving = 1
        durations.waitingForCompute = 10_001
        durations.waitingForWorker = 1_000_000
        durations.fetching = 2
        durations.decoding = 60_000_000_000
        durations.sending = 60_000_000_001
        durations.total = 250_000_000
        metrics.record(Self.record(.thumbnail, durations: durations))
        metrics.record(Self.record(.thumbnail))
        let counts = metrics.counts
        #expect(counts.durations(of: .thumbnail) == Self.histogram([0: 1, 13: 1], nanoseconds: 250_000_000))
        #expect(counts.durations(of: .normalize) == Self.histogram([:], nanoseconds: 0))
        #expect(
            RequestStage.allCases.map { counts.durations(of: $0) } == [
                Self.histogram([0: 1], nanoseconds: 1), Self.histogram([1: 1], nanoseconds: 10_001),
                Self.histogram([6: 1], nanoseconds: 1_000_000), Self.histogram([0: 1], nanoseconds: 2),
                Self.histogram([20: 1], nanoseconds: 60_000_000_000),
                Self.histogram([21: 1], nanoseconds: 60_000_000_001),
            ]
        )
    }

    private static func histogram(_ buckets: [Int: UInt64], nanoseconds: UInt64) -> DurationHistogram {
        DurationHistogram(buckets: (0..<DurationBuckets.count).map { buckets[$0] ?? 0 }, nanoseconds: nanoseconds)
    }

    @Test func `every bound belongs to its bucket, and the next nanosecond to the next one`() {
        #expect(DurationBuckets.count == DurationBuckets.bounds.count + 1)
        for (index, bound) in DurationBuckets.bounds.enumerated() {
            #expect(DurationBuckets.index(ofNanoseconds: bound) == index)
            #expect(DurationBuckets.index(ofNanoseconds: bound + 1) == index + 1)
        }
        #expect(DurationBuckets.index(ofNanoseconds: 0) == 0)
        #expect(DurationBuckets.index(ofNanoseconds: .max) == 21)
    }

    /// Each histogram and each count has its own cells.
    @Test func `no count is part of another`() {
        for endpoint in Endpoint.allCases {
            for end in ConnectionEnd.allCases {
                let metrics = RequestMetrics()
                var durations = StageDurations()
                durations.total = .max / 2
                metrics.record(Self.record(endpoint, lane: .pixels, bytes: (3, 4), durations: durations, end: end))
                let counts = metrics.counts
                #expect(counts.receivedBytes == 3 && counts.sentBytes == 4)
                #expect(Lane.allCases.map(counts.requests(on:)) == [0, 0, 0, 1])
                #expect(ConnectionEnd.allCases.filter { counts.requests(endingWith: $0) == 1 } == [end])
                #expect(Endpoint.allCases.filter { counts.durations(of: $0).nanoseconds == .max / 2 } == [endpoint])
                #expect(Endpoint.allCases.filter { counts.durations(of: $0).count == 1 } == [endpoint])
                #expect(RequestStage.allCases.allSatisfy { counts.durations(of: $0).count == 0 })
            }
        }
    }

    // MARK: Threads

    @Test func `the counts of all loops are added`() {
        let telemetry = Telemetry()
        for status in [200, 200, 404] {
            telemetry.makeLoopMetrics().record(Self.record(status: status, serializer: nil, bytes: (1, 2)))
        }
        let counts = telemetry.requestCounts
        #expect(Self.rows(counts).map(\.requests) == [2, 1])
        #expect(counts.receivedBytes == 3 && counts.sentBytes == 6)
        #expect(counts.durations(of: .normalize).count == 3)
    }

    @Test func `no request is lost or partially counted while the counts are read`() throws {
        let telemetry = Telemetry()
        let (loops, requests) = (3, 20_000)
        let running = Monitor(loops)
        let threads = try (0..<loops).map { loop in
            let metrics = telemetry.makeLoopMetrics()
            return try Platform.Thread {
                for request in 0..<requests {
                    // New combinations make the table grow during the test.
                    let problem = ProblemCode.allCases[request / 16 % ProblemCode.allCases.count]
                    let endpoint = Endpoint.allCases[loop]
                    metrics.record(Self.record(endpoint, status: 400, problem: problem, serializer: nil, bytes: (1, 1)))
                }
                running.change { $0 -= 1 }
            }
        }
        var last: UInt64 = 0
        repeat {
            let counts = telemetry.requestCounts
            let total = counts.requests.sorted.reduce(0) { $0 + $1.requests }
            let isWhole =
                total == counts.receivedBytes && total == counts.sentBytes && total == counts.requests(on: .inline)
                && total == Endpoint.allCases.reduce(0) { $0 + counts.durations(of: $1).count }
            #expect(isWhole && total >= last)
            last = total
        } while running.withLock { $0 > 0 }
        for thread in threads { thread.join() }
        #expect(telemetry.requestCounts.receivedBytes == UInt64(loops * requests))
        #expect(telemetry.requestCounts.requests.count == loops * ProblemCode.allCases.count)
    }
}

extension RequestMetrics {
    fileprivate var counts: RequestCounts {
        var counts = RequestCounts()
        add(to: &counts)
        return counts
    }
}
