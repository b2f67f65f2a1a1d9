internal import Fetching
internal import Primitives

extension Transfer {
    private static let connectGraceMilliseconds: UInt32 = 250

    /// Configures libcurl for the request.
    func configure(_ curl: CurlTransfer, _ settings: FetcherSettings) {
        let request = start.request
        // libcurl parses only the origin. The target is sent as it was written.
        curl.set(.url, "\(origin)/")
        let isForwarded = proxy != nil && origin.scheme == .http
        curl.set(.target, isForwarded ? request.url.text : request.url.target)
        curl.set(.caFile, settings.caFile)
        // The loop limits the time of the connection, and knows its phase. libcurl distributes the time to the
        // addresses.
        curl.setConnectTimeout(milliseconds: start.timeouts.connect + Self.connectGraceMilliseconds)
        if let proxy {
            curl.set(.proxyURL, proxy.url)
            if let credentials = proxy.credentials {
                curl.set(.proxyUser, credentials.user)
                curl.set(.proxyPassword, credentials.password)
            }
        }
        if case .name(let name) = peer.host { curl.setAddresses(addresses, of: name, port: peer.port) }
        if !request.isRepeatable || ConnectionAuthentication.isUsed(by: request) {
            // A request that has effects must not be repeated because an idle connection has died, as libcurl does. An
            // origin that ignores content takes it for the next request on the connection, and may respond to it later.
            curl.setExclusive()
        } else if isReconnection {
            curl.setFresh()
        }
        configureContent(curl, request)
        configureFields(curl, request, settings)
    }

    private func configureContent(_ curl: CurlTransfer, _ request: FetchRequest) {
        if request.method == "HEAD" { curl.setHead() }
        if let content = request.content {
            curl.setContent(content)
        } else if ["POST", "PUT", "PATCH"].contains(request.method) {
            // RFC 9110 §8.6: these methods are expected to have content, so its length is sent even if it is 0.
            curl.setContent([])
        }
        if request.method != "GET" || request.content != nil, request.method != "HEAD" || request.content != nil {
            curl.set(.method, request.method)
        }
    }

    private func configureFields(_ curl: CurlTransfer, _ request: FetchRequest, _ settings: FetcherSettings) {
        var names: Set<String> = []
        for field in request.fields {
            names.insert(field.name.lowercased())
            curl.addField(name: field.name, value: field.value)
        }
        // libcurl adds these fields unless they are mentioned.
        for name in ["accept", "content-type", "expect"] where !names.contains(name) { curl.omitField(name) }
        if !names.contains("user-agent"), !settings.userAgent.isEmpty { curl.set(.userAgent, settings.userAgent) }
    }
}
