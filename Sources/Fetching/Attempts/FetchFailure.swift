/// The reason why an attempt to fetch a URL failed. The raw values are those of frames.
package enum FetchFailure: UInt8, Equatable, Sendable, CaseIterable {
    /// The name does not exist, or no DNS server responded in time.
    case resolveFailed = 1
    /// No connection could be opened to any address.
    case connectFailed = 2
    /// The connection ended before the response did.
    case connectionLost = 3
    /// A configured timeout has expired, or the transfer was slower than the configured rate.
    case timedOut = 4
    /// The TLS handshake failed.
    case tlsFailed = 5
    /// The certificate is expired, of another host, or not issued by a trusted authority.
    case certificateUntrusted = 6
    /// The response violates HTTP.
    case malformedResponse = 7
    /// The proxy could not be reached, or refused the request.
    case proxyFailed = 8
    /// An address is not allowed.
    case addressNotAllowed = 9
    /// The process that fetches ended. It is the service that reports this.
    case fetcherDied = 10
}

extension FetchFailure {
    /// What follows from a failure. Its words are those of the service, which knows the codes of problems.
    package struct Row: Sendable {
        /// How often a request is repeated whose attempt failed in this way, before a byte of a head.
        enum Repetition {
            /// The reason does not change.
            case never
            /// The reason may be gone.
            case asConfigured
            /// A configured time has passed, and a permit was occupied for it.
            case once
            /// It is not the origin's fault: the request is started again once, without a delay.
            case restart
        }

        /// What the attempt reports about its origin, unless it failed before it had an address.
        enum Report {
            case nothing
            case connected
            case notConnected
            /// A configured time has passed; what it was for depends on the phase.
            case timedOut
        }

        let repetition: Repetition
        let report: Report

        /// Whether it can be the failure of a transfer, which a fetcher reports.
        let isOfTransfer: Bool

        /// Whether a stale response may replace the failure (RFC 5861 §4: what would otherwise result in 502, 503 or
        /// 504).
        package let permitsStored: Bool

        init(_ repetition: Repetition, _ report: Report, isOfTransfer: Bool = true, permitsStored: Bool = true) {
            self.repetition = repetition
            self.report = report
            self.isOfTransfer = isOfTransfer
            self.permitsStored = permitsStored
        }
    }

    package var row: Row {
        switch self {
        case .resolveFailed: Row(.never, .nothing)
        case .connectFailed: Row(.asConfigured, .notConnected)
        case .connectionLost: Row(.asConfigured, .connected)
        case .timedOut: Row(.once, .timedOut)
        case .tlsFailed: Row(.asConfigured, .notConnected)
        case .certificateUntrusted: Row(.never, .notConnected)
        case .malformedResponse: Row(.never, .connected)
        case .proxyFailed: Row(.asConfigured, .nothing)
        case .addressNotAllowed: Row(.never, .nothing, permitsStored: false)
        case .fetcherDied: Row(.restart, .nothing, isOfTransfer: false)
        }
    }
}

/// The phase of an attempt in which it ended. The raw values are those of frames.
package enum FetchPhase: UInt8, Equatable, Sendable, CaseIterable {
    case resolve = 1
    case connect = 2
    case tls = 3
    /// The request is being sent, or the head of the response has not been received completely.
    case head = 4
    /// The content is being received.
    case content = 5

    /// The name in problems and metrics.
    package var name: StaticString {
        switch self {
        case .resolve: "resolve"
        case .connect: "connect"
        case .tls: "tls"
        case .head: "head"
        case .content: "content"
        }
    }
}
