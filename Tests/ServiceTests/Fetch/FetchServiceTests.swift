import Fetching
import Flights
import Foundation
import Origin
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Fetching from the outside: a service, the built fetcher, and a scripted origin.
@Suite struct FetchServiceTests {
    private func body(_ url: String, _ members: String = "") -> String {
        #"{"url":"\#(url)"\#(members)}"#
    }

    @Test func `a response is fetched and normalized`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let url = origin.url("/json/64")
        let response = try fetch.post(body(url, #","options":{"hints":true}"#))
        #expect(response.status == 200, "\(response.text)")
        #expect(response.fields["cache-status"] == "decant; fwd=bypass; fwd-status=200")
        #expect(response.fields["cache-control"] == "no-store")
        #expect(response.fields["server-timing"]?.contains("ttfb;dur=") == true)
        #expect(response.text.contains(#""url":"\#(url)""#) && response.text.contains(#""headers":["#))
        let head = try #require(origin.recordedRequests.first).head
        let headText = String(decoding: head, as: UTF8.self)
        #expect(headText.contains("CDN-Loop: decant-"))

        let target = "/v1/fetch?url=\(Script.argument(url))&nulls=keep"
        #expect(try fetch.send("GET", target).status == 200)
        #expect(try fetch.send("GET", target + "&cache=only-if-cached").status == 504)
        #expect(try fetch.send("GET", "/v1/fetch").status == 400)
        #expect(try fetch.send("GET", target + "&nulls=keep").status == 400)
    }

    @Test func `each request for one resource receives the problem with its own identifier`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let content = body(origin.url("/hold/gate/text/x"), #","receipt":"r","options":{"serializer":"image"}"#)
        let identifiers = (0..<3).map { String(repeating: "\($0)", count: 32) }
        let clients = try identifiers.map { identifier in
            let client = try fetch.client()
            FetchServer.post(content, on: client, fields: "X-Request-ID: \(identifier)\r\n")
            return client
        }
        let postponed = try fetch.post(content.replacing(#""receipt""#, with: #""waitSeconds":0,"receipt""#))
        #expect(postponed.status == 202)
        #expect(eventually { fetch.service.thread.metrics.figures.flights.merged == 3 })
        origin.release("gate")
        var others: Set<String> = []
        func check(_ response: ReceivedResponse, _ identifier: String) {
            let urn = Instance.urn(requestID: identifier)
            #expect(response.status == 422 && response.text.contains(#""instance":"\#(urn)""#), "\(response.text)")
            #expect(response.fields["x-request-id"] == identifier)
            #expect(response.fields["content-length"] == "\(response.text.utf8.count)")
            others.insert(response.text.replacing(urn, with: ""))
        }
        for (client, identifier) in zip(clients, identifiers) { check(try client.readResponse(), identifier) }
        let identifier = String(repeating: "a", count: 32)
        check(try fetch.send("GET", "/v1/fetches/r", fields: "X-Request-ID: \(identifier)\r\n"), identifier)
        #expect(others.count == 1)
    }

    @Test(arguments: [1_000, 200_000])
    func `a stored response is compressed, and 304 has the length and Vary of the compressed one`(bytes: Int) throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin, gzipResponsesAboveBytes: 500) { settings in
            settings.cache.limits = CacheLimits(
                capacityBytes: 1 << 20,
                bytesAfterPurge: 1 << 19,
                maxEntryBytes: 1 << 19
            )
        }
        let url = origin.url("/fields/Cache-Control:%20max-age=600/json/\(bytes)")
        let target = "/v1/fetch?url=\(Script.argument(url))"
        let plain = try fetch.send("GET", target)
        #expect(plain.fields["vary"] == "Accept-Encoding" && plain.fields["content-encoding"] == nil)
        let tag = try #require(plain.fields["etag"])
        let fields = "Accept-Encoding: gzip\r\nWant-Repr-Digest: sha-256=1\r\n"
        let client = try fetch.client()
        var lengths: Set<String> = []
        for _ in 0..<2 {
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            let hit = try client.readResponse()
            #expect(hit.status == 200 && hit.fields["content-encoding"] == "gzip", "\(hit.fields)")
            #expect(hit.fields["repr-digest"] != nil)
            lengths.insert(try #require(hit.fields["content-length"]))
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\(fields)\r\n")
            let head = try client.readResponse(isToHead: true)
            #expect(head.status == 304 && head.fields["vary"] == "Accept-Encoding")
            #expect(head.fields["content-type"] == nil && head.fields["content-encoding"] == nil)
            lengths.insert(try #require(head.fields["content-length"]))
        }
        #expect(lengths.count == 1 && lengths != [plain.fields["content-length"] ?? ""])
    }

    @Test func `only a request for which a response is decoded reports the time for it`() throws {
        let origin = try Origin()
        origin.respondToOthers { request, _ in
            let lifetime = ("Cache-Control", "max-age=600")
            guard request.path == "/x" else { return Script(status: 301, fields: [lifetime, ("Location", "/x")]) }
            let fields = [lifetime, ("Content-Type", "application/json")]
            return Script(fields: fields, content: .bytes(Array("[1]".utf8)))
        }
        let fetch = try FetchServer(for: origin) { settings in
            settings.cache.limits = CacheLimits(
                capacityBytes: 1 << 20,
                bytesAfterPurge: 1 << 19,
                maxEntryBytes: 1 << 18
            )
        }
        let areDecoded = try ["/r", "/r", "/x", "/x"].map { path in
            let response = try fetch.send("GET", "/v1/fetch?url=\(Script.argument(origin.url(path)))")
            #expect(response.status == 200 && response.text.contains(#""history""#) == (path == "/r"))
            return response.fields["server-timing"]?.contains("decode;dur=") == true
        }
        #expect(areDecoded == [true, false, false, false])
        #expect(origin.requestCount == 2)
    }

    @Test func `a stored response is sent from the cache, with 304 to a client that has it, until it is purged`() throws
    {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin) { settings in
            settings.cache.limits = CacheLimits(
                capacityBytes: 1 << 20,
                bytesAfterPurge: 1 << 19,
                maxEntryBytes: 1 << 18
            )
            settings.cache.allowsPurge = true
        }
        let url = origin.url("/fields/Cache-Control:%20max-age=600/json/64")
        let target = "/v1/fetch?url=\(Script.argument(url))"
        let first = try fetch.send("GET", target)
        #expect(
            first.fields["cache-status"] == "decant; fwd=uri-miss; fwd-status=200; ttl=600; stored",
            "\(first.text)"
        )
        let hit = try fetch.send("GET", target)
        #expect(hit.fields["cache-status"] == "decant; hit; ttl=600" && hit.text == first.text)
        #expect(hit.fields["cache-control"] == "max-age=600" && hit.fields["age"] == "0")
        let tag = try #require(hit.fields["etag"])
        #expect(tag == first.fields["etag"])

        let client = try fetch.client()
        for _ in 0..<2 {
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"x\", \(tag)\r\n\r\n")
            let head = try client.readResponse(isToHead: true)
            #expect(head.status == 304 && head.fields["etag"] == tag)
            // RFC 9110 §8.6. The second round shows that no content followed.
            #expect(head.fields["content-length"] == hit.fields["content-length"])
        }
        #expect(try fetch.send("GET", target, fields: "If-None-Match: \"x\"\r\n").status == 200)
        #expect(try fetch.post(body(url)).fields["cache-status"] == "decant; hit; ttl=600")

        let purge = "/v1/cache?url=\(Script.argument(url))"
        #expect(try fetch.send("GET", "/v1/cache").text.contains(#""responses":1,"renditions":1"#))
        #expect(try fetch.send("DELETE", purge).text == #"{"purged":1}"#)
        #expect(try fetch.send("DELETE", purge).status == 404)
        // A response counts until the library has released it.
        #expect(try eventually { try fetch.send("GET", "/v1/cache").text.contains(#""usedBytes":0"#) })
        #expect(try fetch.send("GET", target).fields["cache-status"]?.contains("uri-miss") == true)
        #expect(origin.recordedRequests.count == 2)
    }

