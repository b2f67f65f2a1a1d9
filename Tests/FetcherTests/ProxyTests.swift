import Fetching
import Origin
import TestSupport
import Testing

@Suite struct ProxyTests {
    private typealias Cause = TestFetcher.Cause

    /// Returns a fetcher whose proxy is at a port of 127.0.0.1. No DNS server is known.
    private func fetcher(port: UInt16, user: String = "", noProxy: String = "") throws -> TestFetcher {
        let files = try TemporaryFile("hosts", "")
        return try TestFetcher {
            $0.hosts = files.path
            $0.resolvConf = files.path
            $0.proxy = try FetchProxy(parsing: "http://\(user)127.0.0.1:\(port)")
            $0.noProxy = try ProxyExceptions(parsing: noProxy)
            // The address of the proxy is exempt.
            $0.addresses.allowed = []
        }
    }

    @Test func `a proxy receives the complete URL, and resolves the name`() throws {
        let proxy = try Origin()
        proxy.respondToOthers { _, _ in Script(content: .json(bytes: 3)) }
        let fetcher = try fetcher(port: proxy.port, user: "user:pass%40@")
        let result = try fetcher.fetch("http://a.example:81/x?y") { $0.hostIsNamed = false }
        #expect(result.content == Script.json(3), "\(result)")
        let request = try #require(proxy.recordedRequests.first)
        #expect(request.target == "http://a.example:81/x?y")
        #expect(request.values(of: "host") == ["a.example:81"])
        #expect(request.values(of: "proxy-authorization") == ["Basic dXNlcjpwYXNzQA=="])
    }

    @Test func `an address is checked in spite of the proxy`() throws {
        let proxy = try Origin()
        let fetcher = try fetcher(port: proxy.port)
        let result = try fetcher.fetch("http://10.0.0.1/")
        #expect(result.cause == Cause(failure: .addressNotAllowed, phase: .resolve))
        #expect(proxy.connections.isEmpty)
    }

    @Test(arguments: ["http://a.example/", "https://a.example/"])
    func `a dead proxy is a failure of the proxy`(url: String) throws {
        let result = try withClosedPort { try fetcher(port: $0).fetch(url) }
        #expect(result.cause == Cause(failure: .proxyFailed, phase: .connect), "\(result)")
    }

    @Test(arguments: [403, 407, 502])
    func `a proxy that refuses a tunnel has failed`(status: Int) throws {
        let proxy = try Origin()
        proxy.respondToOthers { _, _ in Script(status: status) }
        let result = try fetcher(port: proxy.port).fetch("https://a.example/")
        #expect(result.cause?.failure == .proxyFailed, "\(result)")
        #expect(result.head == nil)
        #expect(proxy.recordedRequests.map(\.target) == ["a.example:443"])
    }

    @Test func `a proxy that demands credentials has failed, without a tunnel too`() throws {
        let proxy = try Origin()
        proxy.respondToOthers { _, _ in Script(status: 407) }
        let result = try fetcher(port: proxy.port).fetch("http://a.example/")
        #expect(result.cause?.failure == .proxyFailed, "\(result)")
        #expect(result.head == nil)
    }

    @Test func `a silent proxy has failed`() throws {
        let proxy = try Origin()
        proxy.respondToOthers { _, _ in
            var script = Script()
            script.waitsBeforeHead = [.hold("gate")]
            return script
        }
        let result = try fetcher(port: proxy.port).fetch("https://a.example/") { $0.timeouts.connect = 300 }
        #expect(result.cause?.failure == .proxyFailed, "\(result)")
    }

    @Test func `a name of a proxy that cannot be resolved is a failure of the proxy`() throws {
        let files = try TemporaryFile("hosts", "")
        let fetcher = try TestFetcher {
            $0.hosts = files.path
            $0.resolvConf = files.path
            $0.proxy = try FetchProxy(parsing: "http://proxy.example:3128")
        }
        let result = try fetcher.fetch("http://a.example/")
        #expect(result.cause == Cause(failure: .proxyFailed, phase: .resolve), "\(result)")
    }

    @Test func `an exception is requested directly, and its address is checked`() throws {
        let proxy = try Origin()
        let hosts = try TemporaryFile("hosts", "127.0.0.1 direct.example\n127.0.0.1 proxy.example\n")
        let fetcher = try TestFetcher {
            $0.hosts = hosts.path
            $0.proxy = try FetchProxy(parsing: "http://proxy.example:\(proxy.port)")
            $0.noProxy = try ProxyExceptions(parsing: "direct.example")
        }
        let origin = try Origin()
        #expect(try fetcher.fetch(origin.url("/", host: "direct.example")).head?.status == 200)
        #expect(origin.requestCount == 1 && proxy.requestCount == 0)
        let rejected = try fetcher.fetch(origin.url("/", host: "direct.example")) { $0.hostIsNamed = false }
        #expect(rejected.cause?.failure == .addressNotAllowed)
        #expect(try fetcher.fetch(origin.url("/", host: "proxied.example")).head != nil)
        #expect(origin.requestCount == 1 && proxy.requestCount == 1)
    }
}
