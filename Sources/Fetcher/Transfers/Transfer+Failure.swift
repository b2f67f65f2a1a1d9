internal import Fetching

extension Transfer {
    struct Failure: Equatable {
        var failure: FetchFailure
        var phase: FetchPhase
        var detail: String
    }

    /// Whether the transfer begins again on a connection of its own. Requests with content use no idle connections, and
    /// cannot begin again without it.
    ///
    /// - libcurl has chosen an idle connection that this transfer may not use. Nothing was sent.
    /// - What was received over an idle connection is no response. Bytes that belong to the response before it, such as
    ///   content after a response to HEAD, may arrive after the connection was checked. A request without effects may
    ///   be sent again (RFC 9110 §9.2.2).
    func needsReconnection(after result: CurlResult) -> Bool {
        guard requestBytes == 0, !isReconnection else { return false }
        if abortion == .staleConnection { return result.outcome == .aborted }
        guard result.outcome == .malformed || abortion == .malformed(.statusLine) else { return false }
        return hasNoHead && start.request.isRepeatable && !result.progress.isNewConnection
    }

    /// Returns the phase, in which TLS is distinguished from the connection.
    func exactPhase(_ progress: CurlProgress?) -> FetchPhase {
        guard phase == .connect, let progress, progress.isConnected || progress.times.connected > 0 else {
            return phase
        }
        return .tls
    }

    /// Returns the failure that a result means; `nil` if the transfer is complete.
    func failure(of result: CurlResult) -> Failure? {
        let phase = exactPhase(result.progress)
        let detail = result.message
        switch result.outcome {
        case .complete:
            // libcurl takes a connection that ends inside a head for a response without content.
            return self.phase == .content
                ? nil : Failure(failure: .connectionLost, phase: phase, detail: "the connection ended in the head")
        case .aborted: return failure(of: abortion, phase, detail)
        case .connect:
            if case .address = abortion { return failure(of: abortion, phase, detail) }
            return Failure(failure: proxy == nil ? .connectFailed : .proxyFailed, phase: .connect, detail: detail)
        case .resolve: return Failure(failure: .resolveFailed, phase: .resolve, detail: detail)
        case .proxy: return Failure(failure: .proxyFailed, phase: .connect, detail: detail)
        case .tls: return failure(.tlsFailed, .tls, result)
        case .certificate: return failure(.certificateUntrusted, .tls, result)
        case .lost: return failure(.connectionLost, phase, result)
        case .timeout: return failure(.timedOut, phase, result)
        case .malformed: return failure(.malformedResponse, phase, result)
        case .internal:
            // libcurl reports a line of a head that is too long for its buffer like a lack of memory.
            return self.phase == .head
                ? Failure(failure: .malformedResponse, phase: .head, detail: "a line of the head is too long")
                : failure(.connectionLost, phase, result)
        }
    }

    /// Returns the failure of the origin, or of the proxy if there is no tunnel to the origin yet.
    private func failure(_ failure: FetchFailure, _ phase: FetchPhase, _ result: CurlResult) -> Failure {
        let isOrigin = phase == .head || phase == .content || reachesOrigin(result.progress)
        return Failure(failure: isOrigin ? failure : .proxyFailed, phase: phase, detail: result.message)
    }

    /// Whether the connection leads to the origin: directly, or through a tunnel that the proxy has opened.
    func reachesOrigin(_ progress: CurlProgress?) -> Bool {
        proxy == nil || (origin.scheme == .https && (progress?.connectStatus ?? 0) / 100 == 2)
    }

    private func failure(of abortion: Abortion?, _ phase: FetchPhase, _ detail: String) -> Failure {
        switch abortion {
        case .malformed(let error): Failure(failure: .malformedResponse, phase: phase, detail: "\(error)")
        case .proxyAuthentication: Failure(failure: .proxyFailed, phase: phase, detail: "the proxy responded with 407")
        case .address(let rejection): Failure(failure: .addressNotAllowed, phase: .connect, detail: "\(rejection)")
        case .staleConnection:
            Failure(failure: .addressNotAllowed, phase: .connect, detail: "connected to another address")
        case nil: Failure(failure: .connectionLost, phase: phase, detail: detail)
        }
    }
}
