internal import Fetching
internal import Glibc
internal import Platform

// Resolves names for transfers: first with the hosts file, then with the DNS servers of resolv.conf.
//
// The C library's resolver blocks, and libcurl's threads with it cannot be cancelled. In Kubernetes, it also appends a
// search list to public names, which turns them into names of the cluster. Here, each name is absolute.
//
// All transfers that need a name at the same time share one lookup. It ends with its last transfer. Names are
// independent: a silent server delays only the names that it is asked for. Results are used for 30 s, failures for 1 s.

/// The names that are being resolved, and the results that are remembered. Used by one thread.
struct Resolver {
    typealias Outcome = Lookup.Outcome

    /// The time for which addresses are used.
    static let addressLifetime = Duration.seconds(30)

    /// The time for which a failure is used.
    static let failureLifetime = Duration.seconds(1)

    /// The maximum number of results that are remembered. Beyond it, all are forgotten.
    static let maxResults = 4_096

    private struct Pending {
        let lookup: Lookup
        var transfers: [UInt64]
        /// The sockets of the lookup in the list of ``appendSockets(to:)``.
        var sockets = 0..<0
    }

    private struct Result {
        let outcome: Outcome
        let end: MonotonicTime
    }

    private var resolvConf: WatchedFile<ResolvConf>
    private var hosts: WatchedFile<HostsFile>
    private var pending: [String: Pending] = [:]
    private var results: [String: Result] = [:]
    private var nextCheck = MonotonicTime(nanoseconds: 0)

    init(resolvConf: String, hosts: String) {
        self.resolvConf = WatchedFile(resolvConf, maxBytes: ResolvConf.maxBytes, parse: ResolvConf.init(parsing:))
        // A machine without a hosts file has no static addresses.
        self.hosts = WatchedFile(
            hosts,
            maxBytes: HostsFile.maxBytes,
            absent: HostsFile(),
            parse: HostsFile.init(parsing:)
        )
    }

    /// Returns what is known about a name; otherwise ``finished(_:at:)`` reports it for the transfer.
    mutating func resolve(_ name: String, for transfer: UInt64, at now: MonotonicTime) -> Outcome? {
        if let result = results[name], result.end > now, !filesHaveChanged(at: now) { return result.outcome }
        if pending[name] != nil {
            pending[name]?.transfers.append(transfer)
            return nil
        }
        let servers: [String]
        do throws(ReadError) {
            let hosts = try hosts.read()
            let configuration = try resolvConf.read()
            if hosts.hasChanged || configuration.hasChanged { results = [:] }
            let addresses = hosts.content.addresses(of: name)
            if !addresses.isEmpty { return remember(.addresses(addresses), of: name, at: now) }
            servers = configuration.content.servers
        } catch { return remember(.failed("\(error)"), of: name, at: now) }
        guard !servers.isEmpty else { return remember(.failed("resolv.conf names no server"), of: name, at: now) }
        guard let lookup = Lookup(name, servers: servers) else {
            return remember(.failed("the lookup cannot be started"), of: name, at: now)
        }
        pending[name] = Pending(lookup: lookup, transfers: [transfer])
        return nil
    }

    /// Forgets all results if a file has changed. Looks at the files once per second.
    private mutating func filesHaveChanged(at now: MonotonicTime) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = now + .seconds(1)
        // A file that cannot be read is reported by the next lookup.
        let hosts = try? hosts.read()
        let configuration = try? resolvConf.read()
        guard hosts?.hasChanged == true || configuration?.hasChanged == true else { return false }
        results = [:]
        return true
    }

    private mutating func remember(_ outcome: Outcome, of name: String, at now: MonotonicTime) -> Outcome {
        if results.count >= Self.maxResults { results = [:] }
        let lifetime =
            switch outcome {
            case .addresses: Self.addressLifetime
            case .failed: Self.failureLifetime
            }
        results[name] = Result(outcome: outcome, end: now + lifetime)
        return outcome
    }

    /// Remembers the addresses of a name no longer than a failure, because the caller must not tell one from the other.
    mutating func treatAsFailure(_ name: String, at now: MonotonicTime) {
        guard let result = results[name] else { return }
        results[name] = Result(outcome: result.outcome, end: min(result.end, now + Self.failureLifetime))
    }

    /// Ends the interest of a transfer in a name.
    mutating func cancel(_ transfer: UInt64, name: String) {
        guard pending[name] != nil else { return }
        pending[name]?.transfers.removeAll { $0 == transfer }
        if pending[name]?.transfers.isEmpty == true { pending[name] = nil }
    }

    /// Appends the sockets of all lookups.
    mutating func appendSockets(to watched: inout [WatchedDescriptor]) {
        for (name, entry) in pending {
            let start = watched.count
            entry.lookup.appendSockets(to: &watched)
            pending[name]?.sockets = start..<watched.count
        }
    }

    /// Returns the time at which ``finished(_:at:)`` must be called.
    func deadline(at now: MonotonicTime) -> MonotonicTime {
        pending.values.reduce(.never) { min($0, $1.lookup.deadline(at: now)) }
    }

    /// Makes progress with all lookups, and returns the transfers whose name is resolved.
    /// - Parameter watched: The list that ``appendSockets(to:)`` has extended, after the wait.
    mutating func finished(
        _ watched: [WatchedDescriptor],
        at now: MonotonicTime
    ) -> [(transfer: UInt64, outcome: Outcome)] {
        var finished: [(transfer: UInt64, outcome: Outcome)] = []
        for (name, entry) in pending {
            entry.lookup.process(watched[entry.sockets])
            pending[name]?.sockets = 0..<0
            guard let outcome = entry.lookup.outcome(at: now) else { continue }
            pending[name] = nil
            _ = remember(outcome, of: name, at: now)
            finished += entry.transfers.map { ($0, outcome) }
        }
        return finished
    }
}

extension Resolver {
    /// Returns addresses in the order in which they are tried: IPv6 first, if this machine has a route to the Internet
    /// with it (RFC 6724 §6, simplified), and at most ``maxTried`` of each version.
    static func ordered(_ addresses: [IPAddress]) -> [IPAddress] {
        var v4: [IPAddress] = []
        var v6: [IPAddress] = []
        for address in addresses {
            switch address {
            case .v4: if v4.count < maxTried { v4.append(address) }
            case .v6: if v6.count < maxTried { v6.append(address) }
            }
        }
        guard !v4.isEmpty, !v6.isEmpty else { return v4 + v6 }
        return hasRouteForIPv6 ? v6 + v4 : v4 + v6
    }

    private static let maxTried = 8

    /// Whether the kernel has a route to a public IPv6 address. Connecting a datagram socket sends nothing.
    private static var hasRouteForIPv6: Bool {
        let number = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        defer { close(number) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(53).bigEndian
        // 2000::1, which is in the block of all global addresses.
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
            unsafe bytes[0] = 0x20
            unsafe bytes[15] = 1
        }
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        // One address of the given size, which outlives the call.
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe connect(number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), size) == 0
        }
    }
}
