import Fetching
import Flights
import Foundation
import Origin
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// The credentials of the service, from the outside: which requests have them, and which responses are stored.
@Suite struct OriginCredentialsServiceTests {
    /// An origin with credentials, another one, and a service that may request both.
    private struct Fixture {
        let own: Origin
        let other: Origin
        let fetch: FetchServer

        init(access: AccessControl = .unrestricted) throws {
            own = try Origin()
            other = try Origin()
            let field = HeaderFields.Field(name: "Authorization", value: "Bearer own-secret")
            let credentials = OriginCredentials([try FetchURL(parsing: own.url("/")).origin: [field]])
            fetch = try FetchServer(
                allow: "\(own.url("/")),\(other.url("/"))",
                access: access,
                credentials: credentials
            ) { settings in
                settings.cache.limits = CacheLimits(
                    capacityBytes: 1 << 20,
                    bytesAfterPurge: 1 << 19,
                    maxEntryBytes: 1 << 18
                )
            }
        }

        func get(_ url: String, _ parameters: String = "", fields: String = "") throws -> ReceivedResponse {
            try fetch.send("GET", "/v1/fetch?url=\(Script.argument(url))\(parameters)", fields: fields)
        }

        /// The URL that redirects to another one.
        static func redirect(_ origin: Origin, to url: String, status: Int = 302) -> String {
            origin.url("/redirect/\(status)/\(Script.argument(url))")
        }
    }

    private static let fresh = "/fields/Cache-Control:%20max-age=600/json/64"

    /// The values of `Authorization` that an origin has received.
    private func received(_ origin: Origin) -> [[String]] {
        origin.recordedRequests.map { $0.values(of: "Authorization") }
    }

    private static let own = ["Bearer own-secret"]

    @Test func `requests to an origin have its fields, and requests to others have not`() throws {
        let fixture = try Fixture()
        #expect(try fixture.get(fixture.own.url("/json/64")).status == 200)
        #expect(try fixture.get(fixture.other.url("/json/64")).status == 200)
        _ = try fixture.fetch.send("GET", "/v1/image?url=\(Script.argument(fixture.own.url("/json/64")))")
        #expect(received(fixture.own) == [Self.own, Self.own] && received(fixture.other) == [[]])
    }

    @Test func `a redirect within the origin keeps the fields`() throws {
        let fixture = try Fixture()
        #expect(try fixture.get(Fixture.redirect(fixture.own, to: fixture.own.url("/json/64"))).status == 200)
        #expect(received(fixture.own) == [Self.own, Self.own])
    }

    @Test(arguments: [302, 307])
    func `a redirect to another origin drops the fields, and they do not return with one that leads back`(status: Int)
        throws
    {
        let fixture = try Fixture()
        let back = Fixture.redirect(fixture.other, to: fixture.own.url(Self.fresh), status: status)
        let response = try fixture.get(Fixture.redirect(fixture.own, to: back, status: status))
        #expect(response.status == 200, "\(response.text)")
        #expect(received(fixture.own) == [Self.own, []] && received(fixture.other) == [[]])
    }

    /// Otherwise another origin could fill the cache with what everybody may see, or receive what was stored.
    @Test func `a redirect from elsewhere to the origin has no fields, and neither uses nor fills the cache`() throws {
        let fixture = try Fixture()
        let url = fixture.own.url(Self.fresh)
        for _ in 0..<2 {
            let redirected = try fixture.get(Fixture.redirect(fixture.other, to: url), "&cache=force-cache")
            #expect(redirected.status == 200 && redirected.fields["cache-control"] == "no-store")
        }
        #expect(received(fixture.own) == [[], []])
        #expect(try fixture.get(url).fields["cache-status"]?.contains("fwd=uri-miss") == true)
        #expect(try fixture.get(url).fields["cache-status"]?.contains("hit") == true)
        #expect(received(fixture.own) == [[], [], Self.own])
        let redirected = try fixture.get(Fixture.redirect(fixture.other, to: url))
        #expect(redirected.fields["cache-status"]?.contains("hit") == false)
        #expect(received(fixture.own) == [[], [], Self.own, []])
        let cached = try fixture.get(Fixture.redirect(fixture.other, to: url), "&cache=only-if-cached")
        #expect(cached.status == 504)
    }

