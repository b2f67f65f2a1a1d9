import Flights
import Foundation
import Logging
import Platform
import Serialization
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

@Suite struct MetricsEndpointTests {
    /// Returns the metrics of an application with all sources, and with pools whose workers cannot start.
    private static func application(_ configure: (inout MetricsSources) -> Void = { _ in }) throws -> DecantApplication
    {
        var configuration = WorkerConfiguration()
        // A process that exists for a moment would have memory.
        configuration.executable = "/dev/null/no-program"
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let telemetry = Telemetry()
        telemetry.observeServer {
            ServerFigures(
                requestsInFlight: 1,
                connections: ServerFigures.Connections(
                    open: 2,
                    accepted: 3,
                    rejected: 4,
                    evicted: 15,
                    acceptFailures: 5
                ),
                contentBytes: 6,
                maxContentBytes: 7
            )
        }
        var process = ProcessFigures()
        process.processorNanoseconds = 1_230_000_000
        process.memory = ProcessMemory(virtualBytes: 9, residentBytes: 8)
        process.openFiles = 10
        process.maxOpenFiles = 11
        process.startNanoseconds = 12
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"profiles":[]}"#, to: "profiles.json")
        let tokens = try folder.write(TokenFile.text([TokenFile.prometheus]), to: "tokens.json")
        let keys = try folder.write(TokenFile.signingKeys, to: "keys")
        let credentials = try folder.write(#"{"credentials":[]}"#, to: "credentials.json")
        var sources = MetricsSources(
            telemetry: telemetry,
            waitingForCompute: { 13 },
            droppedLogLines: { 14 },
            profiles: try ProfileRegistry(path: path, limits: Limits()),
            fetching: MetricsSources.Fetching(
                metrics: FetchMetrics(),
                cache: ResponseCache(CacheSettings()),
                credentials: try ReloadableFile(path: credentials, read: CredentialsReader.read)
            ),
            process: { [process] in process }
        )
        configure(&sources)
        return DecantApplication(
            readiness: Readiness(.ready),
            workers: try WorkerPool(configuration, log: log),
            factWorkers: try WorkerPool(configuration, log: log),
            access: try AccessControl(tokensPath: tokens, signingKeysPath: keys),
            metrics: sources
        )
    }

    static func metrics(of application: DecantApplication) throws -> MetricsText {
        let response = try LocalExchange(
            "GET",
            "/metrics",
            fields: [("Authorization", "Bearer prometheus-secret")],
            to: application
        )
        #expect(response.status == 200)
        return try MetricsText(parsing: response.content)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `the response is text that must not be cached`(method: String) throws {
        let response = try LocalExchange(method, "/metrics?x=1", to: DecantApplication(readiness: Readiness(.ready)))
        #expect(response.status == 200)
        #expect(
            response.fields
                == HeaderFields([
                    .noStore, .init(name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8"),
                ])
        )
    }

    @Test func `another method is rejected`() throws {
        let response = try LocalExchange("POST", "/metrics", to: DecantApplication(readiness: Readiness(.ready)))
        #expect(response.status == 405 && response.fields.combined("Allow") == "GET, HEAD")
    }

    @Test func `every metric is printed once, with its type and help`() throws {
        let families = try Self.metrics(of: Self.application()).families
        let printed = families.map { [$0.name, $0.kind, $0.help] }.sorted { $0[0] < $1[0] }
        let expected = Metric.allCases.map { [$0.rawValue, $0.kind.rawValue, $0.help] }.sorted { $0[0] < $1[0] }
        #expect(printed == expected)
    }

    @Test func `names follow the conventions of Prometheus`() {
        for metric in Metric.allCases {
            #expect(metric.rawValue.hasSuffix("_total") == (metric.kind == .counter))
            #expect(metric.rawValue.hasPrefix("decant_") || metric.rawValue.hasPrefix("process_"))
            #expect(metric.help.hasSuffix(".") && !metric.help.contains("\n"))
        }
        #expect(Set(Metric.allCases.map(\.help)).count == Metric.allCases.count)
    }

    private static let figures: [(name: String, labels: [String: String], value: String)] = [
        ("decant_requests_in_flight", [:], "1"), ("decant_connections_open", [:], "2"),
        ("decant_connections_accepted_total", [:], "3"),
        ("decant_connections_rejected_total", ["reason": "address_limit"], "4"),
        ("decant_connections_evicted_total", [:], "15"),
        ("decant_accept_failures_total", [:], "5"),
        ("decant_content_memory_bytes", [:], "6"), ("decant_content_memory_max_bytes", [:], "7"),
        ("process_resident_memory_bytes", [:], "8"), ("process_virtual_memory_bytes", [:], "9"),
        ("process_open_fds", [:], "10"), ("process_max_fds", [:], "11"),
        ("process_start_time_seconds", [:], "0.000000012"),
        ("process_cpu_seconds_total", [:], "1.23"), ("decant_lane_waiting", ["lane": "compute"], "13"),
        ("decant_lane_waiting", ["lane": "isolated"], "0"), ("decant_log_lines_dropped_total", [:], "14"),
        ("decant_ready", [:], "1"), ("decant_lane_waiting", ["lane": "facts"], "0"),
        ("decant_workers", ["lane": "isolated", "state": "idle"], "0"),
        ("decant_workers", ["lane": "facts", "state": "busy"], "0"),
        ("decant_worker_restarts_total", ["lane": "isolated", "reason": "decode_time"], "0"),
        ("decant_worker_sandbox", ["lane": "isolated", "state": "unknown"], "1"),
        ("decant_worker_sandbox", ["lane": "facts", "state": "full"], "0"),
        ("decant_worker_resident_memory_bytes", ["lane": "facts"], "0"),
    ]

    @Test(arguments: figures)
    func `each figure is printed in its metric`(name: String, labels: [String: String], value: String) throws {
        #expect(try Self.metrics(of: Self.application()).value(name, labels) == value)
    }

    @Test func `requests are printed with all their labels, and only endpoints in use have durations`() throws {
        let telemetry = Telemetry()
        let loop = telemetry.makeLoopMetrics()
        var durations = StageDurations()
        (durations.total, durations.decoding) = (30_000, 10_000)
        loop.record(RequestMetricsTests.record(bytes: (20, 30), durations: durations))
        loop.record(RequestMetricsTests.record(.none, status: 404, problem: .notFound, serializer: nil, end: .closed))
        let metrics = try Self.metrics(of: Self.application { $0.telemetry = telemetry })
        let requests = metrics.families.first { $0.name == "decant_requests_total" }
        #expect(
            requests?.samples.map { $0.labels.map { "\($0.name)=\($0.value)" }.joined(separator: " ") + " " + $0.value }
                == [
                    "endpoint=none status=404 serializer=none code=request.not_found 1",
                    "endpoint=normalize status=200 serializer=json code=none 1",
                ]
        )
        let endpoints = metrics.families.first { $0.name == "decant_request_duration_seconds" }?.samples
            .filter { $0.name.hasSuffix("_count") }.map { $0.labels.map(\.value).joined() + " " + $0.value }
        #expect(endpoints == ["none 1", "normalize 1"])
        #expect(metrics.value("decant_request_duration_seconds_sum", ["endpoint": "normalize"]) == "0.00003")
        #expect(metrics.value("decant_stage_duration_seconds_count", ["stage": "decode"]) == "1")
        #expect(metrics.value("decant_stage_duration_seconds_count", ["stage": "compute_queue"]) == "0")
        #expect(metrics.value("decant_received_content_bytes_total") == "20")
        #expect(metrics.value("decant_sent_content_bytes_total") == "30")
        #expect(metrics.value("decant_exchange_ends_total", ["end": "closed"]) == "1")
        #expect(metrics.value("decant_lane_requests_total", ["lane": "inline"]) == "2")
    }

