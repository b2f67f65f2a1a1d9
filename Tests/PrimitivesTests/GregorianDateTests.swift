import Foundation
import Testing

@testable import Primitives

@Suite struct GregorianDateTests {
    @Test func `every day of four centuries follows the day before`() throws {
        var previous = GregorianDate(daysSince1970: -200_000)
        for days in -199_999..<(-199_999 + 146_097) {
            let date = GregorianDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
            let isNextDay = date == GregorianDate(year: previous.year, month: previous.month, day: previous.day + 1)
            let isNextMonth = date == GregorianDate(year: previous.year, month: previous.month + 1, day: 1)
            let isNextYear = date == GregorianDate(year: previous.year + 1, month: 1, day: 1)
            guard isNextDay || isNextMonth && previous.day >= 28 || isNextYear && previous.month == 12 else {
                Issue.record("\(date) does not follow \(previous)")
                return
            }
            previous = date
        }
    }

    @Test(arguments: [
        (1900, 2, 29), (2023, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0),
    ])
    func `other days are not dates`(year: Int, month: Int, day: Int) {
        #expect(GregorianDate(year: year, month: month, day: day) == nil)
    }

    @Test(arguments: [2000, 2024]) func `a leap year has 29 February`(year: Int) {
        #expect(GregorianDate(year: year, month: 2, day: 29)?.description == "\(year)-02-29")
    }

    @Test(arguments: [-62_167_219_200, -1, 0, 951_782_400, 1_800_000_000, 253_402_300_799])
    func `times are written as Foundation writes them`(seconds: Int) {
        let expected = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
        #expect(RFC3339.seconds.contains(seconds))
        #expect(
            RFC3339.text(secondsSince1970: seconds) == (seconds < -60_000_000_000 ? "0000-01-01T00:00:00Z" : expected)
        )
    }
}
