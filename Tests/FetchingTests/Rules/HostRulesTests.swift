import Testing

@testable import Fetching

@Suite struct HostRulesTests {
    private static let permissions: [(list: String, url: String, isPermitted: Bool)] = [
        // Hosts.
        ("*", "http://a.example/", true), ("*", "https://8.8.8.8/", true), ("*", "http://[2606:4700::1]/", true),
        ("a.example", "http://a.example/", true), ("A.Example", "http://a.EXAMPLE/", true),
        ("a.example", "http://b.a.example/", false), ("a.example", "http://xa.example/", false),
        ("a.example", "http://a.example.x/", false),
        ("*.a.example", "http://b.a.example/", true), ("*.a.example", "http://c.b.a.example/", true),
        ("*.a.example", "http://a.example/", false), ("*.a.example", "http://evila.example/", false),
        ("*.A.example", "http://B.a.example/", true), ("*.a.example", "http://a.example.b/", false),
        ("10.0.0.1", "http://10.0.0.1/", true), ("10.0.0.1", "http://10.0.0.2/", false),
        ("[2606:4700:0::1]", "http://[2606:4700::1]/", true), ("[::1]:8080", "http://[::1]:8080/", true),
        ("[::1]:8080", "http://[::1]/", false),
        // Schemes and ports.
        ("a.example", "https://a.example/", true), ("a.example", "https://a.example:80/", true),
        ("a.example", "http://a.example:443/", true), ("a.example", "https://a.example:8443/", false),
        ("a.example", "https://a.example:22/", false), ("*", "https://b.example:22/", false),
        ("a.example:8080", "http://a.example:8080/", true), ("a.example:8080", "https://a.example:8080/", true),
        ("a.example:8080", "http://a.example/", false), ("*:8080", "http://b.example:8080/", true),
        ("https://a.example", "https://a.example/", true), ("https://a.example", "http://a.example/", false),
        ("https://a.example", "https://a.example:80/", false), ("http://a.example", "http://a.example:443/", false),
        ("HTTPS://a.example:8443", "https://a.example:8443/", true),
        ("https://a.example:8443", "https://a.example/", false),
        ("https://*", "https://b.example/", true), ("https://*", "http://b.example/", false),
        ("https://*.a.example:8443/x/", "https://b.a.example:8443/x/y", true),
        // Paths.
        ("https://a.example/", "https://a.example/x?y", true), ("https://a.example/", "https://a.example/%2f", true),
        ("a.example/v1", "http://a.example/v1", true), ("a.example/v1", "http://a.example/v1?x", true),
        ("a.example/v1", "http://a.example/v1/", true), ("a.example/v1", "http://a.example/v1/x", true),
        ("a.example/v1", "http://a.example/v10", false), ("a.example/v1", "http://a.example/V1", false),
        ("a.example/v1", "http://a.example/", false), ("a.example/v1", "http://a.example/x/v1", false),
        ("a.example/v1/", "http://a.example/v1", false), ("a.example/v1/", "http://a.example/v1/", true),
        ("a.example/v1/", "http://a.example/v1//x", true), ("a.example/v1/", "http://a.example//v1/x", false),
        ("a.example/v1/", "http://a.example/%76%31/x", true), ("a.example/%761/", "http://a.example/v1/x", true),
        ("a.example/a/b", "http://a.example/a/b/c", true), ("a.example/a/b", "http://a.example/a", false),
        ("a.example/a%2Cb", "http://a.example/a,b", true),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/x", true),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/../x", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%2e%2e/x", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/..%2fx", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%2Fx", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%5cx", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%5C..%5Cx", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v10/", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%252e%252e/x", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%252fx", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/..;/x", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%2e.%3bx/x", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/x%00", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/a;b/..c/%25/%2525", false),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/a;b/..c/%25", true),
        // Lists.
        ("", "http://a.example/", false), ("a.example , b.example", "http://b.example/", true),
        ("a.example,b.example", "http://c.example/", false),
    ]

    @Test(arguments: permissions)
    func `permits what an entry matches`(list: String, url: String, isPermitted: Bool) throws {
        let rules = try HostRules(parsing: list)
        #expect((rules.permission(for: try FetchURL(parsing: url)) != nil) == isPermitted)
    }

    @Test(arguments: [
        ("a.example", "http://a.example/", true), ("a.example", "https://a.example:8443/", true),
        ("a.example", "http://b.a.example/", false), ("*.a.example", "http://b.a.example:1/", true),
        ("*.a.example", "http://a.example/", false), ("*", "http://[::1]:9/", true),
        ("a.example:8080", "http://a.example:8080/", true), ("a.example:8080", "http://a.example/", false),
        ("https://a.example", "https://a.example:8443/", true), ("https://a.example", "http://a.example/", false),
        ("a.example/private/", "http://a.example/private", true),
        ("a.example/private/", "http://a.example/private/x", true),
        ("a.example/private", "http://a.example//private//x", true),
        ("a.example/private", "http://a.example/x/private", false),
        ("a.example/private", "http://a.example/%70rivate", true),
        ("a.example/private", "http://a.example/privateer", false),
        ("a.example/private", "http://a.example/x%2f..%2fprivate", true),
        ("a.example/private", "http://a.example/%5cprivate", true),
        ("a.example/private", "http://a.example/%252e", true),
        ("a.example/private", "http://a.example/x/../private", true),
        ("a.example/private", "http://a.example/..;/private", true),
        ("a.example/private", "http://a.example/private;x=1/y", true),
        ("a.example/v1/private", "http://a.example/v1/;x/private%3b", true),
        ("a.example/private;x", "http://a.example/private;y", true),
        ("a.example/private", "http://a.example/pri;vate", false),
        ("a.example/private", "http://a.example/public", false),
        ("a.example/private", "http://b.example/private%2f", false),
    ])
    func `denies more than it would permit`(list: String, url: String, isDenied: Bool) throws {
        let rules = try HostRules(parsing: list)
        #expect((rules.denial(of: try FetchURL(parsing: url)) != nil) == isDenied)
    }

    @Test func `prefers an entry that names the host`() throws {
        let rules = try HostRules(parsing: "*, a.example/x, *.a.example, a.example")
        #expect(try rules.permission(for: FetchURL(parsing: "http://a.example/x"))?.text == "a.example/x")
        #expect(try rules.permission(for: FetchURL(parsing: "http://a.example/y"))?.text == "a.example")
        #expect(try rules.permission(for: FetchURL(parsing: "http://b.a.example/"))?.text == "*.a.example")
        #expect(try rules.permission(for: FetchURL(parsing: "http://b.example/"))?.text == "*")
        #expect(rules.entries.map(\.namesHost) == [false, true, true, true])
        #expect(try HostRules(parsing: "https://*:8443/x").entries.map(\.namesHost) == [false])
    }

    @Test(
        arguments: [
            (",", .emptyEntry(at: 0)), ("a.example,", .emptyEntry(at: 10)),
            ("a.example, ,b.example", .emptyEntry(at: 11)),
            ("ftp://a.example", .unsupportedScheme(at: 0)), ("*,ws://a.example", .unsupportedScheme(at: 2)),
            ("user@a.example", .credentials(at: 4)), ("https://u:p@a.example", .credentials(at: 11)),
            ("https://", .host(.empty(at: 8))), ("/x", .host(.empty(at: 0))), (":80", .host(.empty(at: 0))),
            ("a.example.", .host(.trailingDot(at: 9))), ("a..example", .host(.emptyLabel(at: 2))),
            ("*,a b", .host(.invalidByte(0x20, at: 3))), ("bücher.example", .host(.invalidByte(0xC3, at: 1))),
            ("localhost", .host(.localhost(at: 0))), ("*.localhost", .host(.localhost(at: 2))),
            ("127.1", .host(.notDottedQuad(at: 0))),
            ("[::1", .host(.unterminatedIPv6Address(at: 4))), ("[fe80::1%25eth0]", .host(.zone(at: 8))),
            ("::1", .host(.empty(at: 0))), ("*.", .host(.empty(at: 2))),
            ("*a.example", .misplacedWildcard(at: 0)), ("a.*.example", .misplacedWildcard(at: 2)),
            ("a.example*", .misplacedWildcard(at: 9)),
            ("*.*", .misplacedWildcard(at: 2)), ("**", .misplacedWildcard(at: 0)),
            ("*.10.0.0.1", .misplacedWildcard(at: 0)),
            ("*.[::1]", .host(.unterminatedIPv6Address(at: 3))), ("x,*example", .misplacedWildcard(at: 2)),
            ("a.example:", .malformedPort(at: 9)), ("a.example:0", .malformedPort(at: 10)),
            ("a.example:65536", .malformedPort(at: 10)),
            ("a.example:*", .malformedPort(at: 10)), ("a.example:080", .malformedPort(at: 10)),
            ("[::1]80", .malformedPort(at: 6)),
            ("a.example/?", .malformedPath(.invalidByte(0x3F, at: 10))),
            ("a.example?x", .malformedPath(.invalidByte(0x3F, at: 9))),
            ("a.example/x#", .malformedPath(.invalidByte(0x23, at: 11))),
            ("a.example/\\", .malformedPath(.invalidByte(0x5C, at: 10))),
            ("b,a.example/%4", .malformedPath(.malformedEscape(at: 12))),
            ("a.example/é", .malformedPath(.invalidByte(0xC3, at: 10))),
            ("a.example/x/../y", .unmatchablePath(at: 9)), ("a.example/%2e%2e/", .unmatchablePath(at: 9)),
            ("a.example/x%2fy", .unmatchablePath(at: 9)), ("a.example/%5c", .unmatchablePath(at: 9)),
            ("b,a.example/%2541", .unmatchablePath(at: 11)),
        ] as [(String, HostRulesError)]
    )
    func `rejects text that is not a list, with its offset`(list: String, error: HostRulesError) {
        #expect(throws: error) { try HostRules(parsing: list) }
    }
}
