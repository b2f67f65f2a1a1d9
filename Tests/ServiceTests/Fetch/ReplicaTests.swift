import Fetching
import Flights
import Origin
import Synchronization
import Testing

@testable import HTTP
@testable import Images
@testable import Serialization
@testable import Service
@testable import Workers

/// What several replicas behind a load balancer need: docs/replicas.md.
@Suite struct ReplicaTests {
    private func server(
        _ origin: Origin? = nil,
        allow: String = "http://127.0.0.1:1/",
        workers: WorkerPool? = nil,
        images: ImageSettings = ImageSettings(),
        loop: String? = nil
    ) throws -> FetchServer {
        let loop = try loop.map { try #require(CDNLoop(identifier: $0)) }
        return try FetchServer(
            for: origin,
            allow: allow,
            workers: workers,
            images: images,
            loop: loop ?? CDNLoop(random: UInt128.random(in: 0 ... .max))
        ) { settings in
            settings.cache.limits = CacheLimits(
                capacityBytes: 4 << 20,
                bytesAfterPurge: 2 << 20,
                maxEntryBytes: 1 << 20
            )
            settings.cache.allowsPurge = true
        }
    }

    private func target(_ url: String, _ parameters: String = "") -> String {
        "/v1/fetch?url=\(Script.argument(url))\(parameters)"
    }

    // MARK: shard

    @Test func `Location repeats the shard of a request, or else its URL, as it was written`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let url = origin.url("/hold/gate/json/64")
        func location(_ target: String) throws -> String {
            let response = try fetch.send("GET", target)
            #expect(response.status == 202, "\(response.text)")
            let receipt = try #require(response.text.firstMatch(of: #/"receipt":"([^"]*)"/#)?.1)
            return try #require(response.fields["location"]).replacing(receipt, with: "R")
        }
        let encoded = Script.argument(url)
        #expect(try location(target(url, "&wait=0")) == "/v1/fetches/R?shard=\(encoded)")
        #expect(try location("/v1/fetch?wait=0&url=\(url)") == "/v1/fetches/R?shard=\(url)")
        #expect(try location("/v1/image?wait=0&url=\(url)") == "/v1/fetches/R?shard=\(url)")
        for shard in ["7", "%37", "a+b", "%C3%A4", "a=b", "a;b,c", "%26x", "%252F", "..%2F"] {
            #expect(try location(target(url, "&wait=0&shard=\(shard)")) == "/v1/fetches/R?shard=\(shard)")
        }
        // A name may be encoded, too.
        #expect(try location("/v1/fetch?wait=0&%75r%6C=\(url)&%73hard=7") == "/v1/fetches/R?shard=7")
        #expect(try location("/v1/fetch?wait=0&%75r%6C=\(url)") == "/v1/fetches/R?shard=\(url)")
        #expect(try location(target(url, "&wait=0&shard=%22|<%0D%0A")) == "/v1/fetches/R?shard=%22%7C%3C%0D%0A")
        origin.release("gate")
    }

