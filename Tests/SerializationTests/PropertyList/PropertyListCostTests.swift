import TestSupport
import Testing

@testable import Serialization

/// Property lists whose cost was not proportional to their size. Processor time is compared between two contents in the
/// same run, because absolute times depend on the machine.
@Suite struct PropertyListCostTests {
    @Test(arguments: [
        ("(", "(1),", ")"), ("(", "{a=1;},", ")"), ("<array>", "<array><true/></array>", "</array>"),
        ("<array>", "<dict><key>CF$UID</key><integer>1</integer></dict>", "</array>"),
    ])
    func `the cost of a container does not depend on the number of values before it`(
        open: String,
        part: String,
        close: String
    ) {
        /// Returns the time for the same number of containers in arrays of a length.
        func time(_ length: Int) -> Duration {
            let list = open + String(repeating: part, count: length) + close + (open == "(" ? "," : "")
            let lists = String(repeating: list, count: 20_000 / length)
            let content = open == "(" ? "(\(lists))" : "<plist><array>\(lists)</array></plist>"
            return processorTime { #expect(propertyListRefusal(of: Array(content.utf8)) == nil) }
        }
        let (one, many) = (time(20_000), time(100))
        // It took ten times as long, because each container copied the list of all values before it.
        #expect(one < many * 3)
    }

    @Test func `the zeros at the end of a date cost less than other digits`() throws {
        func time(_ digit: String) -> Duration {
            let text = "2024-05-01T10:20:30.1\(String(repeating: digit, count: 1_600_000))Z"
            return processorTime {
                let date = PropertyListScalarText.date(text.utf8Span.span)
                #expect(date?.utf8.count == (digit == "0" ? 22 : text.utf8.count))
            }
        }
        let short = try readPropertyList("<plist><date>2024-05-01T10:20:30.100Z</date></plist>")
        #expect(short.text == #""2024-05-01T10:20:30.1Z""#)
        // A sixth of the time, because they are not written. It was as long, because each one was removed on its own.
        #expect(time("0") * 2 < time("1"))
    }

    @Test func `listed repetitions of a key cost no more than others`() throws {
        func time(_ count: Int) throws -> Duration {
            let text = "<plist><dict>\(String(repeating: "<key>a</key><true/>", count: count))</dict></plist>"
            return try processorTime {
                let reading = try readPropertyList(text) { $0.limits.maxWarnings = 10_000 }
                #expect(reading.warnings.count == count - 1)
            }
        }
        let (few, many) = (try time(1_250), try time(10_000))
        // Eight times as long; it took more than thirty times as long, because the first one was searched in all that
        // were listed.
        #expect(many < few * 20)
    }
}
