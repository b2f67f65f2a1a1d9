import FuzzOracles
import Glibc

@testable import Service

/// Sends one stream in pieces while it receives, and compares the responses with the expected ones.
///
/// It never blocks: ``run(_:)`` waits for several clients at the same time.
final class StreamClient {
    /// The time at which the client closes its sending side.
    enum Ending: CaseIterable {
        /// After the last byte, while responses are outstanding.
        case afterSending
        /// After the last byte, and before anything is received, so that the server cannot send all of its responses
        /// before.
        case beforeReceiving
        /// After the last response.
        case afterResponses
    }

    /// The seed and the stream, for messages.
    let label: String

    private let descriptor: Int32
    private let ending: Ending
    private var pieces: ArraySlice<ArraySlice<UInt8>>
    private var expected: ArraySlice<ExpectedResponse>
    private let allowsContinueAtEnd: Bool
    private var received: [UInt8] = []
    private var offset = 0
    private var isContinued = false
    private var hasEndedSending = false
    private(set) var isDone = false
    /// The first difference from the expected responses.
    private(set) var difference: String?

    init(
        port: UInt16,
        _ stream: [UInt8],
        _ cuts: StreamCuts,
        _ model: ModelRequestStream,
        _ ending: Ending,
        label: String
    ) throws(ClientError) {
        self.label = label
        self.ending = ending
        pieces = cuts.pieces(of: stream)[...]
        expected = model.expectedResponses[...]
        allowsContinueAtEnd = model.end == .incomplete && (model.unfinished?.awaitsContinue ?? false)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        // Each piece is sent in a separate segment.
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw .system("connect", errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Runs all clients to their end. Fails if none of them makes progress for 20 s.
    static func run(_ clients: [StreamClient]) {
        while true {
            let open = clients.filter { !$0.isDone }
            guard !open.isEmpty else { return }
            var events = open.map { pollfd(fd: $0.descriptor, events: $0.interest, revents: 0) }
            guard poll(&events, nfds_t(events.count), 20_000) > 0 else {
                for client in open { client.difference = "nothing arrives for 20 s" }
                return
            }
            for (client, event) in zip(open, events) where event.revents != 0 {
                if Int32(event.revents) & POLLOUT != 0 { client.sendPiece() }
                if Int32(event.revents) & ~POLLOUT != 0 { client.receive() }
            }
        }
    }

    private var interest: Int16 {
        let isReceiving = ending != .beforeReceiving || hasEndedSending
        let isSending = !hasEndedSending && (!pieces.isEmpty || mayEnd)
        return (isReceiving ? Int16(POLLIN) : 0) | (isSending ? Int16(POLLOUT) : 0)
    }

    /// Whether the client may close its side after everything has been sent.
    private var mayEnd: Bool { ending != .afterResponses || expected.isEmpty }

    // MARK: Sending

    private func sendPiece() {
        guard let piece = pieces.first else { return endSending() }
        let count = piece.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        guard count >= 0 else {
            // The server has closed the connection. Its responses can still be received.
            if errno != EAGAIN { hasEndedSending = true }
            return
        }
        pieces[pieces.startIndex] = piece.dropFirst(count)
        if pieces.first?.isEmpty == true { pieces.removeFirst() }
        if pieces.isEmpty, mayEnd { endSending() }
    }

    private func endSending() {
        hasEndedSending = true
        shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: Receiving

    private func receive() {
        let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { received += buffer[..<count] }
            return count
        }
        if count < 0, errno == EAGAIN { return }
        while difference == nil, readResponse() {}
        if difference != nil {
            isDone = true
        } else if count <= 0 {
            isDone = true
            let rest = received[offset...]
            if !expected.isEmpty {
                let reason = count < 0 ? "the connection is reset" : "the connection is closed"
                difference = "\(reason) before \(expected.count) responses: \(Array(rest).escaped(max: 500))"
            } else if !rest.isEmpty {
                difference = "bytes follow the last response: \(Array(rest).escaped(max: 500))"
            }
        }
    }

    /// Reads one response, if it is complete.
    private func readResponse() -> Bool {
        guard offset < received.count, let head = ResponseHead(in: received, at: offset) else { return false }
        if head.status == 100 {
            let mayContinue = expected.first?.mayContinue ?? allowsContinueAtEnd
            if isContinued || !mayContinue { difference = "a 100 that nobody waits for" }
            isContinued = true
            offset = head.end
            return true
        }
        guard let response = expected.first else {
            difference = "a response follows the last one: \(Array(received[offset...]).escaped(max: 500))"
            return false
        }
        let contentBytes = response.isToHead ? 0 : head.contentBytes
        guard received.count >= head.end + contentBytes else { return false }
        let content = received[head.end..<(head.end + contentBytes)]
        if head.status != response.status || head.contentBytes != response.content.count
            || (!response.isToHead && content != response.content[...]) || (response.closes && !head.closes)
        {
            difference =
                "expected \(response.status)\(response.closes ? " and close" : "") "
                + response.content.escaped(max: 1_000)
                + ", received \(Array(received[offset..<(head.end + contentBytes)]).escaped(max: 1_000))"
        }
        expected.removeFirst()
        isContinued = false
        offset = head.end + contentBytes
        if offset > 1 << 16 {
            received.removeFirst(offset)
            offset = 0
        }
        return true
    }
}

/// The parts of the head of a response that a client needs.
private struct ResponseHead {
    var status: Int
    var contentBytes = 0
    var closes = false
    /// The offset of the content.
    var end: Int

    /// - Returns: `nil` if the head is not complete.
    init?(in bytes: [UInt8], at start: Int) {
        var end = start
        repeat {
            guard let lineFeed = bytes[end...].firstIndex(of: 10) else { return nil }
            end = lineFeed + 1
        } while !(end - start >= 4 && bytes[(end - 4)..<end].elementsEqual([13, 10, 13, 10]))
        self.end = end
        let lines = String(decoding: bytes[start..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0
        for line in lines {
            if line.hasPrefix("content-length: ") { contentBytes = Int(line.dropFirst(16)) ?? 0 }
            if line == "connection: close" { closes = true }
        }
    }
}
