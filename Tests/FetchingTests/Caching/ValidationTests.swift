import Serialization
import TestSupport
import Testing

@testable import Fetching

/// Conditions of requests, 304 responses, and responses to HEAD: RFC 9111 §4.3, RFC 9110 §13.
@Suite struct ValidationTests {
    typealias Response = PolicyCache.Response

    static let modified = PolicyCache.date(-1_000)

    @Test(arguments: [
        ([("ETag", "\"x\"")], [("If-None-Match", "\"x\"")]),
        ([("ETag", "W/\"x\"")], [("If-None-Match", "W/\"x\"")]),
        ([("Last-Modified", modified)], [("If-Modified-Since", modified)]),
        (
            [("ETag", "\"x\""), ("Last-Modified", modified)],
            [("If-None-Match", "\"x\""), ("If-Modified-Since", modified)]
        ),
        ([("ETag", "\"x\""), ("ETag", "\"y\"")], []), ([("Last-Modified", "yesterday")], []), ([], []),
    ])
    func `§4.3.1 a validation has the stored validators`(validators: [(String, String)], sent: [(String, String)])
        throws
    {
        var cache = PolicyCache(CachePolicy.testing(keyFields: .vary))
        _ = try cache.fetch(origin: Response(fields: validators + [("Cache-Control", "max-age=0")]))
        _ = try cache.fetch([("Abc", "1")], origin: Response())
        #expect(cache.sent == PolicyCache.fields([("Abc", "1")] + sent))
    }

    @Test(arguments: [(0, true), (1, false)])
    func `a validator that could make the fields of a request too long is not sent`(more: Int, isSent: Bool) throws {
        let tag = "\"\(String(repeating: "x", count: Preconditions.maxValidatorBytes - 2 + more))\""
        var cache = PolicyCache(CachePolicy.testing(keyFields: .vary))
        _ = try cache.fetch(origin: Response(fields: [("ETag", tag), ("Cache-Control", "max-age=0")]))
        _ = try cache.fetch(origin: Response())
        #expect(cache.sent == PolicyCache.fields(isSent ? [("If-None-Match", tag)] : []))
    }

    @Test func `§4.3.1 the stored validators replace the caller's`() throws {
        var cache = PolicyCache()
        let response = Response(fields: [("ETag", "\"x\""), ("Cache-Control", "max-age=0")], isConditional: true)
        _ = try cache.fetch(origin: response)
        let result = try cache.fetch(
            [("If-None-Match", "\"y\""), ("If-Modified-Since", Self.modified), ("Abc", "1")],
            origin: response
        )
        // Abc is a part of the key.
        #expect(result.source == .origin)
        let validated = try cache.fetch(
            [("if-none-match", "\"y\""), ("if-modified-since", Self.modified)],
            origin: response
        )
        #expect(cache.sent == PolicyCache.fields([("If-None-Match", "\"x\"")]))
        #expect(validated.source == .validated)
        #expect(validated.status == 200)
    }

    @Test func `the cost of a 304 response is proportional to its fields`() throws {
        func cost(_ count: Int) throws -> Duration {
            let fields = (0..<count).map { ("field-\($0)", "") } + [("ETag", "\"x\"")]
            let request = CacheRequest(FetchRequest(method: "GET", url: try FetchURL(parsing: "http://a.example/")))
            let now = CacheMoment(wallSeconds: 1_795_348_800, nanoseconds: 0)
            let response = OriginResponse(
                status: 200,
                fields: PolicyCache.fields(fields),
                requested: now,
                received: now
            )
            let head = StoredHead(response, for: request, heuristicSeconds: 0)
            return (0..<5).map { _ in
                processorTime { _ = head.freshened(by: response, for: request, heuristicSeconds: 0) }
            }.min() ?? .zero
        }
        #expect(try cost(960) < cost(120) * 16)
    }

