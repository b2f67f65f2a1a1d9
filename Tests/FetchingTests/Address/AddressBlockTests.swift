import Testing

@testable import Fetching

@Suite struct AddressBlockTests {
    @Test func `reads a list of blocks of both versions`() throws {
        let blocks = try AddressBlock.list(parsing: "10.0.0.0/8, 192.0.2.1\t,fd00::/8,::1 , 0.0.0.0/0,::/0")
        #expect(
            blocks.map(\.description)
                == ["10.0.0.0/8", "192.0.2.1/32", "fd00::/8", "::1/128", "0.0.0.0/0", "::/0"]
        )
        #expect(blocks.map(\.isSingleAddress) == [false, true, false, true, false, false])
        #expect(try AddressBlock.list(parsing: blocks.map(\.description).joined(separator: ",")) == blocks)
    }

    @Test(arguments: ["", " ", "\t "])
    func `a blank list has no blocks`(text: String) throws {
        #expect(try AddressBlock.list(parsing: text) == [])
    }

    @Test(
        arguments: [
            (",", .emptyEntry(at: 0)), ("10.0.0.0/8,", .emptyEntry(at: 11)), ("1.1.1.1, ,2.2.2.2", .emptyEntry(at: 9)),
            ("10.0.0/8", .malformedAddress(at: 0)), ("1.1.1.1,010.0.0.0/8", .malformedAddress(at: 8)),
            ("a.example", .malformedAddress(at: 0)), ("[::1]/128", .malformedAddress(at: 0)),
            ("/8", .malformedAddress(at: 0)),
            ("10.0.0.0/", .malformedPrefixLength(max: 32, at: 9)),
            ("10.0.0.0/33", .malformedPrefixLength(max: 32, at: 9)),
            ("10.0.0.0/08", .malformedPrefixLength(max: 32, at: 9)),
            ("10.0.0.0/8/8", .malformedPrefixLength(max: 32, at: 9)),
            ("10.0.0.0/-1", .malformedPrefixLength(max: 32, at: 9)),
            ("10.0.0.0/ 8", .malformedPrefixLength(max: 32, at: 9)),
            ("fd00::/129", .malformedPrefixLength(max: 128, at: 7)),
            ("::/99999999999999999999", .malformedPrefixLength(max: 128, at: 3)),
            ("10.0.0.1/8", .bitsAfterPrefix(at: 0)), ("::,fd00::1/64", .bitsAfterPrefix(at: 3)),
            ("1.0.0.0/0", .bitsAfterPrefix(at: 0)),
        ] as [(String, AddressBlockError)]
    )
    func `rejects what is not a list of blocks, with its offset`(text: String, error: AddressBlockError) {
        #expect(throws: error) { try AddressBlock.list(parsing: text) }
    }

    @Test(arguments: [
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "::a00:1", "::ffff:10.0.0.1"]),
        ("192.0.2.4/30", ["192.0.2.4", "192.0.2.7"], ["192.0.2.3", "192.0.2.8"]),
        ("192.0.2.1/32", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "::1"]),
        ("128.0.0.0/1", ["128.0.0.0", "255.255.255.255"], ["127.255.255.255"]),
        ("fd00::/8", ["fd00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["fcff::", "fe00::", "10.0.0.1"]),
        ("::/0", ["::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["0.0.0.0"]),
        ("2001:db8::1/128", ["2001:db8::1"], ["2001:db8::", "2001:db8::2"]),
    ])
    func `contains its first to its last address`(text: String, inside: [String], outside: [String]) throws {
        let block = try #require(try AddressBlock.list(parsing: text).first)
        for text in inside {
            let address = try #require(IPAddress(parsing: text))
            #expect(block.contains(address), "\(text)")
        }
        for text in outside {
            let address = try #require(IPAddress(parsing: text))
            #expect(!block.contains(address), "\(text)")
        }
    }
}
