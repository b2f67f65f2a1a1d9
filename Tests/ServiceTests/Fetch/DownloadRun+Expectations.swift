import Foundation
import Origin
import Testing

/// The comparison of results with the expected values of a case.
extension DownloadRun {
    /// Compares all results. A member that is not known is a failure, so that a new case is noticed.
    func check() throws {
        var expected = oneCase.expected
        var isBetter = false
        if case .better(_, let other) = oneCase.treatment {
            isBetter = true
            for (name, value) in other { expected[name] = value.value }
        }
        for (name, value) in expected.sorted(by: { $0.key < $1.key }) where DownloadCase.ignoredMembers[name] == nil {
            try check(name, value)
        }
        guard oneCase.outcome == "error", !isBetter else { return }
        for (name, result) in results.sorted(by: { $0.key < $1.key }) {
            guard let problem = try Problem(result) else { continue }
            let links = oneCase.chain.filter { !$0.isWrapper }
            #expect(
                problem.chain.map { [$0.domain, "\($0.code)"] } == links.map { [$0.domain, "\($0.code)"] },
                "\(name)"
            )
            for (link, expected) in zip(problem.chain, links) {
                #expect(expected.part.isEmpty || link.part.contains(expected.part), "\(link.part)")
                if link.code == -999 { #expect(link.part.contains("ImageDownloader cancelled URL request: ")) }
            }
        }
        #expect(try results.values.contains { try failure($0) != nil })
    }

