import Serialization
import Testing

@testable import Fetching

/// Keys, `Vary` and invalidation: RFC 9111 §2, §4.1, §4.4.
@Suite struct CacheKeyTests {
    typealias Response = PolicyCache.Response

    @Test func `index keys differ by partition, URL, origin and caller's key`() throws {
        let urls = try [
            "http://a.example/", "https://a.example/", "http://a.example/?", "http://a.example:81/",
            "http://a.example/x",
        ]
        .map { try FetchURL(parsing: $0) }
        var keys: Set<CacheKey> = []
        for partition in ["", "a", "ab"] {
            for url in urls {
                keys.insert(CacheKey(partition: partition, url: url, cacheKey: nil))
                #expect(
                    CacheKey(partition: partition, url: url, cacheKey: nil) == CacheKey(partition: partition, url: url)
                )
                for cacheKey in ["", "x", url.text] {
                    keys.insert(CacheKey(partition: partition, url: url, cacheKey: cacheKey))
                }
            }
        }
        // Five URLs have three origins.
        #expect(keys.count == 3 * (5 + 3 * 2 + 5))
    }

    @Test func `parts cannot be moved from one to the next`() throws {
        let url = try FetchURL(parsing: "http://a.example/im")
        let index = CacheKey(partition: "p", url: url)
        func key(_ fields: [(String, String)]) -> CacheKey {
            index.primaryKey(PolicyCache.fields(fields), excluding: .none, keyFields: .all)
        }
        let fields: [[(String, String)]] = [
            [], [("a", "")], [("a", "b")], [("ab", "")], [("a", "b"), ("c", "d")], [("a", "b, c: d")],
            [("a", "bc"), ("", "d")],
            [("a", "b"), ("a", "c")], [("a", "b,c")], [("a", "c"), ("a", "b")], [("a", " b")], [("a", "B")],
            [("a", "\u{0}\u{0}\u{0}\u{1}b")],
        ]
        #expect(Set(fields.map(key)).count == fields.count)
        #expect(key([("A", "b"), ("c", "d")]) == key([("C", "d"), ("a", "b")]))
        #expect(!Set(fields.map(key)).contains(index))
    }

    @Test func `conditions are not in the key`() throws {
        let index = CacheKey(partition: "", url: try FetchURL(parsing: "http://a.example/"))
        let empty = index.primaryKey([], excluding: .none, keyFields: .all)
        for name in ["If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since", "IF-RANGE"] {
            let fields = PolicyCache.fields([(name, "x")])
            #expect(index.primaryKey(fields, excluding: .none, keyFields: .all) == empty)
        }
        for name in ["Cache-Control", "PRAGMA"] {
            let fields = PolicyCache.fields([(name, "no-cache")])
            #expect(index.primaryKey(fields, excluding: .none, keyFields: .all) != empty)
        }
    }

    @Test func `directives of requests permit what is stored without them, and nothing else does`() {
        func isIgnored(_ fields: [(String, String)]) -> Bool {
            CacheKey.withoutDirectives(PolicyCache.fields(fields + [("X-A", "1")]))
                == PolicyCache.fields([("X-A", "1")])
        }
        let directives = [
            "", " , ", "no-cache", "No-Cache,no-store ,\tno-transform", "only-if-cached", "max-age=0", "max-stale",
            "max-stale=7",
            "min-fresh=99999999999999999999, stale-if-error=1",
        ]
        for value in directives {
            #expect(isIgnored([("Cache-Control", value)]), "\(value)")
            #expect(isIgnored([("PRAGMA", value), ("cache-control", "no-cache")]), "\(value)")
        }
        let others = [
            "x", "no-cache x", "no-cache=x", "no-cache=", "max-age", "max-age=", "max-age=x", "max-age=-1",
            "max-age=\"1\"", "max-age=1=",
            "max-age =1", "max-age= 1", "=", "=1", "min-fresh", "no-cache, x", "no-cache; x", "public", "s-maxage=1",
            "no-cache\u{e9}",
        ]
        for value in others {
            for fields in [
                [("Cache-Control", value)], [("Pragma", value)], [("Pragma", "no-cache"), ("Pragma", value)],
            ] {
                #expect(CacheKey.withoutDirectives(PolicyCache.fields(fields)) == nil, "\(value)")
            }
        }
        #expect(CacheKey.withoutDirectives(PolicyCache.fields([("X-A", "1"), ("Cookie", "no-cache")])) == nil)
        #expect(CacheKey.withoutDirectives([]) == nil)
        let number = "max-age=" + String(repeating: "0", count: 114)
        #expect(isIgnored([("Pragma", number)]) && !isIgnored([("Pragma", number + "0")]))
        #expect(isIgnored(Array(repeating: ("Pragma", "no-cache"), count: 9)))
        #expect(!isIgnored(Array(repeating: ("Pragma", "no-cache"), count: 10)))
    }

    @Test(arguments: [
        ("Cache-Control", "no-cache"), ("Cache-Control", "no-transform"), ("Cache-Control", "max-age=5"),
        ("Pragma", "no-cache"),
    ])
    func `a response to directives is that of requests with the same`(name: String, value: String) throws {
        let fresh = [("Cache-Control", "max-age=9"), ("ETag", "\"a\"")]
        var cache = PolicyCache()
        #expect(try cache.fetch([(name, value)], origin: Response(fields: fresh, content: "evil")).content == "evil")
        #expect(try cache.fetch(origin: Response(fields: fresh, content: "a")).content == "a")
        #expect(try cache.fetch(origin: nil).content == "a")
        #expect(try cache.fetch([(name, value)], mode: .forceCache, origin: nil).content == "evil")

        // What is stored without them is sufficient, until they require a new response. It is older than that, and is
        // removed.
        cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: fresh, content: "a"))
        #expect(try cache.fetch([(name, value)], mode: .forceCache, origin: nil).content == "a")
        #expect(
            try cache.fetch([(name, value)], mode: .reload, origin: Response(fields: fresh, content: "b")).content
                == "b"
        )
        #expect(try cache.fetch(origin: Response(fields: fresh, content: "c")).content == "c")
    }

    @Test func `fields that Vary names are not in the primary key`() throws {
        let index = CacheKey(partition: "", url: try FetchURL(parsing: "http://a.example/"))
        let empty = index.primaryKey([], excluding: .none, keyFields: .all)
        let cookie = PolicyCache.fields([("Cookie", "a=b"), ("Foo", "y")])
        let names = try #require(VaryNames(ofResponse: PolicyCache.fields([("Vary", "foo, Cookie")])))
        #expect(index.primaryKey(cookie, excluding: .none, keyFields: .all) != empty)
        #expect(index.primaryKey(cookie, excluding: names, keyFields: .all) == empty)
        #expect(index.primaryKey(cookie, excluding: names, keyFields: .vary) == empty)
        #expect(index.primaryKey(Array(cookie.dropFirst()), excluding: .none, keyFields: .vary) == empty)
        #expect(index.primaryKey(cookie, excluding: .none, keyFields: .vary) != empty)
    }

    @Test(arguments: CacheKeyFields.allCases, ["Cookie", "cookie", "Authorization", "AUTHORIZATION"])
    func `a response to one credential is not that of another one`(keyFields: CacheKeyFields, name: String) throws {
        for vary in [[], [("Vary", "Accept")], [("Vary", name)]] {
            var cache = PolicyCache(CachePolicy.testing(keyFields: keyFields))
            let fields = vary + [("Cache-Control", "public, max-age=9")]
            for (index, value) in ["a=1", "a=2", "A=1", nil].enumerated() {
                let request = value.map { [(name, $0)] } ?? []
                let content = "\(index)"
                #expect(try cache.fetch(request, origin: Response(fields: fields, content: content)).content == content)
                #expect(try cache.fetch(request, origin: nil).content == content)
            }
        }
    }

    @Test(arguments: ["X-Forward", "Accept", "Accept-Language", "User-Agent", "Cache-Control", "Pragma"])
    func `a field that Vary does not name cannot poison a response`(name: String) throws {
        var cache = PolicyCache(CachePolicy.testing(keyFields: .all))
        let response = Response(fields: [("Cache-Control", "max-age=9")])
        _ = try cache.fetch([(name, "evil")], origin: response)
        #expect(try cache.fetch(origin: Response(content: "b")).source == .origin)
        #expect(try cache.fetch([(name, "other")], origin: Response(content: "b")).source == .origin)
        #expect(
            try cache.fetch([(name.lowercased(), "evil"), ("If-None-Match", "x")], origin: nil).source == .cache
        )
    }

    @Test(arguments: [
        "Accept", "accept-language", "User-Agent", "X-Api-Key", "x-flag", "Private-Token", "Ocp-Apim-Subscription-Key",
        "API_KEY", "Apikey", "Proxy-Auth", "Session-Id", "Stripe-Account", "Notion-Version", "Origin", "Tenant",
        "Client-Id", "Front-Host", "Original-URL", "Method-Override",
    ])
    func `fields that say who sends a request, or what it is about, need no Vary`(name: String) throws {
        var cache = PolicyCache(CachePolicy.testing(keyFields: .vary))
        let response = Response(fields: [("Cache-Control", "public, max-age=9")])
        _ = try cache.fetch([(name, "evil")], origin: response)
        #expect(try cache.fetch(origin: Response(content: "b")).source == .origin)
        #expect(try cache.fetch([(name, "other")], origin: Response(content: "c")).source == .origin)
        #expect(try cache.fetch([(name.lowercased(), "evil")], origin: nil).source == .cache)
    }

    @Test(arguments: ["Foo", "Req-Num", "Color", "Pragma", "Cache-Control", "DNT"])
    func `§2 other fields select a response only if Vary names them, or with cache-key-fields=all`(name: String) throws
    {
        let response = Response(fields: [("Cache-Control", "max-age=9")])
        for keyFields in CacheKeyFields.allCases {
            var cache = PolicyCache(CachePolicy.testing(keyFields: keyFields))
            _ = try cache.fetch([(name, "a")], origin: response)
            let other = try cache.fetch([(name, "b")], origin: Response(content: "b"))
            #expect(other.source == (keyFields == .vary ? .cache : .origin))
        }
    }

    @Test(arguments: ["If-Match", "If-Unmodified-Since", "If-None-Match", "If-Modified-Since"], [200, 412, 404])
    func `a response to a condition is not stored`(name: String, status: Int) throws {
        let response = Response(status: status, fields: [("Cache-Control", "max-age=9")])
        for keyFields in CacheKeyFields.allCases {
            var cache = PolicyCache(CachePolicy.testing(keyFields: keyFields))
            let result = try cache.fetch([(name, "\"evil\"")], origin: response)
            #expect(result.source == .origin)
            #expect(result.status == status)
            #expect(try cache.fetch(origin: Response(content: "b")).source == .origin)
        }
    }

    @Test func `a validation in place of a caller's condition is stored`() throws {
        var cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: [("Cache-Control", "max-age=0"), ("ETag", "\"a\"")]))
        let other = Response(fields: [("Cache-Control", "max-age=9"), ("ETag", "\"b\"")], content: "b")
        #expect(try cache.fetch([("If-None-Match", "\"evil\"")], origin: other).content == "b")
        #expect(cache.sent.map(\.value) == ["\"a\""])
        #expect(try cache.fetch(origin: nil).content == "b")
    }

    // MARK: Vary

    @Test(arguments: [
        ([], []), ([""], []), ([","], []), (["Foo"], ["foo"]), (["foo, BAR", "Baz,foo"], ["bar", "baz", "foo"]),
        ([" a\t,, b "], ["a", "b"]),
    ])
    func `§4.1 names are read from all lines`(lines: [String], names: [String]) {
        #expect(VaryNames(ofResponse: PolicyCache.fields(lines.map { ("vary", $0) }))?.names == names)
    }

    @Test(arguments: [
        ["*"], [" * "], ["*, *"], ["*", "*"], [", *"], ["", "*"], ["*, Foo"], ["Foo, *"], ["Foo Bar"], ["Foo;Bar"],
        ["\"Foo\""],
        [(0...32).map { "a\($0)" }.joined(separator: ",")],
    ])
    func `§4.1 * and malformed lists match nothing`(lines: [String]) throws {
        #expect(VaryNames(ofResponse: PolicyCache.fields(lines.map { ("Vary", $0) })) == nil)
        var cache = PolicyCache(CachePolicy.testing(keyFields: .vary))
        let fields = lines.map { ("Vary", $0) } + [("Cache-Control", "max-age=9")]
        let result = try cache.fetch([("Foo", "1")], origin: Response(fields: fields))
        #expect(result.rejection == .varies)
        #expect(try cache.fetch([("Foo", "1")], mode: .onlyIfCached, origin: nil).status == 504)
    }

    @Test(arguments: [
        ([("Foo", "1")], [("Foo", "1")], true), ([("Foo", "1")], [("foo", " 1\t")], true),
        ([("Foo", "1")], [("Foo", "2")], false), ([], [("Foo", "1")], false), ([("Foo", "1")], [], false),
        ([], [], true),
        ([("Foo", "")], [], false), ([("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")], true),
        ([("Foo", "1,2")], [("Foo", " 1 ,\t2 ")], true), ([("Foo", "2,1")], [("Foo", "1,2")], false),
        ([("Foo", "a b")], [("Foo", "ab")], false), ([("Foo", "a b")], [("Foo", "a  b")], false),
        ([("Foo", "\"a, b\"")], [("Foo", "\"a,b\"")], false), ([("Foo", "\"a\" , b")], [("Foo", "\"a\",b")], true),
        ([("Foo", "\"a\\\" , b\"")], [("Foo", "\"a\\\",b\"")], false), ([("Foo", "A")], [("Foo", "a")], false),
        ([("Bar", "1"), ("Foo", "1")], [("Foo", "1"), ("Bar", "2")], true),
    ])
    func `§4.1 values are compared after normalising white space`(
        first: [(String, String)],
        second: [(String, String)],
        isMatch: Bool
    ) throws {
        var cache = PolicyCache(CachePolicy.testing(keyFields: .vary))
        let fields = [("Vary", "foo"), ("Cache-Control", "max-age=9")]
        _ = try cache.fetch(first, origin: Response(fields: fields))
        let result = try cache.fetch(second, origin: Response(fields: fields, content: "b"))
        #expect(result.source == (isMatch ? .cache : .origin))
        #expect(result.reason == (isMatch ? nil : .varyMiss))
    }

    @Test(arguments: [("EN , De", true), ("de,en", false), ("en", false), ("en;q=1,de", false)])
    func `§4.1 languages ignore case, but not order`(value: String, isMatch: Bool) throws {
        var cache = PolicyCache()
        let fields = [("Vary", "Accept-Language"), ("Cache-Control", "max-age=9")]
        _ = try cache.fetch([("Accept-Language", "en, de")], origin: Response(fields: fields))
        let result = try cache.fetch([("Accept-Language", value)], origin: Response(content: "b"))
        #expect(result.source == (isMatch ? .cache : .origin))
    }

    @Test func `several names are matched in any order`() throws {
        var cache = PolicyCache()
        let fields = [("Vary", "Foo, Bar"), ("Vary", "Baz"), ("Cache-Control", "max-age=9")]
        let request = [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")]
        _ = try cache.fetch(request, origin: Response(fields: fields))
        #expect(try cache.fetch(request.reversed(), origin: nil).source == .cache)
        #expect(try cache.fetch([("Foo", "1"), ("Baz", "789"), ("Bar", "x")], origin: Response()).source == .origin)
        #expect(try cache.fetch(Array(request.prefix(2)), origin: Response()).source == .origin)
    }

    // MARK: Stored fields

    @Test func `§3.1 fields of the connection and cookies are not stored`() throws {
        var cache = PolicyCache()
        let kept = [
            ("Cache-Control", "max-age=9, public, no-cache=\"secret, x\""), ("c", "3"), ("Date", PolicyCache.date(0)),
            ("Set-Cookie2", "a"),
        ]
        let dropped = [
            ("Connection", "a, B , Cache-Control, close"), ("connection", "d"), ("A", "1"), ("b", "2"), ("d", "4"),
            ("Keep-Alive", "x"), ("Proxy-Authenticate", "x"), ("Proxy-Authentication-Info", "x"),
            ("Proxy-Authorization", "x"), ("Proxy-Connection", "x"), ("TE", "x"), ("Transfer-Encoding", "chunked"),
            ("Upgrade", "x"), ("Set-Cookie", "a=b"), ("Age", "1"), ("Secret", "x"), ("X", "y"),
        ]
        let first = try cache.fetch(origin: Response(fields: kept + dropped))
        #expect(first.fields.count == kept.count + dropped.count)
        let hit = try cache.fetch(origin: nil)
        #expect(hit.source == .cache)
        #expect(hit.fields == PolicyCache.fields(kept))
    }

    // MARK: §4.4

    @Test(arguments: [
        ("POST", 200, true), ("PUT", 201, true), ("DELETE", 204, true), ("PATCH", 303, true), ("M-SEARCH", 200, true),
        ("get", 200, true), ("POST", 400, false), ("POST", 500, false), ("GET", 200, false), ("HEAD", 200, false),
        ("OPTIONS", 200, false), ("TRACE", 200, false),
    ])
    func `§4.4 a successful unsafe request invalidates its URL`(method: String, status: Int, isInvalidated: Bool) throws
    {
        let url = try FetchURL(parsing: "http://a.example/x")
        let request = CacheRequest(FetchRequest(method: method, url: url))
        let urls = Invalidation.urls(after: request, status: status, fields: [])
        #expect(urls == (isInvalidated ? [url] : []))
        var cache = PolicyCache()
        let response = Response(fields: [("Cache-Control", "max-age=9")])
        _ = try cache.fetch(url: "http://a.example/x", origin: response)
        _ = try cache.fetch(url: "http://a.example/x", method: method, content: [1], origin: Response(status: status))
        let result = try cache.fetch(url: "http://a.example/x", mode: .onlyIfCached, origin: nil)
        #expect(result.source == (isInvalidated ? .gatewayTimeout : .cache))
    }

    @Test(arguments: [
        ("y", "http://a.example/y"), ("/y?z#f", "http://a.example/y?z"), ("http://a.example/y", "http://a.example/y"),
        ("HTTP://A.example:80/y", "http://a.example/y"), ("https://a.example/y", nil), ("http://b.example/y", nil),
        ("http://a.example:81/y", nil), ("//a.example/y", "http://a.example/y"), ("http://u@a.example/y", nil),
        ("", nil),
        ("http://a.example/x", nil), ("\\", nil),
    ])
    func `§4.4 Location and Content-Location invalidate only the same origin`(value: String, expected: String?) throws {
        let url = try FetchURL(parsing: "http://a.example/x")
        let request = CacheRequest(FetchRequest(method: "POST", url: url))
        for name in ["Location", "content-location"] {
            let fields = PolicyCache.fields([(name, value), (name, "/second")])
            let urls = Invalidation.urls(after: request, status: 201, fields: fields).map(\.text)
            #expect(urls == ["http://a.example/x"] + (expected.map { [$0] } ?? []))
        }
    }
}