    @Test(arguments: [
        ("DELETE", "/v1/cache?sotf=true", "soft"), ("DELETE", "/v1/cache?nulls=keep", nil),
        ("GET", "/v1/cache?url=x", nil),
        ("DELETE", "/v1/fetches/r?patrition=p", "partition"), ("DELETE", "/v1/slots/s?url=x", nil),
    ])
    func `an unknown parameter is 400, and the nearest one of the path is proposed`(
        method: String,
        target: String,
        nearest: String?
    ) throws {
        let fetch = try FetchServer { $0.cache.allowsPurge = true }
        let response = try fetch.send(method, target)
        #expect(response.status == 400 && response.text.contains("request.invalid_option"))
        #expect(response.text.contains("there is no parameter"))
        #expect(response.text.contains("Did you mean") == (nearest != nil))
        if let nearest { #expect(response.text.contains("Did you mean '\(nearest)'?")) }
    }

    @Test func `equal requests share one request to the origin`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let clients = try (0..<20).map { _ in try fetch.client() }
        for client in clients { FetchServer.post(body(origin.url("/hold/gate/json/64")), on: client) }
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(eventually { fetch.service.thread.metrics.figures.flights.merged == 19 })
        origin.release("gate")
        let responses = try clients.map { try $0.readResponse() }
        #expect(responses.allSatisfy { $0.status == 200 })
        #expect(responses.filter { $0.fields["cache-status"]?.hasSuffix("collapsed") == true }.count == 19)
        #expect(origin.requestCount == 1)
    }