    private func check(_ name: String, _ value: Any) throws {
        switch name {
        case "network_requests": try checkRequestCount(value as? Int)
        case "failure_called":
            #expect(try results.values.filter { try failure($0) != nil }.count == value as? Int, "\(name)")
        case "success_called", "successes":
            #expect(try results.values.filter { try failure($0) == nil }.count == value as? Int, "\(name)")
        case "network_cancelled", "png_network_cancelled": #expect(origin.awaitPeerClosed(1), "\(name)")
        case "max_in_flight": #expect(maxInFlight == value as? Int, "\(name)")
        case "in_flight", "active_after_calls": #expect(inFlight == value as? Int, "\(name)")
        case "active": #expect(inFlight == (value as? [Int])?.last, "\(name)")
        case "start_order", "started": #expect(startOrder == value as? [String], "\(name)")
        case "sent_authorization":
            let sent = origin.recordedRequests.flatMap { $0.values(of: "authorization") }
            #expect(sent.sorted() == (value as? [String])?.sorted(), "\(name)")
        case "accept":
            let accept = try #require(origin.recordedRequests.first?.values(of: "accept").first)
            let types = accept.split(separator: ",").map { String($0.drop { $0 == " " }) }
            #expect(types.contains("image/png") && types.count > 1 && types == types.sorted(), "\(accept)")
        case "image": try checkImage(value)
        case "shown":
            let last = try #require(oneCase.downloads.last)
            #expect(last.path == (value as? String).map(DownloadCase.path))
            try checkResult(of: last.name, "success")
        case "should_cache_calls", "add_calls":
            #expect(try results.keys.filter { try cacheStatus(of: $0).contains("; stored") }.count == value as? Int)
        case "image_cache_consulted":
            let last = try #require(oneCase.downloads.last)
            try checkHit(last.name, try #require(value as? Bool))
        case "images_equal":
            let images = try oneCase.downloads.map { try image(of: $0.name) as NSDictionary? }
            #expect(images.first != nil && Set(images).count == 1)
        case "response":
            // With an error, it follows from the outcome.
            if oneCase.outcome != "error", let last = oneCase.downloads.last {
                try checkHit(last.name, value is NSNull)
            }
        case "cached": #expect(cached?.status == (value is NSNull ? 504 : 200))
        case "cache_key":
            let response = try lookUp(DownloadCase.path(of: try #require(value as? String)), cacheKey: nil)
            #expect(response.status == 200 && Self.isHit(response), "\(response)")
        case _ where name.hasPrefix("cache "):
            let path = try #require(oneCase.downloads.last?.path)
            let response = try lookUp(path, cacheKey: String(name.dropFirst("cache ".count)))
            #expect(response.status == 200 && Self.isHit(response), "\(response)")
            let image = try Self.image(response)
            #expect("\(image?["width"] ?? "")x\(image?["height"] ?? "")" == value as? String)
        case _ where name.hasSuffix(".receipt") || name.hasSuffix(".response"):
            try checkHit(String(name.prefix { $0 != "." }), value is NSNull)
        case "background":
            for download in oneCase.downloads where download.slot == name { try checkResult(of: download.name, value) }
        case "first_5": for download in oneCase.downloads.prefix(5) { try checkResult(of: download.name, value) }
        case "next_5":
            for download in oneCase.downloads.dropFirst(5).prefix(5) { try checkResult(of: download.name, value) }
        default:
            try #require(results[name] != nil, "the runner does not know the expected value \(name)")
            try checkResult(of: name, value)
        }
    }

    /// A result without a connection is kept for equal requests. So a resource that is requested again is not fetched
    /// again, even without a cache.
    private func checkRequestCount(_ count: Int?) throws {
        var expected = try #require(count)
        if mode == .postponed, !oneCase.hasCache, oneCase.steps.contains(.wait) {
            expected = min(expected, Set(oneCase.downloads.map(\.path)).count)
        }
        #expect(origin.requestCount == expected)
    }

    /// The names of the downloads in the order in which their requests arrived.
    private var startOrder: [String] {
        origin.recordedRequests.compactMap { request in oneCase.downloads.first { $0.path == request.path }?.name }
    }

    private func checkResult(of name: String, _ value: Any) throws {
        let result = try #require(results[name], "\(name)")
        let expected: [String]?
        switch value {
        case "success" as String: expected = nil
        case "requestCancelled" as String: expected = ["NSURLErrorDomain", "-999"]
        case let error as [String: Any]: expected = (error["error"] as? [Any])?.map { "\($0)" }
        default: expected = ["\(value)"]
        }
        #expect(try failure(result) == expected, "\(name): \(result)")
    }

    private func checkImage(_ value: Any) throws {
        let name = try #require(oneCase.downloads.last?.name)
        guard let size = value as? [String: Any] else {
            // A placeholder is the caller's own: it is shown as long as there is no response.
            if oneCase.outcome != "error" { try checkResult(of: name, "success") }
            return
        }
        let image = try image(of: name)
        #expect(image?["width"] as? Int == size["pixel_width"] as? Int)
        #expect(image?["height"] as? Int == size["pixel_height"] as? Int)
    }

    private func image(of name: String) throws -> [String: Any]? {
        guard case .response(let response) = results[name] else { return nil }
        return try Self.image(response)
    }

    private static func image(_ response: ReceivedResponse) throws -> [String: Any]? {
        let document = try JSONSerialization.jsonObject(with: Data(response.content)) as? [String: Any]
        return document?["value"] as? [String: Any]
    }

    // MARK: The cache

    /// A hit has no receipt: there is nothing to wait for. A request in a slot that has a wait receives the result that
    /// is kept for it before the stored response; this is no fetch of its own either.
    private func checkHit(_ name: String, _ isHit: Bool) throws {
        try checkResult(of: name, "success")
        let download = try #require(oneCase.downloads.first { $0.name == name })
        let status = try cacheStatus(of: name)
        if isHit, mode == .postponed, download.slot != nil {
            #expect(status.hasPrefix("decant; hit") || status.hasSuffix("; collapsed"), "\(name): \(status)")
        } else {
            #expect(status.hasPrefix(isHit ? "decant; hit" : "decant; fwd="), "\(name): \(status)")
        }
        if isHit { #expect(try request("GET", "/v1/fetches/\(download.receipt)").status == 404) }
    }

    private func cacheStatus(of name: String) throws -> String {
        guard case .response(let response) = results[name] else { return "" }
        return try #require(response.fields["cache-status"], "\(name): \(response)")
    }

    private static func isHit(_ response: ReceivedResponse) -> Bool {
        response.fields["cache-status"]?.hasPrefix("decant; hit") ?? false
    }

    /// Returns the domain and the code of the first error; `nil` for a success.
    private func failure(_ result: Result) throws -> [String]? {
        if result == .disconnected { return ["NSURLErrorDomain", "-999"] }
        guard let problem = try Problem(result) else { return nil }
        return problem.chain.first.map { [$0.domain, "\($0.code)"] } ?? ["\(problem.status)"]
    }

    /// A problem document.
    private struct Problem {
        var status: Int
        var chain: [DownloadCase.Link]

        /// - Returns: `nil` for another result.
        init?(_ result: Result) throws {
            guard case .response(let response) = result, response.status >= 400 else { return nil }
            status = response.status
            let document = try JSONSerialization.jsonObject(with: Data(response.content)) as? [String: Any]
            chain = (document?["chain"] as? [[String: Any]] ?? []).map { link in
                DownloadCase.Link(
                    domain: link["domain"] as? String ?? "",
                    code: link["domainCode"] as? Int ?? 0,
                    part: link["message"] as? String ?? ""
                )
            }
        }
    }
}
