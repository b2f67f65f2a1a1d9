import Fetching
import Testing

@Suite struct FetcherSettingsTests {
    private static func settings() throws -> FetcherSettings {
        var settings = FetcherSettings()
        settings.parent = 17
        settings.sandbox = 127
        settings.addresses.allowed = try AddressBlock.list(parsing: "10.0.0.0/8,fd00::1")
        settings.addresses.denied = try AddressBlock.list(parsing: "10.0.0.7")
        settings.addresses.listeners = LocalListeners(
            addresses: [try #require(IPAddress(parsing: "192.0.2.1")), try #require(IPAddress(parsing: "fe80::1"))],
            ports: [8080, 443]
        )
        settings.caFile = "/a=b/c d"
        settings.proxy = try FetchProxy(parsing: "http://user:pass%40=word@proxy.example:3128")
        settings.noProxy = try ProxyExceptions(parsing: "a.example, 10.0.0.0/8")
        settings.userAgent = "decant/0.1 (x=y)"
        settings.maxContentBytes = 5
        return settings
    }

    private func parse(_ arguments: [String], _ environment: [String] = []) -> FetcherSettings? {
        FetcherSettings(parsing: arguments) { name in
            environment.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
        }
    }

    @Test func `settings are read as they were written`() throws {
        let settings = try Self.settings()
        #expect(parse(settings.arguments, settings.environment) == settings)
        let defaults = FetcherSettings()
        #expect(parse(defaults.arguments, defaults.environment) == defaults)
    }

    @Test func `a password is not in the arguments, which other users can read`() throws {
        let settings = try Self.settings()
        #expect(!settings.arguments.contains { $0.contains("pass") })
        #expect(settings.environment == ["DECANT_FETCHER_PROXY=http://user:pass%40=word@proxy.example:3128"])
    }

    @Test func `each argument occurs exactly once`() throws {
        let arguments = try Self.settings().arguments
        for index in arguments.indices {
            var fewer = arguments
            let removed = fewer.remove(at: index)
            #expect(parse(fewer) == nil)
            #expect(parse(arguments + [removed]) == nil)
        }
        #expect(parse(arguments + ["other=1"]) == nil)
        #expect(parse(arguments + ["parent"]) == nil)
        #expect(parse([]) == nil)
    }

    @Test(arguments: [
        "parent=x", "sandbox=-1", "allow-addresses=10.0.0.1/8", "deny-addresses=a", "listener-addresses=10.0.0.0/8",
        "listener-ports=1,x", "listener-ports=70000", "no-proxy=a/b", "user-agent=a\u{1}", "max-content-bytes=",
        "memory-bytes=1.5",
    ])
    func `rejects a value`(argument: String) throws {
        let name = argument.prefix { $0 != "=" }
        let arguments = try Self.settings().arguments.map { $0.hasPrefix("\(name)=") ? argument : $0 }
        #expect(parse(arguments) == nil)
        #expect(parse(try Self.settings().arguments, ["DECANT_FETCHER_PROXY=ftp://a:1"]) == nil)
    }
}

@Suite struct FetchProxyTests {
    @Test(
        arguments: [
            ("http://proxy.example:3128", "http://proxy.example:3128"),
            ("https://10.0.0.1:8443/", "https://10.0.0.1:8443"),
            ("http://localhost:1", "http://localhost:1"), ("http://[fd00::1]:80", "http://[fd00::1]:80"),
            ("http://A.example:80", "http://a.example:80"),
        ]
    )
    func `reads the host and port`(text: String, url: String) throws {
        let proxy = try FetchProxy(parsing: text)
        #expect(proxy.url == url)
        #expect(proxy.credentials == nil)
    }

    @Test(
        arguments: [
            ("user", "user", ""), ("user:", "user", ""), ("user:p:w", "user", "p:w"), ("a%40b:%3A", "a@b", ":"),
            ("a@b:c", "a@b", "c"), (":secret", "", "secret"),
        ]
    )
    func `reads credentials`(text: String, user: String, password: String) throws {
        let credentials = try FetchProxy(parsing: "http://\(text)@proxy.example:1").credentials
        #expect(credentials?.user == user)
        #expect(credentials?.password == password)
    }

    @Test(
        arguments: [
            ("socks5://a.example:1", .unsupportedScheme), ("a.example:1", .unsupportedScheme),
            ("http://a.example", .malformedPort), ("http://a.example:", .malformedPort),
            ("http://a.example:0", .malformedPort), ("http://a.example:65536", .malformedPort),
            ("http://a.example:1/path", .trailing), ("http://a.example:1?x", .trailing),
            ("http://a%:b@a.example:1", .malformedCredentials), ("http://a%0a:b@a.example:1", .malformedCredentials),
            ("http://0x7f.1:1", .host(.notDottedQuad(at: 7))),
        ] as [(String, FetchProxyError)]
    )
    func `rejects other text`(text: String, error: FetchProxyError) {
        #expect(throws: error) { try FetchProxy(parsing: text) }
    }
}

@Suite struct ProxyExceptionsTests {
    private func host(_ text: String) throws -> FetchHost { try FetchURL(parsing: "http://\(text)/").origin.host }

    @Test(
        arguments: [
            ("a.example", "a.example", true), ("a.example", "b.a.example", true), ("a.example", "ba.example", false),
            (".a.example", "b.a.example", true), (".a.example", "a.example", true), ("A.example", "a.example", true),
            ("a.example", "example", false), ("*", "a.example", true), ("*", "[2001:db8::1]", true),
            ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("10.0.0.1", "10.0.0.1", true),
            ("fd00::/8", "[fd00::1]", true), ("10.0.0.0/8", "a.example", false),
            ("b.example , a.example", "a.example", true),
            ("", "a.example", false),
        ]
    )
    func `decides by name and address`(list: String, text: String, expected: Bool) throws {
        let exceptions = try ProxyExceptions(parsing: list)
        #expect(try exceptions.contains(host(text)) == expected)
        #expect(exceptions.text == list)
    }

    @Test(
        arguments: [
            ("a.example,", .emptyEntry(at: 10)), ("a.example,b/c", .malformedEntry(at: 10)),
            ("*.a.example", .malformedEntry(at: 0)), ("10.0.0.1/8", .malformedEntry(at: 0)),
        ] as [(String, ProxyExceptionsError)]
    )
    func `rejects other text`(list: String, error: ProxyExceptionsError) {
        #expect(throws: error) { try ProxyExceptions(parsing: list) }
    }
}
