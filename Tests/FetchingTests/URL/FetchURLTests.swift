import Testing

@testable import Fetching

@Suite struct FetchURLTests {
    @Test(arguments: [
        ("http://a.example", "http://a.example/"),
        ("HTTPS://A.Example:443/", "https://a.example/"),
        ("http://a.example:80", "http://a.example/"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("https://a.example:80/", "https://a.example:80/"),
        ("http://a.example:", "http://a.example/"),
        ("http://a.example:/x", "http://a.example/x"),
        ("http://a.example:1", "http://a.example:1/"),
        ("http://a.example:65535/", "http://a.example:65535/"),
        ("http://a.example?", "http://a.example/?"),
        ("http://a.example?q=/../x", "http://a.example/?q=/../x"),
        ("http://a.example#f", "http://a.example/"),
        ("http://a.example/x#/../y?z", "http://a.example/x"),
        ("http://a.example/?a=%5A%41", "http://a.example/?a=%5A%41"),
        ("http://a.example/%41%2f%5c", "http://a.example/%41%2f%5c"),
        ("http://a.example//x//", "http://a.example//x//"),
        ("http://a.example/a;b=c,d/e:f@g", "http://a.example/a;b=c,d/e:f@g"),
        ("http://a.example/x[1]?filter[name]=a", "http://a.example/x[1]?filter[name]=a"),
        ("http://a.example/?a=b?c@d:e/f", "http://a.example/?a=b?c@d:e/f"),
        ("http://a_b-c.example/", "http://a_b-c.example/"),
        ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http://intranet/", "http://intranet/"),
        ("http://1.example/", "http://1.example/"),
        ("http://0x.example/", "http://0x.example/"),
        ("http://8.8.8.8:8080/", "http://8.8.8.8:8080/"),
        ("http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"),
        ("http://[::FFFF:8.8.8.8]:80/", "http://[::ffff:808:808]/"),
    ])
    func `writes the canonical form of a URL`(text: String, canonical: String) throws {
        let url = try FetchURL(parsing: text)
        #expect(url.text == canonical)
        #expect(try FetchURL(parsing: canonical) == url)
    }

    @Test(arguments: [
        ("/.", "/"), ("/..", "/"), ("/./", "/"), ("/../", "/"), ("/../..", "/"), ("/a/.", "/a/"), ("/a/..", "/"),
        ("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/a/b/../../../c", "/c"), ("/a/b/..", "/a/"), ("/a/b/../", "/a/"),
        ("/a//../b", "/a/b"), ("//..", "/"), ("//../..//a", "//a"), ("/%2e", "/"), ("/%2E%2e/x", "/x"),
        ("/a/.%2e/b", "/b"),
        ("/a/%2e./b", "/b"), ("/a/%2e%2E", "/"), ("/...", "/..."), ("/%2e%2e%2e", "/%2e%2e%2e"), ("/.a", "/.a"),
        ("/a.", "/a."), ("/..a/..b", "/..a/..b"), ("/a/%252e%252e/b", "/a/%252e%252e/b"), ("/..;/a", "/..;/a"),
        ("/a/..%2fb", "/a/..%2fb"), ("/%2e%2e%2fa", "/%2e%2e%2fa"), ("/v1/../x", "/x"), ("/v1/%2e%2e/x", "/x"),
        ("/a/b/c/./../../g", "/a/g"), ("/mid/content=5/../6", "/mid/6"),
    ])
    func `removes dot segments, encoded or not, and nothing else`(path: String, result: String) throws {
        #expect(try FetchURL(parsing: "http://a.example\(path)").path == result)
        #expect(try FetchURL(parsing: "http://a.example\(path)?/../").target == result + "?/../")
        #expect(try FetchURL(parsing: "http://a.example\(result)").path == result)
    }

    @Test(
        arguments: [
            // Scheme and authority.
            ("", .missingScheme), ("a.example", .missingScheme), ("//a.example/", .missingScheme),
            ("/x", .missingScheme),
            (":", .missingScheme), ("://a.example", .missingScheme), ("1http://a.example", .missingScheme),
            ("ht_tp://a.example", .missingScheme), ("http", .missingScheme), ("a.example/x:y", .missingScheme),
            ("file:///etc/passwd", .unsupportedScheme("file")), ("gopher://a.example/", .unsupportedScheme("gopher")),
            ("FTP://a.example/", .unsupportedScheme("ftp")), ("javascript:1", .unsupportedScheme("javascript")),
            ("https+x://a.example", .unsupportedScheme("https+x")), ("localhost:80/", .unsupportedScheme("localhost")),
            ("http:", .missingAuthority(at: 5)), ("http:/", .missingAuthority(at: 6)),
            ("http:127.0.0.1", .missingAuthority(at: 5)),
            ("http:/127.0.0.1", .missingAuthority(at: 6)), ("http:///127.0.0.1/", .host(.empty(at: 7))),
            ("http://", .host(.empty(at: 7))), ("https://?x", .host(.empty(at: 8))), ("http://#", .host(.empty(at: 7))),
            ("http://:80/", .host(.empty(at: 7))),
            // User information.
            ("http://a@b.example/", .credentials(at: 8)), ("http://@b.example/", .credentials(at: 7)),
            ("http://a:b@c.example", .credentials(at: 10)), ("http://a@127.0.0.1@b.example", .credentials(at: 8)),
            ("http://b.example@", .credentials(at: 16)), ("http://b.example:80@c.example/", .credentials(at: 19)),
            // Ports.
            ("http://a.example:0/", .portOutOfRange(at: 17)), ("http://a.example:65536/", .portOutOfRange(at: 17)),
            ("http://a.example:4294967376/", .portOutOfRange(at: 17)),
            ("http://a.example:080/", .malformedPort(at: 17)),
            ("http://a.example:00/", .malformedPort(at: 17)), ("http://a.example:8O/", .malformedPort(at: 17)),
            ("http://a.example:+80/", .malformedPort(at: 17)), ("http://a.example:-1/", .malformedPort(at: 17)),
            ("http://a.example:80:80/", .malformedPort(at: 17)), ("http://a.example:%38%30/", .malformedPort(at: 17)),
            ("http://a.example::", .malformedPort(at: 17)), ("http://[::1]80/", .malformedPort(at: 12)),
            ("http://[::1]a", .malformedPort(at: 12)),
            // Bytes.
            (" http://a.example/", .invalidByte(0x20, at: 0)), ("http://a.example/ ", .invalidByte(0x20, at: 17)),
            ("http://a.example/\t", .invalidByte(0x09, at: 17)), ("http://a.example\r\n/", .invalidByte(0x0D, at: 16)),
            ("http://a.example/\nx", .invalidByte(0x0A, at: 17)), ("http://a.example/\0", .invalidByte(0, at: 17)),
            ("http://a.example/\u{7F}", .invalidByte(0x7F, at: 17)), ("http://a.example/é", .invalidByte(0xC3, at: 17)),
            ("http://a.example/\\", .invalidByte(0x5C, at: 17)), ("http:\\\\a.example", .invalidByte(0x5C, at: 5)),
            ("http://127.0.0.1\\@b.example", .invalidByte(0x5C, at: 16)),
            ("http://a.example/?\"", .invalidByte(0x22, at: 18)),
            ("http://a.example/<>", .invalidByte(0x3C, at: 17)), ("http://a.example/^", .invalidByte(0x5E, at: 17)),
            ("http://a.example/`", .invalidByte(0x60, at: 17)), ("http://a.example/{|}", .invalidByte(0x7B, at: 17)),
            ("http://a.example/#é", .invalidByte(0xC3, at: 18)), ("http://a.example/#a#b", .invalidByte(0x23, at: 19)),
            ("http://bücher.example/", .invalidByte(0xC3, at: 8)), ("http://①②⑦.0.0.1/", .invalidByte(0xE2, at: 7)),
            ("http://127。0。0。1/", .invalidByte(0xE3, at: 10)), ("ｈttp://a.example/", .invalidByte(0xEF, at: 0)),
            // Escapes.
            ("http://a.example/%", .malformedEscape(at: 17)), ("http://a.example/%4", .malformedEscape(at: 17)),
            ("http://a.example/%4g", .malformedEscape(at: 17)), ("http://a.example/?%", .malformedEscape(at: 18)),
            ("http://a.example/#%g0", .malformedEscape(at: 18)), ("http://a.example/%%41", .malformedEscape(at: 17)),
            ("http://[fe80::1%eth0]/", .malformedEscape(at: 15)),
        ] as [(String, FetchURLError)]
    )
    func `rejects text that is not a URL, with its offset`(text: String, error: FetchURLError) {
        #expect(throws: error) { try FetchURL(parsing: text) }
    }

    @Test(
        arguments: [
            ("a.example.", .trailingDot(at: 16)), ("127.0.0.1.", .trailingDot(at: 16)),
            ("localhost.", .trailingDot(at: 16)),
            (".", .emptyLabel(at: 7)), (".a.example", .emptyLabel(at: 7)), ("a..example", .emptyLabel(at: 9)),
            ("a.example..", .emptyLabel(at: 17)),
            ("%31%32%37.0.0.1", .invalidByte(0x25, at: 7)), ("a%2eexample", .invalidByte(0x25, at: 8)),
            ("a!b", .invalidByte(0x21, at: 8)), ("a,b", .invalidByte(0x2C, at: 8)), ("~", .invalidByte(0x7E, at: 7)),
            ("*.a.example", .invalidByte(0x2A, at: 7)), ("a]b", .invalidByte(0x5D, at: 8)),
            ("a[::1]", .invalidByte(0x5B, at: 8)),
            ("localhost", .localhost(at: 7)), ("LOCALHOST", .localhost(at: 7)), ("a.localhost", .localhost(at: 7)),
            ("127.1", .notDottedQuad(at: 7)), ("0", .notDottedQuad(at: 7)), ("0x7f.1", .notDottedQuad(at: 7)),
            ("0x7f000001", .notDottedQuad(at: 7)), ("0177.0.0.1", .notDottedQuad(at: 7)),
            ("0127.0.0.1", .notDottedQuad(at: 7)),
            ("017700000001", .notDottedQuad(at: 7)), ("2130706433", .notDottedQuad(at: 7)),
            ("4294967297", .notDottedQuad(at: 7)),
            ("256.1.1.1", .notDottedQuad(at: 7)), ("1.2.3.4.5", .notDottedQuad(at: 7)),
            ("a.example.1", .notDottedQuad(at: 7)),
            ("a.0X7F", .notDottedQuad(at: 7)), ("a.0x", .notDottedQuad(at: 7)), ("1.2.3.0x4", .notDottedQuad(at: 7)),
            ("00.0.0.0", .notDottedQuad(at: 7)), ("999999999999999999999999", .notDottedQuad(at: 7)),
            ("[]", .malformedIPv6Address(at: 8)), ("[1.2.3.4]", .malformedIPv6Address(at: 8)),
            ("[::1", .unterminatedIPv6Address(at: 11)), ("[", .unterminatedIPv6Address(at: 8)),
            ("[::g]", .malformedIPv6Address(at: 8)), ("[v1.a]", .malformedIPv6Address(at: 8)),
            ("[[::1]]", .malformedIPv6Address(at: 8)),
            ("[fe80::1%25eth0]", .zone(at: 15)), ("[fe80::1%251]", .zone(at: 15)),
        ] as [(String, FetchHostError)]
    )
    func `rejects hosts that are neither names nor canonical addresses`(host: String, error: FetchHostError) {
        #expect(throws: FetchURLError.host(error)) { try FetchURL(parsing: "http://\(host)/") }
        // Without its bracket, an address extends to the end of the authority.
        guard !host.hasPrefix("[") || host.hasSuffix("]") else { return }
        #expect(throws: FetchURLError.host(error)) { try FetchURL(parsing: "http://\(host):80?") }
    }

    @Test func `limits the length of labels and names`() throws {
        let label = String(repeating: "a", count: 63)
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(try FetchURL(parsing: "http://\(name)/").origin.host == .name(name))
        #expect(throws: FetchURLError.host(.nameTooLong(bytes: 254, max: 253, at: 7))) {
            try FetchURL(parsing: "http://\(name)b/")
        }
        #expect(throws: FetchURLError.host(.labelTooLong(bytes: 64, max: 63, at: 9))) {
            try FetchURL(parsing: "http://x.\(label)a/")
        }
        #expect(throws: FetchURLError.host(.labelTooLong(bytes: 64, max: 63, at: 7))) {
            try FetchURL(parsing: "http://\(label)a.x/")
        }
    }

    @Test func `limits the length of the text and of the canonical form`() throws {
        func text(_ bytes: Int, _ start: String) -> String {
            start + String(repeating: "x", count: bytes - start.utf8.count)
        }
        let longest = text(FetchURL.maxBytes, "http://a.example/")
        #expect(try FetchURL(parsing: longest).text == longest)
        #expect(throws: FetchURLError.tooLong(bytes: 8_193, max: 8_192)) { try FetchURL(parsing: longest + "x") }
        #expect(throws: FetchURLError.tooLong(bytes: 8_193, max: 8_192)) { try FetchURL(parsing: longest + "#") }
        // The canonical form has a slash before the query.
        #expect(try FetchURL(parsing: text(FetchURL.maxBytes - 1, "http://a.example?")).text.utf8.count == 8_192)
        #expect(throws: FetchURLError.tooLong(bytes: 8_193, max: 8_192)) {
            try FetchURL(parsing: text(FetchURL.maxBytes, "http://a.example?"))
        }
        #expect(throws: FetchURLError.tooLong(bytes: 1_000_000, max: 8_192)) {
            try FetchURL(parsing: text(1_000_000, "http://a.example/"))
        }
    }

    @Test func `has the parts that a request needs`() throws {
        let url = try FetchURL(parsing: "https://A.example:8443/v1/x?a=1#f")
        #expect(url.origin == FetchOrigin(scheme: .https, host: .name("a.example"), port: 8443))
        #expect("\(url.origin)" == "https://a.example:8443")
        #expect(url.path == "/v1/x")
        #expect(url.target == "/v1/x?a=1")
        let plain = try FetchURL(parsing: "http://[::1]")
        #expect(plain.origin == FetchOrigin(scheme: .http, host: .ipv6(IPv6Address(bits: 1)), port: 80))
        #expect("\(plain.origin)" == "http://[::1]")
        #expect(plain.target == "/")
    }

    // MARK: References

    /// The examples of RFC 3986 §5.4 whose result is an http URL, with the base "http://a/b/c/d;p?q".
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g"), ("HTTPS://B.example", "https://b.example/"), ("%2e%2e/g", "http://a/b/g"),
        ("1:2", "http://a/b/c/1:2"), ("?", "http://a/b/c/d;p?"),
    ])
    func `resolves references as RFC 3986 does`(reference: String, result: String) throws {
        let base = try FetchURL(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).text == result)
    }

    @Test(
        arguments: [
            ("http:g", .missingAuthority(at: 5)), ("g:h", .unsupportedScheme("g")),
            ("\\\\b.example", .invalidByte(0x5C, at: 13)),
            ("/\\b.example", .invalidByte(0x5C, at: 9)), ("//", .host(.empty(at: 7))), ("///x", .host(.empty(at: 7))),
            ("//u@b.example", .credentials(at: 8)), ("//0x7f.1", .host(.notDottedQuad(at: 7))),
            (" /x", .invalidByte(0x20, at: 13)),
            ("x y", .invalidByte(0x20, at: 14)), ("file:///etc/passwd", .unsupportedScheme("file")),
        ] as [(String, FetchURLError)]
    )
    func `rejects references that are not URLs`(reference: String, error: FetchURLError) throws {
        let base = try FetchURL(parsing: "http://a/b/c/d;p?q")
        #expect(throws: error) { try base.resolving(reference) }
    }

    @Test func `limits the length of a resolved reference`() throws {
        let base = try FetchURL(parsing: "http://a.example/" + String(repeating: "b/", count: 3_000))
        #expect(throws: FetchURLError.tooLong(bytes: 9_017, max: 8_192)) {
            try base.resolving(String(repeating: "x", count: 3_000))
        }
        #expect(throws: FetchURLError.tooLong(bytes: 8_193, max: 8_192)) {
            try base.resolving("/" + String(repeating: "x", count: 8_192))
        }
        #expect(try base.resolving("/" + String(repeating: "x", count: 3_000)).path.utf8.count == 3_001)
    }
}
