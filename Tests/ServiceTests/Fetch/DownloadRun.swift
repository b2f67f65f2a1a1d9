import Foundation
import Origin
import Testing

@testable import HTTP
@testable import Service

/// One run of a case against a running service: the steps become requests, and the results are compared with the
/// expected values.
///
/// | step of the original | request |
/// |---|---|
/// | download | `POST /v1/fetch` with `receipt` |
/// | set of an image view | `POST /v1/fetch` with `receipt` and `slot`, without `cache` |
/// | policy of a request | `cache`; without one, that of `profile=afnetworking` |
/// | key of the cache | `cacheKey`, with a token |
/// | look into the cache | `POST /v1/fetch` with `"cache":"only-if-cached"` |
/// | no receipt, no response | the response is a hit by `Cache-Status` |
/// | cancel | `DELETE /v1/fetches/{receipt}` or `DELETE /v1/slots/{slot}`, or the client closes its socket |
/// | maximum of active downloads, LIFO, no cache | `fetch-max-active`, `fetch-order`, `cache-capacity-bytes=0` |
///
/// The origin holds each response until all steps up to the next `wait` have been executed. Then it sends them in
/// batches of at most the maximum of active downloads. A `release` has no effect of its own: the results are the same.
final class DownloadRun {
    /// The way in which callers wait for results.
    enum Mode: String, CaseIterable {
        /// On a connection. A cancellation is a DELETE.
        case connected
        /// With `"waitSeconds":0`: the service responds with 202, and has the result later.
        case postponed
        /// On a connection. A cancellation closes it.
        case disconnecting
    }

    /// The result of one download.
    enum Result: Equatable {
        case response(ReceivedResponse)
        /// The client closed its socket.
        case disconnected
    }

    /// A download whose result is not known yet.
    private struct Pending {
        var download: DownloadCase.Download
        /// The connection that waits for the response; `nil` if the response was 202.
        var client: RawClient?
    }

    private static let gate = "gate"

    let oneCase: DownloadCase
    let mode: Mode
    let origin: Origin
    private let service: DecantProcess
    private let port: UInt16
    private let maxActive: Int
    /// A token that permits cache keys, and the folder with its file.
    private let token: TokenFile.Entry?
    private let folder: TemporaryFolder
    private var pending: [Pending] = []
    private var acceptTypes: [String]?

    private(set) var results: [String: Result] = [:]
    /// The maximum number of requests that the origin held at the same time.
    private(set) var maxInFlight = 0
    /// The number of requests that the origin held after the first steps.
    private(set) var inFlight: Int?
    /// What the last look into the cache found.
    private(set) var cached: ReceivedResponse?

    init(_ oneCase: DownloadCase, _ mode: Mode) throws {
        (self.oneCase, self.mode) = (oneCase, mode)
        origin = try Origin()
        // AFNetworking's default.
        maxActive = oneCase.maxActive ?? 4
        var arguments = [
            "serve",
            "--port",
            "0",
            "--workers",
            "1",
            "--fetch-allow",
            "http://127.0.0.1:\(origin.port)",
            "--fetch-allow-addresses",
            "127.0.0.1/32",
            "--fetch-max-active",
            "\(maxActive)",
            "--fetch-max-active-per-origin",
            "\(maxActive)",
            "--fetch-order",
            oneCase.isLIFO ? "lifo" : "fifo",
            "--fetch-retries",
            "0",
            "--fetch-result-seconds",
            "60",
            "--fetch-queue-seconds",
            "60",
            "--fetch-idle-seconds",
            "60",
        ]
        if !oneCase.hasCache { arguments += ["--cache-capacity-bytes", "0", "--cache-bytes-after-purge", "0"] }
        folder = try TemporaryFolder()
        let hasKeys = oneCase.downloads.contains { $0.cacheKey != nil }
        token = hasKeys ? TokenFile.Entry(name: "a", text: "a-secret", permissions: [.fetch]) : nil
        if let token {
            arguments += ["--tokens-file", try folder.write(TokenFile.text([token]), to: "tokens.json")]
        }
        service = try DecantProcess(arguments)
        port = try service.readyAddress().port
        origin.respondToOthers { request, _ in
            var script = Script(status: 404)
            if let upstream = oneCase.upstream(for: request.path) {
                script = Script(
                    status: upstream.status,
                    fields: oneCase.fields(of: upstream).map { ($0.key, $0.value) }
                )
                script.content = .bytes(upstream.content)
            }
            // Redirects are not held: their targets are.
            if script.status / 100 != 3 { script.waitsBeforeHead = [.hold(Self.gate)] }
            return script
        }
    }