    @Test(arguments: ["authorization", "AUTHORIZATION"])
    func `a caller's field of the same name is rejected at the origin, and sent to others`(name: String) throws {
        let fixture = try Fixture()
        func body(_ origin: Origin) -> String {
            #"{"url":"\#(origin.url("/json/64"))","headers":{"\#(name)":"Bearer callers"}}"#
        }
        let rejected = try fixture.fetch.post(body(fixture.own))
        #expect(rejected.status == 400 && rejected.text.contains("fetch.field_not_allowed"), "\(rejected.text)")
        #expect(rejected.text.contains("fetch-credentials-file") && !rejected.text.contains("own-secret"))
        #expect(fixture.own.recordedRequests.isEmpty)
        #expect(try fixture.fetch.post(body(fixture.other)).status == 200)
        #expect(received(fixture.other) == [["Bearer callers"]])
    }

    @Test func `a response to a request with Authorization of the service is stored, and validated with it`() throws {
        let fixture = try Fixture()
        let url = fixture.own.url(
            "/fields/Cache-Control:%20max-age=600%0AVary:%20Authorization%0AETag:%20%22a%22/json/64"
        )
        #expect(try fixture.get(url).fields["cache-status"]?.contains("stored") == true)
        #expect(try fixture.get(url).fields["cache-status"]?.contains("hit") == true)
        #expect(try fixture.get(url, "&cache=no-cache").status == 200)
        #expect(received(fixture.own) == [Self.own, Self.own])
        #expect(fixture.own.recordedRequests[1].values(of: "If-None-Match") == ["\"a\""])
    }

