import Foundation
import Glibc
import Platform
import Serialization
import Synchronization
import Testing

@testable import Service

/// Tests streams and shared buffers as clients receive them.
@Suite struct ResponseStreamTests {
    @Test(arguments: [0, 1, 9_999, 10_000, 10_001, 1_000_000, 5_000_003])
    func `a stream is chunked for HTTP/1.1, and its connection stays open`(count: Int) throws {
        let server = try StepServer()
        let client = try server.get("/generated/\(count)")
        let answer = try client.readAnswer()
        #expect(answer.fields["transfer-encoding"] == "chunked")
        #expect(answer.fields["content-length"] == nil)
        #expect(answer.content == StepApplication.bytes(0..<count))
        client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readAnswer().text == "/next")
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n"])
    func `a stream ends with the connection for HTTP/1.0`(fields: String) throws {
        let server = try StepServer()
        let message = try server.get("/generated/300000", version: "1.0", fields: fields).readToEndBytes()
        let head = try #require(message.firstRange(of: [13, 10, 13, 10]))
        #expect(
            !String(decoding: message[..<head.lowerBound], as: UTF8.self).lowercased().contains("transfer-encoding")
        )
        #expect(Array(message[head.upperBound...]) == StepApplication.bytes(0..<300_000))
    }

    /// The library would send the last chunk, which the client would interpret as the beginning of the next response.
    @Test(arguments: ["1.0", "1.1"]) func `HEAD receives no byte of a stream, and its producer is released`(
        version: String
    ) throws {
        let server = try StepServer()
        let client = try server.get("/open", method: "HEAD", version: version)
        let text = try client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("Connection: close\r\n"))
        #expect(!text.contains("Content-Length"))
        // The text is not compared with the last chunk: `Server-Timing` at the end of the head may end with 0, too.
        #expect(text.components(separatedBy: "\r\n\r\n").dropFirst() == [""])
        #expect(eventually { server.application.openStreams.first?.isGone == true })
        let generated = try server.get("/generated/1000000", method: "HEAD")
        #expect(try generated.readToEnd().components(separatedBy: "\r\n\r\n").dropFirst() == [""])
        #expect(eventually { server.http.requestsInFlight == 0 })
    }

    @Test func `pipelined requests receive their responses in order, whatever form the content has`() throws {
        let server = try StepServer()
        let paths = ["/generated/500000", "/a", "/shared/5", "/generated/3", "/shared/100", "/shared/0", "/b"]
        let client = try server.get(paths[0])
        client.send(paths.dropFirst().map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        client.endSending()
        #expect(try client.readAnswer().content == StepApplication.bytes(0..<500_000))
        #expect(try client.readAnswer().text == "/a")
        #expect(try client.readAnswer().text == "buffer 0 buffer 1 buffer 3 buffer 4 ")
        #expect(try client.readAnswer().content == StepApplication.bytes(0..<3))
        #expect(
            try client.readAnswer().text == (0..<100).filter { $0 != 2 }.map { "buffer \($0) " }.joined()
        )
        #expect(try client.readAnswer().text == "")
        #expect(try client.readAnswer().text == "/b")
        #expect(client.isClosed(within: 30))
    }

    @Test func `content arrives as it is appended, and not later`() throws {
        let server = try StepServer()
        let client = try server.get("/open")
        #expect(eventually { server.application.openStreams.count == 1 })
        let stream = server.application.openStreams[0]
        var received = String(decoding: try client.readSome(), as: UTF8.self)
        #expect(received.hasSuffix("\r\n\r\n"))
        for round in 0..<20 {
            #expect(stream.append(SharedBytes(Array("piece \(round)".utf8))))
            received = ""
            while !received.contains("piece \(round)\r\n") {
                received += String(decoding: try client.readSome(), as: UTF8.self)
            }
        }
        stream.finish()
        #expect(try client.readSome() == Array("0\r\n\r\n".utf8))
        stream.append(SharedBytes([1]))
        stream.fail()
        client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readAnswer().text == "/next")
    }

    @Test func `a stream that fails closes its connection without the last chunk`() throws {
        let server = try StepServer()
        let text = try server.get("/failing/50000").readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(!text.hasSuffix("0\r\n\r\n"))
        #expect(eventually { server.http.requestsInFlight == 0 })
    }

    // MARK: Memory and time

    /// `DECANT_STREAM_BYTES=1000000000` sets the size of the stream.
    @Test func `the memory of a stream with a slow reader does not exceed the window`() throws {
        let server = try StepServer()
        let count = environmentNumber("DECANT_STREAM_BYTES") ?? 20_000_000
        let client = try server.get("/generated/\(count)", receiveBufferBytes: 4_096)
        #expect(eventually { server.application.maxHeldBytes >= ResponseStream.windowBytes })
        var received = 0
        while received < count { received += try client.readSome().count }
        #expect(server.application.maxHeldBytes <= ResponseStream.windowBytes + StepApplication.pieceBytes)
        #expect(eventually { server.http.bufferedBytes == 0 })
    }

    @Test func `the window of a stream is charged to the memory for content until the client disconnects`() throws {
        let server = try StepServer { $0.maxBufferedBytes = 64 << 20 }
        let client = try server.get("/open", receiveBufferBytes: 4_096)
        #expect(eventually { server.application.openStreams.count == 1 })
        let stream = server.application.openStreams[0]
        // The piece is larger than the buffers of both sockets.
        stream.append(SharedBytes([UInt8](repeating: 1, count: 16 << 20)))
        #expect(eventually { server.http.bufferedBytes > 0 && server.http.bufferedBytes == stream.heldBytes })
        client.reset()
        #expect(eventually { stream.isGone })
        #expect(eventually { server.http.bufferedBytes == 0 })
        #expect(!stream.append(SharedBytes([1])))
        #expect(stream.heldBytes == 0)
    }

    @Test func `a client that stops reading a stream is disconnected, and its producer is notified`() throws {
        let server = try StepServer {
            $0.responseTimeout = .milliseconds(300)
            $0.slowestBytesPerSecond = 1 << 30
        }
        let client = try server.get("/open", receiveBufferBytes: 4_096)
        #expect(eventually { server.application.openStreams.count == 1 })
        let stream = server.application.openStreams[0]
        stream.append(SharedBytes([UInt8](repeating: 1, count: 32 << 20)))
        let isTold = Atomic<Bool>(false)
        stream.whenWritable { isTold.store(true, ordering: .relaxed) }
        #expect(eventually { isTold.load(ordering: .relaxed) })
        #expect(stream.isGone)
        #expect(eventually { server.http.requestsInFlight == 0 })
        withExtendedLifetime(client) {}
    }

    /// The time during which the producer has nothing to send does not count.
    @Test func `a stream without content outlasts every time limit`() throws {
        let server = try StepServer {
            $0.responseTimeout = .milliseconds(50)
            $0.idleTimeout = .milliseconds(50)
            $0.headTimeout = .milliseconds(50)
        }
        let client = try server.get("/open")
        _ = try client.readSome()
        #expect(client.staysSilent(for: 0.3))
        let stream = server.application.openStreams[0]
        for round in 0..<5 {
            stream.append(SharedBytes(Array("\(round)".utf8)))
            #expect(try client.readSome() == Array("1\r\n\(round)\r\n".utf8))
            #expect(client.staysSilent(for: 0.1))
        }
        stream.finish()
        #expect(try client.readSome() == Array("0\r\n\r\n".utf8))
    }

    /// A loop that polled the streams would execute thousands of iterations.
    @Test func `streams that have nothing to send use no processor time`() throws {
        let application = StepApplication()
        let context = ExchangeContext(
            configuration: HTTPServerConfiguration(),
            application: application,
            lanes: Lanes()
        )
        let loop = try ConnectionLoop(context: context)
        try loop.start()
        defer { loop.finish() }
        let clients = try (0..<100).map { _ in try LoopClient(of: loop) }
        for client in clients { client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n") }
        let start = MonotonicTime.now
        while application.openStreams.count < clients.count, MonotonicTime.now < start + .seconds(30) {
            loop.turn(until: .now + .milliseconds(10))
        }
        // The loop completes the work that remains after the heads.
        for _ in 0..<10 { loop.turn(until: .now) }
        var turns = 0
        let end = MonotonicTime.now + .milliseconds(300)
        while MonotonicTime.now < end {
            loop.turn(until: end)
            turns += 1
        }
        #expect(turns <= 10)
        for stream in application.openStreams { stream.finish() }
        while loop.requestCount > 0, MonotonicTime.now < end + .seconds(30) {
            loop.turn(until: .now + .milliseconds(10))
        }
        #expect(loop.requestCount == 0)
    }

    /// Executes iterations of a loop until `condition` is true, or for 30 s.
    private static func turn(_ loop: ConnectionLoop, until condition: () -> Bool) -> Bool {
        let end = MonotonicTime.now + .seconds(30)
        while !condition(), MonotonicTime.now < end { loop.turn(until: .now + .milliseconds(10)) }
        return condition()
    }

    private static func makeLoop(
        _ application: StepApplication,
        _ configure: (inout HTTPServerConfiguration) -> Void
    ) throws -> ConnectionLoop {
        var configuration = HTTPServerConfiguration()
        configure(&configuration)
        let context = ExchangeContext(configuration: configuration, application: application, lanes: Lanes())
        let loop = try ConnectionLoop(context: context)
        try loop.start()
        return loop
    }

    /// The previous response may have filled the buffers of the connection.
    @Test func `a client that does not receive the head of a stream is disconnected`() throws {
        let application = StepApplication()
        let loop = try Self.makeLoop(application) { $0.responseTimeout = .milliseconds(50) }
        defer { loop.finish() }
        let client = try LoopClient(of: loop)
        client.stopReceiving()
        client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(Self.turn(loop) { application.openStreams.count == 1 })
        #expect(Self.turn(loop) { loop.requestCount == 0 })
        #expect(application.openStreams[0].isGone)
    }

    @Test func `a client that does not receive the last chunk of a stream is disconnected`() throws {
        let application = StepApplication()
        let loop = try Self.makeLoop(application) { $0.responseTimeout = .milliseconds(50) }
        defer { loop.finish() }
        let client = try LoopClient(of: loop)
        client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(Self.turn(loop) { application.openStreams.count == 1 })
        for _ in 0..<10 { loop.turn(until: .now) }
        client.stopReceiving()
        application.openStreams[0].finish()
        #expect(Self.turn(loop) { loop.requestCount == 0 })
    }

    // MARK: Disconnected clients, and stopping

    /// The piece was appended after the client had disconnected, and before its loop detected this.
    @Test func `a piece that is appended after the client has disconnected is not sent`() throws {
        let application = StepApplication()
        let loop = try Self.makeLoop(application) { $0.halfCloseGrace = .zero }
        defer { loop.finish() }
        let client = try LoopClient(of: loop)
        client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(Self.turn(loop) { application.openStreams.count == 1 })
        for _ in 0..<10 { loop.turn(until: .now) }
        client.stopReceiving()
        client.endSending()
        application.openStreams[0].append(SharedBytes([UInt8](repeating: 1, count: 100_000)))
        for _ in 0..<10 { loop.turn(until: .now) }
        #expect(application.openStreams[0].isGone)
        #expect(loop.requestCount == 0)
    }

    @Test func `a stream is closed if its client disconnected before the response`() throws {
        let server = try StepServer()
        let client = try server.get("/parked")
        #expect(eventually { server.application.parked.count == 1 })
        let parked = server.application.parked[0]
        client.reset()
        #expect(eventually { parked.isGone })
        let stream = ResponseStream()
        parked.deliver(StepApplication.response(stream))
        #expect(stream.isGone)
    }

    /// The producer refers to its stream, and the stream refers to a waiting producer.
    @Test func `a producer is released without a call if its client disconnected before the response`() throws {
        final class Token: Sendable {}
        weak var released: Token?
        let calls = Atomic<Int>(0)
        let server = try StepServer()
        func follow() throws {
            let client = try server.get("/parked")
            #expect(eventually { server.application.parked.count == 1 })
            client.reset()
            #expect(eventually { server.application.parked[0].isGone })
            let token = Token()
            released = token
            let head = StepApplication.response("")
            let piece = SharedBytes([UInt8](repeating: 1, count: 1_000))
            let step = Step.stream(head) { stream in
                calls.add(1, ordering: .relaxed)
                stream.append(piece)
                return withExtendedLifetime(token) { .more }
            }
            server.lanes.follow(step, for: server.application.parked[0])
        }
        try follow()
        #expect(eventually { released == nil })
        let count = calls.load(ordering: .relaxed)
        #expect(count == 0)
    }

    @Test func `a stream that was delivered while its loop ended is closed`() throws {
        let application = StepApplication()
        let loop = try Self.makeLoop(application) { _ in }
        let client = try LoopClient(of: loop)
        client.send("GET /parked HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(Self.turn(loop) { application.parked.count == 1 })
        for _ in 0..<10 { loop.turn(until: .now) }
        let stream = ResponseStream()
        application.parked[0].deliver(StepApplication.response(stream))
        loop.finish()
        #expect(stream.isGone)
        #expect(loop.requestCount == 0)
    }

    @Test func `a stream that was delivered and not sent, because the client had disconnected, is closed`() throws {
        let application = StepApplication()
        let loop = try Self.makeLoop(application) { _ in }
        defer { loop.finish() }
        let client = try LoopClient(of: loop)
        client.send("GET /parked HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(Self.turn(loop) { application.parked.count == 1 })
        for _ in 0..<10 { loop.turn(until: .now) }
        let stream = ResponseStream()
        client.disconnect()
        application.parked[0].deliver(StepApplication.response(stream))
        #expect(Self.turn(loop) { loop.requestCount == 0 })
        #expect(stream.isGone)
    }

    @Test(arguments: [true, false]) func `a stream that waits for content ends when the client disconnects`(
        isReset: Bool
    )
        throws
    {
        let server = try StepServer { $0.halfCloseGrace = .zero }
        let client = try server.get("/open")
        _ = try client.readSome()
        isReset ? client.reset() : client.endSending()
        #expect(eventually { server.application.openStreams[0].isGone })
        #expect(eventually { server.http.requestsInFlight == 0 })
    }

    @Test func `a half-closed client receives its stream to the end`() throws {
        let server = try StepServer { $0.halfCloseGrace = .seconds(600) }
        let client = try server.get("/generated/2000000")
        client.endSending()
        #expect(try client.readAnswer().content == StepApplication.bytes(0..<2_000_000))
        #expect(client.isClosed(within: 30))
    }

    @Test func `stopping the server ends waiting and full streams`() throws {
        let server = try StepServer()
        let clients = try (0..<6).map {
            try server.get($0 % 2 == 0 ? "/open" : "/generated/1000000000", receiveBufferBytes: 4_096)
        }
        for client in clients { _ = try client.readSome() }
        #expect(!server.http.drain(within: .milliseconds(100)))
        #expect(server.application.openStreams.allSatisfy { $0.isGone })
        for client in clients { #expect(client.isClosed(within: 30)) }
    }
}

/// Returns the number in an environment variable; `nil` if there is none.
private func environmentNumber(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
}
