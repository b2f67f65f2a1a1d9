import Testing

@testable import Fetching

/// Forms of URLs that attack a guard, and forms that look like them: what must be rejected, and what must be allowed,
/// with `fetch-allow=*`.
@Suite struct TestFormsTests {
    static let rejectedHosts = [
        "127.0.0.1", "127.1", "127.255.255.254", "0", "0.0.0.0", "0x7f.1", "0x7f000001", "0177.0.0.1", "0127.0.0.1",
        "017700000001", "2130706433", "4294967297", "256.1.1.1", "1.2.3.4.5", "127.0.0.1.", "localhost", "localhost.",
        "a.localhost", "%31%32%37.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "[::]", "[::1]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a00:1]",
        "[2002:7f00:1::]",
        "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2606:4700::200:5efe:a00:1]", "[fe80::1]", "[fe80::1%25eth0]",
        "[fc00::1]",
        "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "10.0.0.1",
        "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "100.100.100.200", "169.254.169.254",
        "169.254.170.2",
        "192.0.0.192", "168.63.129.16", "198.18.0.1", "224.0.0.1", "255.255.255.255",
    ]

    static let rejectedURLs = [
        "http:///127.0.0.1/", "http:127.0.0.1", "http://a@127.0.0.1@b.example", "http://127.0.0.1\\@b.example",
        "file:///etc/passwd", "gopher://b.example/", "https://b.example:22", "http://b.example/\r\nHost: c",
        "http://b\r\n.example/",
        "http://b.example\r\n/",
    ]

    static let allowedHosts = [
        "8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700:4700::1111]", "[64:ff9b::808:808]", "xn--bcher-kva.example",
    ]

    @Test(arguments: rejectedHosts.map { "http://\($0)/" } + rejectedHosts.map { "https://\($0):443" } + rejectedURLs)
    func `rejects the form`(url: String) throws {
        #expect(!isAllowed(url, try policy()))
        // Its rejection does not depend on the path and the query.
        #expect(!isAllowed(url + "/x?y", try policy()))
    }

    @Test(arguments: allowedHosts)
    func `allows the form`(host: String) throws {
        #expect(isAllowed("http://\(host)/", try policy()))
        #expect(isAllowed("https://\(host)/x?y#z", try policy()))
    }

    @Test(arguments: rejectedHosts.map { "http://\($0)/" } + rejectedURLs.map { $0.replacing("\r\n", with: "%0d%0a") })
    func `rejects a redirect to the form`(location: String) throws {
        let request = FetchRequest(method: "GET", url: try FetchURL(parsing: "http://b.example/"))
        let policy = try policy()
        // Encoded line breaks in a path are harmless, and %0d%0a in a host is not a host.
        guard location != "http://b.example/%0d%0aHost: c" else { return }
        #expect(throws: RedirectRejection.self) {
            try RedirectRules(maxRedirects: 5).decide(
                after: request,
                status: 302,
                locations: [location],
                count: 0,
                mode: .follow,
                policy: policy
            )
        }
    }

    @Test(arguments: allowedHosts)
    func `follows a redirect to the form`(host: String) throws {
        let request = FetchRequest(method: "GET", url: try FetchURL(parsing: "http://b.example/"))
        let decision = try RedirectRules(maxRedirects: 5).decide(
            after: request,
            status: 302,
            locations: ["//\(host)/x"],
            count: 0,
            mode: .follow,
            policy: try policy()
        )
        guard case .follow(let next, let admission) = decision else {
            Issue.record("not followed")
            return
        }
        #expect(next.url.text == "http://\(host)/x")
        #expect(!admission.hostIsNamed)
    }

    @Test(arguments: [
        ("*.a.example", "http://evila.example/"), ("https://a.example:8443/v1/", "https://a.example:8443/v1/../x"),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%2e%2e/x"),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/..%2fx"),
        ("https://a.example:8443/v1/", "https://a.example:8443/v1/%5cx"),
        ("https://a.example:8443/v1/", "https://a.example:8443/v10/"),
    ])
    func `rejects what only resembles an entry`(list: String, url: String) throws {
        #expect(!isAllowed(url, FetchPolicy.testing(allow: try HostRules(parsing: list))))
    }

    private func policy() throws -> FetchPolicy {
        FetchPolicy.testing(allow: try HostRules(parsing: "*"))
    }

    private func isAllowed(_ text: String, _ policy: FetchPolicy) -> Bool {
        guard let url = try? FetchURL(parsing: text) else { return false }
        return (try? policy.admit(url, method: "GET")) != nil
    }
}