    /// Executes all steps, and waits for all results.
    func run() throws {
        for step in oneCase.steps {
            switch step {
            case .download(let download): try start(download)
            case .cancel(let receipt): try cancel(receipt)
            case .cancelSlot: try cancelSlots()
            case .wait: try finish()
            case .acceptTypes(let types): acceptTypes = types
            case .cacheGet(let path): cached = try lookUp(path, cacheKey: nil)
            case .release, .other: break
            }
        }
        try finish()
    }

    // MARK: Steps

    private func start(_ download: DownloadCase.Download) throws {
        let client = try post(body(of: download))
        if mode == .postponed || download.path == nil || isRepeated(download) {
            let response = try client.readResponse()
            guard response.status == 202 else {
                results[download.name] = .response(response)
                return
            }
            #expect(response.fields["location"] == "/v1/fetches/\(download.receipt)")
            pending.append(Pending(download: download, client: nil))
        } else {
            // 404 before the request is registered, and after a hit.
            #expect(try eventually { try client.hasReceived || isWaiting(download.receipt) })
            if client.hasReceived {
                results[download.name] = .response(try client.readResponse())
            } else {
                pending.append(Pending(download: download, client: client))
            }
        }
        // A view shows one image at a time.
        if let slot = download.slot { try collect { $0.slot == slot && $0.path != download.path } }
        // A superseded request can still be held at the origin, in place of this one.
        if download.slot != nil, let path = download.path, remainingFetches <= maxActive {
            #expect(origin.awaitRequests(1, for: path))
        }
        awaitActive()
    }

    /// Whether another download waits with the same receipt. Then only 202 proves that this one is registered.
    private func isRepeated(_ download: DownloadCase.Download) -> Bool {
        pending.contains { $0.download.receipt == download.receipt }
    }

    /// Sends a `POST /v1/fetch`.
    private func post(_ body: [String: Any]) throws -> RawClient {
        let client = try RawClient(port: port)
        let content = try JSONSerialization.data(withJSONObject: body)
        client.send(
            "POST /v1/fetch HTTP/1.1\r\nHost: a\r\n\(authorization)Content-Type: application/json\r\n"
                + "Content-Length: \(content.count)\r\n\r\n"
        )
        client.send(Array(content))
        return client
    }

    /// Requests a resource, complete, from the cache alone.
    func lookUp(_ path: String, cacheKey: String?) throws -> ReceivedResponse {
        var body: [String: Any] = [
            "url": origin.url(path), "cache": "only-if-cached",
            "options": ["profile": "afnetworking", "serializer": "image", "thumbnail": ["none"]] as [String: Any],
        ]
        if let cacheKey { body["cacheKey"] = cacheKey }
        return try post(body).readResponse()
    }

    /// Whether a request with this receipt has no result yet.
    func isWaiting(_ receipt: String) throws -> Bool {
        try request("GET", "/v1/fetches/\(receipt)").status == 202
    }

    private var authorization: String { token.map { "Authorization: Bearer \($0.text)\r\n" } ?? "" }

    /// Returns the content of the request for a download.
    func body(of download: DownloadCase.Download) -> [String: Any] {
        var options: [String: Any] = ["profile": "afnetworking", "serializer": "image"]
        if let acceptTypes { options["accept-types"] = acceptTypes.joined(separator: ",") }
        // `scale:50x50`
        options["thumbnail"] = [download.filter.map { String($0.drop { $0 != ":" }.dropFirst()) } ?? "none"]
        var body: [String: Any] = [
            "url": download.path.map { origin.url($0) } ?? "", "receipt": download.receipt, "options": options,
        ]
        if let slot = download.slot { body["slot"] = slot }
        if mode == .postponed || isRepeated(download) { body["waitSeconds"] = 0 }
        if !download.fields.isEmpty {
            body["headers"] = download.fields.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        }
        if let key = download.cacheKey { body["cacheKey"] = key }
        if let policy = download.cachePolicy, download.slot == nil { body["cache"] = Self.cacheMode(policy) }
        return body
    }

