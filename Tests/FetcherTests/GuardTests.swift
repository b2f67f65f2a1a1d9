import Fetching
import Origin
import Testing

@testable import Fetcher

/// The rules of addresses, in the process that opens the sockets.
@Suite struct GuardTests {
    private typealias Cause = TestFetcher.Cause
    private let rejected = Cause(failure: .addressNotAllowed, phase: .resolve)

    @Test(arguments: [
        "http://10.0.0.1/", "http://169.254.169.254/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/",
        "http://[64:ff9b::a00:1]/", "http://192.168.0.1:8080/", "http://[fd00:ec2::254]/",
    ])
    func `an address that is not allowed is rejected`(url: String) throws {
        #expect(try TestFetcher().fetch(url).cause == rejected)
    }

    @Test func `an address that is only allowed for named hosts is rejected for others`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        #expect(try fetcher.fetch(origin.url("/")) { $0.hostIsNamed = false }.cause == rejected)
        #expect(origin.connections.isEmpty)
        #expect(try fetcher.fetch(origin.url("/")).head?.status == 200)
        // Nor is the idle connection used.
        #expect(try fetcher.fetch(origin.url("/")) { $0.hostIsNamed = false }.cause == rejected)
        #expect(origin.requestCount == 1)
    }

    @Test func `denied addresses and the service's own listener are rejected`() throws {
        let origin = try Origin()
        let own = try TestFetcher { $0.addresses.listeners.ports = [origin.port] }
        #expect(try own.fetch(origin.url("/")).cause == rejected)
        let denied = try TestFetcher { $0.addresses.denied = try AddressBlock.list(parsing: "127.0.0.1") }
        #expect(try denied.fetch(origin.url("/")).cause == rejected)
        #expect(origin.connections.isEmpty)
    }

    @Test func `every address of a name must be allowed`() throws {
        let origin = try Origin()
        let hosts = try TemporaryFile("hosts", "127.0.0.1 one.example both.example\n10.0.0.1 both.example\n")
        let fetcher = try TestFetcher { $0.hosts = hosts.path }
        #expect(try fetcher.fetch(origin.url("/", host: "one.example")).head?.status == 200)
        let both = try fetcher.fetch(origin.url("/", host: "both.example"))
        #expect(both.cause == rejected)
        #expect(both.failure?.detail == "10.0.0.1: 10.0.0.0/8: private use (RFC 1918)")
        #expect(origin.requestCount == 1)
        #expect(origin.recordedRequests[0].values(of: "host") == ["one.example:\(origin.port)"])
    }

    @Test func `an idle connection is not used if the name has another address now`() throws {
        let old = try Origin(address: "127.0.0.1")
        let new = try Origin(address: "127.0.0.2", port: old.port)
        let hosts = try TemporaryFile("hosts", "127.0.0.1 a.example\n")
        let fetcher = try TestFetcher { $0.hosts = hosts.path }
        let url = old.url("/", host: "a.example")
        #expect(try fetcher.fetch(url).head?.status == 200)
        try hosts.replace("127.0.0.2 a.example\n")
        // The file is looked at once per second.
        var fetches = 0
        let end = ContinuousClock.now + .seconds(60)
        while new.requestCount == 0, ContinuousClock.now < end {
            #expect(try fetcher.fetch(url).head?.status == 200)
            fetches += 1
        }
        #expect(new.requestCount == 1)
        #expect(old.requestCount == fetches)
        #expect(try fetcher.fetch(url).head?.status == 200)
        #expect(old.requestCount == fetches)
    }

    @Test func `a name that has a private address now is rejected in spite of its idle connection`() throws {
        let origin = try Origin()
        let hosts = try TemporaryFile("hosts", "127.0.0.1 a.example\n")
        let fetcher = try TestFetcher { $0.hosts = hosts.path }
        let url = origin.url("/", host: "a.example")
        #expect(try fetcher.fetch(url).head?.status == 200)
        try hosts.replace("10.0.0.1 a.example\n")
        var result = try fetcher.fetch(url)
        while result.failure == nil { result = try fetcher.fetch(url) }
        #expect(result.cause == rejected)
    }
}
