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

    @Test func `the fields of an origin have a maximum length together`() throws {
        func fields(_ bytes: Int) -> [HeaderFields.Field] {
            let half = bytes / 2
            return [
                field("a", String(repeating: "a", count: half - 5)),
                field("b", String(repeating: "b", count: bytes - half - 5)),
            ]
        }
        let max = OriginCredentials.maxBytes
        #expect(try OriginCredentials.check(fields(max)) == fields(max))
        #expect(throws: FieldRejection.tooLong(bytes: max + 1, max: max)) {
            try OriginCredentials.check(fields(max + 1))
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

    /// Those of a caller, of an origin and of `CDN-Loop`, and those that Decant adds, each of which is as long as its
    /// own limit permits.
    @Test func `the longest fields together are sent`() throws {
        let callers = [field("a", String(repeating: "a", count: FieldRules.maxBytes - 5))]
        let own = [field("k", String(repeating: "a", count: OriginCredentials.maxBytes - 5))]
        let loops = [String(repeating: "a", count: CDNLoop.maxBytes - CDNLoop.name.utf8.count - 4)]
        #expect(CDNLoop.canBePassedOn(loops) && !CDNLoop.canBePassedOn([loops[0] + "a"]))
        let identifier = String(repeating: "a", count: CDNLoop.maxIdentifierBytes)
        #expect(CDNLoop(identifier: identifier) != nil && CDNLoop(identifier: identifier + "a") == nil)
        let fields =
            try FieldRules.check(callers) + OriginCredentials.check(own)
            + (loops + [identifier]).map { field(CDNLoop.name, $0) }
            + [field("User-Agent", String(repeating: "a", count: 256)), field("Accept-Encoding", "gzip, deflate, br")]
        func start(_ fields: [HeaderFields.Field]) throws(FetchFrameError) -> FetchStart {
            try FetchStart(
                FetchRequest(method: "GET", url: Self.url, fields: fields),
                partition: "",
                hostIsNamed: true,
                timeouts: FetchStart.Timeouts(resolve: 1, connect: 1, idle: 1, total: 1),
                slowestBytesPerSecond: 0
            )
        }
        #expect(try start(fields).request.fields == fields)
        let rest = FetchStart.maxFieldBytes - FrameFields.byteCount(fields)
        #expect(throws: FetchFrameError.invalid(.fields)) {
            try start(fields + [field("x", String(repeating: "a", count: rest))])
        }
    }

    private static let url: FetchURL = {
        guard let url = try? FetchURL(parsing: "https://a.example/") else { preconditionFailure("the URL is valid") }
        return url
    }()
}
