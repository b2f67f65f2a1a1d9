import FuzzOracles
import Glibc
import Testing

@testable import Fetching

@Suite struct IPAddressTests {
    @Test(
        arguments: [
            ("0.0.0.0", 0), ("127.0.0.1", 0x7F00_0001), ("255.255.255.255", 0xFFFF_FFFF), ("8.8.4.4", 0x0808_0404),
            ("1.10.100.200", 0x010A_64C8),
        ] as [(String, UInt32)]
    )
    func `reads and writes a canonical dotted quad`(text: String, bits: UInt32) throws {
        let address = try #require(Self.ipv4(text))
        #expect(address.bits == bits)
        #expect("\(address)" == text)
        #expect(IPAddress(parsing: text) == .v4(address))
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.", "1.2.3.4.", "1.2.3.4.5", "01.2.3.4", "1.2.3.00", "256.1.1.1", "1.2.3.1000",
        "0x7f.0.0.1", "0x7f.1", "127.1", "2130706433", " 1.2.3.4", "1.2.3.4 ", "1..2.3", "a.b.c.d", "1.2.3.-4",
        "1.2.3.４", "4294967296.1.1.1", "1.2.3.4\0", "1.2.3.4\0.5", "1.2.3.4\n", String(repeating: "1", count: 100),
    ])
    func `rejects every other form of an IPv4 address`(text: String) {
        #expect(Self.ipv4(text) == nil)
    }

    @Test(arguments: [
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"), ("2001:DB8::A", "2001:db8::a"),
        ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
        ("::ffff:127.0.0.1", "::ffff:7f00:1"), ("64:ff9b::8.8.8.8", "64:ff9b::808:808"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func `reads every form of an IPv6 address and writes one`(text: String, canonical: String) throws {
        let address = try #require(Self.ipv6(text))
        #expect("\(address)" == canonical)
        #expect(Self.ipv6(canonical) == address)
        #expect(IPAddress(parsing: text) == .v6(address))
    }

    @Test(arguments: [
        "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3",
        "12345::", "::g", "fe80::1%eth0", "[::1]", "::1.2.3", "::1.2.3.04", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
        "1.2.3.4::", ":1::", "::1 ", "::1\0", "::1\0:2", "::0x1",
    ])
    func `rejects what is not an IPv6 address`(text: String) {
        #expect(Self.ipv6(text) == nil)
    }

    private static func ipv4(_ text: String) -> IPv4Address? { IPv4Address(parsing: text.utf8.span) }
    private static func ipv6(_ text: String) -> IPv6Address? { IPv6Address(parsing: text.utf8.span) }

    @Test func `agrees with the C library on random texts`() {
        var random = RandomSource(seed: 16)
        var accepted = (v4: 0, v6: 0)
        for _ in 0..<20_000 {
            let text = Self.randomText(using: &random)
            let v4 = Self.ipv4(text)
            let v6 = Self.ipv6(text)
            #expect(v4.map { "\($0)" } == Self.reference(text, AF_INET), "\(text)")
            let expected = Self.reference(text, AF_INET6)
            #expect(v6.flatMap { Self.reference("\($0)", AF_INET6) } == expected, "\(text)")
            if v4 != nil { accepted.v4 += 1 }
            if v6 != nil { accepted.v6 += 1 }
        }
        // Otherwise nothing but rejections was compared.
        #expect(accepted.v4 > 1_000 && accepted.v6 > 1_000, "\(accepted)")
    }

    @Test func `writes random addresses as the C library reads them`() throws {
        var random = RandomSource(seed: 17)
        for _ in 0..<5_000 {
            // Zero groups are frequent.
            let mask = UInt128(random.next() & 0xFF)
            var bits: UInt128 = 0
            for group in 0..<8 where mask >> UInt128(group) & 1 == 1 {
                bits |= UInt128(random.next() & (random.oneIn(2) ? 0xFFFF : 0xF)) << UInt128(group * 16)
            }
            let address = IPv6Address(bits: bits)
            #expect(Self.ipv6("\(address)") == address)
            var bytes = [UInt8](repeating: 0, count: 16)
            #expect(inet_pton(AF_INET6, "\(address)", &bytes) == 1)
            #expect(bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } == bits)
        }
    }

    /// Pieces of addresses in a random order, sometimes with a random change.
    private static func randomText(using random: inout RandomSource) -> String {
        var text = ""
        let pieces: [String]
        if random.oneIn(2) {
            pieces = (0..<(random.oneIn(4) ? random.below(10) : 4)).map { _ in
                "\(random.below(random.oneIn(5) ? 1_000 : 256))"
            }
            text = pieces.joined(separator: ".")
        } else {
            pieces = (0..<(random.oneIn(2) ? random.below(10) : 8)).map { _ in
                random.oneIn(4) ? "" : String(random.below(random.oneIn(9) ? 1_000_000 : 65_536), radix: 16)
            }
            text = pieces.joined(separator: ":")
            if random.oneIn(6) { text += ":1.2.3.\(random.below(300))" }
            if random.oneIn(6) { text = "::" + text }
        }
        var bytes = Array(text.utf8)
        if random.oneIn(3), !bytes.isEmpty {
            bytes[random.below(bytes.count)] = random.pick(Array("0123456789abcdefABCDEFg:.%/ x".utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that inet_ntop(3) writes for what inet_pton(3) reads.
    private static func reference(_ text: String, _ family: Int32) -> String? {
        var address = [UInt8](repeating: 0, count: 16)
        guard inet_pton(family, text, &address) == 1 else { return nil }
        var result = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &result, socklen_t(result.count)) != nil else { return nil }
        return String(decoding: result.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