    @Test func `a request finds its result, its slot and its stored response with the parameter shard`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let url = origin.url("/hold/gate/fields/Cache-Control:%20max-age=600/json/64")
        let content = #"{"url":"\#(url)","receipt":"r","partition":"p","slot":"s","waitSeconds":0}"#
        let plain = try fetch.post(content)
        #expect(plain.fields["location"] == "/v1/fetches/r?partition=p")
        let postponed = try fetch.post(content, "?shard=a%2Fb&nulls=keep")
        #expect(postponed.fields["location"] == "/v1/fetches/r?partition=p&shard=a%2Fb", "\(postponed.text)")
        let location = try #require(postponed.fields["location"])
        #expect(try fetch.send("GET", location).fields["location"] == location)
        #expect(try fetch.send("DELETE", "/v1/slots/s?shard=a%2Fb&partition=p").text == #"{"cancelled":2}"#)
        origin.release("gate")
        #expect(try fetch.send("DELETE", "/v1/fetches/r?shard=a%2Fb&partition=p").status == 404)
        #expect(try fetch.send("GET", target(url, "&shard=1")).fields["cache-status"]?.contains("stored") == true)
        // The shard is a part of no key.
        #expect(try fetch.send("GET", target(url, "&shard=2")).fields["cache-status"]?.contains("hit") == true)
        let purge = "/v1/cache?url=\(Script.argument(url))&shard=1"
        #expect(try fetch.send("DELETE", purge).text == #"{"purged":1}"#)
    }

    @Test func `a shard has 1 to 1 536 bytes as it is written, and occurs once`() throws {
        let fetch = try server()
        let url = "http://127.0.0.1:1/"
        func status(_ query: String) throws -> [Int] {
            let body = #"{"url":"\#(url)","cache":"only-if-cached"}"#
            return try [
                fetch.post(body, "?\(query)").status,
                fetch.send("GET", target(url, "&cache=only-if-cached&\(query)")).status,
                fetch.send("GET", "/v1/image?url=\(url)&cache=only-if-cached&\(query)").status,
                fetch.send("GET", "/v1/fetches/r?\(query)").status,
                fetch.send("DELETE", "/v1/fetches/r?\(query)").status,
                fetch.send("DELETE", "/v1/slots/r?\(query)").status, fetch.send("DELETE", "/v1/cache?\(query)").status,
            ]
        }
        let longest = String(repeating: "a", count: 1_536)
        for valid in ["a", "%F0%9F%98%80", longest, String(repeating: "%C3%A4", count: 256)] {
            #expect(try status("shard=\(valid)") == [504, 504, 504, 404, 404, 404, 404])
        }
        for invalid in [
            "shard=", "shard", "shard=\(longest)a", "shard=a&shard=a", "shard=%80", "shard=%00", "shard=%",
            // Bytes that a URI cannot have become longer in Location.
            "shard=" + String(repeating: "|", count: 513),
        ] {
            #expect(try status(invalid) == [400, 400, 400, 400, 400, 400, 400], "\(invalid.prefix(20))")
        }
        let long = try fetch.send("GET", "/v1/fetches/r?shard=\(longest)a")
        #expect(long.text.contains("cannot be '1537 bytes'; allowed: 1 to 1536 bytes"), "\(long.text)")
        let unknown = try fetch.send("GET", "/v1/fetches/r?shart=a")
        #expect(unknown.status == 400 && unknown.text.contains("Did you mean 'shard'?"), "\(unknown.text)")
        #expect(try fetch.send("GET", "/v1/cache?shard=a").status == 400)
        let inBody = try fetch.post(#"{"url":"\#(url)","shard":"a"}"#)
        #expect(inBody.status == 400)
    }

    /// The head of a response has a fixed memory. The longest one has every field at its longest.
    @Test func `every Location of a response 202 leads to the result`() throws {
        let origin = try Origin()
        let longestOrigin = "https://" + String(repeating: "a", count: CORSOrigins.maxOriginBytes - 8)
        var images = ImageSettings()
        images.corsOrigins = try #require(CORSOrigins(parsing: longestOrigin))
        let fetch = try server(origin, images: images)
        let held = origin.url("/hold/gate/json/64")
        let fields =
            "X-Request-ID: \(String(repeating: "a", count: 128))\r\nOrigin: \(longestOrigin)\r\n"
            + "Prefer: respond-async\r\n"
        func url(_ count: Int) -> String { held + "?" + String(repeating: "a", count: count - held.utf8.count - 1) }
        func check(_ query: String, isRepeated: Bool, in endpoints: [String] = ["fetch", "image"]) throws {
            for endpoint in endpoints {
                let response = try fetch.send("GET", "/v1/\(endpoint)?\(query)", fields: fields)
                #expect(response.status == 202, "\(response.text)")
                let location = try #require(response.fields["location"])
                #expect(location.contains("?shard=") == isRepeated, "\(location.count)")
                let again = try fetch.send("GET", location, fields: fields)
                #expect(again.status == 202 && again.fields["location"] == location, "\(again.text)")
            }
        }
        for (count, isRepeated) in [
            (512, true), (513, true), (Shard.maxBytes, true), (Shard.maxBytes + 1, false), (6_000, false),
        ] {
            try check("wait=0&url=\(url(count))", isRepeated: isRepeated)
        }
        // The URL is written in more bytes than it has.
        try check("wait=0&url=\(Script.argument(url(1_530)))", isRepeated: false)
        for shard in [
            String(repeating: "a", count: Shard.maxBytes), String(repeating: "%C3%A4", count: Shard.maxBytes / 6),
            String(repeating: "|", count: Shard.maxBytes / 3),
        ] {
            try check("wait=0&url=\(url(600))&shard=\(shard)", isRepeated: true)
        }
        let name = String(repeating: "p", count: 128)
        let receipt = String(repeating: "r", count: 128)
        let content = #"{"url":"\#(held)","waitSeconds":0,"receipt":"\#(receipt)","partition":"\#(name)"}"#
        let shard = String(repeating: "s", count: Shard.maxBytes)
        let posted = try fetch.post(content, "?shard=\(shard)", fields: fields)
        let location = try #require(posted.fields["location"], "\(posted.text)")
        #expect(location == "/v1/fetches/\(receipt)?partition=\(name)&shard=\(shard)")
        #expect(try fetch.send("GET", location).status == 202)
        #expect(try fetch.send("DELETE", location).text == #"{"cancelled":1}"#)
        origin.release("gate")
    }

    // MARK: Entity tags

    /// Responds with a field that differs each time.
    private static func script(_ content: String, _ type: String, _ count: Int) -> Script {
        let fields = [("Cache-Control", "max-age=600"), ("Content-Type", type), ("X-Count", "\(count)")]
        return Script(fields: fields, content: .bytes(Array(content.utf8)))
    }

    @Test(arguments: [
        (#"{"a":[1,null],"b":null}"#, "application/json", ""),
        (#"{"a":[1,null],"b":null}"#, "application/json", "&nulls=keep&hints=true"),
        ("<a b='1'>\u{E4}</a>", "application/xml", ""), ("a=b&a=c", "application/x-www-form-urlencoded", ""),
        ("[" + String(repeating: "1,", count: 100_000) + "1]", "application/json", ""), ("", "application/json", ""),
    ])
    func `entity tags are equal on all replicas for equal content and options`(
        content: String,
        type: String,
        options: String
    ) throws {
        let origin = try Origin()
        origin.respondToOthers { _, count in Self.script(content, type, count) }
        let replicas = try [server(origin), server(origin)]
        let target = target(origin.url("/x"), options)
        let responses = try replicas.map { try $0.send("GET", target) }
        let tag = try #require(responses[0].fields["etag"], "\(responses[0].text.prefix(1_000))")
        #expect(responses[1].fields["etag"] == tag && tag.hasPrefix("W/\""))
        let client = try replicas[1].client()
        client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n")
        #expect(try client.readResponse(isToHead: true).status == 304)
        // Also after the response was fetched again.
        #expect(try replicas[0].send("DELETE", "/v1/cache").status == 200)
        #expect(try replicas[0].send("GET", target).fields["etag"] == tag)
        #expect(origin.requestCount == 3)
    }

    @Test func `entity tags differ for other content and other options`() throws {
        let origin = try Origin()
        origin.respondToOthers { request, count in Self.script("[\(request.path.dropFirst()),null]", "text/json", count)
        }
        let fetch = try server(origin)
        var tags: Set<String> = []
        for path in ["/1", "/2", "/10"] {
            for options in ["", "&nulls=drop-all", "&serializer=http", "&view=value", "&view=value&nulls=drop-all"] {
                let response = try fetch.send("GET", target(origin.url(path), options + "&accept-types=*"))
                tags.insert(try #require(response.fields["etag"], "\(response.text)"))
            }
        }
        #expect(tags.count == 15)
    }

    /// The content stays the same. A client that has the earlier response must not receive 304.
    @Test func `entity tags differ for another status, another redirect, and other fields that lead on`() throws {
        let origin = try Origin()
        let state = Mutex((status: 200, extra: [("Content-Type", "application/json")], isRedirect: false))
        origin.respondToOthers { request, count in
            let now = state.withLock { $0 }
            var fields = [("Cache-Control", "max-age=600"), ("X-Count", "\(count)"), ("Age", "\(count)")]
            guard !now.isRedirect || request.path != "/x" else {
                fields.append(now.extra[0])
                return Script(status: now.status, fields: fields)
            }
            fields += now.isRedirect ? [("Content-Type", "application/json")] : now.extra
            return Script(status: now.isRedirect ? 200 : now.status, fields: fields, content: .bytes(Array("[1]".utf8)))
        }
        let fetch = try server(origin)
        var tags: [String: String] = [:]
        func check(_ status: Int, _ extra: [(String, String)], isRedirect: Bool = false, _ options: String = "") throws
        {
            state.withLock { $0 = (status, extra, isRedirect) }
            _ = try fetch.send("DELETE", "/v1/cache")
            let target = target(origin.url("/x"), "&accept-status=*&accept-types=*" + options)
            let response = try fetch.send("GET", target)
            let tag = try #require(response.fields["etag"], "\(response.text)")
            #expect(tags[tag] == nil, "\(status) \(extra) is as \(tags[tag] ?? "")")
            tags[tag] = "\(status) \(extra)"
            let client = try fetch.client()
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n")
            #expect(try client.readResponse(isToHead: true).status == 304)
        }
        let type = ("Content-Type", "application/json")
        try check(200, [type])
        try check(203, [type])
        try check(404, [type])
        try check(200, [("Content-Type", "text/json")])
        try check(200, [type, ("Link", "</2>; rel=next")])
        try check(200, [type, ("Link", "</3>; rel=next")])
        try check(200, [type, ("Retry-After", "5")])
        try check(200, [type], "&view=value")
        try check(203, [type], "&view=value")
        try check(301, [("Location", "/y")], isRedirect: true)
        try check(308, [("Location", "/y")], isRedirect: true)
        try check(301, [("Location", "/z")], isRedirect: true)
        try check(302, [("Location", "/y"), type], "&redirects=manual")
        try check(302, [("Location", "/z"), type], "&redirects=manual")
        try check(200, [type, ("ETag", "\"1\"")])
        try check(200, [type, ("ETag", "\"2\"")])
        try check(200, [type], "&upstream-headers=none")
        try check(200, [type, ("X-Page", "1")], "&upstream-headers=x-page")
        try check(200, [type, ("X-Page", "2")], "&upstream-headers=x-page")
    }

    @Test func `a validation that changes a field that leads on changes the entity tag`() throws {
        let origin = try Origin()
        origin.respondToOthers { _, count in
            let link = ("Link", "</\((count - 1) / 2)>; rel=next")
            let fields = [("ETag", "\"a\""), ("X-Count", "\(count)"), link]
            guard count == 1 else { return Script(status: 304, fields: fields) }
            let type = ("Content-Type", "application/json")
            return Script(fields: fields + [type], content: .bytes(Array("[1]".utf8)))
        }
        let fetch = try server(origin)
        let responses = try (0..<4).map { _ in try fetch.send("GET", target(origin.url("/x"))) }
        let tags = responses.compactMap { $0.fields["etag"] }
        #expect(tags.count == 4 && tags[0] == tags[1] && tags[2] == tags[3] && tags[0] != tags[2], "\(tags)")
    }

    @Test func `the entity tag of an image depends on its content and the thumbnail, and not on the replica`() throws {
        let origin = try Origin()
        let photo = PlainImage(width: 40, height: 20, color: RGBA(red: 200, green: 0, blue: 0)).encoded(as: .png)
        origin.respondToOthers { request, _ in
            let content = request.path == "/b" ? photo + [0] : photo
            return Script(
                status: request.path == "/c" ? 203 : 200,
                fields: [("Cache-Control", "max-age=600"), ("Content-Type", "image/png")],
                content: .bytes(content)
            )
        }
        let replicas = try (0..<2).map { _ in try server(origin, workers: FetchServer.oneWorker()) }
        func tags(_ path: String, _ parameters: String, _ fields: String = "") throws -> [String?] {
            let target = "/v1/image?url=\(Script.argument(origin.url(path)))\(parameters)"
            return try replicas.map { try $0.send("GET", target, fields: fields).fields["etag"] }
        }
        var all: Set<String> = []
        let requests = [
            ("/a", "", ""), ("/b", "", ""), ("/c", "", ""), ("/a", "&thumbnail=10x10", ""),
            ("/a", "&thumbnail=10x10,fit=cover", ""), ("/a", "", "Accept: image/webp\r\n"),
            ("/a", "", "Accept: image/jpeg\r\n"),
        ]
        for (path, parameters, fields) in requests {
            let both = try tags(path, parameters, fields)
            #expect(both[0] == both[1])
            all.insert(try #require(both[0]))
        }
        #expect(all.count == requests.count, "\(all)")
    }

    /// The values are those of OpenSSL.
    @Test(arguments: [
        (0, "0DB4D9615D9334210333FB31D05E1CB9"), (1, "21CF0C0A17387913FEA6D89D01420938"),
        (7, "9833A8A69ADCA0F3BCE80C0DDC478689"), (8, "CDE7F15733199A8AC6501644CC07A507"),
        (9, "B1C33248FDA6D15DFB8B83D1C04C8DE2"), (15, "51CBAC5900447BD1F38740939DBD54F9"),
        (16, "BEB069D4DEEC35A80BA0BEE51B3A4CC6"), (63, "DD800372A10B3DCBDE4A27F9CA52D8D2"),
        (100, "B197294469A0E741F66963400BCE1156"),
    ])
    func `contents are hashed with SipHash`(count: Int, expected: String) {
        let hash = SipHash.hash(of: Array(0..<UInt8(count)).span)
        let bytes = stride(from: 0, to: 128, by: 8).map { UInt8(truncatingIfNeeded: hash >> UInt128($0)) }
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        #expect(text == expected)
    }

    // MARK: CDN-Loop

    private func loops(_ origin: Origin) -> [[String]] {
        origin.recordedRequests.map { $0.values(of: "CDN-Loop") }
    }

    @Test func `CDN-Loop passes on what was received, after the own identifier`() throws {
        let origin = try Origin()
        let fetch = try server(origin, loop: "decant.example")
        let redirect = origin.url("/redirect/302/\(Script.argument(origin.url("/json/64")))")
        #expect(try fetch.send("GET", target(redirect)).status == 200)
        let received = "CDN-Loop: one, two;a=\"b, c\"\r\ncdn-loop:\t\"\r\nCDN-Loop:\r\n"
        #expect(try fetch.send("GET", target(redirect), fields: received).status == 200)
        #expect(try fetch.post(#"{"url":"\#(redirect)"}"#, fields: "CDN-Loop: three\r\n").status == 200)
        let all = ["decant.example", "one, two;a=\"b, c\"", "\"", ""]
        let posted = ["decant.example", "three"]
        #expect(loops(origin) == [["decant.example"], ["decant.example"], all, all, posted, posted])
    }

    @Test func `a request whose text is known passes on its own CDN-Loop`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let identifier = fetch.service.loop.identifier
        let target = target(origin.url("/fields/Cache-Control:%20max-age=600/json/64"))
        func get(_ fields: String) throws { #expect(try fetch.send("GET", target, fields: fields).status == 200) }
        try get("CDN-Loop: one\r\n")
        // The hit makes the text known.
        try get("CDN-Loop: two\r\n")
        fetch.service.cache.store.removeAll()
        try get("CDN-Loop: three\r\n")
        fetch.service.cache.store.removeAll()
        try get("")
        #expect(loops(origin) == [[identifier, "one"], [identifier, "three"], [identifier]])
    }

    @Test func `4 000 identifiers are passed on, and what is not ASCII is rejected`() throws {
        let origin = try Origin()
        let fetch = try server(origin)
        let many = Array(repeating: "a", count: 4_000).joined(separator: ",")
        #expect(try fetch.send("GET", target(origin.url("/json/64")), fields: "CDN-Loop: \(many)\r\n").status == 200)
        #expect(loops(origin).last == [fetch.service.loop.identifier, many])
        let own = "CDN-Loop: \(many), \(fetch.service.loop.identifier)\r\n"
        #expect(try fetch.send("GET", target(origin.url("/json/64")), fields: own).status == 400)
        let rejected = try fetch.send("GET", target(origin.url("/json/64")), fields: "CDN-Loop: \u{E4}\r\n")
        #expect(rejected.status == 400 && rejected.text.contains("request.invalid_field"), "\(rejected.text)")
        #expect(origin.requestCount == 1)
    }

    /// The outer service requests the inner one, which requests an origin.
    @Test func `a loop of two services is detected, and one of two replicas at the first of them`() throws {
        func request(_ outer: String, _ inner: String) throws -> (response: ReceivedResponse, loops: [[String]]) {
            let origin = try Origin()
            let inner = try server(origin, loop: inner)
            let port = inner.server.address.port
            let outer = try server(allow: "http://127.0.0.1:\(port)/", loop: outer)
            let url = "http://127.0.0.1:\(port)\(target(origin.url("/json/64")))"
            return (try outer.send("GET", target(url)), loops(origin))
        }
        let different = try request("one", "two")
        // The outer one would detect its identifier, if the URL led back to it.
        #expect(different.response.status == 200 && different.loops == [["two", "one"]], "\(different.response.text)")
        let same = try request("one", "one")
        #expect(same.response.status == 422 && same.loops.isEmpty, "\(same.response.text)")
        #expect(same.response.text.contains("fetch.loop"))
        let outer = try server(loop: "one")
        let back = try outer.send("GET", target("http://127.0.0.1:1/"), fields: "CDN-Loop: two\r\nCDN-Loop: one\r\n")
        #expect(back.status == 400 && back.text.contains("fetch.loop"))
    }
}
