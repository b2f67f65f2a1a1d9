import Foundation
import Testing

@testable import Primitives

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Thu Aug 18 02:01:18 2050", 2_544_400_878), ("THU, 18 AUG 2050 02:01:18 gMT", 2_544_400_878),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
    ])
    func `returns the seconds since 1970`(text: String, seconds: Int) {
        #expect(HTTPDate.secondsSince1970(text) == seconds)
    }

    @Test(arguments: [
        "", "Sun, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37", "784111777",
        "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 8 Aug 2050 02:01:18 GMT",
        "Thursday, 18 Aug 2050 02:01:18 GMT", "Thu, 18-Aug-50 02:01:18 GMT", "Thursday, 18-Aug-2050 02:01:18 GMT",
        "Thu Aug 8 02:01:18 2050", "Thu Aug  18 02:01:18 2050", "Abc, 18 Aug 2050 02:01:18 GMT", " ", "     ", ",     ",
        "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT",
    ])
    func `returns nothing for other text`(text: String) {
        #expect(HTTPDate.secondsSince1970(text) == nil)
    }

    @Test func `agrees with the C library on days of four centuries`() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for day in stride(from: 0, to: 146_097, by: 3) {
            var time = time_t(day * 86_400)
            var parts = tm()
            guard gmtime_r(&time, &parts) != nil, months.indices ~= Int(parts.tm_mon) else { continue }
            let date = "\(parts.tm_mday < 10 ? "0" : "")\(parts.tm_mday) \(months[Int(parts.tm_mon)])"
            let text = "Sun, \(date) \(parts.tm_year + 1_900) 00:00:00 GMT"
            if HTTPDate.secondsSince1970(text) != time { Issue.record("\(text)") }
        }
    }
}
