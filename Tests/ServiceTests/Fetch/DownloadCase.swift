import Foundation
import TestSupport
import Testing

/// One case of `cases/afnetworking-downloads.json`: the behaviour of AFNetworking's downloader, or of its image view,
/// for a sequence of steps.
///
/// @unchecked Sendable: JSONSerialization created the expected values, and they are never changed.
struct DownloadCase: @unchecked Sendable, CustomTestStringConvertible {
    struct Link: Equatable, Sendable {
        var domain: String
        var code: Int
        var part: String
    }

    /// A response of the original's test server.
    struct Upstream: Sendable {
        var status: Int
        var fields: [String: String]
        var content: [UInt8]
    }

    /// A request for a resource.
    struct Download: Equatable, Sendable {
        /// The name of its result.
        var name: String
        /// The path at the origin; `nil` for a malformed URL.
        var path: String?
        var fields: [String: String] = [:]
        var cachePolicy: String?
        var cacheKey: String?
        var receipt: String
        var filter: String?
        var slot: String?
    }

    enum Step: Equatable, Sendable {
        case download(Download)
        case cancel(receipt: String)
        case cancelSlot
        /// Lets the origin respond to requests for a path.
        case release(path: String)
        /// Until all requests have their results.
        case wait
        case acceptTypes([String])
        /// Examines what the cache has for a path.
        case cacheGet(path: String)
        /// A step that has no counterpart here.
        case other(String)
    }

    static let path = "cases/afnetworking-downloads.json"

    var id: String
    var serializer: String
    var maxActive: Int?
    var isLIFO = false
    var hasCache = true
    var steps: [Step]
    /// The responses by path; `*` for every other path.
    var upstreams: [String: Upstream]
    var outcome: String
    var chain: [Link]
    /// The members of the expected value. Their meaning is described in `DownloadRun+Expectations.swift`.
    var expected: [String: Any]
    /// Whether the case states a behaviour that is better than the original's.
    var hasDesired: Bool

    var testDescription: String { id }

    /// Returns the cases of the downloader and the image view. Those of the cache object are not part of them.
    static func load() throws -> [DownloadCase] {
        let file = Suites.url(path)
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let data = try Data(contentsOf: file)
        let objects = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        return try objects.map { try DownloadCase($0) }.filter { !$0.serializer.hasSuffix("cache") }
    }

    /// - Throws: if a required member is missing.
    init(_ object: [String: Any]) throws {
        id = try #require(object["id"] as? String)
        serializer = try #require(object["serializer"] as? String)
        let options = object["options"] as? [String: Any] ?? [:]
        let downloader = options["downloader"] as? [String: Any] ?? [:]
        maxActive = downloader["max_active"] as? Int
        isLIFO = downloader["prioritization"] as? String == "LIFO"
        hasCache = !(downloader["image_cache"] is NSNull)
        let expect = object["expect"] as? [String: Any] ?? [:]
        outcome = expect["outcome"] as? String ?? ""
        chain = (expect["error_chain"] as? [[String: Any]] ?? []).map(Link.init)
        expected = expect["value"] as? [String: Any] ?? [:]
        hasDesired = expect["desired"] != nil || object["desired"] != nil
        upstreams = try Self.upstreams(object["upstream"] as? [String: Any] ?? [:])
        var builder = StepBuilder()
        builder.isSlot = serializer == "image_slot"
        for step in options["steps"] as? [[String: Any]] ?? [] { builder.add(step, index: nil) }
        steps = builder.steps
    }

    var downloads: [Download] {
        steps.compactMap { step in
            if case .download(let download) = step { download } else { nil }
        }
    }

    // MARK: Responses

    private static func upstreams(_ object: [String: Any]) throws -> [String: Upstream] {
        if let byURL = object["by_url"] as? [String: [String: Any]] {
            return try byURL.values.reduce(into: [:]) { try $0.merge(upstreams($1)) { $1 } }
        }
        guard let status = object["status"] as? Int, let url = object["url"] as? String else { return [:] }
        var fields = object["headers"] as? [String: String] ?? [:]
        if let location = fields["Location"] { fields["Location"] = path(of: location) }
        let upstream = Upstream(status: status, fields: fields, content: content(object))
        let then = try (object["then"] as? [String: Any]).map(upstreams) ?? [:]
        return then.merging([path(of: url): upstream]) { $1 }
    }

    private static func content(_ object: [String: Any]) -> [UInt8] {
        if let text = object["body_utf8"] as? String { return Array(text.utf8) }
        guard let name = object["body_fixture"] as? String,
            let data = try? Data(contentsOf: Suites.url("cases/fixtures/\(name)"))
        else { return [] }
        return Array(data)
    }

