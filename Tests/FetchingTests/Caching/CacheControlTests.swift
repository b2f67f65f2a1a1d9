import FuzzOracles
import Testing

@testable import Fetching

@Suite struct CacheControlTests {
    static let max = CacheControl.maxSeconds

    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60),
        (" ,, max-age=60 , x", 60),
        ("max-age=2147483647", max - 1), ("max-age=2147483648", max), ("max-age=2147483649", max),
        ("max-age=99999999999999999999999999", max), ("foobar, max-age=60", 60), ("foo=bar, max-age=60", 60),
        ("foo=\"a, max-age=1\", max-age=60", 60), ("foo=\"a\\\"\", max-age=60", 60), ("x=\"a\\\\\", max-age=60", 60),
        ("max-age=60, max-age=5", 5), ("max-age=5, max-age=60", 5), ("max-age=60, max-age=x", 0),
        ("max-age", 0), ("max-age=", 0), ("max-age=\"\"", 0), ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=60.0", 0),
        ("max-age=6e1", 0), ("max-age='60'", 0), ("max-age=60a", 0), ("max-age=a60", 0), ("max-age =60", 0),
        ("max-age= 60", 0), ("max-age=60 60", 0), ("max-age=60;", 0), ("max-age=60; private", 0),
        ("max-age=\"60", 0), ("max-age=60\"", 0), ("max-age=\"60\"x", 0), ("max-age=\u{FF11}", 0),
    ])
    func `a lifetime is digits, the smallest one counts, and other text is stale`(value: String, seconds: Int) {
        #expect(response(value).maxAge == seconds)
        #expect(response(value.replacing("max-age", with: "s-maxage")).sMaxAge == seconds || value.contains("MAX"))
    }

    @Test(arguments: ["", ",", "foo", "xmax-age=1", "max-agex=1", "foo=\"max-age=60\"", "\"max-age=60\"", "max_age=60"])
    func `text without the directive has no lifetime`(value: String) {
        #expect(response(value).maxAge == nil)
    }

    @Test(arguments: [
        "no-store", "NO-STORE", "max-age=60, no-store", "no-store=0", "no-store=\"x\"", "no-store x", "x no-store",
        "max-age=60; no-store", "foo=\"bar, no-store", "foo=\"bar\", no-store", "&&&, no-store", "\"\"no-store",
        "foo=bar\"a, no-store", "=, no-store", "\u{E4}no-store",
    ])
    func `no-store is found wherever a careless origin writes it`(value: String) {
        #expect(response(value).noStore)
    }

    @Test(arguments: [
        "xno-store", "no-storex", "foo=\"no-store\"", "foo=\"a, \\\", no-store\"", "no_store", "foo=no-store",
        "foo=\"\\",
    ])
    func `other text is not no-store`(value: String) {
        #expect(!response(value).noStore)
    }

    @Test func `reads each directive`() {
        let control = response(
            "private, public, must-revalidate, proxy-revalidate, must-understand, only-if-cached, "
                + "stale-while-revalidate=1, stale-if-error=2, min-fresh=3, max-stale=4, s-maxage=5, no-cache"
        )
        var expected = CacheControl()
        expected.isPrivate = true
        expected.isPublic = true
        expected.mustRevalidate = true
        expected.proxyRevalidate = true
        expected.mustUnderstand = true
        expected.onlyIfCached = true
        expected.staleWhileRevalidate = 1
        expected.staleIfError = 2
        expected.minFresh = 3
        expected.maxStale = 4
        expected.sMaxAge = 5
        expected.noCache = true
        #expect(control == expected)
    }

    @Test(arguments: [
        ("max-stale", max), ("max-stale=9", 9), ("max-stale=x", 0), ("max-stale, max-stale=9", 9), ("max-stale=", 0),
    ])
    func `max-stale without a number accepts any age`(value: String, seconds: Int) {
        #expect(response(value).maxStale == seconds)
    }

    @Test(arguments: [("min-fresh=9", 9), ("min-fresh=9, min-fresh=3", 9), ("min-fresh", max), ("min-fresh=x", max)])
    func `of several values of min-fresh the greatest counts`(value: String, seconds: Int) {
        #expect(response(value).minFresh == seconds)
    }

    @Test(arguments: [
        ("no-cache=\"A, b\"", ["a", "b"], false), ("no-cache=\"a\", no-cache=\"c\"", ["a", "c"], false),
        ("no-cache=\"a,,\"", ["a"], false), ("no-cache=\"a\", no-cache", ["a"], true), ("no-cache=\"\"", [], true),
        ("no-cache=\"a b\"", [], true), ("no-cache=a", [], true), ("no-cache=\"a\\\"b\"", [], true),
        ("no-cache=", [], true),
        ("no-cache=\"a", [], true), ("no-cache= \"a\"", [], true), ("no-cache=\"a\"b", [], true),
    ])
    func `no-cache applies to fields only if it names them correctly`(value: String, names: [String], isWhole: Bool) {
        let control = response(value)
        #expect(control.noCacheFields == names)
        #expect(control.noCache == isWhole)
    }

    @Test func `private applies to the response also if it names fields`() {
        #expect(response("private=\"set-cookie\"").isPrivate)
    }

    @Test func `lines are read one after the other`() {
        let control = CacheControl(
            ofResponse: PolicyCache.fields([
                ("cache-control", "max-age=60"), ("CACHE-CONTROL", "max-age=\"5"), ("x", "no-store"),
            ])
        )
        var expected = CacheControl()
        expected.maxAge = 0
        #expect(control == expected)
    }

    @Test(arguments: [
        ([("Pragma", "no-cache")], true), ([("Pragma", "x, No-Cache")], true), ([("Pragma", "x")], false),
        ([("Pragma", "no-cache"), ("Cache-Control", "max-stale")], false), ([("Pragma", "no-store")], false),
        ([("Pragma", "no-cache=\"x\"")], true),
    ])
    func `Pragma counts in requests without Cache-Control`(fields: [(String, String)], isNoCache: Bool) {
        #expect(CacheControl(ofRequest: PolicyCache.fields(fields)).noCache == isNoCache)
        #expect(!CacheControl(ofResponse: PolicyCache.fields([("Pragma", "no-cache")])).noCache)
        #expect(!CacheControl(ofRequest: PolicyCache.fields(fields)).noStore)
    }

    @Test func `a long hostile line is read in linear time`() {
        // Each quotation mark could begin a string to the end of the line.
        for unit in ["\"", "a=\"", "a=\"\\\"", ",", "no-cache=\"a\"", "no-cache=\"", "max-age=\"1", "\\\"", "=", "a="] {
            let value = String(repeating: unit, count: 200_000)
            #expect(!response(value).noStore)
        }
    }

    private func response(_ value: String) -> CacheControl {
        CacheControl(ofResponse: PolicyCache.fields([("Cache-Control", value)]))
    }
}
