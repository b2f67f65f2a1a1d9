import Fetching
import Origin
import Testing

@testable import Fetcher

/// Names, with a DNS server whose responses change.
@Suite struct ResolverTests {
    private typealias Cause = TestFetcher.Cause
    private static let unresolved = Cause(failure: .resolveFailed, phase: .resolve)

    /// A DNS server, and a fetcher that asks it.
    private struct Setting {
        let dns: DNSServer
        let resolvConf: TemporaryFile
        let hosts: TemporaryFile
        let fetcher: TestFetcher

        init() throws {
            let dns = try DNSServer()
            let resolvConf = try TemporaryFile("resolv.conf", Self.text(dns))
            let hosts = try TemporaryFile("hosts", "127.0.0.1 static.example\n")
            (self.dns, self.resolvConf, self.hosts) = (dns, resolvConf, hosts)
            fetcher = try TestFetcher {
                $0.resolvConf = resolvConf.path
                $0.hosts = hosts.path
            }
        }

        static func text(_ dns: DNSServer) -> String {
            // A search list, which must not be used.
            "search search.example\noptions ndots:5\nnameserver [\(dns.address)]:\(dns.port)\n"
        }
    }

    @Test func `a name is resolved, once for thirty seconds`() throws {
        let setting = try Setting()
        let origin = try Origin()
        setting.dns.respond(to: "a.example", with: .addresses(["127.0.0.1"]))
        let first = try setting.fetcher.fetch(origin.url("/json/1", host: "a.example"))
        #expect(first.content == Script.json(1))
        #expect(first.end?.timings.resolve != nil)
        #expect(try setting.fetcher.fetch(origin.url("/json/2", host: "a.example")).content == Script.json(2))
        // One query for A and one for AAAA.
        #expect(setting.dns.queries(for: "a.example") == 2)
        #expect(setting.dns.queries(for: "a.example.search.example") == 0)
        #expect(origin.recordedRequests[0].values(of: "host") == ["a.example:\(origin.port)"])
    }

    @Test func `a name in the hosts file is not asked for`() throws {
        let setting = try Setting()
        let origin = try Origin()
        #expect(try setting.fetcher.fetch(origin.url("/", host: "static.example")).head?.status == 200)
        #expect(setting.dns.queries(for: "static.example") == 0)
    }

    /// Otherwise DNS would be asked for a name whose address the operator has determined.
    @Test func `a hosts file that cannot be read is a failure, and one that does not exist is not`() throws {
        let setting = try Setting()
        let origin = try Origin()
        setting.dns.respond(to: "static.example", with: .addresses(["127.0.0.1"]))
        try setting.hosts.replace(String(repeating: "#", count: HostsFile.maxBytes + 1))
        let result = try setting.fetcher.fetch(origin.url("/", host: "static.example"))
        #expect(result.cause == Self.unresolved)
        #expect(result.failure?.detail.contains("longer than") == true)
        #expect(setting.dns.queries(for: "static.example") == 0)

        let absent = try TestFetcher {
            $0.resolvConf = setting.resolvConf.path
            $0.hosts = setting.hosts.path + ".absent"
        }
        #expect(try absent.fetch(origin.url("/", host: "static.example")).head?.status == 200)
        #expect(setting.dns.queries(for: "static.example") == 2)
    }

    @Test func `a name that does not exist, has no address, or whose server fails cannot be resolved`() throws {
        let setting = try Setting()
        setting.dns.respond(to: "empty.example", with: .addresses([]))
        setting.dns.respond(to: "failed.example", with: .serverFailure)
        for name in ["absent.example", "empty.example", "failed.example"] {
            let result = try setting.fetcher.fetch("http://\(name)/")
            #expect(result.cause == Self.unresolved, "\(name): \(result)")
        }
        #expect(setting.dns.queries(for: "absent.example.search.example") == 0)
    }