    /// Returns the path at the origin that stands for a URL: `/image/png` for `http://img.test/image/png`, `/u/a` for
    /// `u:a`.
    static func path(of url: String) -> String {
        if url.hasPrefix("u:") { return "/u/" + url.dropFirst(2) }
        guard let range = url.range(of: "://") else { return url }
        return String(url[range.upperBound...].drop { $0 != "/" })
    }

    func upstream(for path: String) -> Upstream? {
        upstreams[path] ?? upstreams["*"]
    }

    /// Returns the fields that the origin sends with a response. The original's cache has no expiry and ignores fields.
    /// So an image has a long lifetime here, unless the case specifies another one, and `Vary` if requests for it have
    /// different fields `Accept`.
    func fields(of upstream: Upstream) -> [String: String] {
        var fields = upstream.fields
        guard upstream.status == 200 else { return fields }
        if fields["Cache-Control"] == nil { fields["Cache-Control"] = "max-age=86400" }
        if downloads.contains(where: { $0.fields["Accept"] != nil }) { fields["Vary"] = "Accept" }
        return fields
    }
}

extension DownloadCase.Link {
    /// Alamofire's errors are mapped to the errors of AFNetworking for the same cause.
    fileprivate init(_ object: [String: Any]) {
        domain = object["domain"] as? String ?? ""
        code = object["code"] as? Int ?? 0
        part = object["description_contains"] as? String ?? ""
        let serialization = "com.alamofire.error.serialization.response"
        switch object["case"] as? String {
        case "requestCancelled": (domain, code, part) = ("NSURLErrorDomain", -999, "")
        case "responseValidationFailed.unacceptableContentType": (domain, code, part) = (serialization, -1016, "")
        case "responseValidationFailed.unacceptableStatusCode": (domain, code, part) = (serialization, -1011, "")
        default: break
        }
    }

    /// Whether the error only wraps the next one.
    var isWrapper: Bool { domain == "AlamofireImage.AFIError" }
}

/// Converts the steps of a case.
private struct StepBuilder {
    var isSlot = false
    private(set) var steps: [DownloadCase.Step] = []
    private var lastReceipt = ""
    private var count = 0

    /// - Parameter index: the number of the iteration, which replaces `{i}`.
    mutating func add(_ step: [String: Any], index: Int?) {
        func text(_ name: String) -> String? {
            (step[name] as? String)?.replacingOccurrences(of: "{i}", with: index.map { "\($0)" } ?? "{i}")
        }
        switch step["op"] as? String ?? "" {
        case "for":
            for index in 1...max(1, step["n"] as? Int ?? 1) {
                for inner in step["do"] as? [[String: Any]] ?? [] { add(inner, index: index) }
            }
        case "download", "start", "build_request", "downloader_download", "set":
            download(step, url: text("url"))
        case "download_batch":
            for url in step["urls"] as? [String] ?? [] { download([:], url: url) }
        case "cancel":
            switch text("receipt") {
            case "last": steps.append(.cancel(receipt: lastReceipt))
            case let receipt?: steps.append(.cancel(receipt: self.receipt(of: receipt)))
            case nil: steps.append(isSlot ? .cancelSlot : .other("cancel"))
            }
        case "release": steps.append(.release(path: DownloadCase.path(of: text("url") ?? "")))
        case "wait": steps.append(.wait)
        case "cache_get": steps.append(.cacheGet(path: DownloadCase.path(of: text("key") ?? "")))
        case "set_session_serializer_types": steps.append(.acceptTypes(step["types"] as? [String] ?? []))
        case let op: steps.append(.other(op))
        }
    }

    /// Returns the receipt of a download by its name in the case.
    private func receipt(of name: String) -> String {
        for case .download(let download) in steps where download.name == name { return download.receipt }
        return name
    }

    private mutating func download(_ step: [String: Any], url: String?) {
        count += 1
        let name = step["as"] as? String ?? "\(count)"
        lastReceipt = step["receipt_id"] as? String ?? "r-\(name)"
        steps.append(
            .download(
                DownloadCase.Download(
                    name: name,
                    path: url.map(DownloadCase.path),
                    fields: step["headers"] as? [String: String] ?? [:],
                    cachePolicy: step["cache_policy"] as? String,
                    cacheKey: step["cache_key"] as? String,
                    receipt: lastReceipt,
                    filter: step["filter"] as? String,
                    slot: step["op"] as? String == "set" ? step["slot"] as? String ?? "view" : nil
                )
            )
        )
    }
}
