import Glibc

/// A TCP client that sends given bytes unchanged, and reads responses.
///
/// @unchecked Sendable: a test uses each client on one thread at a time.
final class RawClient: @unchecked Sendable {
    private let descriptor: Int32
    private let peer: AnyObject?
    private var unread: [UInt8] = []

    /// Connects to a port of this machine.
    /// - Parameters:
    ///   - receiveBufferBytes: the size of the receive buffer. If it is small, the server cannot send much until the
    ///     client reads.
    ///   - peer: an object that is kept alive as long as the client.
    init(port: UInt16, host: String = "127.0.0.1", receiveBufferBytes: Int32? = nil, peer: AnyObject? = nil)
        throws(ClientError)
    {
        self.peer = peer
        let family = host.contains(":") ? AF_INET6 : AF_INET
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        if let receiveBufferBytes { set(SO_RCVBUF, SOL_SOCKET, receiveBufferBytes) }
        // Each piece is sent in a separate segment.
        set(TCP_NODELAY, Int32(IPPROTO_TCP), 1)
        guard connect(family: family, host: host, port: port) == 0 else { throw .system("connect", errno) }
    }

    deinit {
        close(descriptor)
    }

    // MARK: Sending

    /// Sends all of `text`. It is not an error if the peer has closed the connection: a response that it has sent
    /// before can still be read.
    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends all of `bytes`.
    /// - Returns: whether all bytes were sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// Sends `text` in pieces of one byte, which the server usually receives separately.
    func sendByteByByte(_ text: String) {
        for byte in text.utf8 {
            send([byte])
            usleep(100)
        }
    }

    /// Closes the sending side. Responses can still be read.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends one byte of urgent data (tcp(7)).
    func sendUrgent() {
        var byte = UInt8(ascii: "!")
        Glibc.send(descriptor, &byte, 1, Int32(MSG_OOB) | Int32(MSG_NOSIGNAL))
    }

    /// Resets the connection. Bytes that have not been delivered are lost.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        // The descriptor, which `deinit` closes, is replaced with another file.
        let null = open("/dev/null", O_RDONLY)
        dup2(null, descriptor)
        close(null)
    }

    // MARK: Receiving

    /// Reads one response: its head, and the content that `Content-Length` or its chunks specify.
    /// - Parameter isToHead: whether the response is to a HEAD request, and therefore has no content.
    func readResponse(isToHead: Bool = false, within seconds: Double = 60) throws(ClientError) -> ReceivedResponse {
        let deadline = now() + seconds
        while true {
            if let response = ReceivedResponse(taking: &unread, isToHead: isToHead) { return response }
            guard try fill(before: deadline) else { throw .closed(after: String(decoding: unread, as: UTF8.self)) }
        }
    }

    /// Reads until the server closes the connection.
    func readToEnd(within seconds: Double = 60) throws(ClientError) -> String {
        String(decoding: try readToEndBytes(within: seconds), as: UTF8.self)
    }

    /// Reads until the server closes the connection.
    func readToEndBytes(within seconds: Double = 60) throws(ClientError) -> [UInt8] {
        let deadline = now() + seconds
        do throws(ClientError) {
            while try fill(before: deadline) {}
        } catch .reset {
            // The bytes that were received before the reset are returned.
        }
        defer { unread = [] }
        return unread
    }

    /// Reads at least one byte, and at most 64 KiB.
    /// - Returns: the received bytes, including those that an earlier call received; empty at the end of the stream.
    func readSome(within seconds: Double = 60) throws(ClientError) -> [UInt8] {
        if unread.isEmpty { _ = try fill(before: now() + seconds) }
        defer { unread = [] }
        return unread
    }

    /// Returns whether the server closes the connection within `seconds`. Bytes that it sends before are discarded.
    func isClosed(within seconds: Double) -> Bool {
        do throws(ClientError) {
            _ = try readToEnd(within: seconds)
            return true
        } catch {
            return error == .reset
        }
    }

    /// Returns whether nothing is received, and the connection remains open, for `seconds`.
    func staysSilent(for seconds: Double) -> Bool {
        do throws(ClientError) {
            _ = try fill(before: now() + seconds)
            return false
        } catch {
            return error == .timedOut && unread.isEmpty
        }
    }

    /// Whether bytes have been received that no call has returned, or the server has closed the connection.
    var hasReceived: Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !unread.isEmpty || poll(&event, 1, 0) > 0
    }

    /// Receives some bytes.
    /// - Returns: `false` at the end of the stream.
    private func fill(before deadline: Double) throws(ClientError) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let patience = Int32(max(0, (deadline - now()) * 1000))
        guard poll(&event, 1, patience) > 0 else { throw .timedOut }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count >= 0 else { throw errno == ECONNRESET ? .reset : .system("recv", errno) }
        unread += piece.prefix(count)
        return count > 0
    }

    // MARK: Steps

    private func set(_ option: Int32, _ level: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private func connect(family: Int32, host: String, port: UInt16) -> Int32 {
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(family)
            address.sin6_port = port.bigEndian
            inet_pton(family, host, &address.sin6_addr)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(family)
        address.sin_port = port.bigEndian
        inet_pton(family, host, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

enum ClientError: Error, Equatable {
    case timedOut
    case reset
    /// The stream ended before the response was complete.
    case closed(after: String)
    case system(String, Int32)
}

/// A received response.
struct ReceivedResponse: Equatable {
    var status: Int
    /// The fields; their names are in lower case.
    var fields: [String: String]
    var content: [UInt8]

    var text: String { String(decoding: content, as: UTF8.self) }

    /// Removes the first response from `bytes`. Returns `nil` if the response is incomplete.
    init?(taking bytes: inout [UInt8], isToHead: Bool) {
        guard let end = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: [13, 10, 13, 10]) }) else {
            return nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        fields = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst().drop { $0 == " " })
        }
        if fields["transfer-encoding"] == "chunked", !isToHead {
            guard let (content, size) = Self.chunks(of: bytes[(end + 4)...]) else { return nil }
            self.content = content
            bytes.removeFirst(end + 4 + size)
            return
        }
        let length = isToHead || status < 200 ? 0 : fields["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= end + 4 + length else { return nil }
        content = Array(bytes[(end + 4)..<(end + 4 + length)])
        bytes.removeFirst(end + 4 + length)
    }

    /// Returns the content of chunks (RFC 9112 §7.1), and their total size; `nil` if they are incomplete.
    private static func chunks(of bytes: ArraySlice<UInt8>) -> (content: [UInt8], size: Int)? {
        var content: [UInt8] = []
        var offset = bytes.startIndex
        while true {
            guard let end = bytes[offset...].firstIndex(of: 13) else { return nil }
            guard let count = Int(String(decoding: bytes[offset..<end], as: UTF8.self), radix: 16) else { return nil }
            let start = end + 2
            guard start + count + 2 <= bytes.endIndex else { return nil }
            content += bytes[start..<start + count]
            offset = start + count + 2
            if count == 0 { return (content, offset - bytes.startIndex) }
        }
    }
}