    /// The path and the method of a record contain text of the client.
    @Test func `no text of a client is printed`() throws {
        let telemetry = Telemetry()
        telemetry.makeLoopMetrics().record(RequestMetricsTests.record())
        let application = DecantApplication(readiness: Readiness(.ready), metrics: MetricsSources(telemetry: telemetry))
        let text = try LocalExchange("GET", "/metrics", to: application).content
        #expect(!text.contains("a\"b") && !text.contains("POST"))
    }

    @Test func `an application without sources prints its version and whether it is ready`() throws {
        let readiness = Readiness(.draining)
        let metrics = try Self.metrics(of: DecantApplication(readiness: readiness))
        #expect(metrics.families.map(\.name) == ["decant_build_info", "decant_ready"])
        let labels = metrics.families[0].samples[0].labels
        #expect(labels.map(\.name) == ["version", "libmicrohttpd"])
        #expect(labels[0].value == decantVersion && labels[1].value.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
        #expect(metrics.value("decant_ready") == "0")
        readiness.state = .ready
        #expect(try Self.metrics(of: DecantApplication(readiness: readiness)).value("decant_ready") == "1")
    }

    @Test func `metrics are printed while the compute lane is full`() throws {
        let gate = Gate()
        let lane = try ComputeLane(threads: 1, maxWaiting: 1)
        defer { gate.open() }
        #expect(lane.submit { gate.pass() } != nil)
        #expect(eventually { lane.waitingJobs == 0 })
        #expect(lane.submit {} != nil)
        #expect(lane.submit {} == nil)
        let metrics = try Self.metrics(of: Self.application { $0.waitingForCompute = { lane.waitingJobs } })
        #expect(metrics.value("decant_lane_waiting", ["lane": "compute"]) == "1")
    }

    @Test func `the documentation lists every metric, and no other`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let text = try String(contentsOf: root.appending(path: "docs/monitoring.md"), encoding: .utf8)
        let section = try #require(text.firstMatch(of: /(?m)^## Metrics\n(?<text>(?s:.*?))(?=^## |\z)/)).output.text
        let listed = section.matches(of: /(?m)^\| `(?<name>[a-z_]+)`/).map { String($0.output.name) }
        #expect(listed == Metric.allCases.map(\.rawValue))
        let values =
            [Endpoint.allCases.map { "\($0.name)" }, RequestStage.allCases.map { "\($0.name)" }]
            + [Lane.allCases.map { "\($0.name)" }, ConnectionEnd.allCases.map { "\($0.name)" }]
            + [WorkerEndReason.allCases.map(\.rawValue), WorkerPool.Status.Sandbox.allCases.map(\.rawValue)]
        #expect(values.joined().filter { !section.contains("`\($0)`") } == [])
    }
}
