import Testing

@testable import Serialization

/// The dates of feeds as RFC 3339.
@Suite struct FeedDateTests {
    private func date(_ text: String) -> String? { FeedDate.rfc3339(text.utf8.span) }

    @Test(arguments: [
        ("Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"), ("01 Jan 2004 19:48 GMT", "2004-01-01T19:48:00Z"),
        ("Thu, 1 Jan 04 19:48:21 +0100", "2004-01-01T19:48:21+01:00"),
        ("Thu, 01 Jan 1970 00:00:00 -0330", "1970-01-01T00:00:00-03:30"),
        ("Thu, 01 Jan 2004 19:48:21 EST", "2004-01-01T19:48:21-05:00"),
        ("Thu,01 Jan 2004 19:48:21 PDT (comment)", "2004-01-01T19:48:21-07:00"),
        ("thu, 01 january 2004 19:48:21 utc", "2004-01-01T19:48:21Z"),
        ("Thursday, 01-Jan-70 19:48:21 GMT", "1970-01-01T19:48:21Z"),
        ("Thu, 01 Jan 2004 19:48:21 GMT+02:00", "2004-01-01T19:48:21+02:00"),
        ("Thu, 01 Jan 2004 19:48:21.5 Z", "2004-01-01T19:48:21.5Z"),
        ("Thu, 01 Jan 2004 19:48:21", "2004-01-01T19:48:21Z"), ("1 Sept. 2004", "2004-09-01T00:00:00Z"),
        ("Mon, 01 Jan 2004 19:48:21 -0000", "2004-01-01T19:48:21Z"),
        ("Wed, 31 Dec 49 23:59:60 GMT", "2049-12-31T23:59:60Z"), ("Wed, 31 Dec 50 00:00 GMT", "1950-12-31T00:00:00Z"),
    ])
    func `dates of RFC 822 and its successors are read`(text: String, expected: String) {
        #expect(date(text) == expected)
    }

    @Test(arguments: [
        ("Thu Jan  1 19:48:21 2004", "2004-01-01T19:48:21Z"),
        ("Thu Jan 1 19:48:21 PST 2004", "2004-01-01T19:48:21-08:00"),
        ("January 2, 2004 7:48 PM", "2004-01-02T19:48:00Z"), ("2nd January 2004 12:05 a.m.", "2004-01-02T00:05:00Z"),
        ("Jan 2, 2004 12:05:06pm EST", "2004-01-02T12:05:06-05:00"),
    ])
    func `other forms that name the month are read`(text: String, expected: String) {
        #expect(date(text) == expected)
    }

    @Test(arguments: [
        ("2003-12-31T10:14:55Z", "2003-12-31T10:14:55Z"),
        ("2003-12-31T10:14:55.25+01:30", "2003-12-31T10:14:55.25+01:30"),
        ("2003-12-31 10:14:55", "2003-12-31T10:14:55Z"), ("2003-12-31t10:14z", "2003-12-31T10:14:00Z"),
        ("2003-12-31T10:14:55 -0800", "2003-12-31T10:14:55-08:00"),
        ("2003-12-31T10:14:55+01", "2003-12-31T10:14:55+01:00"),
        ("2003-12-31 10:14:55 EST", "2003-12-31T10:14:55-05:00"), ("2003-12-31", "2003-12-31T00:00:00Z"),
        ("2003-12", "2003-12-01T00:00:00Z"), ("2003", "2003-01-01T00:00:00Z"), ("2003-335", "2003-12-01T00:00:00Z"),
        ("20031231", "2003-12-31T00:00:00Z"), ("20031231T101455Z", "2003-12-31T10:14:55Z"),
        ("2003/12/31 10:14", "2003-12-31T10:14:00Z"), ("2004-02-29T00:00:00,5Z", "2004-02-29T00:00:00.5Z"),
    ])
    func `dates of ISO 8601 are read`(text: String, expected: String) {
        #expect(date(text) == expected)
    }

    @Test(arguments: [
        "", "soon", "Thu", "2003-02-29", "2003-13-01", "2003-366", "2003-12-31T25:00:00Z", "2003-12-31T10:14:61Z",
        "31 Feb 2004 10:00 GMT", "01 Jan 2004 19:48:21 XYZ", "01/02/2003", "Thu, 01 Foo 2004 19:48:21 GMT", "-", "+",
        "2003-12-31T10:14:55+24:00", "2003-12-31T10:14:55+", "12:00", "1 Jan", "2003-", "2003-1-", "20031231T10",
        "Thu, 01 Jan 2004 19:48:21 GMTx", "01-Jan-", "2003-12-31Tx", "é", "Thu, 01 Jan 2004 (19:48", "1e5",
        "99999999999", "01-Jan-9223372036854775807", "1-Jan-9223372036854773908", "01-Jan-00004", "01-Jan-99999",
        "01 Jan 2004 13:00 pm", "01 Jan 2004 10:00 ++0100",
    ])
    func `other text is not a date`(text: String) {
        #expect(date(text) == nil)
    }

    @Test(
        arguments: [
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"), ("2016-12-31T23:59:60", "2016-12-31T23:59:60Z"),
            ("1990-12-31T15:59:60-08:00", "1990-12-31T15:59:60-08:00"),
            ("2017-01-01T05:29:60.5+05:30", "2017-01-01T05:29:60.5+05:30"),
            ("Sun, 01 Jan 2017 09:59:60 +1000", "2017-01-01T09:59:60+10:00"), ("2016-12-31T23:58:60Z", nil),
            ("2016-12-31T12:00:60Z", nil), ("2016-12-31T23:59:60+01:00", nil), ("Sat, 31 Dec 2016 10:14:60 GMT", nil),
            ("2016-12-31T23:59:60-23:59", nil),
        ] as [(String, String?)]
    )
    func `the second 60 is only valid at the end of a day in UTC`(text: String, expected: String?) {
        #expect(date(text) == expected)
    }

    @Test func `text of any length is not a date`() {
        for length in 0...300 {
            #expect(date(String(repeating: "1", count: length)).map { $0.utf8.count <= 40 } ?? true)
            #expect(date(String(repeating: ":", count: length)) == nil)
        }
    }
}
