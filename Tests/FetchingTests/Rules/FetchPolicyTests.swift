import Testing

@testable import Fetching

@Suite struct FetchPolicyTests {
    @Test func `nothing is allowed until fetch-allow is set`() throws {
        let policy = FetchPolicy.testing(allowRedirects: try HostRules(parsing: "*"))
        for isRedirect in [false, true] {
            #expect(throws: FetchRejection.notConfigured) {
                try policy.admit(try url("http://a.example/"), method: "GET", isRedirect: isRedirect)
            }
        }
    }

    @Test func `admits a URL by the entry that matches`() throws {
        let policy = FetchPolicy.testing(allow: try HostRules(parsing: "*,a.example:8443"))
        let named = try policy.admit(url("https://a.example:8443/x"), method: "GET")
        #expect(named.entry == "a.example:8443")
        #expect(named.hostIsNamed)
        #expect(named.origin == (try url("https://a.example:8443/").origin))
        // Another port is only matched by `*`.
        let other = try policy.admit(url("https://a.example/x"), method: "HEAD")
        #expect(other.entry == "*")
        #expect(!other.hostIsNamed)
    }

    @Test func `a method must be allowed, except after a redirect`() throws {
        let policy = FetchPolicy.testing(allow: try HostRules(parsing: "*"), methods: try FetchMethods(parsing: "POST"))
        let url = try url("http://a.example/")
        #expect(throws: FetchRejection.methodNotAllowed("GET")) { try policy.admit(url, method: "GET") }
        #expect(throws: FetchRejection.methodNotAllowed("post")) { try policy.admit(url, method: "post") }
        #expect(try policy.admit(url, method: "POST").entry == "*")
        #expect(try policy.admit(url, method: "GET", isRedirect: true).entry == "*")
    }

    @Test func `fetch-deny precedes fetch-allow`() throws {
        let policy = FetchPolicy.testing(
            allow: try HostRules(parsing: "*.a.example"),
            deny: try HostRules(parsing: "x.a.example")
        )
        let denied = try url("https://x.a.example:443/")
        #expect(throws: FetchRejection.hostDenied(denied.origin, entry: "x.a.example")) {
            try policy.admit(denied, method: "GET")
        }
        #expect(throws: FetchRejection.hostDenied(denied.origin, entry: "x.a.example")) {
            try policy.admit(denied, method: "GET", isRedirect: true)
        }
        #expect(try policy.admit(url("https://y.a.example/"), method: "GET").hostIsNamed)
    }

    @Test func `fetch-allow-redirects allows the targets of redirects only, and names no host`() throws {
        let policy = FetchPolicy.testing(
            allow: try HostRules(parsing: "a.example"),
            allowRedirects: try HostRules(parsing: "cdn.example,10.0.0.1"),
            addresses: AddressRules.testing(allowed: try AddressBlock.list(parsing: "10.0.0.0/8"))
        )
        let target = try url("http://cdn.example/")
        #expect(throws: FetchRejection.hostNotAllowed(target.origin, isRedirect: false)) {
            try policy.admit(target, method: "GET")
        }
        let admission = try policy.admit(target, method: "GET", isRedirect: true)
        #expect(admission.entry == "cdn.example")
        #expect(!admission.hostIsNamed)
        #expect(throws: FetchRejection.self) {
            try policy.admit(try url("http://10.0.0.1/"), method: "GET", isRedirect: true)
        }
        let other = try url("http://b.example/")
        let rejection = FetchRejection.hostNotAllowed(other.origin, isRedirect: true)
        #expect(throws: rejection) { try policy.admit(other, method: "GET", isRedirect: true) }
    }

    @Test func `an address must be allowed and named`() throws {
        let addresses = AddressRules.testing(allowed: try AddressBlock.list(parsing: "127.0.0.1/32"))
        let url = try url("http://127.0.0.1/")
        let unnamed = FetchPolicy.testing(allow: try HostRules(parsing: "*"), addresses: addresses)
        let rejection = FetchRejection.addressNotAllowed(
            .reserved(AddressBlock(IPv4Address(127, 0, 0, 0), 8)),
            hostIsNamed: false
        )
        #expect(throws: rejection) { try unnamed.admit(url, method: "GET") }

        let named = FetchPolicy.testing(allow: try HostRules(parsing: "*,127.0.0.1"), addresses: addresses)
        #expect(try named.admit(url, method: "GET").hostIsNamed)
        let withoutAddress = FetchPolicy.testing(allow: try HostRules(parsing: "*,127.0.0.1"))
        #expect(
            throws: FetchRejection.addressNotAllowed(
                .reserved(AddressBlock(IPv4Address(127, 0, 0, 0), 8)),
                hostIsNamed: true
            )
        ) { try withoutAddress.admit(url, method: "GET") }
    }

    private func url(_ text: String) throws -> FetchURL {
        try FetchURL(parsing: text)
    }
}
