import Serialization
import Testing

@testable import Fetching

@Suite struct RedirectRulesTests {
    private let fields = [
        ("Accept", "a/b"), ("accept-language", "de"), ("User-Agent", "x"), ("Authorization", "Bearer x"),
        ("Cookie", "a=b"),
        ("X-Api-Key", "x"), ("AcceptSecret", "x"), ("Content-Type", "a/b"), ("Content-Language", "de"),
        ("If-None-Match", "\"x\""),
    ].map { HeaderFields.Field(name: $0.0, value: $0.1) }

    @Test(arguments: [
        (301, "GET", "GET", true), (301, "HEAD", "HEAD", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
        (302, "GET", "GET", true), (302, "HEAD", "HEAD", true), (302, "POST", "GET", false),
        (302, "DELETE", "DELETE", true),
        (303, "GET", "GET", false), (303, "HEAD", "HEAD", true), (303, "POST", "GET", false),
        (303, "PUT", "GET", false),
        (307, "GET", "GET", true), (307, "POST", "POST", true), (308, "PUT", "PUT", true), (308, "POST", "POST", true),
    ])
    func `keeps or changes the method and the content`(status: Int, method: String, next: String, keepsContent: Bool)
        throws
    {
        let request = try request("https://a.example/x", method: method)
        let following = try #require(try follow(request, status, "/y"))
        #expect(following.method == next)
        #expect(following.url.text == "https://a.example/y")
        #expect(following.content == (keepsContent ? [1, 2] : nil))
        let names = following.fields.map(\.name)
        #expect(names.contains("Content-Type") == keepsContent)
        #expect(names.contains("Content-Language") == keepsContent)
        // The origin is the same.
        #expect(names.filter { !$0.hasPrefix("Content-") } == fields.map(\.name).filter { !$0.hasPrefix("Content-") })
    }

    @Test(arguments: [
        ("https://a.example/x", "https://b.example/"), ("https://a.example/x", "https://a.example:8443/"),
        ("http://a.example/x", "https://a.example/"), ("https://a.example/x", "//www.a.example/"),
    ])
    func `drops every field that may be a credential when the origin changes`(url: String, location: String) throws {
        let following = try #require(try follow(request(url, method: "POST"), 307, location))
        #expect(following.fields.map(\.name) == ["Accept", "accept-language", "User-Agent"])
        #expect(following.content == [1, 2])
        // They do not return.
        let back = try #require(try follow(following, 302, url.replacing("http:", with: "https:")))
        #expect(back.fields.map(\.name) == ["Accept", "accept-language", "User-Agent"])
    }

    @Test func `the default port is the same origin`() throws {
        let following = try #require(try follow(request("https://a.example/x"), 302, "https://A.example:443/y"))
        #expect(following.fields == fields)
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 309, 399, 400, 404, 503])
    func `other statuses are final`(status: Int) throws {
        #expect(try follow(request("http://a.example/"), status, "/y") == nil)
    }

    @Test func `a redirect without a location, or with redirects=manual, is final`() throws {
        let request = try request("http://a.example/")
        #expect(try decide(request, 302, []) == .final)
        #expect(try decide(request, 302, ["http://[bad"], mode: .manual) == .final)
        #expect(try decide(request, 302, ["/"], count: 99, mode: .manual) == .final)
    }

    @Test func `redirects=error refuses`() throws {
        let request = try request("http://a.example/")
        #expect(throws: RedirectRejection.refused(status: 307)) { try decide(request, 307, ["/"], mode: .error) }
        #expect(try decide(request, 307, [], mode: .error) == .final)
        #expect(try decide(request, 200, ["/"], mode: .error) == .final)
    }

    @Test func `follows at most the configured number of redirects`() throws {
        let request = try request("http://a.example/")
        #expect(try follow(request, 302, "/", count: 4) != nil)
        #expect(throws: RedirectRejection.tooMany(max: 5)) { try decide(request, 302, ["/"], count: 5) }
        #expect(throws: RedirectRejection.tooMany(max: 0)) {
            try decide(request, 302, ["/"], rules: RedirectRules(maxRedirects: 0))
        }
    }

    @Test func `equal locations are one, and different ones are malformed`() throws {
        let request = try request("http://a.example/")
        guard case .follow = try decide(request, 302, ["/x", "/x"]) else {
            Issue.record("not followed")
            return
        }
        #expect(throws: RedirectRejection.malformedLocation(nil)) { try decide(request, 302, ["/x", "/y"]) }
    }

    @Test(
        arguments: [
            ("http://a.example/", .downgrade),
            ("http://b.example/", .downgrade),
            ("file:///etc/passwd", .malformedLocation(.unsupportedScheme("file"))),
            ("//u:p@b.example/", .malformedLocation(.credentials(at: 11))),
            ("//0x7f.1/", .malformedLocation(.host(.notDottedQuad(at: 8)))),
            ("/a b", .malformedLocation(.invalidByte(0x20, at: 19))),
            (
                "//127.0.0.1/",
                .notAllowed(
                    .addressNotAllowed(.reserved(AddressBlock(IPv4Address(127, 0, 0, 0), 8)), hostIsNamed: false)
                )
            ),
            (
                "//denied.example/",
                .notAllowed(
                    .hostDenied(FetchOrigin(scheme: .https, host: .name("denied.example")), entry: "denied.example")
                )
            ),
            (
                "https://b.example:22/",
                .notAllowed(
                    .hostNotAllowed(FetchOrigin(scheme: .https, host: .name("b.example"), port: 22), isRedirect: true)
                )
            ),
        ] as [(String, RedirectRejection)]
    )
    func `each hop passes the rules of the first URL`(location: String, rejection: RedirectRejection) throws {
        let request = try request("https://a.example/")
        #expect(throws: rejection) { try decide(request, 302, [location]) }
    }

    private func request(_ url: String, method: String = "GET") throws -> FetchRequest {
        FetchRequest(method: method, url: try FetchURL(parsing: url), fields: fields, content: [1, 2])
    }

    private func follow(_ request: FetchRequest, _ status: Int, _ location: String, count: Int = 0) throws
        -> FetchRequest?
    {
        switch try decide(request, status, [location], count: count) {
        case .final: nil
        case .follow(let next, _): next
        }
    }

    private func decide(
        _ request: FetchRequest,
        _ status: Int,
        _ locations: [String],
        count: Int = 0,
        mode: RedirectMode = .follow,
        rules: RedirectRules = RedirectRules(maxRedirects: 5)
    ) throws -> RedirectDecision {
        try rules.decide(
            after: request,
            status: status,
            locations: locations,
            count: count,
            mode: mode,
            policy: FetchPolicy.testing(
                allow: try HostRules(parsing: "*,a.example:8443"),
                deny: try HostRules(parsing: "denied.example")
            )
        )
    }
}
