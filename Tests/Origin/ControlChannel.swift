/// Commands for an origin in another process: one line per command, and one line per reply.
///
/// | command | reply |
/// |---|---|
/// | `release NAME`, `hold NAME` | `ok` |
/// | `requests [TARGET]`, `connections`, `open`, `peer-closed` | the number |
/// | `await-requests N SECONDS [TARGET]`, `await-holding N SECONDS NAME` | `true` or `false` |
/// | `await-peer-closed N SECONDS` | `true` or `false` |
/// | `ends` | for each connection `NUMBER REASON NANOSECONDS`, or `NUMBER open`, separated by commas |
/// | `head TARGET` | the head of the last recorded request, percent-encoded |
/// | `raw NAME BYTES` | `ok`; the bytes are percent-encoded |
/// | `pause`, `resume`, `reset-next N`, `close-connections` | `ok` |
/// | `dns NAME ANSWER…` | `ok`; an answer is `nxdomain`, `servfail`, `silence`, or addresses with commas |
/// | `dns-queries NAME`, `await-dns-queries N SECONDS NAME` | the number; `true` or `false` |
///
/// The reply to an invalid command begins with `error`.
public struct ControlChannel: Sendable {
    private let origin: Origin
    private let dns: DNSServer?

    public init(origin: Origin, dns: DNSServer? = nil) {
        (self.origin, self.dns) = (origin, dns)
    }

    /// Executes one command.
    public func reply(to line: String) -> String {
        let words = line.split(separator: " ").map(String.init)
        func text(_ index: Int) -> String { index < words.count ? words[index] : "" }
        func number(_ index: Int) -> Int { Int(text(index)) ?? 0 }
        func within(_ index: Int) -> Duration { .seconds(number(index)) }
        switch (words.first ?? "", words.count) {
        case ("release", 2): origin.release(text(1))
        case ("hold", 2): origin.hold(text(1))
        case ("requests", 1): return "\(origin.requestCount)"
        case ("requests", 2): return "\(origin.requests(for: text(1)))"
        case ("connections", 1): return "\(origin.connections.count)"
        case ("open", 1): return "\(origin.openConnectionCount)"
        case ("peer-closed", 1): return "\(origin.peerClosedCount)"
        case ("await-requests", 3): return "\(origin.awaitRequests(number(1), within: within(2)))"
        case ("await-requests", 4): return "\(origin.awaitRequests(number(1), for: text(3), within: within(2)))"
        case ("await-holding", 4): return "\(origin.awaitHolding(number(1), at: text(3), within: within(2)))"
        case ("await-peer-closed", 3): return "\(origin.awaitPeerClosed(number(1), within: within(2)))"
        case ("ends", 1): return origin.connections.map(Self.end).joined(separator: ",")
        case ("head", 2):
            let request = origin.recordedRequests.last { $0.target == text(1) }
            return Script.argument(String(decoding: request?.head ?? [], as: UTF8.self))
        case ("raw", 3):
            guard let bytes = PercentEncoding.decode(text(2)) else { return "error: \(line)" }
            origin.register(raw: text(1), bytes)
        case ("pause", 1): origin.pauseAccepting()
        case ("resume", 1): origin.resumeAccepting()
        case ("reset-next", 2): origin.resetNextConnections(number(1))
        case ("close-connections", 1): origin.closeConnections()
        case ("dns", 3...):
            guard let dns else { return "error: no DNS server" }
            dns.respond(to: text(1), with: words[2...].map { DNSServer.Answer(parsing: $0) })
        case ("dns-queries", 2): return "\(dns?.queries(for: text(1)) ?? 0)"
        case ("await-dns-queries", 4):
            return "\(dns?.awaitQueries(number(1), for: text(3), within: within(2)) ?? false)"
        default: return "error: \(line)"
        }
        return "ok"
    }

    private static func end(_ connection: ConnectionRecord) -> String {
        guard let end = connection.end else { return "\(connection.number) open" }
        return "\(connection.number) \(end.reason) \(end.time.nanoseconds)"
    }
}
