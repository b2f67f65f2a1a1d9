internal import Fetching
internal import Platform

// The loop of the fetcher, on its only thread:
//
//     wait     for the service's socket, the sockets of lookups and transfers, and the earliest deadline
//     receive  commands: start, cancel, ping
//     resolve  names, and open the transfers whose addresses are known
//     perform  all transfers: libcurl's callbacks append frames to the outbox
//     end      transfers that are complete, or whose deadline has expired
//     send     the outbox; while it is long, transfers that receive content pause

/// All transfers of the process.
///
/// **Invariant.** A transfer that was started is in `transfers` until one frame `end` or `failed` with its identifier
/// is in the outbox, or until it was cancelled; no frame with its identifier follows. It waits for a lookup, belongs to
/// the set of libcurl, or has a failure whose time has not come. It is connected only to addresses that have passed the
/// rules, or to a proxy, and the address of the socket is checked again before it is connected. `contentBytes` is the
/// sum of all transfers. `TransferTests`, `GuardTests` and `FaultTests` check this.
final class FetcherLoop {
    let settings: FetcherSettings

    /// The time at which the last wait ended.
    private(set) var now = MonotonicTime.now

    /// The frames that have not been sent. Transfers append to it.
    var outbox = Outbox()

    /// The transfers that wait until the outbox is shorter. Transfers append to it.
    var pausedTransfers: [UInt64] = []

    private var control: ControlSocket
    private var reader: FetchFrameReader
    private let set: CurlSet
    private var pools: ConnectionPools
    private var resolver: Resolver
    private var transfers: [UInt64: Transfer] = [:]
    private var deadlines = DeadlineQueue()
    /// The length of the contents of all requests, in bytes.
    private var contentBytes = 0

    /// The maximum length of the contents of all requests together, in bytes. The memory of the process is limited.
    static let maxContentBytes = 2 * FetchStart.maxContentBytes

    /// The time after the start of a transfer before which no failure of a name is reported under `*`. Without it, a
    /// name with an address that is not allowed, which is perhaps remembered, could be told by time from one that does
    /// not exist.
    static let minLookupTime = Duration.milliseconds(500)

    init(_ settings: FetcherSettings, control: consuming ControlSocket, set: CurlSet) {
        self.settings = settings
        self.control = control
        self.set = set
        pools = ConnectionPools(set)
        reader = FetchFrameReader(receiving: .toFetcher, maxContentBytes: settings.maxContentBytes)
        resolver = Resolver(resolvConf: settings.resolvConf, hosts: settings.hosts)
    }

    /// Fetches until the service closes its socket.
    /// - Throws: An error of the service's frames.
    func run(sandbox: SandboxParts) throws(FetchFrameError) {
        outbox.append(.ready(sandbox: sandbox.rawValue))
        send()
        var watched: [WatchedDescriptor] = []
        while control.isOpen {
            watched.removeAll(keepingCapacity: true)
            watched.append(WatchedDescriptor(number: control.number, wantsRead: true, wantsWrite: !outbox.isEmpty))
            resolver.appendSockets(to: &watched)
            set.wait(&watched, until: min(deadlines.first, resolver.deadline(at: now)))
            now = .now

            if watched[0].isReadable { try receive() }
            for (id, outcome) in resolver.finished(watched, at: now) {
                if let transfer = transfers[id] { connect(transfer, outcome) }
            }
            set.perform()
            endTransfers()
            send()
        }
    }

    // MARK: Commands

    private func receive() throws(FetchFrameError) {
        control.receive(into: &reader)
        while let frame = try reader.next() {
            switch try FetchCommand(frame) {
            case .start(let id, let start):
                guard transfers[id] == nil else { throw .unexpected(.start) }
                self.start(id, start)
            case .cancel(let id):
                // The transfer may have ended while the command was on its way.
                if let transfer = transfers[id] { remove(transfer) }
            case .ping(let sequence): outbox.append(.pong(sequence: sequence))
            }
        }
    }

    private func start(_ id: UInt64, _ start: FetchStart) {
        let host = start.request.url.origin.host
        let proxy = settings.noProxy.contains(host) ? nil : settings.proxy
        let transfer = Transfer(id: id, start, proxy: proxy, owner: self)
        transfers[id] = transfer
        schedule(transfer)
        contentBytes += transfer.requestBytes
        guard contentBytes <= Self.maxContentBytes else {
            return fail(transfer, .connectFailed, in: .resolve, "the contents of all requests are too long")
        }
        if let address = host.address, let rejection = rejection(of: [address], for: transfer) {
            return fail(transfer, .addressNotAllowed, rejection)
        }
        if let address = transfer.peer.host.address {
            transfer.resolved(to: [address], wasLookedUp: false)
            connect(transfer)
        } else if case .name(let name) = transfer.peer.host, let outcome = resolver.resolve(name, for: id, at: now) {
            connect(transfer, outcome)
        }
    }

    // MARK: Connecting

