import Testing

@testable import Fetching

@Suite struct CacheStatusTests {
    @Test func `RFC 9211 a status is a list member with parameters`() {
        var hit = CacheStatus(.hit)
        hit.ttl = 48
        #expect(hit.value == "decant; hit; ttl=48")
        hit.ttl = -12
        #expect(hit.value == "decant; hit; ttl=-12")

        var miss = CacheStatus(.forwarded(.uriMiss))
        miss.forwardStatus = 200
        miss.isStored = true
        miss.isCollapsed = true
        #expect(miss.value == "decant; fwd=uri-miss; fwd-status=200; stored; collapsed")

        #expect(
            CacheStatus.ForwardReason.allCases.map(\.rawValue) == [
                "bypass", "method", "uri-miss", "vary-miss", "stale", "request",
            ]
        )
        #expect(CacheStatus(.none).value == "decant")
    }

    @Test(arguments: [
        ("stale-if-error", "stale-if-error"), ("a:b/c", "a:b/c"), ("*", "*"), ("1a", "\"1a\""), ("", "\"\""),
        ("a b", "\"a b\""),
        ("a\"\\", "\"a\\\"\\\\\""), ("\u{E4}\r\nb", "\"???b\""),
    ])
    func `a detail is a token, or else a string`(detail: String, text: String) {
        var status = CacheStatus(.forwarded(.stale))
        status.detail = detail
        #expect(status.value == "decant; fwd=stale; detail=\(text)")
    }

    @Test(arguments: [
        ([("Cache-Control", "max-age=60")], "max-age=60", 60),
        ([("Cache-Control", "max-age=60, no-cache")], "no-cache", 60),
        ([("Cache-Control", "max-age=60, s-maxage=600, must-revalidate, public")], "max-age=60", 600),
        ([("Cache-Control", "s-maxage=600")], "max-age=0", 600), ([], "max-age=0", 0),
        ([("Cache-Control", "max-age=600, s-maxage=0")], "max-age=0", 0),
        ([("Cache-Control", "max-age=600, s-maxage=9")], "max-age=9", 9),
        ([("Cache-Control", "s-maxage=600"), ("Expires", PolicyCache.date(5))], "max-age=5", 600),
    ])
    func `Decant's own lifetime is complete, and never permits storing for others`(
        fields: [(String, String)],
        value: String,
        ttl: Int
    ) throws {
        let request = CacheRequest(FetchRequest(method: "GET", url: try FetchURL(parsing: "http://a.example/")))
        let moment = CacheMoment(wallSeconds: PolicyCache.start, nanoseconds: 0)
        let response = OriginResponse(
            status: 200,
            fields: PolicyCache.fields(fields),
            requested: moment,
            received: moment
        )
        let head = StoredHead(response, for: request, heuristicSeconds: 0)
        let later = CacheMoment(wallSeconds: 0, nanoseconds: 7_999_999_999)
        #expect(head.callerCacheControl(at: later) == value)
        if value != "no-cache" {
            #expect(
                head.callerCacheControl(limitedTo: 0, at: later)
                    == "max-age=\(min(7, head.freshness.callerLifetimeSeconds))"
            )
            #expect(head.callerSeconds(at: later) == max(0, head.freshness.callerLifetimeSeconds - 7))
        }
        #expect(head.freshness.lifetimeSeconds == ttl)
        #expect(head.freshness.ageSeconds(at: later) == 7)
    }

    @Test func `ages do not overflow`() throws {
        let request = CacheRequest(FetchRequest(method: "GET", url: try FetchURL(parsing: "http://a.example/")))
        for wall in [Int.min, -1, 0, Int.max] {
            for date in ["Sat, 01 Jan 0000 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "x"] {
                let fields = [
                    ("Date", date), ("Expires", date), ("Last-Modified", date), ("Age", "9999999999999999999999"),
                ]
                let response = OriginResponse(
                    status: 200,
                    fields: PolicyCache.fields(fields),
                    requested: CacheMoment(wallSeconds: wall, nanoseconds: 0),
                    received: CacheMoment(wallSeconds: wall, nanoseconds: .max)
                )
                let head = StoredHead(response, for: request, heuristicSeconds: .max)
                let now = CacheMoment(wallSeconds: wall, nanoseconds: 5)
                #expect(head.freshness.ageSeconds(at: now) == CacheControl.maxSeconds)
                #expect(CachePolicy.testing().lookup(request, .stored(head), now: now) != .serve(isNotModified: false))
            }
        }
    }
}
