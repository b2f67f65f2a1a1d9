import Serialization
import SerializationSupport
import Testing

/// The upstream's header fields as received, and their meaning.
@Suite struct UpstreamHeadTests {
    private func upstream(
        _ fields: [(String, String)],
        content: String = "[]",
        _ configure: (inout UpstreamResponse, inout SerializationOptions) -> Void = { _, _ in }
    ) -> Serialized {
        var response = UpstreamResponse(status: 200)
        for (name, value) in fields { response.fields.append(name: name, value: value) }
        response.hasAllFields = true
        var options = SerializationOptions()
        options.acceptableStatusCodes = nil
        configure(&response, &options)
        return serialize(response, content: Array(content.utf8), options: options)
    }

    /// Returns the members after the number of bytes.
    private func members(_ fields: [(String, String)]) -> String? {
        let json = upstream(fields).json
        guard let start = json?.firstRange(of: #""bytes":2"#), let json else { return nil }
        return String(json[start.upperBound...].dropLast(2))
    }

    @Test func `fields are reported in order with lower-case names`() {
        #expect(
            members([("Content-Type", "application/json"), ("X-A", "1"), ("Set-Cookie", "s=1"), ("x-a", "\"2\"")])
                == #","headers":[["content-type","application/json"],["x-a","1"],["x-a","\"2\""]]"#
        )
    }

    @Test(
        arguments: [
            ("none", nil), ("x-b", #","headers":[["x-b","2"]]"#),
            ("X-B,set-cookie", #","headers":[["x-b","2"],["set-cookie","s=1"]]"#),
            ("etag", nil),
        ] as [(String, String?)]
    )
    func `an option selects them`(option: String, expected: String?) throws {
        let policy = try #require(UpstreamHeaderPolicy(parsing: option))
        let result = upstream([("X-B", "2"), ("Set-Cookie", "s=1")]) { $1.upstreamHeaders = policy }
        #expect(result.json?.hasSuffix(#""bytes":2\#(expected ?? "")}}"#) == true)
    }

    @Test(arguments: ["", "a,", "a b", "é", ",", Array(repeating: "a", count: 101).joined(separator: ",")])
    func `text that is not a list of names is rejected`(option: String) {
        #expect(UpstreamHeaderPolicy(parsing: option) == nil)
    }

    @Test(
        arguments: [
            ("Retry-After", "120", #""retryAfter":{"seconds":120}"#),
            ("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", #""retryAfter":{"date":"1999-12-31T23:59:59Z"}"#),
            ("Retry-After", "Friday, 31-Dec-99 23:59:59 GMT", #""retryAfter":{"date":"1999-12-31T23:59:59Z"}"#),
            ("Retry-After", "Fri Dec  3 23:59:59 1999", #""retryAfter":{"date":"1999-12-03T23:59:59Z"}"#),
            ("Last-Modified", "Tue, 29 Feb 2028 00:00:00 GMT", #""lastModified":"2028-02-29T00:00:00Z""#),
            ("ETag", #"W/"a b""#, #""etag":{"value":"a b","weak":true}"#),
            ("ETag", #""""#, #""etag":{"value":"","weak":false}"#),
            (
                "Cache-Control", #"Max-Age=60, no-store,private="set-cookie, x",max-age=1, s="#,
                #""cacheControl":{"max-age":60,"no-store":true,"private":"set-cookie, x","s":true}"#
            ),
            (
                "Link", #"</p?a,b;c>; rel="next Last"; title="a \"b\"", <https://e.org/>;rel=https://e.org/Rel;x"#,
                #""links":[{"target":"/p?a,b;c","rel":["next","last"],"attributes":[["title","a \"b\""]]},"#
                    + #"{"target":"https://e.org/","rel":["https://e.org/Rel"],"attributes":[["x",""]]}]"#
            ),
            ("X-RateLimit-Remaining", "0", #""rateLimit":{"remaining":0}"#),
            ("X-RateLimit-Reset", "1700000000", #""rateLimit":{"reset":{"date":"2023-11-14T22:13:20Z"}}"#),
            ("X-Rate-Limit-Reset", "1700000000000", #""rateLimit":{"reset":{"date":"2023-11-14T22:13:20Z"}}"#),
            ("X-RateLimit-Reset", "253402300799999", #""rateLimit":{"reset":{"date":"9999-12-31T23:59:59Z"}}"#),
            ("RateLimit-Limit", "100, 100;w=60", #""rateLimit":{"limit":100}"#),
            (
                "RateLimit", "limit=100, remaining=50, reset=5",
                #""rateLimit":{"limit":100,"remaining":50,"reset":{"seconds":5}}"#
            ),
            ("RateLimit", #""p";r=50;t=30"#, #""rateLimit":{"remaining":50,"reset":{"seconds":30}}"#),
            ("RateLimit-Policy", #""p";q=100;w=60"#, #""rateLimit":{"limit":100}"#),
        ]
    )
    func `a field has its meaning`(name: String, value: String, meaning: String) {
        #expect(members([(name, value)])?.hasSuffix("]]," + meaning) == true, "\(members([(name, value)]) ?? "nil")")
    }

    @Test(
        arguments: [
            ("Retry-After", "-1"), ("Retry-After", "soon"), ("Retry-After", "Fri, 31 Feb 1999 23:59:59 GMT"),
            ("Retry-After", "99999999999999999999"), ("Last-Modified", "2028-02-29"), ("ETag", "abc"), ("ETag", "\""),
            ("X-RateLimit-Reset", "253402300800000"), ("X-RateLimit-Reset", "999999999999999"),
            ("X-RateLimit-Reset", "9223372036854775807"), ("Link", "next"), ("Link", "<"), ("Cache-Control", "="),
            ("RateLimit", "x"), ("RateLimit-Limit", "many"),
        ]
    )
    func `an invalid field is reported without a meaning`(name: String, value: String) {
        #expect(members([(name, value)])?.hasSuffix("]]") == true, "\(members([(name, value)]) ?? "nil")")
    }

    @Test func `a problem includes the fields`() {
        let result = upstream([("Retry-After", "1")]) { response, options in
            response.status = 503
            options.acceptableStatusCodes = .successful
        }
        #expect(result.upstream.head?.retryAfter == .seconds(1))
    }

    @Test func `a length that differs from the declared one is a warning`() {
        let warning = Warning(.lengthMismatch(declared: 3, received: 2))
        #expect(upstream([("Content-Length", "3")]).warnings == [warning])
        #expect(upstream([("Content-Length", "2")]).warnings == [])
        #expect(upstream([("Content-Length", "x")]).warnings == [])
        // The service has only the content fields of the message, or the message was rewritten.
        #expect(upstream([("Content-Length", "3")]) { response, _ in response.hasAllFields = false }.warnings == [])
        #expect(
            upstream([("Content-Length", "3")]) { response, _ in response.hasOriginalContent = false }.warnings == []
        )
        // Its length was that of another charset, or of other line ends.
        #expect(
            upstream([("Content-Length", "3")]) { response, _ in response.hasUnicodeContent = true }.warnings == []
        )
        let head = upstream([("Content-Length", "3")], content: "") { response, _ in response.method = "HEAD" }
        #expect(head.warnings == [])
    }
}