    /// Returns the cache mode for a policy of `NSURLRequest`.
    static func cacheMode(_ policy: String) -> String {
        switch policy {
        case "reloadIgnoringLocalCacheData", "reloadIgnoringLocalAndRemoteCacheData": "reload"
        case "returnCacheDataElseLoad": "force-cache"
        case "returnCacheDataDontLoad": "only-if-cached"
        case "reloadRevalidatingCacheData": "no-cache"
        default: "default"
        }
    }

    private func cancel(_ receipt: String) throws {
        if mode == .disconnecting {
            try disconnect { $0.receipt == receipt }
        } else {
            let count = pending.filter { $0.download.receipt == receipt }.count
            let response = try request("DELETE", "/v1/fetches/\(receipt)")
            #expect(response.status == (count > 0 ? 200 : 404), "\(response.text)")
            if count > 0 { #expect(response.text == #"{"cancelled":\#(count)}"#) }
            try collect { $0.receipt == receipt }
        }
        awaitActive()
    }

    private func cancelSlots() throws {
        let slots = Set(pending.compactMap(\.download.slot))
        if mode == .disconnecting {
            try disconnect { $0.slot != nil }
        } else {
            for slot in slots.sorted() {
                let response = try request("DELETE", "/v1/slots/\(slot)")
                #expect(response.status == 200, "\(response.text)")
                try collect { $0.slot == slot }
            }
        }
        awaitActive()
    }

    /// Closes the sockets of some pending downloads, and waits until the service has noticed it. Downloads without one
    /// are cancelled.
    private func disconnect(_ isIncluded: (DownloadCase.Download) -> Bool) throws {
        let closed = pending.filter { isIncluded($0.download) }.map { ($0.download, hasClient: $0.client != nil) }
        // A socket is closed at the end of the lifetime of its client.
        pending.removeAll { isIncluded($0.download) }
        for (download, hasClient) in closed {
            results[download.name] = .disconnected
            if !hasClient { _ = try request("DELETE", "/v1/fetches/\(download.receipt)") }
        }
        // Several downloads can have the same receipt.
        for (download, _) in closed {
            #expect(try eventually { try request("GET", "/v1/fetches/\(download.receipt)").status != 202 })
        }
    }

    /// Waits until the origin has exactly the requests that should be active.
    private func awaitActive() {
        let expected = min(maxActive, remainingFetches)
        #expect(
            origin.awaitHolding(exactly: expected, at: Self.gate),
            "\(origin.holdingCount(at: Self.gate)) requests are active in place of \(expected)"
        )
    }

    /// The number of different resources of pending downloads.
    private var remainingFetches: Int {
        let resources = pending.map(\.download).map {
            "\($0.path ?? "") \($0.cacheKey ?? "") \($0.fields.sorted { $0.key < $1.key })"
        }
        return Set(resources).count
    }

    /// Lets the origin respond in batches, and waits for all results.
    private func finish() throws {
        if inFlight == nil { inFlight = origin.holdingCount(at: Self.gate) }
        var remaining = remainingFetches
        while remaining > 0 {
            let count = min(maxActive, remaining)
            #expect(origin.awaitHolding(exactly: count, at: Self.gate))
            maxInFlight = max(maxInFlight, origin.holdingCount(at: Self.gate))
            remaining -= count
            // A superseded request can still be held in place of the last one, which must not wait when it arrives.
            if remaining > 0 { origin.releaseWaiting(at: Self.gate) } else { origin.release(Self.gate) }
        }
        try collect { _ in true }
        origin.hold(Self.gate)
    }

    /// Waits for the results of some pending downloads.
    private func collect(_ isIncluded: (DownloadCase.Download) -> Bool) throws {
        for one in pending where isIncluded(one.download) {
            results[one.download.name] = .response(
                try one.client?.readResponse() ?? postponedResult(one.download.receipt)
            )
        }
        pending.removeAll { isIncluded($0.download) }
    }

    private func postponedResult(_ receipt: String) throws -> ReceivedResponse {
        var response = try request("GET", "/v1/fetches/\(receipt)")
        #expect(
            try eventually {
                if response.status == 202 { response = try request("GET", "/v1/fetches/\(receipt)") }
                return response.status != 202
            }
        )
        return response
    }

    func request(_ method: String, _ target: String) throws -> ReceivedResponse {
        let client = try RawClient(port: port)
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(authorization)\r\n")
        return try client.readResponse()
    }
}