    @Test func `partitions share neither requests nor responses nor connections, and have the same fields`() throws {
        let access = try AccessControl.testing(tokens: [TokenFile.web, TokenFile.admin])
        let fixture = try Fixture(access: access)
        let url = fixture.own.url("/hold/gate" + Self.fresh)
        let clients = try [TokenFile.web, TokenFile.admin, TokenFile.web].map { entry in
            let client = try fixture.fetch.client()
            let target = "/v1/fetch?url=\(Script.argument(url))"
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(entry.text)\r\n\r\n")
            return client
        }
        #expect(fixture.own.awaitHolding(2, at: "gate"))
        #expect(eventually { fixture.fetch.service.thread.metrics.figures.flights.merged == 1 })
        fixture.own.release("gate")
        for client in clients { #expect(try client.readResponse().status == 200) }
        #expect(received(fixture.own) == [Self.own, Self.own])
        #expect(Set(fixture.own.recordedRequests.map(\.connection)).count == 2)
    }

    @Test func `other fields are used from a reload on, and requests that are known are checked again`() throws {
        let fixture = try Fixture()
        let url = fixture.own.url("/json/64")
        let stored = fixture.own.url(Self.fresh)
        for _ in 0..<3 { #expect(try fixture.get(stored).status == 200) }
        fixture.fetch.service.use(.none)
        #expect(try fixture.get(url).status == 200)
        let field = HeaderFields.Field(name: "X-Api-Key", value: "new")
        fixture.fetch.service.use(OriginCredentials([try FetchURL(parsing: url).origin: [field]]))
        #expect(try fixture.get(url).status == 200)
        #expect(received(fixture.own) == [Self.own, [], []])
        #expect(fixture.own.recordedRequests[2].values(of: "X-Api-Key") == ["new"])
        #expect(try fixture.get(stored).fields["cache-status"]?.contains("hit") == true)
    }

    @Test func `a request joins no flight and receives no kept result of other fields`() throws {
        let fixture = try Fixture()
        let url = fixture.own.url("/hold/gate/json/64")
        func send() throws -> RawClient {
            let client = try fixture.fetch.client()
            client.send("GET /v1/fetch?url=\(Script.argument(url))&wait=60 HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        let kept = try fixture.get(url, "&wait=0")
        #expect(kept.status == 202)
        let joined = try send()
        #expect(eventually { fixture.fetch.service.thread.metrics.figures.flights.merged == 1 })
        let field = HeaderFields.Field(name: "Authorization", value: "Bearer new")
        let credentials = OriginCredentials([try FetchURL(parsing: url).origin: [field]])
        fixture.fetch.service.use(credentials)
        let own = try send()
        #expect(fixture.own.awaitHolding(2, at: "gate"))
        let other = try send()
        #expect(eventually { fixture.fetch.service.thread.metrics.figures.flights.merged == 2 })
        fixture.own.release("gate")
        for client in [joined, own, other] { #expect(try client.readResponse().status == 200) }
        #expect(Set(received(fixture.own)) == [Self.own, ["Bearer new"]] && fixture.own.requestCount == 2)
        // The result of the first request is kept for its receipt, and for nobody else.
        #expect(try fixture.get(url, "&wait=60").status == 200)
        #expect(received(fixture.own).last == ["Bearer new"] && fixture.own.requestCount == 3)
        #expect(try fixture.fetch.send("GET", try #require(kept.fields["location"])).status == 200)
    }

    // MARK: The process

    /// Everything that the service sends and writes, with an origin that rejects, and one that cannot be reached.
    @Test func `SIGHUP replaces the fields, and no response, line of the log or metric contains them`() throws {
        let origin = try Origin()
        let folder = try TemporaryFolder()
        let origins = #""\#(origin.url("/"))","http://127.0.0.1:1""#
        func file(_ value: String) -> String {
            #"{"credentials":[{"origins":[\#(origins)],"fields":{"Authorization":"Bearer \#(value)"}}]}"#
        }
        let path = try folder.write(file("first-secret"), to: "credentials.json")
        func permit(_ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        try permit(0o600)
        let (service, address) = try DecantProcess.serving(
            "--workers",
            "0",
            "--log-level",
            "trace",
            "--fetch-allow",
            "\(origin.url("/")),http://127.0.0.1:1/",
            "--fetch-allow-addresses",
            "127.0.0.1/32",
            "--fetch-retries",
            "0",
            "--fetch-credentials-file",
            path
        )
        let client = try RawClient(port: address.port)
        var received = ""
        func get(_ target: String) throws -> ReceivedResponse {
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.readResponse()
            received += "\(response.fields)\(response.text)"
            return response
        }
        func fetch(_ url: String, _ parameters: String = "") throws -> Int {
            try get("/v1/fetch?url=\(Script.argument(url))\(parameters)").status
        }
        #expect(try fetch(origin.url("/status/401/json/64")) == 422)
        #expect(try fetch(origin.url("/reset/before-head")) == 502)
        #expect(try fetch("http://127.0.0.1:1/") == 502)
        let postponed = try get("/v1/fetch?url=\(Script.argument(origin.url("/hold/gate/json/64")))&wait=0")
        #expect(postponed.status == 202)
        let location = try #require(postponed.fields["location"])
        #expect(try get(location).status == 202)
        origin.release("gate")
        // A result that nobody has read would delay the end.
        #expect(try eventually { try get(location).status == 200 })

        _ = try folder.write(file("second-secret"), to: "credentials.json")
        try permit(0o644)
        service.signal(SIGHUP)
        let last = { origin.recordedRequests.last?.values(of: "Authorization") }
        #expect(try eventually { try fetch(origin.url("/json/64")) == 200 && last() == ["Bearer second-secret"] })
        _ = try folder.write(file("third-secret\\u000A"), to: "credentials.json")
        service.signal(SIGHUP)
        #expect(try eventually { try get("/metrics").text.contains("\ndecant_credentials_current 0\n") })
        #expect(try get("/metrics").text.contains(#"decant_credential_reloads_total{result="succeeded"} 1"#))
        for target in ["/v1/profiles", "/v1/serializers", "/v1/cache", "/readyz"] { _ = try get(target) }
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains(#""message":"the credentials are reloaded","origins":2"#), "\(result.errors)")
        #expect(
            result.errors.contains(#""message":"the credentials are not reloaded; the previous ones stay in force""#)
        )
        // The first file is private, and the third is not used.
        let warning = "every user of the machine can read the file of credentials"
        #expect(result.errors.ranges(of: warning).count == 1)
        #expect(!(result.output + result.errors + received).contains("-secret"))
    }

    @Test func `a service does not start with an invalid file of credentials, and reports the location`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{\"credentials\":[\n{\"origins\":[\"a.example\"]}]}", to: "credentials.json")
        let result = try DecantProcess.run("serve", "--port", "0", environment: ["DECANT_FETCH_CREDENTIALS_FILE": path])
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("Error: \(path), line 2, column 13 (/credentials/0/origins/0): an origin is"))
        let missing = try DecantProcess.run("serve", "--port", "0", "--fetch-credentials-file", "/nowhere")
        #expect(missing.status == 2 && missing.errors.hasPrefix("Error: the credentials: cannot open /nowhere"))
    }
}