    private func connect(_ transfer: Transfer, _ outcome: Resolver.Outcome) {
        switch outcome {
        case .failed(let words): failLookup(of: transfer, transfer.proxy == nil ? .resolveFailed : .proxyFailed, words)
        case .addresses(let addresses):
            if transfer.proxy == nil, let rejection = rejection(of: addresses, for: transfer) {
                if transfer.hidesAddresses, case .name(let name) = transfer.peer.host {
                    resolver.treatAsFailure(name, at: now)
                }
                return failLookup(of: transfer, .addressNotAllowed, rejection)
            }
            transfer.resolved(to: Resolver.ordered(addresses), wasLookedUp: true)
            connect(transfer)
        }
    }

    /// Ends a transfer whose name has no address, or one that is not allowed.
    private func failLookup(of transfer: Transfer, _ failure: FetchFailure, _ detail: String) {
        let time = transfer.beginning + Self.minLookupTime
        guard transfer.hidesAddresses, now < time else { return fail(transfer, failure, in: .resolve, detail) }
        transfer.pendingFailure = Transfer.PendingFailure(time: time, failure: failure, detail: detail)
        schedule(transfer)
    }

    /// Returns the reason why the rules do not permit each of the addresses.
    private func rejection(of addresses: [IPAddress], for transfer: Transfer) -> String? {
        for address in addresses {
            do throws(AddressRejection) {
                try settings.addresses.check(
                    address,
                    port: transfer.origin.port,
                    hostIsNamed: transfer.start.hostIsNamed
                )
            } catch { return "\(address): \(error)" }
        }
        return nil
    }

    /// Opens the transfer of libcurl.
    private func connect(_ transfer: Transfer) {
        guard let curl = pools.pool(of: transfer.start.partition)?.open(for: transfer) else {
            return fail(transfer, .connectFailed, in: .resolve, "no memory")
        }
        transfer.configure(curl, settings)
        transfer.curl = curl
        transfer.releaseContent()
        guard curl.begin() else { return fail(transfer, .connectFailed, in: .resolve, "no memory") }
    }

    /// Decides whether the connection of a transfer will be kept for further ones.
    func keepConnection(of transfer: Transfer) -> Bool { transfer.curl.map { pools.keepConnection(of: $0) } ?? false }

    // MARK: The end of transfers

    private func endTransfers() {
        while let result = set.nextResult() {
            let transfer = result.transfer
            if transfer.needsReconnection(after: result) {
                transfer.curl = nil
                transfer.prepareReconnection()
                connect(transfer)
            } else if let failure = transfer.failure(of: result) {
                fail(transfer, failure.failure, in: failure.phase, failure.detail)
            } else {
                let end = FetchEnd(contentBytes: transfer.contentBytes, timings: transfer.timings(result.progress))
                outbox.append(.end(id: transfer.id, end))
                remove(transfer)
            }
        }
        while let holder = deadlines.next(at: now) { holder.deadlineReached(at: now) }
    }

    func deadlineReached(for transfer: Transfer) {
        if let pending = transfer.pendingFailure, now >= pending.time {
            return fail(transfer, pending.failure, in: .resolve, pending.detail)
        }
        guard let expiry = transfer.check(at: now) else { return schedule(transfer) }
        let timeouts = transfer.start.timeouts
        switch expiry {
        case .resolve:
            let words = "no response of a DNS server in \(timeouts.resolve) ms"
            fail(transfer, transfer.proxy == nil ? .resolveFailed : .proxyFailed, words)
        case .connect:
            let isOrigin = transfer.reachesOrigin(transfer.curl?.progress)
            fail(transfer, isOrigin ? .timedOut : .proxyFailed, "not connected after \(timeouts.connect) ms")
        case .total: fail(transfer, .timedOut, "not complete after \(timeouts.total) ms")
        case .idle: fail(transfer, .timedOut, "no byte in \(timeouts.idle) ms")
        case .slow:
            let rate = transfer.start.slowestBytesPerSecond
            fail(transfer, .timedOut, "slower than \(rate) bytes per second")
        }
    }

    /// Adds a transfer to the queue of deadlines, or changes its deadline.
    func schedule(_ transfer: Transfer) {
        guard transfers[transfer.id] != nil else { return }
        deadlines.set(transfer, to: transfer.deadline)
    }

    private func fail(_ transfer: Transfer, _ failure: FetchFailure, in phase: FetchPhase? = nil, _ detail: String) {
        let progress = transfer.curl?.progress
        let report = FetchFailureReport(
            failure,
            in: phase ?? transfer.exactPhase(progress),
            timings: transfer.timings(progress),
            detail: detail
        )
        outbox.append(.failed(id: transfer.id, report))
        remove(transfer)
    }

    /// Ends a transfer without a frame. If it is not complete, its connection is closed.
    private func remove(_ transfer: Transfer) {
        if transfer.phase == .resolve, case .name(let name) = transfer.peer.host {
            resolver.cancel(transfer.id, name: name)
        }
        transfer.curl = nil
        contentBytes -= transfer.requestBytes
        deadlines.remove(transfer)
        transfers[transfer.id] = nil
    }

    // MARK: Sending

    private func send() {
        outbox.flush { control.send($0) }
        guard !pausedTransfers.isEmpty, outbox.count < Outbox.resumeBytes else { return }
        let paused = pausedTransfers
        pausedTransfers = []
        for id in paused { transfers[id]?.resume() }
    }
}
