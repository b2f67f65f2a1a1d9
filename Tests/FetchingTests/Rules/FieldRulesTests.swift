import Serialization
import Testing

@testable import Fetching

@Suite struct FieldRulesTests {
    @Test func `returns fields in order, without white space around values`() throws {
        let fields = [
            ("Accept", " a/b\t"), ("X-Key", ""), ("accept", "ü"), ("Authorization", "Bearer x"), ("Cookie", "a\tb"),
            ("Via2", "x"),
        ]
        #expect(
            try FieldRules.check(fields.map(field))
                == [
                    ("Accept", "a/b"), ("X-Key", ""), ("accept", "ü"), ("Authorization", "Bearer x"),
                    ("Cookie", "a\tb"), ("Via2", "x"),
                ]
                .map(field)
        )
        #expect(try FieldRules.check([]) == [])
    }

    @Test(arguments: [
        "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer", "Upgrade", "Expect",
        "Range",
        "If-Range", "Accept-Encoding", "Via", "Forwarded", "CDN-Loop", "Early-Data", "HTTP2-Settings", "Max-Forwards",
        "X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL", "Proxy",
    ])
    func `rejects fields of the connection, method and URL, in any case and with underscores`(name: String) {
        let error = FieldRejection.notAllowed(name: name.lowercased(), index: 1)
        for form in [name, name.lowercased(), name.uppercased(), name.replacing("-", with: "_")] {
            #expect(throws: error) { try FieldRules.check([field("A", "b"), field(form, "c")]) }
        }
    }

    @Test(arguments: [
        ("Proxy-Authorization", "proxy-*"), ("proxy-connection", "proxy-*"), ("Proxy-", "proxy-*"),
        ("X-Forwarded-For", "x-forwarded-*"),
        ("x_forwarded_host", "x-forwarded-*"), ("X-FORWARDED-anything", "x-forwarded-*"),
    ])
    func `rejects fields by the beginning of their names`(name: String, rule: String) {
        #expect(throws: FieldRejection.notAllowed(name: rule, index: 0)) { try FieldRules.check([field(name, "x")]) }
    }

    @Test(arguments: ["", "a b", "a:", ":authority", "a\r\n", "é", "a\0", " a", "a ", "(a)", "a/b", "\"a\""])
    func `rejects names that are not tokens`(name: String) {
        #expect(throws: FieldRejection.malformedName(index: 0)) { try FieldRules.check([field(name, "x")]) }
    }

    @Test(arguments: [
        ("a\r\nHost: b", 1), ("\n", 0), ("a\0", 1), ("\u{1}", 0), ("ab\u{7F}", 2), ("é\u{1F}", 2), ("\r", 0),
        ("a\u{B}", 1),
    ])
    func `rejects values with control characters`(value: String, offset: Int) {
        #expect(throws: FieldRejection.malformedValue(index: 1, at: offset)) {
            try FieldRules.check([field("a", "b"), field("c", value)])
        }
    }

    @Test func `limits the length of all fields together`() throws {
        let longest = field("a", String(repeating: "x", count: FieldRules.maxBytes - 5))
        #expect(try FieldRules.check([longest]) == [longest])
        #expect(throws: FieldRejection.tooLong(bytes: 65_541, max: 65_536)) {
            try FieldRules.check([field("b", ""), longest])
        }
    }

    @Test func `limits the number of fields`() throws {
        let most = Array(repeating: field("a", ""), count: FieldRules.maxCount)
        #expect(try FieldRules.check(most) == most)
        #expect(throws: FieldRejection.tooMany(max: 256)) { try FieldRules.check(most + [field("b", "")]) }
    }

    @Test func `the names are in order and in lower case`() {
        #expect(FieldRules.rejectedNames == FieldRules.rejectedNames.sorted())
        #expect(FieldRules.rejectedNames.allSatisfy { $0 == $0.lowercased() })
        #expect(FieldRules.rejectedNames.count == 24)
    }

    private func field(_ name: String, _ value: String) -> HeaderFields.Field {
        HeaderFields.Field(name: name, value: value)
    }
}