    @Test func `conditions are forwarded if nothing can be validated`() throws {
        var cache = PolicyCache()
        let fields = [("If-None-Match", "\"x\"")]
        let response = Response(fields: [("ETag", "\"x\"")], isConditional: true)
        let result = try cache.fetch(fields, origin: response)
        #expect(cache.sent == PolicyCache.fields(fields))
        #expect(result.status == 304)
        #expect(result.rejection == .status)
        _ = try cache.fetch(fields, mode: .noStore, origin: response)
        #expect(cache.sent == PolicyCache.fields(fields))
    }

    @Test func `reload sends no condition, and evaluates it`() throws {
        var cache = PolicyCache()
        let response = Response(fields: [("ETag", "\"x\""), ("Cache-Control", "max-age=60")], isConditional: true)
        _ = try cache.fetch(origin: response)
        let result = try cache.fetch([("If-None-Match", "\"x\"")], mode: .reload, origin: response)
        #expect(cache.sent.isEmpty)
        #expect(result.status == 304)
    }

    @Test(arguments: ["If-Match", "If-Unmodified-Since", "If-Range"])
    func `RFC 9110 §13.1 only the origin evaluates other conditions`(name: String) throws {
        var cache = PolicyCache(CachePolicy.testing(staleIfErrorSeconds: 99, keyFields: .vary))
        _ = try cache.fetch(origin: Response(fields: [("Cache-Control", "max-age=60")]))
        let result = try cache.fetch([(name, "\"x\"")], mode: .forceCache, origin: Response(status: 412, content: "b"))
        #expect(result.status == 412)
        #expect(try cache.fetch([(name, "\"x\"")], origin: nil).status == 502)
    }

    // MARK: Conditions of callers

