import Fetching
import Flights
import Origin
import Serialization
import Testing
import Workers

@testable import HTTP
@testable import Service

/// Requests with the same text, which are kept after the first hit.
@Suite struct RepeatedFetchTests {
    private func server(
        _ origin: Origin,
        access: AccessControl = .unrestricted,
        profiles: ProfileRegistry? = nil,
        workers: WorkerPool? = nil
    ) throws -> FetchServer {
        try FetchServer(for: origin, access: access, workers: workers, profiles: profiles) { settings in
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
        #expect(rejected.status == 403)
    }

    @Test func `everything that determines a request distinguishes requests`() throws {
        let sources = [
            source("a=1"), source("a=2"), source("a=1", .signature), source("a=1", .token(try token("a"))),
            source("a=1", .token(try token("b"))), source("a=1", .token(try token("a"), isSigned: true)),
            source("a=1", .unrestricted, .post),
            source("a=1", .unrestricted, .post, content: "{}"), source("a=1", .unrestricted, .post, content: "[]"),
            source("a=1", .unrestricted, .image(accept: nil)), source("a=1", .unrestricted, .image(accept: "")),
            source("a=1", .unrestricted, .image(accept: "image/png")),
        ]
        #expect(sources.allSatisfy { $0 != nil } && Set(sources).count == sources.count)
        #expect(source("a=1") == sources[0])
    }

    private func token(_ partition: String) throws -> AccessToken {
        let partition = try #require(PartitionName(parsing: partition))
        return AccessToken(name: "t", permissions: PermissionSet(.fetch), partition: partition)
    }

    private func source(
        _ query: String,
        _ access: AccessGrant = .unrestricted,
        _ endpoint: RepeatedFetch.Source.Endpoint = .get,
        content: String = ""
    ) -> RepeatedFetch.Source? {
        RepeatedFetch.Source(endpoint, query, content: Array(content.utf8).span, access)
    }

    @Test func `the same content of POST is a hit with a request of its own, and never 304`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let content = #"{"url":"\#(origin.url(Self.fresh))","headers":[["X-A","1"]]}"#
        for expected in ["fwd=uri-miss", "hit", "hit", "hit"] {
            let response = try fetch.post(content, fields: "If-None-Match: *\r\n")
            #expect(response.status == 200 && response.fields["cache-status"]?.contains("decant; \(expected);") == true)
        }
        #expect(known(fetch, "", .post, content: content))
        let others = [
            content.replacing(#""1""#, with: #""2""#), content.replacing("{", with: "{ "),
        ]
        for (other, expected) in zip(others, ["fwd=vary-miss", "hit"]) {
            #expect(try fetch.post(other).fields["cache-status"]?.contains("decant; \(expected);") == true)
        }
        #expect(try fetch.post(content, "?hints=maybe").status == 400)
        #expect(try fetch.post(content + "x").status == 400)
        #expect(origin.recordedRequests.count == 2)
    }

    @Test(arguments: [#","partition":"p""#, #","options":{"profile":"p"}"#])
    func `orders that depend on more than the content are not kept`(_ member: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"profiles":[{"name":"p"}]}"#, to: "profiles.json")
        let origin = try Origin()
        let fetch = try server(origin, profiles: try ProfileRegistry(path: path, limits: Limits()))
        let url = #""url":"\#(origin.url(Self.fresh))""#
        for (content, isKept) in [("{\(url)\(member)}", false), ("{\(url)}", true)] {
            for _ in 0..<3 { #expect(try fetch.post(content).status == 200) }
            #expect(known(fetch, "", .post, content: content) == isKept)
        }
    }

    @Test func `a repeated request for an image has the format of its own Accept`() throws {
        let origin = try Origin()
        let photo = PlainImage(width: 4, height: 2, color: RGBA(red: 200, green: 0, blue: 0)).encoded(as: .png)
        origin.respond(
            to: "/photo.png",
            with: Script(
                fields: [("Content-Type", "image/png"), ("Cache-Control", "max-age=600")],
                content: .bytes(photo)
            )
        )
        let fetch = try server(origin, workers: try FetchServer.oneWorker())
        let query = "url=\(Script.argument(origin.url("/photo.png")))&fallback=ff0000"
        for _ in 0..<3 {
            for type in ["image/png", "image/jpeg", "image/webp"] {
                let response = try fetch.send("GET", "/v1/image?" + query, fields: "Accept: \(type)\r\n")
                #expect(response.status == 200 && response.fields["content-type"] == type)
                #expect(response.fields["vary"] == "Accept" && response.fields["decant-fallback"] == nil)
            }
        }
        #expect(known(fetch, query, .image(accept: "image/webp")) && !known(fetch, query, .image(accept: nil)))
        #expect(try fetch.send("GET", "/v1/image?" + query, fields: "Accept: text/html\r\n").status == 406)
        let hit = try fetch.send("GET", "/v1/image?" + query, fields: "Accept: image/png\r\n")
        let tag = try #require(hit.fields["etag"])
        let client = try fetch.client()
        client.send("GET /v1/image?\(query) HTTP/1.1\r\nHost: a\r\nAccept: image/png\r\nIf-None-Match: \(tag)\r\n\r\n")
        #expect(try client.readResponse(isToHead: true).status == 304)
        #expect(origin.recordedRequests.count == 1)
    }

    /// Whether a request is known.
    private func known(
        _ fetch: FetchServer,
        _ query: String,
        _ endpoint: RepeatedFetch.Source.Endpoint = .get,
        content: String = ""
    ) -> Bool {
        source(query, .unrestricted, endpoint, content: content).flatMap { fetch.service.repeated($0) } != nil
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
        let known = try client.readResponse(isToHead: true)
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
        _ = try #require(profiles.file).reload()
        #expect(try fetch.send("GET", target).fields["cache-status"]?.contains("fwd=request") == true)
        #expect(origin.recordedRequests.count == 2)
    }

    @Test func `long queries are not kept, and those that were not repeated lately are forgotten`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        for length in [1024, 1025] {
            let prefix = "url=\(Script.argument(origin.url(Self.fresh + "?")))"
            let query = prefix + String(repeating: "a", count: length - prefix.utf8.count)
            for _ in 0..<2 { #expect(try fetch.send("GET", "/v1/fetch?" + query).status == 200) }
            #expect(known(fetch, query) == (length <= 1024))
        }
        // More queries than have place in a sixteenth of the cache.
        var queries: [String] = []
        for number in 0..<60 {
            queries.append("url=\(Script.argument(origin.url(Self.fresh + "?\(number)")))")
            for _ in 0..<2 { #expect(try fetch.send("GET", "/v1/fetch?" + queries[number]).status == 200) }
            #expect(known(fetch, queries[0]))
        }
        // The newest is examined first, because the examination is a repetition.
        let kept = queries.reversed().filter { known(fetch, $0) }
        #expect(kept.contains(queries[0]) && kept.first == queries.last && !kept.contains(queries[1]))
        #expect(2..<((1 << 20) / 16 / 2_048) ~= kept.count)
    }

    @Test func `Accept counts as a part of the text of a request for an image`() {
        for (length, isKept) in [(1_023, true), (1_024, false)] {
            let accept = String(repeating: "a", count: length)
            #expect((source("a", .unrestricted, .image(accept: accept)) != nil) == isKept)
        }
    }

    @Test(arguments: [0, 1, 5], [0, 1])
    func `each of two generations has as many requests as fit into it, and not one more`(
        limit: Int,
        missingBytes: Int
    ) throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let query = "url=\(Script.argument(origin.url(Self.fresh)))"
        for _ in 0..<2 { #expect(try fetch.send("GET", "/v1/fetch?" + query).status == 200) }
        let known = try #require(source(query).flatMap { fetch.service.repeated($0) })
        let rules = fetch.service.rules
        func table(generationBytes: Int) -> (RepeatedFetches, ResponseCache) {
            var settings = fetch.service.settings.cache
            settings.limits.capacityBytes = 32 * generationBytes
            let cache = ResponseCache(settings)
            return (RepeatedFetches(cache), cache)
        }
        let sources = try (1_000...1_020).map { try #require(source("\($0)")) }
        func insert(_ number: Int, into table: RepeatedFetches) {
            table.insert(sources[number], rules, known.callerRequest, known.lookup, known.key)
        }
        let (one, measured) = table(generationBytes: 1 << 20)
        insert(0, into: one)
        let bytes = measured.store.usedBytes
        let (images, account) = table(generationBytes: 1 << 20)
        let image = try #require(source("1000", .unrestricted, .image(accept: "image/png")))
        images.insert(image, rules, known.callerRequest, known.lookup, known.key)
        #expect(account.store.usedBytes > bytes)
        let (table, cache) = table(generationBytes: max(0, limit * bytes - missingBytes))
        let fitting = limit * bytes - missingBytes < limit * bytes ? max(0, limit - 1) : limit
        for number in 0..<(2 * fitting) {
            insert(number, into: table)
            #expect(cache.store.usedBytes == (number + 1) * bytes && table.find(sources[number], rules) != nil)
        }
        insert(2 * fitting, into: table)
        // The older generation is forgotten, and the younger one has taken its place.
        #expect(cache.store.usedBytes == (fitting == 0 ? 0 : (fitting + 1) * bytes))
        #expect((table.find(sources[2 * fitting], rules) != nil) == (fitting > 0))
        #expect(table.find(sources[0], rules) == nil)
        table.removeAll()
        #expect(cache.store.usedBytes == 0)
        withExtendedLifetime((one, images)) {}
    }
}
