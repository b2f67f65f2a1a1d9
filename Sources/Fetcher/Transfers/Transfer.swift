internal import Fetching
internal import Platform

// One transfer, from its `start` frame to its last frame.
//
//     resolve ─► connect, tls ─► head ─► content ─► end
//
// A failure in any phase, a timeout, or a `cancel` frame ends it. libcurl's callbacks record what was received; the
// transfer is ended outside of them.

/// One transfer.
final class Transfer {
    let id: UInt64
    private(set) var start: FetchStart
    /// The length of the content of the request, in bytes.
    let requestBytes: Int
    private unowned let owner: FetcherLoop
    let beginning: MonotonicTime

    var heapIndex = -1

    /// The phase that ends next. TLS is not distinguished from connecting: libcurl knows.
    private(set) var phase = FetchPhase.resolve { didSet { owner.schedule(self) } }
    private(set) var pace: Pace
    /// The end of the permitted time for resolving.
    let resolveDeadline: MonotonicTime
    let totalDeadline: MonotonicTime
    private var connectDeadline = MonotonicTime.never

    /// The addresses to which this transfer may be connected, in the order in which they are tried. They have been
    /// checked.
    private(set) var addresses: [IPAddress] = []
    /// The proxy through which the request is made, whose addresses these are; `nil` for a direct connection.
    let proxy: FetchProxy?
    /// Whether an idle connection has been rejected, so that the transfer uses one of its own.
    private(set) var isReconnection = false

    /// A failure that is reported later.
    struct PendingFailure {
        let time: MonotonicTime
        let failure: FetchFailure
        let detail: String
    }

    /// The failure of the name, which is known, and not reported yet.
    var pendingFailure: PendingFailure?

    /// Whether the caller must not learn which names have addresses that are not allowed.
    var hidesAddresses: Bool {
        guard !start.hostIsNamed, proxy == nil, case .name = origin.host else { return false }
        return true
    }

    /// The transfer of libcurl; `nil` before the connection.
    var curl: CurlTransfer?
    private(set) var resolveMicroseconds: UInt64?
    private var reader = HeadReader()
    private(set) var contentBytes: UInt64 = 0
    private(set) var isPaused = false
    private var sentBytes: UInt64 = 0

    /// The reason for which a callback has aborted the transfer.
    private(set) var abortion: Abortion?

    enum Abortion: Equatable {
        case malformed(HeadError)
        case proxyAuthentication
        case address(AddressRejection)
        /// libcurl has chosen an idle connection to an address that is not among ``addresses``, of another pool, or
        /// over which bytes were received that belong to no response. Nothing was sent over it.
        case staleConnection
    }

    init(id: UInt64, _ start: FetchStart, proxy: FetchProxy?, owner: FetcherLoop) {
        self.id = id
        self.start = start
        requestBytes = start.request.content?.count ?? 0
        self.proxy = proxy
        self.owner = owner
        beginning = owner.now
        resolveDeadline = beginning + .milliseconds(Int64(start.timeouts.resolve))
        totalDeadline = beginning + .milliseconds(Int64(start.timeouts.total))
        pace = Pace(
            idle: .milliseconds(Int64(start.timeouts.idle)),
            slowestBytesPerSecond: start.slowestBytesPerSecond,
            now: beginning
        )
    }

    var origin: FetchOrigin { start.request.url.origin }

    /// The host and port to which a socket is connected: those of the proxy or the origin.
    var peer: (host: FetchHost, port: UInt16) { proxy.map { ($0.host, $0.port) } ?? (origin.host, origin.port) }

    /// The time at which ``check(at:)`` must be called.
    var deadline: MonotonicTime {
        switch phase {
        case .resolve: min(pendingFailure?.time ?? resolveDeadline, totalDeadline)
        case .connect, .tls: min(connectDeadline, totalDeadline)
        case .head, .content: min(pace.deadline, totalDeadline)
        }
    }

    enum Expiry: Equatable {
        case resolve
        case connect
        case total
        case idle
        case slow
    }

    /// Returns the limit that is violated.
    func check(at now: MonotonicTime) -> Expiry? {
        if now >= totalDeadline { return .total }
        switch phase {
        case .resolve: return pendingFailure == nil && now >= resolveDeadline ? .resolve : nil
        case .connect, .tls: return now >= connectDeadline ? .connect : nil
        case .head, .content:
            if let curl, phase == .head {
                // Content that is being sent is progress too.
                let sent = curl.sentBytes
                if sent > sentBytes { pace.recordActivity(at: now) }
                sentBytes = sent
            }
            switch pace.check(at: now) {
            case .idle: return .idle
            case .slow: return .slow
            case nil: return nil
            }
        }
    }

