import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tests that each exchange has exactly one record, however it ends.
@Suite(.timeLimit(.minutes(5))) struct RequestRecordTests {
    typealias Record = RecordedServer.Record

    private static func get(_ path: String, method: String = "GET", version: String = "1.1", fields: String = "")
        -> String
    {
        "\(method) \(path) HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n"
    }

    // MARK: Responses that are sent

    @Test(arguments: [
        (get("/abc"), Record(method: "GET", path: "/abc", status: 200, sent: 4, end: "kept")),
        (
            "POST /abc?d=e HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
            Record(method: "POST", path: "/abc", status: 200, received: 5, sent: 4, end: "kept")
        ),
        (
            "PUT /abc HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            Record(method: "PUT", path: "/abc", status: 200, received: 5, sent: 4, end: "kept")
        ),
        (get("/abc", method: "HEAD"), Record(method: "HEAD", path: "/abc", status: 200, end: "kept")),
        (
            get("/abc", fields: "Connection: close\r\n"),
            Record(method: "GET", path: "/abc", status: 200, sent: 4, end: "closed")
        ),
        (get("/abc", version: "1.0"), Record(method: "GET", path: "/abc", status: 200, sent: 4, end: "closed")),
        (
            get("/abc", version: "1.0", fields: "Connection: keep-alive\r\n"),
            Record(method: "GET", path: "/abc", status: 200, sent: 4, end: "kept")
        ),
        (
            get("/computed"),
            Record(method: "GET", path: "/computed", status: 200, lane: "compute", sent: 9, end: "kept")
        ),
        (get("/shared/3"), Record(method: "GET", path: "/shared/3", status: 200, sent: 18, end: "kept")),
        // Its Content-Length is that of a 200 (RFC 9110 §8.6).
        (get("/unmodified/3"), Record(method: "GET", path: "/unmodified/3", status: 304, end: "kept")),
        (get("/unmodified/3", method: "HEAD"), Record(method: "HEAD", path: "/unmodified/3", status: 304, end: "kept")),
        (get("/forged"), Record(method: "GET", path: "/forged", status: 200, end: "aborted")),
    ])
    func `one request has one record`(request: String, expected: Record) throws {
        let compute = try ComputeLane(threads: 1, maxWaiting: 1)
        let server = try RecordedServer(StepApplication(), lanes: Lanes(compute: compute))
        let client = try server.send(request)
        #expect(try server.next() == expected)
        if expected.end != "kept" { #expect(client.isClosed(within: 30)) }
        #expect(try server.stop() == [])
    }

    @Test func `pipelined requests have one record each, in their order`() throws {
        let compute = try ComputeLane(threads: 1, maxWaiting: 1)
        let server = try RecordedServer(StepApplication(), lanes: Lanes(compute: compute))
        let requests = ["/a", "/computed", "/large/9"].map { Self.get($0) }
        let client = try server.send(requests.joined() + Self.get("/b", fields: "Connection: close\r\n"))
        #expect(client.isClosed(within: 30))
        #expect(
            try server.stop() == [
                Record(method: "GET", path: "/a", status: 200, sent: 2, end: "kept"),
                Record(method: "GET", path: "/computed", status: 200, lane: "compute", sent: 9, end: "kept"),
                Record(method: "GET", path: "/large/9", status: 200, sent: 9, end: "kept"),
                Record(method: "GET", path: "/b", status: 200, sent: 2, end: "closed"),
            ]
        )
    }

    // MARK: Rejections

    /// The number of sent bytes is not compared, because it depends on the text of a problem.
    @Test(arguments: [
        (
            "GET / HTTP/1.1\r\n\r\n",
            Record(
                method: "",
                path: "",
                endpoint: "none",
                status: 400,
                code: "request.malformed_framing",
                end: "closed"
            )
        ),
        (
            "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
            Record(
                method: "",
                path: "",
                endpoint: "none",
                status: 505,
                code: "request.unsupported_version",
                end: "closed"
            )
        ),
        (
            "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
            Record(method: "", path: "", endpoint: "none", status: 414, code: "request.target_too_long", end: "closed")
        ),
        (
            "POST /v1/normalize HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n-\r\n",
            Record(
                method: "POST",
                path: "/v1/normalize",
                status: 400,
                code: "request.malformed_framing",
                received: 3,
                end: "closed"
            )
        ),
        (
            get("/nothing"),
            Record(
                method: "GET",
                path: "/nothing",
                endpoint: "none",
                status: 404,
                code: "request.not_found",
                end: "kept"
            )
        ),
        (
            get("/v1/normalize"),
            Record(method: "GET", path: "/v1/normalize", status: 405, code: "request.method_not_allowed", end: "kept")
        ),
        (
            "POST /v1/normalize HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n"
                + String(repeating: "x", count: 2_000),
            Record(
                method: "POST",
                path: "/v1/normalize",
                status: 413,
                code: "request.content_too_large",
                received: 2_000,
                end: "kept"
            )
        ),
    ])
    func `a rejected request has one record`(request: String, expected: Record) throws {
        let application = DecantApplication(readiness: Readiness(.ready))
        let server = try RecordedServer(application) { $0.content.maxBufferedBytes = 1_000 }
        let client = try server.send(request)
        let response = try client.readResponse()
        var record = try server.next()
        #expect(record.sent == response.content.count)
        record.sent = 0
        #expect(record == expected)
        #expect(try server.stop() == [])
    }

    @Test func `a request that waits too long in a queue has the record of its rejection`() throws {
        let application = StepApplication()
        let lanes = Lanes(compute: try ComputeLane(threads: 1, maxWaiting: 8))
        let server = try RecordedServer(application, lanes: lanes) { $0.timeouts.queue = .seconds(1) }
        let busy = try Self.occupy(server, application)
        let client = try server.send(Self.get("/computed"))
        let response = try client.readResponse()
        #expect(
            try server.next()
                == Record(
                    method: "GET",
                    path: "/computed",
                    status: 503,
                    lane: "compute",
                    sent: response.content.count,
                    end: "kept"
                )
        )
        #expect(server.durations.waitingForCompute >= 1_000_000_000)
        #expect(server.durations.sum <= server.durations.total)
        application.gate.open()
        #expect(try busy.readResponse().status == 200)
        #expect(
            try server.stop() == [
                Record(method: "GET", path: "/gated", status: 200, lane: "compute", sent: 6, end: "kept")
            ]
        )
    }

    /// Keeps the only thread of the compute lane busy.
    private static func occupy(_ server: RecordedServer, _ application: StepApplication) throws -> RawClient {
        let busy = try server.send(get("/gated"))
        #expect(eventually { application.gatedComputations == 1 })
        return busy
    }

    // MARK: Disconnected clients

    @Test(arguments: ["Content-Length: 10\r\n\r\nfour", "Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n1"])
    func `a client that disconnects while it sends content`(framing: String) throws {
        let server = try RecordedServer(StepApplication())
        let client = try server.send("POST /abc HTTP/1.1\r\nHost: a\r\n" + framing)
        client.endSending()
        #expect(
            try server.next() == Record(method: "POST", path: "/abc", received: 4, end: "client_gone")
        )
        #expect(try server.stop() == [])
    }

    @Test func `a client that disconnects while its request waits in a queue`() throws {
        let application = StepApplication()
        let lanes = Lanes(compute: try ComputeLane(threads: 1, maxWaiting: 8))
        let server = try RecordedServer(application, lanes: lanes)
        let busy = try Self.occupy(server, application)
        let client = try server.send(Self.get("/computed"))
        #expect(eventually { lanes.waitingJobs(for: .compute) == 1 })
        client.reset()
        #expect(try server.next() == Record(method: "GET", path: "/computed", end: "client_gone"))
        #expect(server.durations.waitingForCompute > 0)
        #expect(server.durations.sum <= server.durations.total)
        application.gate.open()
        _ = try busy.readResponse()
        #expect(try server.stop().map(\.path) == ["/gated"])
    }

    @Test func `a client that disconnects while its response is being sent`() throws {
        let server = try RecordedServer(StepApplication())
        let count = 32 << 20
        let client = try server.send(Self.get("/large/\(count)"), receiveBufferBytes: 4_096)
        _ = try client.readSome()
        client.reset()
        #expect(
            try server.next()
                == Record(method: "GET", path: "/large/\(count)", status: 200, sent: count, end: "client_gone")
        )
        #expect(try server.stop() == [])
    }

    // MARK: Time limits, and stopping

    @Test func `a client that sends content too slowly`() throws {
        let server = try RecordedServer(StepApplication()) { $0.timeouts.content = .milliseconds(50) }
        let client = try server.send("POST /abc HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nfour")
        #expect(try server.next() == Record(method: "POST", path: "/abc", received: 4, end: "timed_out"))
        #expect(client.isClosed(within: 30))
        #expect(try server.stop() == [])
    }

    @Test func `a client that receives its response too slowly`() throws {
        let path = "/large/33554432"
        let server = try RecordedServer(StepApplication()) {
            $0.timeouts.response = .milliseconds(50)
            $0.slowestBytesPerSecond = 1 << 30
        }
        let client = try server.send(Self.get(path), receiveBufferBytes: 4_096)
        var record = try server.next()
        record.sent = 0
        #expect(record == Record(method: "GET", path: path, status: 200, end: "timed_out"))
        #expect(try server.stop() == [])
        withExtendedLifetime(client) {}
    }

    /// A connection without a request has no record.
    @Test func `connections that are idle, or send a head too slowly`() throws {
        let server = try RecordedServer(StepApplication()) {
            $0.timeouts.head = .seconds(1)
            $0.timeouts.idle = .seconds(1)
        }
        let slow = try server.send("GET / HTTP/1.1\r\nHost")
        let idle = try server.send(Self.get("/abc"))
        #expect(try idle.readResponse().status == 200)
        for client in [slow, idle] { #expect(client.isClosed(within: 30)) }
        #expect(try server.stop() == [Record(method: "GET", path: "/abc", status: 200, sent: 4, end: "kept")])
    }

    @Test func `a server that stops`() throws {
        let application = StepApplication()
        let server = try RecordedServer(application)
        let clients = try [
            Self.get("/parked"), Self.get("/large/33554432"),
            "POST /abc HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nfour",
        ].map { try server.send($0, receiveBufferBytes: 4_096) }
        _ = try clients[1].readSome()
        #expect(eventually { application.parked.count == 1 && server.http.requestsInFlight == 3 })
        #expect(eventually { server.http.figures.contentBytes > 33_554_432 })
        #expect(
            try server.stop().sorted { $0.path < $1.path } == [
                Record(method: "POST", path: "/abc", received: 4, end: "stopped"),
                Record(method: "GET", path: "/large/33554432", status: 200, sent: 33_554_432, end: "stopped"),
                Record(method: "GET", path: "/parked", end: "stopped"),
            ]
        )
    }

    // MARK: Durations

    /// The computation and the sending begin in the same iteration of the loop.
    @Test func `the time for sending does not include the computation`() throws {
        let server = try RecordedServer(StepApplication())
        _ = try server.send(Self.get("/busy")).readResponse()
        #expect(try server.next().end == "kept")
        #expect(server.durations.decoding >= 2_000_000)
        #expect(server.durations.sending > 0)
        #expect(server.durations.sum <= server.durations.total)
    }

    @Test(arguments: ["/busy", "/computed", "/large/50000", "/abc"])
    func `the stages do not overlap, and their sum does not exceed the total time`(path: String) throws {
        let server = try RecordedServer(
            StepApplication(),
            lanes: Lanes(compute: try ComputeLane(threads: 1, maxWaiting: 1))
        )
        let client = try server.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
        // The content is received in a later iteration than the head.
        #expect(eventually { server.http.requestsInFlight == 1 })
        client.send("abc")
        _ = try client.readResponse()
        #expect(try server.next().end == "kept")
        let durations = server.durations
        #expect(durations.receiving > 0)
        #expect(durations.decoding >= (path == "/busy" ? 2_000_000 : 1))
        #expect((durations.waitingForCompute > 0) == (path == "/computed"))
        #expect(durations.sending > 0)
        #expect(durations.sum <= durations.total)
        #expect(try server.stop() == [])
    }
}