    @Test(arguments: [
        ("\"x\"", "\"x\"", true), ("W/\"x\"", "\"x\"", true), ("\"x\"", "W/\"x\"", true), ("W/\"x\"", "W/\"x\"", true),
        ("\"x\"", "\"y\"", false), ("\"x\"", "*", true), ("\"x\"", " * ", true), ("\"x\"", "\"y\", \"x\"", true),
        ("\"x\"", "\"x\",\"y\"", true), ("\"x\"", ",, \"x\" ,", true), ("\"x\"", "\"y\", \"x\" ", true),
        ("\"x\"", "\"y\", *", false),
        ("\"x\"", "x", false),
        ("x", "x", false), ("\"x\"", "w/\"x\"", false), ("\"x\"", "\"x", false), ("\"x\"", "\"x\" \"y\"", false),
        ("\"a,b\"", "\"a,b\"", true), ("\"\"", "\"\"", true), ("\"\u{FC}\"", "\"\u{FC}\"", true), ("\"x\"", "", false),
        ("\"x\"", "\"X\"", false), ("\"x\"", "\"x\", y", false),
        // Not permitted, but sent.
        ("\"x y\"", "\"a\", \"x y\"", true), ("\"x, \"y\"\"", "\"x, \"y\"\"", false),
    ])
    func `RFC 9110 §13.1.2 If-None-Match compares weakly`(stored: String, condition: String, isMatch: Bool) throws {
        var cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: [("ETag", stored), ("Cache-Control", "max-age=60")]))
        let result = try cache.fetch([("If-None-Match", condition)], origin: Response(content: "b"))
        #expect(result.source == .cache)
        #expect(result.status == (isMatch ? 304 : 200))
        #expect(result.value("ETag") == stored)
        #expect(result.content == (isMatch ? "" : "a"))
    }

    @Test func `If-None-Match without a stored tag matches only *`() throws {
        var cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: [("Cache-Control", "max-age=60")]))
        #expect(try cache.fetch([("If-None-Match", "\"x\"")], origin: nil).status == 200)
        #expect(try cache.fetch([("If-None-Match", "*")], origin: nil).status == 304)
        #expect(try cache.fetch([("If-None-Match", "*"), ("If-None-Match", "\"x\"")], origin: nil).status == 200)
        #expect(try cache.fetch([("If-None-Match", "\"x\""), ("If-None-Match", "\"y\"")], origin: nil).status == 200)
    }

    @Test(arguments: [
        (0, 304), (1, 304), (-1, 200),
    ])
    func `RFC 9110 §13.1.3 If-Modified-Since`(offset: Int, status: Int) throws {
        for fields in [
            [("Last-Modified", PolicyCache.date(-1_000)), ("Date", PolicyCache.date(0))],
            [("Date", PolicyCache.date(-1_000))],
        ] {
            var cache = PolicyCache()
            _ = try cache.fetch(origin: Response(fields: fields + [("Cache-Control", "max-age=9999")]))
            let condition = PolicyCache.date(-1_000 + offset)
            #expect(try cache.fetch([("If-Modified-Since", condition)], origin: nil).status == status)
            // §4.3.2: otherwise the time at which the response was received.
            var undated = PolicyCache()
            _ = try undated.fetch(origin: Response(fields: [("Cache-Control", "max-age=9999")]))
            undated.wait(100)
            #expect(try undated.fetch([("If-Modified-Since", PolicyCache.date(offset))], origin: nil).status == status)
        }
    }

    @Test func `conditions have an order, need a valid date, and apply to successful responses`() throws {
        var cache = PolicyCache()
        let fields = [("Last-Modified", Self.modified), ("ETag", "\"x\""), ("Cache-Control", "max-age=60")]
        _ = try cache.fetch(origin: Response(fields: fields))
        let future = PolicyCache.date(1_000)
        for (conditions, status) in [
            ([("If-None-Match", "\"y\""), ("If-Modified-Since", future)], 200),
            ([("If-None-Match", "\"x\""), ("If-Modified-Since", PolicyCache.date(-9_999))], 304),
            ([("If-None-Match", "x"), ("If-Modified-Since", future)], 200),
            ([("If-Modified-Since", "x")], 200), ([("If-Modified-Since", future), ("If-Modified-Since", future)], 200),
            ([("If-Modified-Since", "Sunday, 22-Nov-26 12:00:00 GMT")], 304),
        ] {
            #expect(try cache.fetch(conditions, origin: nil).status == status)
            #expect(try cache.fetch(conditions, method: "HEAD", origin: nil).status == status)
        }
        var missing = PolicyCache()
        _ = try missing.fetch(origin: Response(status: 404, fields: fields))
        #expect(try missing.fetch([("If-None-Match", "\"x\"")], origin: nil).status == 404)
    }

    @Test func `RFC 9110 §15.4.5 a 304 response has the fields that caches need`() throws {
        var cache = PolicyCache()
        let kept = [
            ("Cache-Control", "max-age=60"), ("Content-Location", "/a"), ("Date", PolicyCache.date(0)),
            ("ETag", "\"x\""),
            ("Expires", PolicyCache.date(60)), ("Vary", "Accept"),
        ]
        let others = [("Content-Type", "a/b"), ("X", "y"), ("Last-Modified", Self.modified)]
        _ = try cache.fetch(origin: Response(fields: kept + others))
        let result = try cache.fetch([("If-None-Match", "*")], origin: nil)
        #expect(result.fields == PolicyCache.fields(kept))
    }

    // MARK: 304 responses

    @Test func `§3.2 a 304 response replaces the fields that it has, except those of the content`() throws {
        var cache = PolicyCache()
        let first = [
            ("ETag", "\"x\""), ("Cache-Control", "max-age=2"), ("Date", PolicyCache.date(0)), ("A", "1"), ("A", "2"),
            ("Content-Length", "1"), ("Content-Type", "a/b"), ("Content-Encoding", "identity"), ("Content-Range", "x"),
            ("Stays", "1"), ("Age", "1"), ("Content-Foo", "1"),
        ]
        _ = try cache.fetch(origin: Response(fields: first))
        cache.wait(3)
        let second = [
            ("etag", "\"x\""), ("cache-control", "max-age=60"), ("date", PolicyCache.date(3)), ("a", "3"),
            ("content-length", "2"), ("content-type", "c/d"), ("content-encoding", "x"), ("content-range", "y"),
            ("Connection", "hop"), ("Hop", "1"), ("Set-Cookie", "a=b"), ("Content-Foo", "2"),
        ]
        let result = try cache.fetch(origin: Response(fields: second, isConditional: true, content: "b"))
        let expected = PolicyCache.fields([
            ("ETag", "\"x\""), ("cache-control", "max-age=60"), ("date", PolicyCache.date(3)), ("a", "3"),
            ("Content-Length", "1"), ("Content-Type", "a/b"), ("Content-Encoding", "identity"), ("Content-Range", "x"),
            ("Stays", "1"), ("Content-Foo", "2"),
        ])
        #expect(result.source == .validated)
        #expect(result.fields == expected)
        #expect(result.ageSeconds == 0)
        cache.wait(59)
        let hit = try cache.fetch(origin: nil)
        #expect(hit.source == .cache)
        #expect(hit.fields == expected)
        #expect(hit.ageSeconds == 59)
    }

    @Test func `§4.2.3 a 304 response without Date and Age was generated now`() throws {
        var cache = PolicyCache()
        let validator = ("ETag", "\"x\"")
        _ = try cache.fetch(
            origin: Response(fields: [
                validator, ("Cache-Control", "max-age=9"), ("Date", PolicyCache.date(-5)), ("Age", "7"),
            ])
        )
        cache.wait(60)
        _ = try cache.fetch(origin: Response(fields: [validator], isConditional: true, content: "b"))
        cache.wait(8)
        #expect(try cache.fetch(origin: nil).ageSeconds == 8)
    }

    @Test func `§4.2.1 a 304 response does not prolong a stored Expires`() throws {
        var cache = PolicyCache()
        let fields = [("ETag", "\"x\""), ("Expires", PolicyCache.date(9)), ("Date", PolicyCache.date(0))]
        _ = try cache.fetch(origin: Response(fields: fields))
        cache.wait(10)
        let confirmation = Response(fields: [("ETag", "\"x\"")], isConditional: true)
        #expect(try cache.fetch(origin: confirmation).source == .validated)
        #expect(try cache.fetch(origin: confirmation).source == .validated)
    }

    @Test(arguments: [
        ([("ETag", "\"x\"")], [("ETag", "\"x\"")], true), ([("ETag", "\"x\"")], [("ETag", "W/\"x\"")], true),
        ([("ETag", "W/\"x\"")], [("ETag", "\"x\"")], true), ([("ETag", "\"x\"")], [("ETag", "\"y\"")], false),
        ([("ETag", "\"x\"")], [], true), ([("ETag", "x")], [("ETag", "x")], true),
        ([("ETag", "x")], [("ETag", "\"x\"")], false),
        ([("ETag", "\"x\"")], [("ETag", "\"x\""), ("ETag", "\"y\"")], false),
        ([("ETag", "\"x\""), ("Last-Modified", modified)], [("Last-Modified", modified)], true),
        ([("ETag", "\"x\""), ("Last-Modified", modified)], [("Last-Modified", PolicyCache.date(0))], false),
        (
            [("ETag", "\"x\""), ("Last-Modified", modified)],
            [("ETag", "\"x\""), ("Last-Modified", PolicyCache.date(0))], true
        ),
        ([("Last-Modified", modified)], [("ETag", "\"x\"")], false),
        ([("Last-Modified", modified)], [("ETag", "\"x\""), ("Last-Modified", modified)], true),
        ([("ETag", "\"x\"")], [("Last-Modified", modified)], false), ([("Last-Modified", modified)], [], true),
    ])
    func `§4.3.4 a 304 response updates the response that it describes`(
        stored: [(String, String)],
        received: [(String, String)],
        isSame: Bool
    ) throws {
        let url = try FetchURL(parsing: "http://a.example/")
        let request = CacheRequest(FetchRequest(method: "GET", url: url))
        let moment = CacheMoment(wallSeconds: PolicyCache.start, nanoseconds: 0)
        func response(_ status: Int, _ fields: [(String, String)]) -> OriginResponse {
            OriginResponse(status: status, fields: PolicyCache.fields(fields), requested: moment, received: moment)
        }
        let policy = CachePolicy.testing()
        let head = StoredHead(response(200, stored), for: request, heuristicSeconds: 0)
        guard case .forward(let forward) = policy.lookup(request, .stored(head), now: moment.later(99_999)) else {
            Issue.record("no validation")
            return
        }
        #expect(forward.isValidation)
        switch policy.receive(response(304, received), for: request, forward) {
        case .freshened(let updated, isStorable: true):
            #expect(isSame)
            #expect(updated.entityTag == (head.entityTag ?? received.first { $0.0 == "ETag" }?.1))
        case .fetchAgain(let again):
            #expect(!isSame)
            #expect(again.fields.isEmpty && !again.isValidation)
        default: Issue.record("neither updated nor fetched again")
        }
    }

    @Test func `a response that another entity tag confirms is fetched again`() throws {
        var cache = PolicyCache()
        let fields = [("ETag", "\"x\""), ("Cache-Control", "max-age=0")]
        _ = try cache.fetch(origin: Response(fields: fields))
        // The origin confirms x, but describes y.
        let next = [("ETag", "\"y\""), ("Cache-Control", "max-age=9")]
        let result = try cache.fetch(
            origin: Response(fields: next, isConditional: true, validators: fields, content: "b")
        )
        #expect(cache.requestCount == 3)
        #expect(cache.sent.isEmpty)
        #expect(result.source == .origin)
        #expect(try cache.fetch(origin: nil).content == "b")
    }

    @Test(arguments: ["no-store", "private", "max-age=9, no-store"])
    func `a 304 response that forbids storing removes the response`(value: String) throws {
        var cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: [("ETag", "\"x\""), ("Cache-Control", "max-age=0")]))
        let result = try cache.fetch(
            origin: Response(fields: [("ETag", "\"x\""), ("Cache-Control", value)], isConditional: true)
        )
        #expect(result.source == .validated)
        #expect(try cache.fetch(mode: .onlyIfCached, origin: nil).source == .gatewayTimeout)
    }

    @Test func `a 304 response with another Vary moves the response`() throws {
        var cache = PolicyCache(CachePolicy.testing(keyFields: .vary))
        _ = try cache.fetch(
            [("A", "1")],
            origin: Response(fields: [("ETag", "\"x\""), ("Cache-Control", "max-age=0")])
        )
        let fields = [("ETag", "\"x\""), ("Cache-Control", "max-age=9"), ("Vary", "A")]
        let result = try cache.fetch([("A", "1")], origin: Response(fields: fields, isConditional: true))
        #expect(result.source == .validated)
        #expect(try cache.fetch([("A", "1")], origin: nil).source == .cache)
        #expect(try cache.fetch([("A", "2")], origin: Response(content: "b")).reason == .varyMiss)
    }

    @Test func `a stale error response that is confirmed stays stored`() throws {
        var cache = PolicyCache()
        let fields = [("ETag", "\"x\""), ("Cache-Control", "max-age=9")]
        _ = try cache.fetch(origin: Response(status: 404, fields: fields))
        cache.wait(9)
        let result = try cache.fetch(origin: Response(fields: fields, isConditional: true))
        #expect(result.source == .validated)
        #expect(result.status == 404)
        #expect(try cache.fetch(origin: nil).status == 404)
    }

    @Test func `a request with no-store does not update what is stored`() throws {
        var cache = PolicyCache()
        let fields = [("ETag", "\"x\""), ("Cache-Control", "max-age=9")]
        _ = try cache.fetch(origin: Response(fields: fields))
        cache.wait(9)
        let result = try cache.fetch(
            [("Cache-Control", "no-store")],
            origin: Response(fields: fields, isConditional: true, content: "b")
        )
        #expect(result.source == .origin)
        #expect(result.content == "b")
        #expect(try cache.fetch(mode: .onlyIfCached, origin: nil).content == "a")
    }

    // MARK: Outdated responses

    @Test(arguments: [
        (200, "no-store", true), (200, "private", true), (404, "", true), (410, "", true), (500, "", false),
        (403, "", false),
        (429, "", false), (302, "", true),
    ])
    func `a response that is not stored removes one that it replaces`(status: Int, control: String, isRemoved: Bool)
        throws
    {
        var cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: [("Cache-Control", "max-age=9")]))
        cache.wait(9)
        _ = try cache.fetch(
            origin: Response(status: status, fields: [("Cache-Control", control)].filter { $0.1 != "" })
        )
        #expect(try (cache.fetch(mode: .onlyIfCached, origin: nil).source == .gatewayTimeout) == isRemoved)
    }

    @Test func `a response that may not be stored for the request removes nothing`() throws {
        var cache = PolicyCache()
        _ = try cache.fetch(origin: Response(fields: [("Cache-Control", "max-age=9")]))
        _ = try cache.fetch(mode: .reload, store: false, origin: Response(content: "b"))
        _ = try cache.fetch(mode: .noStore, origin: Response(content: "b"))
        _ = try cache.fetch(content: [], origin: Response(content: "b"))
        #expect(try cache.fetch(origin: nil).content == "a")
        _ = try cache.fetch(
            url: "http://b.example/",
            store: false,
            origin: Response(fields: [("Cache-Control", "max-age=9")])
        )
        #expect(try cache.fetch(url: "http://b.example/", mode: .onlyIfCached, origin: nil).status == 504)
    }

    @Test func `a soft purge revalidates a response that stays usable`() throws {
        var cache = PolicyCache()
        let fields = [("ETag", "\"x\""), ("Cache-Control", "max-age=9")]
        _ = try cache.fetch(origin: Response(fields: fields))
        try cache.purgeSoftly()
        let result = try cache.fetch(origin: Response(fields: fields, isConditional: true))
        #expect(result.source == .staleCache)
        #expect(cache.sent == PolicyCache.fields([("If-None-Match", "\"x\"")]))
        #expect(try cache.fetch(origin: nil).source == .cache)
        try cache.purgeSoftly()
        cache.wait(9)
        #expect(try cache.fetch(origin: nil).status == 502)
    }

    // MARK: HEAD

    @Test(arguments: [
        ([("ETag", "\"x\"")], 200, true, true), ([("ETag", "\"y\"")], 200, false, false),
        ([("ETag", "\"x\""), ("Content-Length", "1")], 200, true, true),
        ([("ETag", "\"x\""), ("Content-Length", "2")], 200, false, false), ([], 200, false, true),
        ([("ETag", "\"x\"")], 404, false, true),
        ([("ETag", "\"x\""), ("Cache-Control", "no-store")], 200, false, false),
    ])
    func `§4.3.5 a response to HEAD updates or removes what is stored`(
        fields: [(String, String)],
        status: Int,
        isUpdated: Bool,
        isStored: Bool
    ) throws {
        var cache = PolicyCache()
        let first = [("ETag", "\"x\""), ("Content-Length", "1"), ("Cache-Control", "max-age=9"), ("A", "1")]
        _ = try cache.fetch(origin: Response(fields: first))
        cache.wait(9)
        let head = try cache.fetch(method: "HEAD", origin: Response(status: status, fields: fields + [("A", "2")]))
        #expect(head.source == .origin)
        #expect(cache.sent.isEmpty)
        let result = try cache.fetch(mode: .onlyIfCached, origin: nil)
        #expect((result.status == 200) == isStored)
        if isStored { #expect(result.value("A") == (isUpdated ? "2" : "1")) }
        #expect(result.ageSeconds == (isUpdated || !isStored ? 0 : 9))
    }
}

extension CacheMoment {
    fileprivate func later(_ seconds: Int) -> CacheMoment {
        CacheMoment(wallSeconds: wallSeconds + seconds, nanoseconds: nanoseconds + UInt64(seconds) * 1_000_000_000)
    }
}
