import Glibc

@testable import Origin

/// A connection to an origin, which sends text and reads what it receives.
final class OriginClient {
    private let descriptor: Int32
    private var unread: [UInt8] = []

    init(_ origin: Origin) throws {
        descriptor = try Socket.connect(address: origin.address, port: origin.port)
    }

    init(port: UInt16) throws {
        descriptor = try Socket.connect(address: "127.0.0.1", port: port)
    }

    deinit {
        close(descriptor)
    }

    func get(_ target: String, method: String = "GET") {
        send("\(method) \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Resets the connection.
    func reset() {
        Socket.resetOnClose(descriptor)
        let null = open("/dev/null", O_RDONLY)
        dup2(null, descriptor)
        close(null)
    }

    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    enum End: Equatable {
        case closed
        case reset
        case timedOut
    }

    /// Reads up to the end of the stream.
    func readToEnd() -> (text: String, end: End) {
        while true {
            switch receive(within: .seconds(30)) {
            case nil: continue
            case let end?:
                defer { unread = [] }
                return (String(decoding: unread, as: UTF8.self), end)
            }
        }
    }

    struct Response: Equatable {
        /// The status line and the field lines.
        var lines: [String]
        var content: [UInt8]

        var status: Int { lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0 }
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// Reads a response whose size `Content-Length` specifies.
    /// - Returns: `nil` if the stream ends before, or 30 s pass.
    func readResponse(hasContent: Bool = true) -> Response? {
        while true {
            if let response = takeResponse(hasContent) { return response }
            if receive(within: .seconds(30)) != nil { return nil }
        }
    }

    private func takeResponse(_ hasContent: Bool) -> Response? {
        guard let end = unread.indices.first(where: { unread[$0...].starts(with: [13, 10, 13, 10]) }) else {
            return nil
        }
        let lines = String(decoding: unread[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        let count = hasContent ? length : 0
        guard unread.count >= end + 4 + count else { return nil }
        defer { unread.removeFirst(end + 4 + count) }
        return Response(lines: lines, content: Array(unread[(end + 4)..<(end + 4 + count)]))
    }

    /// Receives at least `count` bytes, which remain unread.
    /// - Returns: whether they arrive within 30 s.
    func awaitBytes(_ count: Int) -> Bool {
        while unread.count < count {
            if receive(within: .seconds(30)) != nil { return false }
        }
        return true
    }

    /// Whether bytes or the end of the stream have been received already.
    var hasReceived: Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !unread.isEmpty || poll(&event, 1, 0) > 0
    }

    /// Receives some bytes.
    /// - Returns: the reason if there are none.
    private func receive(within time: Duration) -> End? {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, (Moment.now + time).pollMilliseconds) > 0 else { return .timedOut }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return count == 0 ? .closed : .reset }
        unread += piece.prefix(count)
        return nil
    }
}