    @Test func `a client that leaves cancels its request only, and the last one the transfer`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let path = "/hold/gate/json/64"
        var first: RawClient? = try fetch.client()
        var second: RawClient? = try fetch.client()
        for client in [first, second] { FetchServer.post(body(origin.url(path)), on: try #require(client)) }
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(eventually { fetch.service.thread.metrics.figures.flights.merged == 1 })
        first = nil
        #expect(eventually { fetch.service.thread.metrics.figures.flights.cancelled == 1 })
        #expect(fetch.service.thread.metrics.figures.active == 1)
        second = nil
        #expect(eventually { fetch.service.thread.metrics.figures.active == 0 })
        #expect(origin.awaitPeerClosed(1))
        _ = (first, second)
    }

    @Test func `a client that closes its sending side receives 409`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let client = try fetch.client()
        FetchServer.post(body(origin.url("/hold/gate/json/64")), on: client)
        #expect(origin.awaitHolding(1, at: "gate"))
        client.endSending()
        let response = try client.readResponse()
        #expect(response.status == 409 && response.text.contains("fetch.cancelled"), "\(response.text)")
        #expect(response.text.contains(#""domain":"NSURLErrorDomain","domainCode":-999"#))
    }

    @Test func `requests are cancelled by receipt and by slot`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let first = try fetch.client()
        FetchServer.post(body(origin.url("/hold/gate/json/64"), #","receipt":"r-1","slot":"s""#), on: first)
        #expect(origin.awaitHolding(1, at: "gate"))
        let cancelled = try fetch.send("DELETE", "/v1/fetches/r-1")
        #expect(cancelled.status == 200 && cancelled.text == #"{"cancelled":1}"#)
        #expect(try first.readResponse().status == 409)
        #expect(try fetch.send("DELETE", "/v1/fetches/r-1").status == 404)

        let second = try fetch.client()
        FetchServer.post(body(origin.url("/hold/gate/json/65"), #","slot":"s""#), on: second)
        #expect(origin.awaitHolding(1, at: "gate"))
        let third = try fetch.post(body(origin.url("/json/66"), #","slot":"s""#))
        #expect(third.status == 200)
        let superseded = try second.readResponse()
        #expect(superseded.status == 409 && superseded.text.contains("fetch.superseded"))
    }

    @Test func `a request waits without a connection`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let content = body(origin.url("/hold/gate/json/64"), #","receipt":"r-1""#)
        let response = try fetch.post(content, fields: "Prefer: respond-async, wait=0\r\n")
        #expect(response.status == 202 && response.text == #"{"receipt":"r-1"}"#)
        #expect(response.fields["location"] == "/v1/fetches/r-1" && response.fields["retry-after"] == "1")
        #expect(response.fields["preference-applied"] == "respond-async")
        #expect(try fetch.send("GET", "/v1/fetches/r-1").status == 202)
        origin.release("gate")
        #expect(try eventually { try fetch.send("GET", "/v1/fetches/r-1").status == 200 })
        // Polling by the request itself.
        #expect(try fetch.post(content, fields: "Prefer: respond-async\r\n").status == 200)
        #expect(origin.requestCount == 1)
        #expect(try fetch.send("GET", "/v1/fetches/r-2").status == 404)
    }

    @Test func `redirects are followed and listed`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let final = origin.url("/json/64")
        let first = origin.url("/redirect/302/\(Script.argument(final))")
        let response = try fetch.post(body(first))
        #expect(response.status == 200)
        #expect(response.text.contains(#""history":[{"status":302,"url":"\#(first)""#), "\(response.text)")
        let refused = try fetch.post(body(first, #","redirects":"error""#))
        #expect(refused.status == 502 && refused.text.contains("fetch.redirect_refused"))
        let manual = try fetch.post(body(first, #","redirects":"manual""#))
        #expect(manual.status == 422 && manual.text.contains("-1011"))
    }

    @Test(arguments: [
        ("/reset/before-head", 502, "fetch.connection_lost"),
        ("/reset/in-content/json/100", 502, "fetch.connection_lost"),
        ("/status/500/json/10", 422, "response.unacceptable_status"),
        ("/length/-1/json/10", 502, "fetch.malformed_response"),
    ])
    func `faults of origins have their codes`(path: String, status: Int, code: String) throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin) { $0.attempts.maxRetries = 0 }
        let response = try fetch.post(body(origin.url(path)))
        #expect(response.status == status && response.text.contains(code), "\(response.text)")
        // Only a failed fetch has them; the connection was new.
        let isFetch = code.hasPrefix("fetch.")
        let timings = #/"attempts":1,"timings":\{("[a-z]+":\d+\.\d{3},)*"connect":\d+\.\d{3}/#
        #expect(response.text.contains(timings) == isFetch, "\(response.text)")
        #expect(eventually { fetch.service.thread.metrics.figures.active == 0 })
    }

    @Test func `requests that have not begun wait for the next fetcher, however many have ended`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin) { $0.permits.maxActivePerOrigin = 1 }
        let first = try fetch.client()
        FetchServer.post(body(origin.url("/hold/gate/json/64")), on: first)
        #expect(origin.awaitHolding(1, at: "gate"))
        let others = try (0..<10).map { _ in try fetch.client() }
        for (number, client) in others.enumerated() {
            FetchServer.post(body(origin.url("/json/\(number + 10)")), on: client)
        }
        #expect(eventually { fetch.service.thread.metrics.figures.queued == 10 })
        origin.pauseAccepting()
        var ended: Set<pid_t> = []
        for _ in 0..<6 {
            #expect(eventually { fetch.fetcherProcess.map { !ended.contains($0) } ?? false })
            let process = try #require(fetch.fetcherProcess)
            ended.insert(process)
            kill(process, SIGKILL)
        }
        origin.resumeAccepting()
        origin.release("gate")
        // Those that had begun are started once more, after the others.
        for client in [first] + others { #expect(try client.readResponse().status == 200) }
    }

    @Test func `content of a GET is rejected unless the setting permits it`() throws {
        let origin = try Origin()
        for isPermitted in [false, true] {
            let fetch = try FetchServer(for: origin) { $0.requests.allowsGetContent = isPermitted }
            let response = try fetch.post(body(origin.url("/json/64"), #","body":{"json":{}}"#))
            #expect(response.status == (isPermitted ? 200 : 400), "\(response.text)")
            #expect(response.text.contains("fetch-allow-get-content") == !isPermitted)
            #expect(try fetch.post(body(origin.url("/json/64"), #","body":{"text":""}"#)).status == 200)
        }
        #expect(origin.recordedRequests.map(\.content) == [[], Array("{}".utf8), []])
    }

    @Test func `what a request has left on its connection does not reach another partition`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin) { $0.requests.allowsGetContent = true }
        func call(_ path: String, _ partition: String, _ members: String) throws -> ReceivedResponse {
            let members = #","partition":"\#(partition)","cache":"no-store","options":{"serializer":"http"}"# + members
            return try fetch.post(body(origin.url(path), members))
        }
        let secret = #","headers":[["authorization","NTLM secret"]]"#
        #expect(try call("/authenticate/NTLM", "a", secret).text.contains("NTLM secret"))
        let chosen = #","body":{"text":"GET /text/chosen HTTP/1.1\r\nHost: a\r\n\r\n"}"#
        #expect(try call("/ignore-content/text/first", "a", chosen).text.contains("first"))
        for _ in 0..<2 {
            let other = try call("/authenticate/NTLM", "b", "")
            #expect(!other.text.contains("secret") && !other.text.contains("chosen"), "\(other.text)")
            #expect(other.text.contains("401"))
        }
    }

    @Test func `requests that wait are rejected when the service stops`() throws {
        let origin = try Origin()
        let fetch = try FetchServer(for: origin)
        let client = try fetch.client()
        FetchServer.post(body(origin.url("/hold/gate/json/64")), on: client)
        #expect(origin.awaitHolding(1, at: "gate"))
        fetch.server.stop()
        #expect(try client.readResponse().status == 503)
    }

    /// The client asks for the result over a new connection.
    @Test func `after SIGTERM the result of a request that received a 202 response can be received`() throws {
        let origin = try Origin()
        let (process, address) = try DecantProcess.serving(
            "--workers",
            "0",
            "--fetch-allow",
            origin.url("/"),
            "--fetch-allow-addresses",
            "127.0.0.1/32"
        )
        func send(_ text: String) throws -> ReceivedResponse {
            let client = try RawClient(port: address.port)
            client.send(text)
            return try client.readResponse()
        }
        let content = body(origin.url("/hold/gate/json/64"), #","receipt":"r-1""#)
        let head = "POST /v1/fetch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        let fields = "Prefer: respond-async, wait=0\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
        #expect(try send(head + fields + content).status == 202)
        #expect(origin.awaitHolding(1, at: "gate"))
        process.signal(SIGTERM)
        #expect(try eventually { try send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n").status == 503 })
        origin.release("gate")
        let get = "GET /v1/fetches/r-1 HTTP/1.1\r\nHost: a\r\n\r\n"
        var response = try send(get)
        while response.status == 202 { response = try send(get) }
        #expect(response.status == 200)
        // Nothing else waits.
        #expect(try process.finish().status == 0)
    }

    /// Half of the time is for the result, and half for receiving that there is none.
    @Test func `after SIGTERM the receipt of a request that is not finished says so`() throws {
        let origin = try Origin()
        let (process, address) = try DecantProcess.serving(
            "--workers",
            "0",
            "--drain-timeout-seconds",
            "4",
            "--fetch-allow",
            origin.url("/"),
            "--fetch-allow-addresses",
            "127.0.0.1/32"
        )
        func send(_ text: String) throws -> ReceivedResponse {
            let client = try RawClient(port: address.port)
            client.send(text)
            return try client.readResponse()
        }
        let content = body(origin.url("/hold/gate/json/64"), #","receipt":"r-1""#)
        let head = "POST /v1/fetch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        let fields = "Prefer: respond-async, wait=0\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
        #expect(try send(head + fields + content).status == 202)
        #expect(origin.awaitHolding(1, at: "gate"))
        process.signal(SIGTERM)
        let get = "GET /v1/fetches/r-1 HTTP/1.1\r\nHost: a\r\n\r\n"
        var response = try send(get)
        while response.status == 202 { response = try send(get) }
        #expect(response.status == 503 && response.text.contains("stop"), "\(response.text)")
        #expect(try process.finish().status == 0)
    }

    /// With `*`, a caller does not even learn that the name has an address.
    @Test(arguments: [("*", 502), ("inside.example", 403)])
    func `no problem contains an address that a name resolved to`(host: String, status: Int) throws {
        let origin = try Origin()
        let folder = try TemporaryFolder()
        var settings = FetcherSettings()
        settings.hosts = try folder.write("10.98.76.54 inside.example\n", to: "hosts")
        let fetch = try FetchServer(allow: "http://\(host)/, \(origin.url("/"))", fetcherSettings: settings)
        let inside = "http://inside.example/"
        for url in [inside, origin.url("/redirect/302/\(Script.argument(inside))")] {
            let response = try fetch.post(body(url))
            #expect(response.status == status, "\(response.text)")
            #expect(!response.text.contains("10.98") && !response.text.contains("RFC 1918"), "\(response.text)")
        }
    }

    @Test func `the own identifier in CDN-Loop is a loop, and the own port is rejected`() throws {
        let fetch = try FetchServer()
        let loop = try fetch.post(
            body("http://127.0.0.1:1/"),
            fields: "CDN-Loop: a, \(fetch.service.loop.identifier)\r\n"
        )
        #expect(loop.status == 400 && loop.text.contains("fetch.loop"))
        // Nothing is fetched.
        let result = try fetch.send("GET", "/v1/fetches/r", fields: "CDN-Loop: \(fetch.service.loop.identifier)\r\n")
        #expect(result.status == 404)
        let port = fetch.server.address.port
        #expect(fetch.service.rules.policy.addresses.listeners.ports == [port])
        #expect(throws: AddressRejection.ownListener) {
            try fetch.service.rules.policy.addresses.check(
                .v4(IPv4Address(127, 0, 0, 1)),
                port: port,
                hostIsNamed: true
            )
        }
    }

    @Test func `tokens determine the partition, and signatures permit the GET form`() throws {
        let origin = try Origin()
        let access = try AccessControl.testing(
            tokens: [TokenFile.web, TokenFile.admin, TokenFile.prometheus],
            signingKeys: TokenFile.signingKeys
        )
        let fetch = try FetchServer(for: origin, access: access)
        func bearer(_ entry: TokenFile.Entry) -> String { "Authorization: Bearer \(entry.text)\r\n" }
        let content = body(origin.url("/hold/gate/json/64"), #","receipt":"r-1","waitSeconds":0"#)
        #expect(try fetch.post(content).status == 401)
        #expect(try fetch.post(content, fields: bearer(TokenFile.prometheus)).status == 403)
        #expect(try fetch.post(content, fields: bearer(TokenFile.web)).status == 202)
        #expect(try fetch.send("GET", "/v1/fetches/r-1").status == 401)
        #expect(try fetch.send("GET", "/v1/fetches/r-1", fields: bearer(TokenFile.admin)).status == 404)
        #expect(try fetch.send("DELETE", "/v1/fetches/r-1", fields: bearer(TokenFile.admin)).status == 404)
        let other = try fetch.send("GET", "/v1/fetches/r-1?partition=admin", fields: bearer(TokenFile.web))
        #expect(other.status == 403)
        let any = try fetch.send("GET", "/v1/fetches/r-1?partition=web", fields: bearer(TokenFile.admin))
        #expect(any.status == 202)
        #expect(try fetch.send("DELETE", "/v1/fetches/r-1", fields: bearer(TokenFile.web)).status == 200)

        // Requests of different partitions are not merged.
        let key = try SigningKeys(parsing: TokenFile.signingKeys)
        let target = key.sign("/v1/fetch?url=\(Script.argument(origin.url("/hold/gate/json/64")))&wait=0")
        #expect(try fetch.send("GET", String(target.dropLast())).status == 403)
        let signed = try fetch.send("GET", target)
        #expect(signed.status == 202)
        // A generated receipt needs no permission.
        #expect(try fetch.send("GET", signed.fields["location"] ?? "").status == 202)
        #expect(try fetch.send("DELETE", signed.fields["location"] ?? "").status == 401)
        let keyed = body(origin.url("/json/64"), #","cacheKey":"k""#)
        #expect(try fetch.post(keyed, fields: bearer(TokenFile.web)).status == 200)
    }
}
