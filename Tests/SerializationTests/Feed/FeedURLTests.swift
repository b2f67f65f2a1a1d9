import Testing

@testable import Serialization

/// References in feeds (RFC 3986 §5).
@Suite struct FeedURLTests {
    private func resolve(_ reference: String, _ base: String?) -> String? {
        FeedBase(response: base).resolve(reference.utf8.span).map { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 3986 §5.4, without the references that have a scheme.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("g/./h", "http://a/b/c/g/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func `a relative reference is resolved`(reference: String, expected: String) {
        #expect(resolve(reference, "http://a/b/c/d;p?q") == expected)
    }

    @Test(arguments: [
        ("g", "http://a", "http://a/g"), ("g", "http://a?b", "http://a/g"), ("../g", "http://a", "http://a/g"),
        ("g", "http://a//b", "http://a//g"), ("é", "http://a/", "http://a/é"),
        ("g", "http://a/b/../c/./d", "http://a/c/g"), ("../g", "http://a/b/../c/d/e", "http://a/c/g"),
        ("..//g", "http://a/b/c/", "http://a/b//g"), ("../..//", "http://a//", "http://a//"),
        ("", "http://a/b/../c", "http://a/b/../c"),
    ])
    func `a base may have no path, empty segments and dots`(reference: String, base: String, expected: String) {
        #expect(resolve(reference, base) == expected)
    }

    /// Signed URLs are often this long.
    @Test(
        arguments: [
            ("g", "http://a/b/g"), ("../g?x", "http://a/g?x"), ("/g", "http://a/g"), ("//c", "http://c"),
            ("?y", "http://a/b/c?y"), ("", nil), ("#s", nil),
        ] as [(String, String?)]
    )
    func `a long query of the base does not matter, except for references without a path`(
        reference: String,
        expected: String?
    ) {
        #expect(resolve(reference, "http://a/b/c?" + String(repeating: "q", count: 1_100)) == expected)
        #expect(resolve(reference, "http://a/b/c#" + String(repeating: "f", count: 1_100)) != nil)
    }

    @Test(arguments: [(1_024, false), (1_025, true)])
    func `a base has at most 1 024 bytes without its query`(bytes: Int, isTooLong: Bool) {
        let url = "http://a/" + String(repeating: "p", count: bytes - 9)
        #expect(FeedBase(response: url).isTooLong == isTooLong)
        #expect(FeedBase(response: url + "?q").isTooLong == isTooLong)
        #expect(resolve("/g", url) == (isTooLong ? nil : "http://a/g"))
    }

    @Test(arguments: [(1_024, 0, false), (1_025, 0, true), (500, 524, false), (500, 525, true)])
    func `a declared base has at most 1 024 bytes`(outer: Int, inner: Int, isTooLong: Bool) {
        let folder = "http://a/" + String(repeating: "p", count: outer - 10) + "/"
        let base = FeedBase(response: "http://b/").declaring(folder.utf8.span)
        let declared = inner == 0 ? base : base.declaring((String(repeating: "q", count: inner - 1) + "/").utf8.span)
        #expect(declared.isTooLong == isTooLong)
        #expect((declared.resolve("x".utf8.span) == nil) == isTooLong)
        #expect(declared.declaring("r/".utf8.span).resolve("x".utf8.span) == nil)
        #expect(declared.declaring("http://c/".utf8.span).resolve("x".utf8.span) == Array("http://c/x".utf8))
    }

    @Test(
        arguments: [
            ("http://b/", "http://a/"), ("mailto:a@b", "http://a/"), ("g", nil), ("g", ""), ("g", "relative/"),
            ("g", "urn:a:b"), ("g", "http://" + String(repeating: "a", count: 3_000)),
        ] as [(String, String?)]
    )
    func `other references stay as they are`(reference: String, base: String?) {
        #expect(resolve(reference, base) == nil)
    }
}
