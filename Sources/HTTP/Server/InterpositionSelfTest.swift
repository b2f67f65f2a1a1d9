internal import Glibc
internal import Platform
internal import Primitives

/// Checks at startup that the HTTP library of this system works with ``Connection``.
///
/// The program depends on behavior of the library that is not documented: that it reads from sockets with recv(2), a
/// call that is redirected to this program, and how it reads a connection that was suspended and resumed. The test
/// sends pipelined requests over a socket pair, one of which is responded to in a later iteration, and closes the
/// client's side. If the responses are not as expected, the process must not serve.
package enum InterpositionSelfTest {
    /// - Throws: ``HTTPServerError/receiveNotInterposed``, or the reason why the test could not run.
    package static func run() throws(HTTPServerError) {
        let configuration = HTTPServerConfiguration(
            address: "",
            port: 0,
            threads: 1,
            connections: .init(max: 2, maxPerAddress: 0, backlog: 1),
            content: .init(maxBufferedBytes: 1 << 20, gzipAboveBytes: 0),
            timeouts: .init(
                head: .seconds(10),
                content: .seconds(10),
                response: .seconds(10),
                queue: .seconds(10),
                idle: .seconds(10),
                halfCloseGrace: .seconds(1)
            )
        )
        let context = ExchangeContext(configuration: configuration, application: Probe(), lanes: CallingThread())
        let loop: ConnectionLoop
        do throws(SystemError) {
            loop = try ConnectionLoop(context: context)
        } catch { throw .system(error) }
        let oldest = try SocketPair()
        let tested = try SocketPair()
        try loop.start()
        // The library treats its oldest connection differently.
        loop.add(oldest.takeServerEnd())
        loop.add(tested.takeServerEnd())
        tested.client.send(requests)
        shutdown(tested.client.number, Int32(SHUT_WR))
        let isCorrect = isCorrect(tested.client, loop)
        loop.finish()
        guard isCorrect else { throw .receiveNotInterposed }
    }

    private static let requests: StaticString = """
        POST /inline HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1\
        POST /lane HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n2\
        POST /inline HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n3
        """

    /// Returns whether all three responses arrive, followed by the end of the stream.
    private static func isCorrect(_ client: borrowing FileDescriptor, _ loop: ConnectionLoop) -> Bool {
        let end = MonotonicTime.now + .seconds(5)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while MonotonicTime.now < end {
            loop.runOnce(until: .now + .milliseconds(10))
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // At most `buffer.count` bytes are written.
                unsafe recvfrom(client.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), nil, nil)
            }
            if count > 0 { received += buffer[..<count] }
            if count == 0 { break }
        }
        let responses = String(decoding: received, as: UTF8.self).split(separator: "HTTP/1.1 200")
        return responses.count == 3 && responses[0].hasSuffix("\r\n\r\n/inline 1")
            && responses[1].hasSuffix("\r\n\r\n/lane 2") && responses[2].hasSuffix("\r\n\r\n/inline 3")
    }

    /// An application that responds with the path and the content.
    private struct Probe: Application {
        func plan(for head: borrowing RequestHead) -> Plan {
            let path = head.target.path
            let decision = Plan.Decision.accept(maxContentBytes: 1_024) {
                (content, takeOwnership) throws(RejectionReason) in
                guard path == "/lane" else { return .done(Self.response(path, content)) }
                let content = try takeOwnership()
                return .next(on: .compute { .done(content.withBytes { Self.response(path, $0) }) })
            }
            return Plan(note: ApplicationNote(), decision: decision)
        }

        func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
            Response(status: 400, contentType: nil, content: OutputBuffer())
        }

        private static func response(_ path: String, _ content: Span<UInt8>) -> Response {
            var response = OutputBuffer(Array(path.utf8) + [0x20])
            response.append(content)
            return Response(status: 200, contentType: nil, content: response)
        }
    }

    /// Executes all steps on the thread of the loop.
    private struct CallingThread: LaneScheduler {
        func waitingJobs(for lane: Lane) -> Int { 0 }

        func begin(_ step: consuming Step, for parked: ParkedConnection) {
            switch consume step {
            case .done(let response): parked.deliver(response)
            case .next(on: .compute(let next)): begin(next(), for: parked)
            case .next(on: .factsStep): preconditionFailure("the test has no such step")
            case .next(on: .pixelsStep): preconditionFailure("the test has no such step")
            case .park(let begin): begin(parked)
            }
        }

        func stop() {}
    }

    /// A connected pair of sockets: one of the client, and one of the server.
    private struct SocketPair: ~Copyable {
        let client: FileDescriptor
        private let server: Int32

        init() throws(HTTPServerError) {
            var ends: [Int32] = [-1, -1]
            // Two descriptors are written.
            guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
                throw .system(SystemError("create a pair of sockets"))
            }
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            client = FileDescriptor(owning: ends[0], name: "client")
            server = ends[1]
        }

        /// The server's socket, which the loop closes.
        func takeServerEnd() -> AcceptedSocket {
            var address = sockaddr_storage()
            address.ss_family = sa_family_t(AF_UNIX)
            return AcceptedSocket(
                descriptor: server,
                address: address,
                addressBytes: socklen_t(MemoryLayout<sockaddr_storage>.size)
            )
        }
    }
}

extension FileDescriptor {
    fileprivate func send(_ text: StaticString) {
        // The literal has this many bytes.
        _ = unsafe Glibc.send(number, text.utf8Start, text.utf8CodeUnitCount, Int32(MSG_NOSIGNAL))
    }
}
