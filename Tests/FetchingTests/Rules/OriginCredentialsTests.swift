import Primitives
import Testing

@testable import Fetching

/// The fields that the service adds to requests to an origin.
@Suite struct OriginCredentialsTests {
    private func field(_ name: String, _ value: String = "secret-value") -> HeaderFields.Field {
        HeaderFields.Field(name: name, value: value)
    }

    private func origin(_ url: String) throws -> FetchOrigin { try FetchURL(parsing: url).origin }

    @Test(arguments: [
        ("https://a.example", "HTTPS://A.Example:443/x?y", true),
        ("https://a.example", "https://a.example:8443/", false),
        ("https://a.example", "http://a.example/", false), ("https://a.example", "https://b.a.example/", false),
        ("https://a.example", "https://a.example.b/", false), ("http://[::1]:8080", "http://[0:0::1]:8080/x", true),
        ("http://[::1]:8080", "http://[::1]/", false), ("http://10.0.0.1", "http://10.0.0.1:80/", true),
    ])
    func `fields belong to a scheme, a host and a port`(configured: String, requested: String, expected: Bool) throws {
        let credentials = OriginCredentials([try origin(configured): [field("Authorization")]])
        let requested = try origin(requested)
        #expect(credentials.exist(for: requested) == expected)
        #expect(credentials.fields(for: requested) == (expected ? [field("Authorization")] : []))
        #expect(!OriginCredentials.none.exist(for: requested) && OriginCredentials.none.fields(for: requested).isEmpty)
    }

    @Test(arguments: [
        ("X-Api-Key", "x-api-key"), ("X-Api-Key", "X_Api_Key"), ("X_Api_Key", "x-api-key"),
        ("Authorization", "AUTHORIZATION"),
    ])
    func `a caller's field of the same name is a conflict`(own: String, callers: String) throws {
        let bound = try origin("https://a.example")
        let credentials = OriginCredentials([bound: [field("Cookie"), field(own)]])
        #expect(credentials.conflict(with: [field("Accept"), field(callers)], at: bound) == callers)
        #expect(credentials.conflict(with: [field("Accept"), field("X-Api")], at: bound) == nil)
        #expect(credentials.conflict(with: [field(callers)], at: try origin("https://b.example")) == nil)
    }

    @Test(arguments: [
        ("Accept", "accept"), ("Accept-Language", "accept-*"), ("accept_language", "accept-*"),
        ("User-Agent", "user-agent"), ("If-None-Match", "if-*"), ("Cache-Control", "cache-control"),
        ("Pragma", "pragma"), ("Content-Type", "content-*"), ("Host", "host"), ("CDN-Loop", "cdn-loop"),
        ("Transfer-Encoding", "transfer-encoding"), ("Proxy-Authorization", "proxy-*"), ("Range", "range"),
    ])
    func `fields that identify nobody are rejected`(name: String, rule: String) {
        #expect(throws: FieldRejection.notAllowed(name: rule, index: 1)) {
            try OriginCredentials.check([field("Authorization"), field(name)])
        }
    }

    @Test func `the fields of an origin have a maximum length`() throws {
        let longest = String(repeating: "a", count: OriginCredentials.maxBytes - 5)
        #expect(try OriginCredentials.check([field("k", longest)]).count == 1)
        let bytes = OriginCredentials.maxBytes + 1
        #expect(throws: FieldRejection.tooLong(bytes: bytes, max: bytes - 1)) {
            try OriginCredentials.check([field("k", longest + "a")])
        }
    }

    @Test func `no description contains a value`() throws {
        let credentials = OriginCredentials([try origin("https://a.example"): [field("Authorization")]])
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped, String(describing: [credentials])] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }

    /// Those of a caller, of an origin and of `CDN-Loop`, and those that Decant adds.
    @Test func `the longest fields together are sent`() throws {
        let fields = [
            field("a", String(repeating: "a", count: FieldRules.maxBytes - 5)),
            field("k", String(repeating: "a", count: OriginCredentials.maxBytes - 5)),
            field(CDNLoop.name, String(repeating: "a", count: CDNLoop.maxBytes - CDNLoop.name.utf8.count - 4)),
            field("User-Agent", String(repeating: "a", count: 256)),
            field(CDNLoop.name, String(repeating: "a", count: CDNLoop.maxIdentifierBytes)),
        ]
        #expect(FrameFields.byteCount(fields) <= FetchStart.maxFieldBytes)
    }
}
