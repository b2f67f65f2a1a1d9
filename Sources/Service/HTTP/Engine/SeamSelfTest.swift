internal import Glibc
internal import Platform
internal import Serialization

/// Checks at startup that the HTTP library of this system works with ``Connection``.
///
/// The program depends on two things that no manual guarantees: that the library reads from sockets with recv(2), which reaches
/// this program's function of that name, and that a suspended and resumed connection reads again after EINTR. Two pipelined requests
/// over a pair of sockets depend on both. If they are not answered as they must be, the process must not serve.
enum SeamSelfTest {
    /// - Throws: ``HTTPServerError/seamNotReached``, or what kept the test from running.
    static func run() throws(HTTPServerError) {
        var configuration = HTTPServerConfiguration()
        configuration.maxBufferedBytes = 1 << 20
        let context = ExchangeContext(configuration: configuration, application: Probe(), lanes: Lanes())
        let loop: ConnectionLoop
        var ends: (near: Int32, far: Int32) = (-1, -1)
        do throws(SystemError) {
            loop = try ConnectionLoop(context: context)
            ends = try socketPair()
        } catch {
            throw .system(error)
        }
        defer { close(ends.near) }
        try loop.start()
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(AF_UNIX)
        loop.add(
            AcceptedSocket(
                descriptor: ends.far,
                address: address,
                addressBytes: socklen_t(MemoryLayout<sockaddr_storage>.size)
            )
        )
        write(requests, to: ends.near)
        let received = responses(from: ends.near, loop)
        loop.finish()
        guard received == 2 else { throw .seamNotReached }
    }

    /// The second one has a field that only this program's parser accepts as it is: the library would take it apart.
    private static let requests: StaticString =
        "POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfirstPOST /second HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nsecond"

    /// The number of responses that have the content of their request, in order.
    private static func responses(from descriptor: Int32, _ loop: ConnectionLoop) -> Int {
        let end = MonotonicTime.now + .seconds(5)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while MonotonicTime.now < end {
            loop.turn(until: .now + .milliseconds(10))
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // As many bytes are written as there are.
                unsafe recvfrom(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), nil, nil)
            }
            if count > 0 { received += buffer[..<count] }
            let text = String(decoding: received, as: UTF8.self)
            let parts = text.split(separator: "HTTP/1.1 200", omittingEmptySubsequences: true)
            if parts.count == 2, parts[0].hasSuffix("\r\n\r\n/first first"),
                parts[1].hasSuffix("\r\n\r\n/second second")
            {
                return 2
            }
        }
        return 0
    }

    private static func write(_ text: StaticString, to descriptor: Int32) {
        // The literal has that many bytes.
        _ = unsafe send(descriptor, text.utf8Start, text.utf8CodeUnitCount, Int32(MSG_NOSIGNAL))
    }

    private static func socketPair() throws(SystemError) -> (near: Int32, far: Int32) {
        var ends: [Int32] = [-1, -1]
        // Two descriptors are written.
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemError("create a pair of sockets")
        }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Responds with the path and the content.
    private struct Probe: Application {
        func plan(for head: borrowing RequestHead) -> Plan {
            let path = head.target.path
            return .accept(maxContentBytes: 1_024) { content in
                var response = OutputBuffer(Array(path.utf8) + [0x20])
                response.append(content)
                return Response(status: 200, contentType: nil, content: response)
            }
        }

        func refuse(_ refusal: TransportRefusal, requestID: RequestID) -> Response {
            Response(status: 400, contentType: nil, content: OutputBuffer())
        }
    }
}
