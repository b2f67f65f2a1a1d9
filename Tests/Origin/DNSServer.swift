import Glibc

/// A DNS server for tests, over UDP (RFC 1035). Its responses change by command, and a name without a response does not
/// exist.
///
/// Resolvers that read their configuration from `/etc/resolv.conf` expect port 53 (``init(onPort53:)``);
/// ``MountNamespace`` gives a program its own file.
public final class DNSServer: Sendable {
    public enum Answer: Sendable, Equatable {
        /// IPv4 and IPv6 addresses. A query for A receives the IPv4 addresses, and one for AAAA the IPv6 addresses.
        case addresses([String], timeToLive: UInt32 = 0)
        /// NXDOMAIN.
        case nameError
        /// SERVFAIL.
        case serverFailure
        /// No response.
        case silence

        /// The answer in a control channel: `nxdomain`, `servfail`, `silence`, or addresses with commas.
        public init(parsing text: some StringProtocol) {
            switch text {
            case "nxdomain": self = .nameError
            case "servfail": self = .serverFailure
            case "silence": self = .silence
            default: self = .addresses(String(text).split(separator: ",").map { String($0) })
            }
        }
    }

    private struct State {
        var isStopped = false
        var hasEnded = false
        var answers: [String: [Answer]] = [:]
        /// The numbers of queries by name and type.
        var counts: [String: [UInt16: Int]] = [:]
    }

    public let address: String
    public let port: UInt16
    private let state = Guarded(State())
    private let wakeUp: Int32

    /// Starts a server.
    /// - Parameter port: 0 for a free port.
    public init(address: String = "127.0.0.1", port: UInt16 = 0) throws(OriginError) {
        let socket = try Socket.listener(address: address, port: port, backlog: 0, kind: SOCK_DGRAM)
        self.address = address
        self.port = try Socket.port(of: socket)
        wakeUp = try Socket.event()
        let (state, wakeUp) = (state, wakeUp)
        try WorkerThread.start {
            Self.serve(socket, wakeUp, state)
            close(socket)
            state.change { $0.hasEnded = true }
        }
    }

    /// Starts a server on port 53 of a random loopback address, so that tests that run at the same time have separate
    /// servers.
    ///
    /// It requires root, `CAP_NET_BIND_SERVICE`, or `net.ipv4.ip_unprivileged_port_start` of at most 53.
    /// - Parameter attempts: the maximum number of addresses that are tried.
    public convenience init(onPort53 attempts: Int) throws(OriginError) {
        var address = Self.randomAddress()
        for _ in 1..<max(1, attempts) where !Self.isFree(address) { address = Self.randomAddress() }
        try self.init(address: address, port: 53)
    }

    private static func isFree(_ address: String) -> Bool {
        guard let socket = try? Socket.listener(address: address, port: 53, backlog: 0, kind: SOCK_DGRAM) else {
            return false
        }
        close(socket)
        return true
    }

    private static func randomAddress() -> String {
        "127.\(Int.random(in: 64..<255)).\(Int.random(in: 0..<256)).\(Int.random(in: 1..<255))"
    }

    deinit {
        stop()
        close(wakeUp)
    }

    /// Closes the socket. Queries receive no response any longer.
    public func stop() {
        state.change { $0.isStopped = true }
        Socket.signal(wakeUp)
        _ = state.wait(until: .now + .seconds(30)) { $0.hasEnded }
    }

    // MARK: Commands

    /// Sets the answers to queries for a name: the first query of each type receives the first one, and so on. The last
    /// one is repeated.
    public func respond(to name: String, with answers: Answer...) {
        respond(to: name, with: answers)
    }

    /// Sets the answers to queries for a name. The numbers of its queries begin at 0 again.
    public func respond(to name: String, with answers: [Answer]) {
        state.change { state in
            state.answers[name.lowercased()] = answers
            state.counts[name.lowercased()] = nil
        }
    }

    /// Returns the number of queries for a name since its answers were set.
    public func queries(for name: String) -> Int {
        state.read { $0.counts[name.lowercased(), default: [:]].values.reduce(0, +) }
    }

