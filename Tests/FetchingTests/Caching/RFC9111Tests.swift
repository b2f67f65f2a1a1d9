import Testing

@testable import Fetching

/// RFC 9111, RFC 5861 and the modes of fetching, clause by clause: a response is received, time passes, and another
/// request is sent.
@Suite struct RFC9111Tests {
    typealias Source = PolicyCache.Result.Source

    struct Case: CustomTestStringConvertible, Sendable {
        /// The clause of RFC 9111 unless it names another document.
        var clause: String
        var firstRequest: [(String, String)] = []
        var status = 200
        /// The fields of the response.
        var response: [(String, String)] = []
        var delay = 0
        /// The seconds between the requests.
        var wait = 0
        var request: [(String, String)] = []
        var method = "GET"
        var mode = CacheMode.default
        /// The status of the second response; `nil` if the origin fails.
        var nextStatus: Int? = 200
        var staleIfError = 0
        var heuristic = 0
        var expected: Source
        /// The expected age, if the cache responded.
        var age: Int?

        var testDescription: String { "\(clause): \(response), \(wait) s, \(request), \(mode) → \(expected)" }
    }

    @Test(arguments: storing + lifetimes + ages + requestDirectives + responseDirectives + stale + modes)
    func `follows each clause`(_ test: Case) throws {
        var cache = PolicyCache(
            CachePolicy(heuristicSeconds: test.heuristic, staleIfErrorSeconds: test.staleIfError, keyFields: .vary)
        )
        let first = PolicyCache.Response(status: test.status, fields: test.response, delay: test.delay)
        #expect(try cache.fetch(test.firstRequest, origin: first).source == .origin)
        cache.wait(test.wait)
        var next: PolicyCache.Response?
        if let status = test.nextStatus {
            next = PolicyCache.Response(
                status: status,
                fields: test.response,
                isConditional: status == 304,
                content: "b"
            )
        }
        let result = try cache.fetch(test.request, method: test.method, mode: test.mode, origin: next)
        #expect(result.source == test.expected, "\(result)")
        if let age = test.age { #expect(result.ageSeconds == age) }
        switch test.expected {
        case .cache, .staleCache, .validated, .staleOnError: #expect(result.content == "a")
        case .origin, .gatewayTimeout: #expect(result.content != "a")
        }
    }

    static func control(_ value: String) -> [(String, String)] { [("Cache-Control", value)] }

    // MARK: §3

    static let storing: [Case] =
        [200, 203, 204, 300, 301, 308].flatMap { status in
            [
                Case(
                    clause: "§3 \(status) with a lifetime",
                    status: status,
                    response: control("max-age=9"),
                    expected: .cache
                ),
                Case(
                    clause: "§3 \(status) without a lifetime is stored with a validator",
                    status: status,
                    response: [("ETag", "\"a\"")],
                    mode: .onlyIfCached,
                    expected: .cache
                ),
                Case(
                    clause: "\(status) with neither is not stored",
                    status: status,
                    mode: .onlyIfCached,
                    expected: .gatewayTimeout
                ),
            ]
        }
        + [299, 302, 303, 307, 400, 404, 405, 410, 414, 499, 500, 501, 502, 503, 504, 599].flatMap { status in
            [
                Case(
                    clause: "§3 \(status) with a lifetime",
                    status: status,
                    response: control("max-age=9"),
                    expected: .cache
                ),
                Case(
                    clause: "§3 \(status) with Expires",
                    status: status,
                    response: [("Date", PolicyCache.date(0)), ("Expires", PolicyCache.date(9))],
                    expected: .cache
                ),
                Case(clause: "§3 \(status) alone", status: status, mode: .onlyIfCached, expected: .gatewayTimeout),
                Case(
                    clause: "§3 \(status) with no lifetime that is positive",
                    status: status,
                    response: control("max-age=0"),
                    mode: .onlyIfCached,
                    expected: .gatewayTimeout
                ),
            ]
        }
        + [299, 302, 303, 307, 400, 499, 500, 502, 503, 504, 599].map { status in
            Case(
                clause: "§4.2.2 \(status) has no heuristic lifetime",
                status: status,
                response: [("Last-Modified", PolicyCache.date(-86_400)), ("Date", PolicyCache.date(0))],
                mode: .onlyIfCached,
                expected: .gatewayTimeout
            )
        }
        + [404, 405, 410, 414, 501].flatMap { status in
            [(-600, 59, Source.cache), (-600, 60, .origin), (-86_400, 59, .cache), (-86_400, 60, .origin)].map {
                Case(
                    clause: "§4.2.2 the heuristic lifetime of \(status) is at most a minute",
                    status: status,
                    response: [("Last-Modified", PolicyCache.date($0)), ("Date", PolicyCache.date(0))],
                    wait: $1,
                    expected: $2
                )
            }
        }
        + [206, 304].map { status in
            Case(
                clause: "§3 \(status) is not stored",
                status: status,
                response: control("max-age=9"),
                mode: .onlyIfCached,
                expected: .gatewayTimeout
            )
        }
        + ["Set-Cookie", "set-cookie"].flatMap { name in
            [
                ("max-age=9", Source.origin), ("max-age=9, public", .cache), ("s-maxage=9", .cache),
                ("max-age=9, must-revalidate", .origin),
            ].map { value, expected in
                Case(
                    clause: "§7.3 Set-Cookie is shared only if the origin permits it",
                    response: control(value) + [(name, "a=b")],
                    expected: expected
                )
            }
        }
        + [
            ("max-age=9", Source.origin), ("max-age=9, public", .cache), ("s-maxage=9", .cache),
            ("max-age=9, must-revalidate", .cache), ("max-age=9, proxy-revalidate", .origin),
        ].map { value, expected in
            Case(
                clause: "§3.5 Authorization",
                firstRequest: [("authorization", "Bearer x")],
                response: control(value),
                // Another one never receives it: see `CacheKeyTests`.
                request: [("authorization", "Bearer x")],
                expected: expected
            )
        }
        + [
            Case(
                clause: "§4.1 Vary: * matches nothing",
                response: control("max-age=9") + [("Vary", "*")],
                mode: .onlyIfCached,
                expected: .gatewayTimeout
            ),
            Case(
                clause: "§5.2.1.5 no-store in the request",
                firstRequest: control("no-store"),
                response: control("max-age=9"),
                mode: .onlyIfCached,
                expected: .gatewayTimeout
            ),
        ]

    // MARK: §4.2.1, §4.2.2

    static let lifetimes: [Case] = [
        Case(clause: "§4.2 no lifetime is stale", expected: .origin),
        Case(clause: "§5.2.2.1 max-age, fresh", response: control("max-age=9"), wait: 8, expected: .cache, age: 8),
        Case(
            clause: "§4.2 a lifetime equal to the age is stale",
            response: control("max-age=9"),
            wait: 9,
            expected: .origin
        ),
        Case(clause: "§5.2.2.1 max-age=0", response: control("max-age=0"), expected: .origin),
        Case(clause: "§1.2.2 2³¹ and more", response: control("max-age=99999999999"), wait: 86_400, expected: .cache),
        Case(clause: "§4.2.1 invalid is stale", response: control("max-age=9a"), expected: .origin),
        Case(
            clause: "§4.2.1 the smallest of two",
            response: control("max-age=60, max-age=1"),
            wait: 2,
            expected: .origin
        ),
        Case(
            clause: "§5.2.2.10 s-maxage overrides a longer max-age",
            response: control("max-age=60, s-maxage=1"),
            wait: 2,
            expected: .origin
        ),
        Case(
            clause: "§5.2.2.10 s-maxage overrides a shorter max-age and Expires",
            response: control("max-age=0, s-maxage=60") + [("Expires", "0")],
            wait: 2,
            expected: .cache
        ),
        Case(
            clause: "§5.3 max-age overrides a past Expires",
            response: control("max-age=60") + [("Expires", PolicyCache.date(-60))],
            expected: .cache
        ),
        Case(
            clause: "§5.3 max-age=0 overrides a future Expires",
            response: control("max-age=0") + [("Expires", PolicyCache.date(60))],
            expected: .origin
        ),
        Case(
            clause: "§5.3 Expires − Date",
            response: [("Date", PolicyCache.date(0)), ("Expires", PolicyCache.date(60))],
            wait: 59,
            expected: .cache
        ),
        Case(
            clause: "§5.3 Expires − Date, expired",
            response: [("Date", PolicyCache.date(0)), ("Expires", PolicyCache.date(60))],
            wait: 60,
            expected: .origin
        ),
        Case(
            clause: "§5.3 Expires before Date, both in the future",
            response: [("Date", PolicyCache.date(400)), ("Expires", PolicyCache.date(300))],
            expected: .origin
        ),
        Case(
            clause: "§5.3 Expires without a valid Date",
            response: [("Date", "yesterday"), ("Expires", PolicyCache.date(60))],
            wait: 59,
            expected: .cache
        ),
        Case(
            clause: "§5.3 Expires far in the future",
            response: [("Date", PolicyCache.date(0)), ("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")],
            wait: 9_999,
            expected: .cache
        ),
        Case(
            clause: "§4.2.1 two Expires: the earliest",
            response: [("Expires", PolicyCache.date(60)), ("Expires", PolicyCache.date(5))],
            wait: 6,
            expected: .origin
        ),
        Case(
            clause: "§4.2.1 two Expires, one of them invalid",
            response: [("Expires", PolicyCache.date(60)), ("Expires", "0")],
            expected: .origin
        ),
        Case(
            clause: "§4.2.2 10 % of Date − Last-Modified",
            response: [("Date", PolicyCache.date(0)), ("Last-Modified", PolicyCache.date(-600))],
            wait: 59,
            expected: .cache
        ),
        Case(
            clause: "§4.2.2 10 % of Date − Last-Modified, passed",
            response: [("Date", PolicyCache.date(0)), ("Last-Modified", PolicyCache.date(-600))],
            wait: 60,
            expected: .origin
        ),
        Case(
            clause: "§4.2.2 at most a day",
            response: [("Date", PolicyCache.date(0)), ("Last-Modified", "Mon, 01 Jan 2001 00:00:00 GMT")],
            wait: 86_400,
            expected: .origin
        ),
        Case(
            clause: "§4.2.2 Last-Modified in the future",
            response: [("Date", PolicyCache.date(0)), ("Last-Modified", PolicyCache.date(600))],
            expected: .origin
        ),
        Case(
            clause: "§4.2.2 no heuristic with an explicit lifetime",
            response: control("max-age=0") + [
                ("Date", PolicyCache.date(0)), ("Last-Modified", PolicyCache.date(-600)),
            ],
            expected: .origin
        ),
        Case(
            clause: "§4.2.2 no heuristic with an invalid Expires",
            response: [("Expires", "-1"), ("Last-Modified", PolicyCache.date(-600))],
            expected: .origin
        ),
        Case(
            clause: "§4.2.2 public makes any status heuristically cacheable",
            status: 599,
            response: control("public") + [("Last-Modified", PolicyCache.date(-600))],
            wait: 59,
            expected: .cache
        ),
        Case(clause: "cache-heuristic-seconds", wait: 9, heuristic: 10, expected: .cache),
        Case(clause: "cache-heuristic-seconds, passed", wait: 10, heuristic: 10, expected: .origin),
        Case(
            clause: "cache-heuristic-seconds, with Last-Modified",
            response: [("Last-Modified", PolicyCache.date(-20))],
            wait: 5,
            heuristic: 10,
            expected: .origin
        ),
        Case(clause: "cache-heuristic-seconds, 404", status: 404, wait: 1, heuristic: 10, expected: .origin),
    ]

    // MARK: §4.2.3, §5.1

    static let ages: [Case] =
        [
            Case(
                clause: "§4.2.3 apparent age",
                response: control("max-age=60") + [("Date", PolicyCache.date(-50))],
                wait: 9,
                expected: .cache,
                age: 59
            ),
            Case(
                clause: "§4.2.3 apparent age, stale",
                response: control("max-age=60") + [("Date", PolicyCache.date(-50))],
                wait: 10,
                expected: .origin
            ),
            Case(
                clause: "§4.2.3 a Date in the future",
                response: control("max-age=60") + [("Date", PolicyCache.date(500))],
                wait: 59,
                expected: .cache,
                age: 59
            ),
            Case(
                clause: "§4.2.3 response delay",
                response: control("max-age=60"),
                delay: 5,
                wait: 7,
                expected: .cache,
                age: 12
            ),
            Case(
                clause: "§4.2.3 Age and response delay",
                response: control("max-age=60") + [("Age", "30"), ("Date", PolicyCache.date(0))],
                delay: 5,
                wait: 7,
                expected: .cache,
                age: 42
            ),
            Case(
                clause: "§5.1 Age above the lifetime",
                response: control("max-age=60") + [("Age", "60")],
                expected: .origin
            ),
            Case(
                clause: "§5.1 Age and a Date that is slow",
                response: [("Date", PolicyCache.date(-10)), ("Expires", PolicyCache.date(10)), ("Age", "25")],
                expected: .origin
            ),
            Case(
                clause: "§5.1 Age and a Date that is fast",
                response: [("Date", PolicyCache.date(10)), ("Expires", PolicyCache.date(20)), ("Age", "15")],
                expected: .origin
            ),
        ]
        + ["abc", "-7200", "7200.0", "", "7200;a=b", "0, 7200", "0,", "0x1C20", "+7200", "7200 0", "\"7200\""].map {
            age in
            Case(
                clause: "§5.1 the first value of Age, if it is valid",
                response: control("max-age=3600") + [("Age", age)],
                expected: .cache,
                age: 0
            )
        }
        + ["7200", "7200, 0", "7200,", "2147483647", "2147483648", "2147483649", "99999999999999999999999"].map { age in
            Case(clause: "§5.1 Age", response: control("max-age=3600") + [("Age", age)], expected: .origin)
        } + [
            Case(
                clause: "§5.1 the first line of Age",
                response: control("max-age=3600") + [("Age", "0"), ("Age", "7200")],
                expected: .cache
            ),
            Case(
                clause: "§5.1 the first line of Age",
                response: control("max-age=3600") + [("Age", "7200"), ("Age", "0")],
                expected: .origin
            ),
            Case(
                clause: "§1.2.2 the greatest age and lifetime",
                response: control("max-age=2147483648") + [("Age", "2147483648")],
                expected: .origin
            ),
        ]

    // MARK: §5.2.1, §5.4

    static let requestDirectives: [Case] =
        [
            ("max-age=0", 0, Source.origin), ("max-age=1", 3, .origin), ("max-age=3", 3, .cache),
            ("max-age=x", 3, .origin),
            ("max-age=600", 3, .cache),
            ("min-fresh=57", 3, .cache), ("min-fresh=58", 3, .origin), ("min-fresh=x", 3, .origin),
            ("min-fresh", 3, .origin),
            ("no-cache", 0, .origin), ("no-cache=\"a\"", 0, .origin), ("no-store", 3, .cache),
            ("only-if-cached", 3, .cache),
            ("only-if-cached", 60, .gatewayTimeout), ("only-if-cached, max-stale", 60, .cache),
            ("only-if-cached, no-cache", 3, .gatewayTimeout),
            ("max-stale", 60, .cache), ("max-stale", 86_400, .cache), ("max-stale=10", 70, .cache),
            ("max-stale=10", 71, .origin), ("max-stale=x", 61, .origin), ("max-stale, no-cache", 3, .origin),
            ("max-stale=10, max-age=5", 15, .cache), ("max-stale=10, max-age=5", 16, .origin),
            ("max-age=100", 60, .origin), ("min-fresh=1, max-stale", 60, .origin), ("no-transform, x=y", 3, .cache),
        ].map { value, wait, expected in
            Case(
                clause: "§5.2.1 \(value)",
                response: control("max-age=60"),
                wait: wait,
                request: control(value),
                expected: expected
            )
        }
        + ["must-revalidate", "proxy-revalidate", "s-maxage=60"].map { value in
            Case(
                clause: "§4.2.4 max-stale despite \(value)",
                response: control("max-age=60, \(value)"),
                wait: 61,
                request: control("max-stale"),
                expected: .origin
            )
        } + [
            Case(
                clause: "§5.4 Pragma in a request",
                response: control("max-age=60"),
                request: [("Pragma", "no-cache")],
                expected: .origin
            ),
            Case(
                clause: "§5.4 Pragma in a request with Cache-Control",
                response: control("max-age=60"),
                request: [("Pragma", "no-cache"), ("Cache-Control", "x")],
                expected: .cache
            ),
            Case(
                clause: "§5.4 Pragma in a response",
                response: control("max-age=60") + [("Pragma", "no-cache")],
                expected: .cache
            ),
            Case(
                clause: "§5.2.1.7 only-if-cached, and nothing is stored",
                response: control("no-store"),
                request: control("only-if-cached"),
                expected: .gatewayTimeout
            ),
            Case(
                clause: "§5.2.1.4 no-cache validates",
                response: control("max-age=60") + [("ETag", "\"x\"")],
                request: control("no-cache"),
                nextStatus: 304,
                expected: .validated
            ),
        ]

    // MARK: §5.2.2

    static let responseDirectives: [Case] =
        [
            ("no-store", Source.gatewayTimeout), ("no-store, max-age=60", .gatewayTimeout),
            ("No-StOrE", .gatewayTimeout),
            ("private, max-age=60", .gatewayTimeout), ("private=\"a\", max-age=60", .gatewayTimeout),
            ("max-age=60, no-store, must-understand", .cache), ("max-age=60, must-understand", .cache),
            ("max-age=60, must-understand, private", .gatewayTimeout), ("public", .gatewayTimeout),
            ("max-age=60, no-cache", .gatewayTimeout), ("stale-if-error=9", .cache),
        ].map { value, expected in
            Case(clause: "§5.2.2 \(value)", response: control(value), mode: .onlyIfCached, expected: expected)
        } + [
            Case(
                clause: "§5.2.2.3 must-understand and an unknown status",
                status: 299,
                response: control("max-age=60, must-understand"),
                expected: .origin
            ),
            Case(
                clause: "§5.2.2.3 must-understand, no-store and an unknown status",
                status: 599,
                response: control("max-age=60, no-store, must-understand"),
                expected: .origin
            ),
            Case(clause: "§5.2.2.4 no-cache", response: control("max-age=60, no-cache"), expected: .origin),
            Case(
                clause: "§5.2.2.4 no-cache validates",
                response: control("max-age=60, no-cache") + [("ETag", "\"x\"")],
                nextStatus: 304,
                expected: .validated
            ),
            Case(
                clause: "§5.2.2.4 no-cache with field names",
                response: control("max-age=60, no-cache=\"a\""),
                expected: .cache
            ),
            Case(
                clause: "§5.2.2.4 no-cache with the name of a field on which caching depends",
                response: control("max-age=60, no-cache=\"Content-Type\""),
                expected: .origin
            ),
            Case(
                clause: "§5.2.2.4 no-cache with 33 field names",
                response: control("max-age=60, no-cache=\"\((0...32).map { "x\($0)" }.joined(separator: ","))\""),
                expected: .origin
            ),
            Case(
                clause: "§5.2.2.2 must-revalidate, fresh",
                response: control("max-age=60, must-revalidate"),
                wait: 59,
                expected: .cache
            ),
            Case(
                clause: "§5.2.2.2 must-revalidate, stale",
                response: control("max-age=60, must-revalidate") + [("ETag", "\"x\"")],
                wait: 60,
                nextStatus: 304,
                expected: .validated
            ),
        ]

    // MARK: §4.2.4, RFC 5861

    static let stale: [Case] =
        [
            ("max-age=10, stale-while-revalidate=5", 14, [], Source.staleCache),
            ("max-age=10, stale-while-revalidate=5", 15, [], .origin),
            ("max-age=10, stale-while-revalidate=5", 9, [], .cache),
            ("max-age=10, stale-while-revalidate=x", 11, [], .origin),
            ("s-maxage=10, stale-while-revalidate=5", 14, [], .staleCache),
            ("stale-while-revalidate=5", 4, [], .staleCache),
            ("max-age=10, stale-while-revalidate=5, must-revalidate", 14, [], .origin),
            ("max-age=10, stale-while-revalidate=5, proxy-revalidate", 14, [], .origin),
            ("max-age=10, stale-while-revalidate=5, no-cache", 14, [], .origin),
            ("max-age=10, stale-while-revalidate=5", 14, control("no-cache"), .origin),
            ("max-age=10, stale-while-revalidate=5", 14, control("max-age=100"), .origin),
            ("max-age=10, stale-while-revalidate=5", 14, control("min-fresh=1"), .origin),
            ("max-age=10, stale-while-revalidate=5", 14, control("only-if-cached"), .staleCache),
            ("max-age=10, stale-while-revalidate=5", 14, control("max-stale"), .staleCache),
            ("max-age=10, stale-while-revalidate=5", 16, control("max-stale"), .cache),
        ].map { value, wait, request, expected in
            Case(
                clause: "RFC 5861 §3 \(value)",
                response: control(value),
                wait: wait,
                request: request,
                expected: expected
            )
        }
        + ([nil, 500, 501, 502, 503, 504, 599] as [Int?]).flatMap { status in
            [
                ("max-age=10, stale-if-error=5", 14, [], 0, Source.staleOnError),
                ("max-age=10, stale-if-error=5", 15, [], 0, .origin),
                ("max-age=10, stale-if-error=5", 15, [], 9, .origin),
                ("max-age=10", 14, [], 5, .staleOnError), ("max-age=10", 15, [], 5, .origin),
                ("max-age=10", 10, [], 0, .origin),
                ("max-age=10", 14, control("stale-if-error=5"), 0, .staleOnError),
                ("max-age=10", 15, control("stale-if-error=5"), 0, .origin),
                ("s-maxage=10, stale-if-error=5", 14, [], 0, .staleOnError),
                ("s-maxage=10", 14, [], 5, .origin), ("s-maxage=10", 14, control("stale-if-error=5"), 0, .origin),
                ("max-age=10, must-revalidate, stale-if-error=5", 14, [], 5, .origin),
                ("max-age=10, proxy-revalidate, stale-if-error=5", 14, [], 5, .origin),
                ("max-age=10, no-cache, stale-if-error=5", 14, [], 5, .origin),
                ("max-age=10, stale-if-error=5", 14, control("no-cache"), 5, .origin),
                ("max-age=10, stale-if-error=5", 14, control("max-age=60"), 5, .origin),
                ("max-age=10, stale-if-error=5", 14, control("max-age=60, stale-if-error=5"), 5, .staleOnError),
            ].map { value, wait, request, setting, expected in
                Case(
                    clause: "RFC 5861 §4, §4.2.4 \(value), status \(status.map(String.init) ?? "none")",
                    response: control(value),
                    wait: wait,
                    request: request,
                    nextStatus: status,
                    staleIfError: setting,
                    expected: expected
                )
            }
        }
        + ([400, 404, 429] as [Int]).map { status in
            Case(
                clause: "§4.3.3 \(status) is not a failure",
                response: control("max-age=10, stale-if-error=5"),
                wait: 14,
                nextStatus: status,
                expected: .origin
            )
        }

    // MARK: Modes

    static let modes: [Case] =
        [
            (CacheMode.default, 0, Source.cache), (.default, 60, .validated), (.noCache, 0, .validated),
            (.noCache, 60, .validated),
            (.reload, 0, .origin), (.reload, 60, .origin), (.forceCache, 0, .cache), (.forceCache, 86_400, .cache),
            (.onlyIfCached, 0, .cache), (.onlyIfCached, 86_400, .cache), (.noStore, 0, .origin),
            (.noStore, 60, .origin),
        ].map { mode, wait, expected in
            Case(
                clause: "mode \(mode.rawValue)",
                response: control("max-age=60") + [("ETag", "\"x\"")],
                wait: wait,
                mode: mode,
                nextStatus: 304,
                expected: expected
            )
        }
        + [
            (CacheMode.default, Source.origin), (.noCache, .origin), (.reload, .origin), (.forceCache, .origin),
            (.onlyIfCached, .gatewayTimeout), (.noStore, .origin),
        ].map { mode, expected in
            Case(
                clause: "mode \(mode.rawValue), nothing is stored",
                response: control("no-store"),
                mode: mode,
                expected: expected
            )
        }
        + ["no-cache, max-age=60", "max-age=0, must-revalidate"].flatMap { value in
            [
                Case(
                    clause: "mode force-cache, despite \(value)",
                    response: control(value) + [("ETag", "\"a\"")],
                    wait: 60,
                    mode: .forceCache,
                    expected: .cache
                ),
                Case(
                    clause: "mode no-cache fails although stale responses are permitted",
                    response: control("stale-if-error=99, max-age=60"),
                    mode: .noCache,
                    nextStatus: 503,
                    staleIfError: 99,
                    expected: .origin
                ),
            ]
        }
        + ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"].map { method in
            Case(clause: "§4 only GET and HEAD", response: control("max-age=60"), method: method, expected: .origin)
        } + [
            Case(
                clause: "§4 HEAD uses the response to GET",
                response: control("max-age=60"),
                method: "HEAD",
                expected: .cache
            ),
            Case(
                clause: "§4 HEAD, stale",
                response: control("max-age=60") + [("ETag", "\"x\"")],
                wait: 60,
                method: "HEAD",
                nextStatus: 200,
                expected: .origin
            ),
            Case(
                clause: "mode only-if-cached and POST",
                response: control("max-age=60"),
                method: "POST",
                mode: .onlyIfCached,
                expected: .gatewayTimeout
            ),
        ]
}
