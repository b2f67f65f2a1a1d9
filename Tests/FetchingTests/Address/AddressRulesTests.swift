import FuzzOracles
import Testing

@testable import Fetching

@Suite struct AddressRulesTests {
    /// Each row of the table of IPv4 blocks: the address before, the first, the last, and the address after. `nil`
    /// if there is none, or if the neighbour is in another row.
    static let ipv4Rows: [(String?, String, String, String?)] = [
        (nil, "0.0.0.0", "0.255.255.255", "1.0.0.0"),
        ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
        ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
        ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
        ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
        ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
        ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
        ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
        ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
        ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
        ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
        ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
        ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
        ("223.255.255.255", "224.0.0.0", "239.255.255.255", nil),
        (nil, "240.0.0.0", "255.255.255.255", nil),
        ("168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"),
    ]

    /// The same table for IPv6. The blocks outside 2000::/3 have no neighbours that are allowed, except at its ends.
    static let ipv6Rows: [(String?, String, String, String?)] = [
        (nil, "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
        ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
        (
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::"
        ),
        ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
        ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
        ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        ("2606::5efd:ffff:ffff", "2606::5efe:0:0", "2606::5efe:ffff:ffff", "2606::5eff:0:0"),
        ("2606::200:5efd:ffff:ffff", "2606::200:5efe:0:0", "2606::200:5efe:ffff:ffff", "2606::200:5eff:0:0"),
        // NAT64 of the first row of IPv4, and its neighbours.
        (nil, "64:ff9b::", "64:ff9b::ff:ffff", "64:ff9b::100:0"),
        (nil, "64:ff9b::1:0:0", "64:ff9b:0:0:0:0:1:0", nil),
    ]

    @Test(arguments: ipv4Rows + ipv6Rows)
    func `rejects each block from its first to its last address, and nothing beside it`(
        before: String?,
        first: String,
        last: String,
        after: String?
    ) {
        #expect(rejection(first) != nil, "\(first)")
        #expect(rejection(last) != nil, "\(last)")
        if let before { #expect(rejection(before) == nil, "\(before)") }
        if let after { #expect(rejection(after) == nil, "\(after)") }
    }

    @Test(arguments: ["2606:4700::100:5efe:1:1", "2606:4700::300:5efe:1:1", "2606:4700:5efe::1", "2606:4700::5efe"])
    func `an identifier that only resembles ISATAP's is allowed`(address: String) {
        #expect(rejection(address) == nil)
    }

    @Test func `agrees with a table of ranges on random IPv4 addresses and their NAT64 forms`() throws {
        let ranges = try Self.ipv4Rows.map { try bits($0.1)...bits($0.2) }
        var random = RandomSource(seed: 5)
        for _ in 0..<5_000 {
            // Half of them are close to a boundary.
            let value: UInt32
            if random.oneIn(2) {
                let range = random.pick(ranges)
                let edge = random.oneIn(2) ? range.lowerBound : range.upperBound
                value = edge &+ UInt32(random.below(5)) &- 2
            } else {
                value = UInt32(truncatingIfNeeded: random.next())
            }
            let isRejected = ranges.contains { $0 ~= value }
            let address = IPv4Address(bits: value)
            #expect((rejection("\(address)") != nil) == isRejected, "\(address)")
            #expect((rejection("64:ff9b::\(address)") != nil) == isRejected, "64:ff9b::\(address)")
            #expect(rejection("::ffff:\(address)") != nil)
            #expect(rejection("::\(address)") != nil)
        }
    }

    @Test(
        arguments: [
            ("10.1.2.3", .reserved(AddressBlock(IPv4Address(10, 0, 0, 0), 8))),
            ("169.254.169.254", .metadata), ("169.254.170.2", .metadata), ("100.100.100.200", .metadata),
            ("192.0.0.192", .metadata), ("168.63.129.16", .metadata), ("fd00:ec2::254", .metadata),
            ("64:ff9b::a9fe:a9fe", .metadata), ("::ffff:169.254.169.254", .metadata), ("2002:a9fe:a9fe::", .metadata),
            ("::1", .notGlobalUnicast), ("fe80::1", .notGlobalUnicast), ("::ffff:8.8.8.8", .notGlobalUnicast),
            ("2001:db8::1", .reserved(AddressBlock(IPv6Address(groups: 0x2001, 0xDB8), 32))),
            ("2606::5efe:808:808", .isatap),
        ] as [(String, AddressRejection)]
    )
    func `reports the reason`(address: String, reason: AddressRejection) {
        #expect(rejection(address) == reason)
        #expect(!reason.description.isEmpty)
    }

    // MARK: Settings

    @Test func `an allowed block applies only to hosts that are named`() throws {
        let rules = AddressRules.testing(allowed: try AddressBlock.list(parsing: "10.0.0.0/8,127.0.0.1/32,fd00::/8"))
        for address in ["10.0.0.0", "10.255.255.255", "127.0.0.1", "fd12::1", "64:ff9b::10.1.1.1"] {
            #expect(rejection(address, rules, isNamed: true) == nil, "\(address)")
            #expect(rejection(address, rules, isNamed: false) != nil, "\(address)")
        }
        for address in ["127.0.0.2", "192.168.0.1", "fe80::1", "::ffff:10.0.0.1"] {
            #expect(rejection(address, rules, isNamed: true) != nil, "\(address)")
        }
    }

    @Test(arguments: [
        "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
        "::ffff:169.254.169.254", "::169.254.169.254", "2002:a9fe:a9fe::1", "64:ff9b:1::a9fe:a9fe",
        "64:ff9b::a9fe:a9fe",
        "2606::5efe:a9fe:a9fe", "2001:0:a9fe:a9fe::", "2001::5601:5601", "::ffff:0:169.254.169.254",
        "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:0:a9:fea9:fe00::",
    ])
    func `a metadata address in any form is allowed only by an entry of exactly this address`(address: String) throws {
        let wide = AddressRules.testing(
            allowed: try AddressBlock.list(parsing: "0.0.0.0/0,::/0,169.254.169.254/31,fd00:ec2::254/127")
        )
        #expect(rejection(address, wide, isNamed: true) == .metadata)
        let exact = AddressRules.testing(allowed: try AddressBlock.list(parsing: address))
        #expect(rejection(address, exact, isNamed: true) == nil)
        #expect(rejection(address, exact, isNamed: false) == .metadata)
    }

    @Test func `an exact entry of a metadata address also allows its NAT64 form`() throws {
        let rules = AddressRules.testing(allowed: try AddressBlock.list(parsing: "169.254.169.254"))
        #expect(rejection("64:ff9b::a9fe:a9fe", rules, isNamed: true) == nil)
    }

    @Test func `a denied block precedes everything, and applies to contained addresses`() throws {
        let rules = AddressRules.testing(
            allowed: try AddressBlock.list(parsing: "8.8.8.8,2606::/16,64:ff9b::/96,::/0"),
            denied: try AddressBlock.list(parsing: "8.8.8.0/24,2606:4700::/32")
        )
        let v4 = AddressBlock(IPv4Address(8, 8, 8, 0), 24)
        let v6 = AddressBlock(IPv6Address(groups: 0x2606, 0x4700), 32)
        for address in [
            "8.8.8.8", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::", "2606::5efe:808:808", "2001:0:808:808::",
            "64:ff9b:1::808:808",
        ] {
            #expect(rejection(address, rules, isNamed: true) == .denied(by: v4), "\(address)")
        }
        #expect(rejection("2606:4700::1", rules, isNamed: true) == .denied(by: v6))
        #expect(rejection("8.8.9.8", rules, isNamed: false) == nil)
        #expect(rejection("2606:4701::1", rules, isNamed: false) == nil)
    }

    @Test func `the service's own listeners are rejected at every local address`() throws {
        let rules = AddressRules.testing(
            allowed: try AddressBlock.list(parsing: "0.0.0.0/0,::/0"),
            listeners: LocalListeners(addresses: [try #require(IPAddress(parsing: "203.0.113.7"))], ports: [8080])
        )
        for address in [
            "127.0.0.1", "127.255.255.255", "0.0.0.0", "::1", "::", "203.0.113.7", "::ffff:127.0.0.1",
            "::ffff:203.0.113.7",
            "64:ff9b::203.0.113.7",
        ] {
            #expect(rejection(address, rules, port: 8080, isNamed: true) == .ownListener, "\(address)")
            #expect(rejection(address, rules, port: 8081, isNamed: true) == nil, "\(address)")
        }
        #expect(rejection("203.0.113.8", rules, port: 8080, isNamed: true) == nil)
    }

    private func rejection(
        _ text: String,
        _ rules: AddressRules = AddressRules.testing(),
        port: UInt16 = 443,
        isNamed: Bool = false
    ) -> AddressRejection? {
        do throws(AddressRejection) {
            guard let address = IPAddress(parsing: text) else {
                Issue.record("\(text) is not an address")
                return nil
            }
            try rules.check(address, port: port, hostIsNamed: isNamed)
            return nil
        } catch {
            return error
        }
    }

    private func bits(_ text: String) throws -> UInt32 {
        let address = IPv4Address(parsing: text.utf8.span)
        return try #require(address).bits
    }
}
