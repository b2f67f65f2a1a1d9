import Fetching
import Glibc
import Origin
import TestSupport
import Testing

@testable import Fetcher

/// Origins that violate HTTP, are silent, or disappear.
@Suite struct FaultTests {
    private typealias Cause = TestFetcher.Cause

    private static let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"

    @Test(
        arguments: [
            "\(final)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
            "\(final)Content-Length: 3\r\n\r\nok", "\(final)Content-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok",
            "\(final)A: b\r\n c\r\n\r\nok", "\(final)A: b\n\r\nok", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "\(final)A b\r\n\r\nok", "\(final)A : b\r\n\r\nok", "\(final)A: b\u{1}c\r\n\r\nok",
            "\(final)A: b\0c\r\n\r\nok",
            "HTTP/3.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok",
            "this is HTTP/0.9", "SSH-2.0-OpenSSH_9.2\r\n", "\0\0\0\0\0\0\0\0",
        ]
    )
    func `a malformed head is a failure before anything of it is delivered`(response: String) throws {
        let origin = try Origin()
        origin.register(raw: "response", Array(response.utf8))
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/raw/response"))
        #expect(result.head == nil)
        #expect(result.cause == Cause(failure: .malformedResponse, phase: .head), "\(result)")
    }

    @Test(arguments: [
        "/extra-fields/400000", "/long-field/3000000", "/long-field/70000", "/long-field/200000",
        "/extra-fields/10000", "/interim/103/0",
    ])
    func `a head that is too long is a failure`(path: String) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url(path))
        #expect(result.cause == Cause(failure: .malformedResponse, phase: .head), "\(result)")
        #expect(try fetcher.residentBytes() < 60 << 20)
    }

    @Test(arguments: ["zz\r\nok\r\n", "2\r\nokay\r\n0\r\n\r\n", "-2\r\nok\r\n", "fffffffffffffffff\r\nok"])
    func `broken chunks are a failure of the content`(content: String) throws {
        let origin = try Origin()
        origin.register(raw: "response", Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(content)".utf8))
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/raw/response"))
        #expect(result.head?.status == 200)
        #expect(result.cause == Cause(failure: .malformedResponse, phase: .content), "\(result)")
    }

    @Test func `trailers are limited`() throws {
        let origin = try Origin()
        let trailers = String(repeating: "A: \(String(repeating: "x", count: 1_000))\r\n", count: 100)
        let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
        origin.register(raw: "short", Array("\(start)A: b\r\n\r\n".utf8))
        origin.register(raw: "long", Array("\(start)\(trailers)\r\n".utf8))
        let fetcher = try TestFetcher()
        let short = try fetcher.fetch(origin.url("/raw/short"))
        #expect(short.text == "ok" && short.end != nil)
        let long = try fetcher.fetch(origin.url("/raw/long"))
        #expect(long.cause == Cause(failure: .malformedResponse, phase: .content), "\(long)")
    }

    @Test(
        arguments: [
            ("/reset/before-head", .head), ("/end/before-head", .head), ("/reset/in-head", .head),
            ("/end/in-head", .head), ("/reset/in-content/content/1000", .content),
            ("/end/in-content/content/1000", .content), ("/end/in-content/chunked/10/content/1000", .content),
            ("/length/2000/content/1000/close", .content),
        ] as [(String, FetchPhase)]
    )
    func `a connection that ends early is lost`(path: String, phase: FetchPhase) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url(path))
        #expect(result.cause == Cause(failure: .connectionLost, phase: phase), "\(result)")
    }

    @Test func `content after its length is not delivered, and its connection is not used again`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/length/10/content/1000"))
        #expect(result.content == Script.pattern(10))
        #expect(result.end?.contentBytes == 10)
        #expect(try fetcher.fetch(origin.url("/json/3")).content == Script.json(3))
        #expect(origin.recordedRequests.map(\.connection) == [1, 2])
    }

    @Test func `a closed port is a failed connection`() throws {
        let result = try withClosedPort { try TestFetcher().fetch("http://127.0.0.1:\($0)/") }
        #expect(result.cause == Cause(failure: .connectFailed, phase: .connect), "\(result)")
    }

    // MARK: Silence

    @Test(
        arguments: [
            ("/hold/gate", .head), ("/interim/103/1/hold/gate", .head), ("/hold-content/gate/content/9", .content),
        ] as [(String, FetchPhase)]
    )
    func `a silent origin times out`(path: String, phase: FetchPhase) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        for limit in [\FetchStart.Timeouts.idle, \.total] {
            let result = try fetcher.fetch(origin.url(path)) { $0.timeouts[keyPath: limit] = 200 }
            #expect(result.cause == Cause(failure: .timedOut, phase: phase), "\(result)")
        }
        #expect(origin.awaitPeerClosed(2))
    }

    @Test func `an origin that does not accept connections times out in the head`() throws {
        let origin = try SilentListener()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch("http://127.0.0.1:\(origin.port)/") { $0.timeouts.idle = 200 }
        #expect(result.cause == Cause(failure: .timedOut, phase: .head), "\(result)")
    }

    @Test func `a TLS handshake without a response times out`() throws {
        let origin = try SilentListener()
        let fetcher = try TestFetcher()
        let url = "https://127.0.0.1:\(origin.port)/"
        let result = try fetcher.fetch(url) { $0.timeouts.connect = 200 }
        #expect(result.cause == Cause(failure: .timedOut, phase: .tls), "\(result)")
        #expect(result.failure?.timings.tls == nil)
    }

    @Test func `a connection without a response times out`() throws {
        let full = try SilentListener(isFull: true)
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch("http://127.0.0.1:\(full.port)/") { $0.timeouts.connect = 300 }
        #expect(result.cause == Cause(failure: .timedOut, phase: .connect), "\(result)")
    }

    @Test func `an origin that is slower than permitted times out after ten seconds`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/drip/1/20/content/100000")) { $0.slowestBytesPerSecond = 1_024 }
        #expect(result.cause == Cause(failure: .timedOut, phase: .content), "\(result)")
        #expect(result.failure?.detail == "slower than 1024 bytes per second")
        // After the idle timeout of thirty seconds, it would be noticed in any case.
        #expect(result.failure?.timings.transfer ?? .max < 25_000_000)
    }

    @Test func `an origin that drips does not end the total time`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/drip/1/20/content/100000")) { $0.timeouts.total = 500 }
        #expect(result.cause == Cause(failure: .timedOut, phase: .content), "\(result)")
    }
}

/// A listening socket from which no connection is accepted. If its queue is full, the system ignores further
/// connections.
private final class SilentListener {
    private let listener: LoopbackSocket
    private var clients: [Int32] = []

    var port: UInt16 { listener.port }

    init(isFull: Bool = false) throws {
        listener = try LoopbackSocket()
        guard listen(listener.descriptor, isFull ? 0 : 16) == 0 else { throw TestFetcher.Failure(words: "no listener") }
        // The queue has capacity for one connection more than its length; the rest waits for the handshake.
        for _ in 0..<(isFull ? 8 : 0) {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            clients.append(client)
            _ = withUnsafePointer(to: listener.address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    deinit {
        for client in clients { close(client) }
    }
}
