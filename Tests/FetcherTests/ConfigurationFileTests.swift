import Fetching
import Testing

@testable import Fetcher

@Suite struct ConfigurationFileTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(parsing: text)) }

    @Test func `reads the addresses of all names of a hosts file`() throws {
        let text = """
            # 10.0.0.1 comment
            127.0.0.1\tlocalhost A.Example # a
            ::1 localhost
            \t 10.0.0.2   b.example  a.example\r
            10.0.0.2 a.example
            fe80::1%eth0 c.example
            300.0.0.1 c.example
            c.example
            """
        let file = HostsFile(parsing: Array(text.utf8))
        #expect(try file.addresses(of: "a.example") == [address("127.0.0.1"), address("10.0.0.2")])
        #expect(try file.addresses(of: "b.example") == [address("10.0.0.2")])
        #expect(try file.addresses(of: "localhost") == [address("127.0.0.1"), address("::1")])
        #expect(file.addresses(of: "c.example").isEmpty)
    }

    @Test func `reads up to three servers, and ignores everything else`() {
        let text = """
            ; nameserver 9.9.9.9
            search a.example
            options ndots:5 use-vc
            nameserver 10.0.0.1 # the first
            nameserver fd00::53\t
            nameserver dns.example
            nameserver
             nameserver [127.0.0.1]:5353
            nameserver 10.0.0.4
            """
        #expect(
            ResolvConf(parsing: Array(text.utf8)).servers == ["10.0.0.1:53", "[fd00::53]:53", "127.0.0.1:5353"]
        )
    }

    @Test(arguments: ["", "nameserver", "nameserver [10.0.0.1]:0", "nameserver [10.0.0.1]:", "nameserver 10.0.0.1:53"])
    func `a file without a valid server names none`(text: String) {
        #expect(ResolvConf(parsing: Array(text.utf8)).servers.isEmpty)
    }

    @Test func `at most eight addresses of each version are tried`() throws {
        let many = try (0..<20).map { try address("10.0.0.\($0)") }
        #expect(Resolver.ordered(many) == Array(many.prefix(8)))
        let both = Resolver.ordered(try [address("10.0.0.1"), address("fd00::1"), address("10.0.0.2")])
        #expect(Set(both) == Set(try [address("10.0.0.1"), address("fd00::1"), address("10.0.0.2")]))
    }
}
