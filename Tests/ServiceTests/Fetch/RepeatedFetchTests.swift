import Fetching
import Origin
import Serialization
import Testing

@testable import Service

/// Requests with the same query, whose order is kept after the first hit.
@Suite struct RepeatedFetchTests {
    private func server(
        _ origin: Origin,
        access: AccessControl = .unrestricted,
        profiles: ProfileRegistry? = nil
    ) throws -> FetchServer {
        try FetchServer(for: origin, access: access, profiles: profiles) { settings in
            settings.cache.limits = CacheLimits(
                capacityBytes: 1 << 20,
                bytesAfterPurge: 1 << 19,
                maxEntryBytes: 1 << 18
            )
            settings.cache.allowsPurge = true
        }
    }

    private func target(_ url: String, _ parameters: String = "") -> String {
        "/v1/fetch?url=\(Script.argument(url))\(parameters)"
    }

    private static let fresh = "/fields/Cache-Control:%20max-age=600/json/64"

    @Test func `the same query finds only what its own partition has stored`() throws {
        let origin = try Origin()
        let fetch = try server(origin, access: try .testing(tokens: [TokenFile.web, TokenFile.admin]))
        let target = target(origin.url(Self.fresh))
        for entry in [TokenFile.web, TokenFile.admin] {
            let fields = "Authorization: Bearer \(entry.text)\r\n"
            for expected in ["fwd=uri-miss", "hit", "hit", "hit"] {
                let status = try fetch.send("GET", target, fields: fields).fields["cache-status"]
                #expect(status?.contains("decant; \(expected);") == true, "\(entry.name): \(status ?? "")")
            }
        }
        #expect(try fetch.send("GET", target).status == 401)
        #expect(origin.recordedRequests.count == 2)
    }

    @Test func `a query with a caller's key is rejected without authentication`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let rejected = try fetch.send("GET", target(origin.url(Self.fresh), "&cache-key=k"))
        let source = RepeatedFetch.Source("a=1", .unrestricted)
        #expect(rejected.status == 403 && source != RepeatedFetch.Source("a=1", .signature))
    }

    @Test func `a repeated query has a request, a receipt and conditions of its own`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let url = origin.url("/hold/gate" + Self.fresh)
        let target = target(url, "&wait=0")
        let first = try fetch.send("GET", target)
        #expect(first.status == 202)
        origin.release("gate")
        #expect(try eventually { try fetch.send("GET", target).fields["cache-status"]?.contains("hit") == true })
        let hits = try (0..<3).map { _ in try fetch.send("GET", target) }
        #expect(Set(hits.compactMap { $0.fields["x-request-id"] }).count == 3)
        let tag = try #require(hits[0].fields["etag"])
        let client = try fetch.client()
        client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nX-Request-ID: a-1\r\nIf-None-Match: \(tag)\r\n\r\n")
        let known = try client.readAnswer(isToHead: true)
        #expect(known.status == 304 && known.fields["x-request-id"] == "a-1")
        #expect(try fetch.send("GET", target, fields: "If-None-Match: \"x\"\r\n").status == 200)
    }

    @Test func `a purged response is requested again`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let url = origin.url(Self.fresh)
        for _ in 0..<2 {
            for _ in 0..<3 { #expect(try fetch.send("GET", target(url)).status == 200) }
            #expect(try fetch.send("DELETE", "/v1/cache?url=\(Script.argument(url))").status == 200)
        }
        #expect(origin.recordedRequests.count == 2)
    }

    @Test func `a profile that was replaced has an effect on the next request`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"profiles":[{"name":"p"}]}"#, to: "profiles.json")
        let profiles = try ProfileRegistry(path: path, limits: Limits())
        let origin = try Origin()
        let fetch = try server(origin, profiles: profiles)
        let target = target(origin.url(Self.fresh), "&profile=p")
        for _ in 0..<3 { #expect(try fetch.send("GET", target).status == 200) }
        _ = try folder.write(#"{"profiles":[{"name":"p","fetch":{"cache":"reload"}}]}"#, to: "profiles.json")
        #expect(try profiles.reload() == 1)
        #expect(try fetch.send("GET", target).fields["cache-status"]?.contains("fwd=request") == true)
        #expect(origin.recordedRequests.count == 2)
    }

    @Test func `long queries are not kept, and a query replaces the one in its place`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        for length in [1024, 1025] {
            let prefix = "url=\(Script.argument(origin.url(Self.fresh + "?")))"
            let query = prefix + String(repeating: "a", count: length - prefix.utf8.count)
            for _ in 0..<2 { #expect(try fetch.send("GET", "/v1/fetch?" + query).status == 200) }
            let known = fetch.service.repeated(RepeatedFetch.Source(query, .unrestricted))
            #expect((known != nil) == (length <= 1024))
        }
        // More queries than places.
        var queries: [String] = []
        for number in 0..<300 {
            queries.append("url=\(Script.argument(origin.url(Self.fresh + "?\(number)")))")
            for _ in 0..<2 { #expect(try fetch.send("GET", "/v1/fetch?" + queries[number]).status == 200) }
        }
        let known = queries.filter { fetch.service.repeated(RepeatedFetch.Source($0, .unrestricted)) != nil }
        #expect(known.count <= 256 && known.last == queries.last)
    }
}