    /// Records the end of resolving.
    /// - Parameter addresses: Addresses that have been checked.
    func resolved(to addresses: [IPAddress], wasLookedUp: Bool) {
        self.addresses = addresses
        if wasLookedUp { resolveMicroseconds = owner.now.nanoseconds(since: beginning) / 1_000 }
        beginConnecting()
    }

    /// Whether no line of a response was accepted.
    var hasNoHead: Bool { phase == .head && reader.isAtStart }

    /// Prepares another attempt on a connection of its own, after a stale one.
    func prepareReconnection() {
        abortion = nil
        reader = HeadReader()
        isReconnection = true
        beginConnecting()
    }

    /// Releases the content of the request, which libcurl has copied.
    func releaseContent() { start.releaseContent() }

    private func beginConnecting() {
        connectDeadline = owner.now + .milliseconds(Int64(start.timeouts.connect))
        phase = .connect
    }

    /// Continues to receive content.
    func resume() {
        guard isPaused, let curl else { return }
        isPaused = false
        pace.resume(at: owner.now)
        owner.schedule(self)
        curl.resume()
    }

    /// Returns the timings of a transfer that ends in `progress`; without it, before the connection.
    func timings(_ progress: CurlProgress?) -> FetchTimings {
        guard let progress else { return FetchTimings(resolve: resolveMicroseconds) }
        let (isNew, times) = (progress.isNewConnection, progress.times)
        func span(_ start: UInt64, _ end: UInt64) -> UInt64? { end == 0 ? nil : end - min(start, end) }
        let isSecure = origin.scheme == .https
        return FetchTimings(
            resolve: resolveMicroseconds,
            connect: isNew ? span(0, times.connected) : nil,
            tls: isNew && isSecure ? span(times.connected, times.secured) : nil,
            firstByte: span(times.ready, times.firstByte),
            transfer: times.firstByte > 0 ? span(times.firstByte, times.total) : nil
        )
    }
}

extension Transfer: DeadlineHolder {
    func deadlineReached(at now: MonotonicTime) { owner.deadlineReached(for: self) }
}

// MARK: The callbacks of libcurl

extension Transfer {
    /// Accepts a line of a head or a trailer.
    func receive(line: Span<UInt8>) -> CurlVerdict {
        pace.recordActivity(at: owner.now)
        do throws(HeadError) {
            switch try reader.read(line) {
            case .incomplete: return .proceed
            case .head(let head):
                // Without a tunnel, the proxy's own response looks like one of the origin.
                if proxy != nil, origin.scheme == .http, head.status == 407 {
                    abortion = .proxyAuthentication
                    return .abort
                }
                pace.beginContent(at: owner.now)
                phase = .content
                owner.outbox.append(.head(id: id, head))
                let isKept = !ConnectionAuthentication.isOffered(by: head) && owner.keepConnection(of: self)
                return isKept ? .proceed : .close
            }
        } catch {
            abortion = .malformed(error)
            return .abort
        }
    }

    func receive(content: Span<UInt8>) -> CurlVerdict {
        guard phase == .content else {
            abortion = .malformed(.statusLine)
            return .abort
        }
        guard owner.outbox.count <= Outbox.pauseBytes else {
            isPaused = true
            pace.pause()
            owner.pausedTransfers.append(id)
            return .pause
        }
        pace.recordContent(bytes: content.count, at: owner.now)
        contentBytes += UInt64(content.count)
        owner.outbox.append(content: content, of: id)
        return .proceed
    }

    /// Returns whether a socket may be connected to an address.
    func permitsSocket(to address: IPAddress, port: UInt16) -> Bool {
        // The rules of origins do not apply to the proxy. That its name was resolved to the address does.
        if proxy != nil { return addresses.contains(address) }
        do throws(AddressRejection) {
            try owner.settings.addresses.check(address, port: port, hostIsNamed: start.hostIsNamed)
        } catch {
            abortion = .address(error)
            return false
        }
        return addresses.contains(address)
    }

    /// Returns whether the request may be sent over a connection to `address`.
    /// - Parameter isClean: Whether an idle connection is that of the pool, and nothing was received over it after the
    ///   end of a response.
    func permitsConnection(to address: IPAddress?, isClean: Bool) -> Bool {
        // An idle connection was checked when it was opened, but perhaps for another entry of fetch-allow, or before
        // the name changed its addresses. The addresses of this transfer passed its own check.
        guard isClean, let address, addresses.contains(address) else {
            abortion = .staleConnection
            return false
        }
        pace.recordActivity(at: owner.now)
        phase = .head
        return true
    }
}
