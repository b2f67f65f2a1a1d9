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

/// The phase of an attempt in which it ended. The raw values are those of frames.
package enum FetchPhase: UInt8, Equatable, Sendable, CaseIterable {
    case resolve = 1
    case connect = 2
    case tls = 3
    /// The request is being sent, or the head of the response has not been received completely.
    case head = 4
    /// The content is being received.
    case content = 5
}