    /// Waits until at least `count` queries for a name have arrived.
    /// - Returns: whether they have by the deadline.
    public func awaitQueries(_ count: Int, for name: String, within time: Duration = .seconds(30)) -> Bool {
        state.wait(until: .now + time) { $0.counts[name.lowercased(), default: [:]].values.reduce(0, +) >= count }
    }

    // MARK: Service

    private static func serve(_ socket: Int32, _ wakeUp: Int32, _ state: Guarded<State>) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var events = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
            ]
            poll(&events, 2, -1)
            if state.read({ $0.isStopped }) { return }
            var peer = sockaddr_in6()
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutablePointer(to: &peer) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                    let count = recvfrom(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT), peer, &size)
                    guard count > 0, let response = response(to: Array(buffer[..<count]), state) else { return }
                    sendto(socket, response, response.count, 0, peer, size)
                }
            }
        }
    }

    private static let (ipv4, ipv6): (UInt16, UInt16) = (1, 28)

    /// Returns the response to a message; `nil` if there is none.
    private static func response(to query: [UInt8], _ state: Guarded<State>) -> [UInt8]? {
        guard let question = Question(query) else { return nil }
        let answer: Answer = state.change { state in
            let count = state.counts[question.name, default: [:]][question.type, default: 0]
            state.counts[question.name, default: [:]][question.type] = count + 1
            let answers = state.answers[question.name] ?? [.nameError]
            return answers.isEmpty ? .silence : answers[min(count, answers.count - 1)]
        }
        switch answer {
        case .silence: return nil
        case .nameError: return question.response(code: 3, query, records: [])
        case .serverFailure: return question.response(code: 2, query, records: [])
        case .addresses(let texts, let timeToLive):
            let records = texts.compactMap { text -> [UInt8]? in
                let type = text.contains(":") ? ipv6 : ipv4
                guard type == question.type else { return nil }
                return Question.record(type, timeToLive, bytes(of: text))
            }
            return question.response(code: 0, query, records: records)
        }
    }

    /// Returns the bytes of an address.
    private static func bytes(of address: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: address.contains(":") ? 16 : 4)
        let result = inet_pton(bytes.count == 16 ? AF_INET6 : AF_INET, address, &bytes)
        precondition(result == 1, "\(address) is not an address")
        return bytes
    }

    /// The question of a query (RFC 1035 §4.1.2).
    private struct Question {
        /// The name in lower case, without the last dot.
        let name: String
        let type: UInt16
        /// The bytes of the question.
        let bytes: ArraySlice<UInt8>

        init?(_ query: [UInt8]) {
            guard query.count > 12, query[4] == 0, query[5] == 1 else { return nil }
            var labels: [String] = []
            var offset = 12
            while offset < query.count, query[offset] > 0 {
                let end = offset + 1 + Int(query[offset])
                guard end < query.count else { return nil }
                labels.append(String(decoding: query[(offset + 1)..<end], as: UTF8.self).lowercased())
                offset = end
            }
            guard offset + 5 <= query.count else { return nil }
            name = labels.joined(separator: ".")
            type = UInt16(query[offset + 1]) << 8 | UInt16(query[offset + 2])
            bytes = query[12..<(offset + 5)]
        }

        /// Returns the response to this question, which is the only one of `query`.
        func response(code: UInt8, _ query: [UInt8], records: [[UInt8]]) -> [UInt8] {
            // Flags: response, recursion desired as in the query, recursion available.
            query[0..<2] + [0x80 | query[2] & 1, 0x80 | code] + [0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + bytes
                + records.joined()
        }

        /// Returns a record of class IN. Its name is a pointer to that of the question.
        static func record(_ type: UInt16, _ timeToLive: UInt32, _ data: [UInt8]) -> [UInt8] {
            [0xC0, 12, UInt8(type >> 8), UInt8(type & 0xFF), 0, 1]
                + (0..<4).map { UInt8(truncatingIfNeeded: timeToLive >> (24 - 8 * $0)) } + [0, UInt8(data.count)] + data
        }
    }
}