    /// Under `*`, the caller must not learn by time which names exist inside the network.
    @Test func `a name with a rejected address fails like an absent one`() throws {
        let setting = try Setting()
        setting.dns.respond(to: "internal.example", with: .addresses(["10.0.0.1"]))
        let names = ["internal.example", "absent.example", "static.example"]
        for _ in 0..<2 {
            for name in names {
                let start = ContinuousClock.now
                let result = try setting.fetcher.fetch("http://\(name)/") { $0.hostIsNamed = false }
                let isAbsent = name == "absent.example"
                #expect(
                    result.cause == Cause(failure: isAbsent ? .resolveFailed : .addressNotAllowed, phase: .resolve)
                )
                #expect(ContinuousClock.now - start >= FetcherLoop.minLookupTime, "\(name)")
            }
        }
        #expect(names.map { setting.dns.queries(for: $0) } == [4, 4, 0])
    }

    @Test func `a silent server is given up after the timeout, and asked again`() throws {
        let setting = try Setting()
        setting.dns.respond(to: "silent.example", with: .silence)
        let result = try setting.fetcher.fetch("http://silent.example/") { $0.timeouts.resolve = 300 }
        #expect(result.cause == Self.unresolved, "\(result)")
        #expect(result.failure?.detail == "no response of a DNS server in 300 ms")
        let origin = try Origin()
        setting.dns.respond(to: "silent.example", with: .addresses(["127.0.0.1"]))
        #expect(try setting.fetcher.fetch(origin.url("/", host: "silent.example")).head?.status == 200)
    }

    @Test func `a query without a response is repeated`() throws {
        let setting = try Setting()
        let origin = try Origin()
        setting.dns.respond(to: "late.example", with: .silence, .addresses(["127.0.0.1"]))
        #expect(try setting.fetcher.fetch(origin.url("/", host: "late.example")).head?.status == 200)
    }

    @Test func `silent names do not delay others, and can be cancelled`() throws {
        let setting = try Setting()
        let origin = try Origin()
        setting.dns.respond(to: "fast.example", with: .addresses(["127.0.0.1"]))
        var ids: [UInt64] = []
        for number in 0..<64 {
            setting.dns.respond(to: "silent\(number).example", with: .silence)
            ids.append(try setting.fetcher.start(TestFetcher.Request("http://silent\(number).example/")))
        }
        #expect(setting.dns.awaitQueries(1, for: "silent63.example"))
        // The silent names would take thirty seconds.
        #expect(try setting.fetcher.fetch(origin.url("/", host: "fast.example")).head?.status == 200)
        for id in ids { try setting.fetcher.send(.cancel(id: id)) }
        try setting.fetcher.send(.ping(sequence: 1))
        #expect(try setting.fetcher.next() == .pong(sequence: 1))
    }

    @Test func `transfers of one name share a lookup`() throws {
        let setting = try Setting()
        let origin = try Origin()
        setting.dns.respond(to: "shared.example", with: .silence, .addresses(["127.0.0.1"]))
        let url = origin.url("/", host: "shared.example")
        let ids = try (0..<20).map { _ in try setting.fetcher.start(TestFetcher.Request(url)) }
        // The end of one does not end the lookup.
        try setting.fetcher.send(.cancel(id: ids[0]))
        for id in ids.dropFirst() { #expect(try setting.fetcher.result(of: id).head?.status == 200) }
        #expect(setting.dns.queries(for: "shared.example") == 4)
    }

    @Test func `addresses that a server returns are checked, all of them`() throws {
        let setting = try Setting()
        let origin = try Origin()
        setting.dns.respond(to: "private.example", with: .addresses(["10.0.0.1"]))
        setting.dns.respond(to: "mixed.example", with: .addresses(["127.0.0.1", "169.254.169.254"]))
        setting.dns.respond(to: "v6.example", with: .addresses(["127.0.0.1", "fd00::1"]))
        setting.dns.respond(to: "loopback.example", with: .addresses(["127.0.0.1"]))
        let rejected = Cause(failure: .addressNotAllowed, phase: .resolve)
        for name in ["private.example", "mixed.example", "v6.example"] {
            #expect(try setting.fetcher.fetch(origin.url("/", host: name)).cause == rejected, "\(name)")
        }
        let unnamed = try setting.fetcher.fetch(origin.url("/", host: "loopback.example")) { $0.hostIsNamed = false }
        #expect(unnamed.cause == rejected)
        #expect(origin.connections.isEmpty)
    }

    @Test func `a replaced resolv_conf is used, although the sandbox is in effect`() throws {
        let setting = try Setting()
        let origin = try Origin()
        let url = origin.url("/", host: "moved.example")
        let second = try DNSServer()
        second.respond(to: "moved.example", with: .addresses(["127.0.0.1"]))
        #expect(try setting.fetcher.fetch(url).cause == Self.unresolved)
        try setting.resolvConf.replace(Setting.text(second))
        // A failure is remembered for a second.
        var result = try setting.fetcher.fetch(url)
        while result.failure != nil { result = try setting.fetcher.fetch(url) }
        #expect(result.head?.status == 200)
        #expect(second.queries(for: "moved.example") > 0)
    }

    @Test func `without resolv_conf nothing is resolved, and no other server is asked`() throws {
        let hosts = try TemporaryFile("hosts", "")
        let fetcher = try TestFetcher {
            $0.resolvConf = hosts.path + ".missing"
            $0.hosts = hosts.path
        }
        let result = try fetcher.fetch("http://a.example/")
        #expect(result.cause == Self.unresolved)
        #expect(result.failure?.detail.contains("No such file") == true, "\(result)")
    }
}
