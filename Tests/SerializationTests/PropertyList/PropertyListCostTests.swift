import Serialization
import TestSupport
import Testing

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

    @Test func `the zeros at the end of a date cost no more than other digits`() throws {
        func time(_ digit: String) throws -> Duration {
            let text = "<plist><date>2024-05-01T10:20:30.1\(String(repeating: digit, count: 1_600_000))Z</date></plist>"
            var reading: PropertyListReading?
            let time = try processorTime { reading = try readPropertyList(text) }
            if digit == "0" { #expect(reading?.text == #""2024-05-01T10:20:30.1Z""#) }
            return time
        }
        // It took several times as long, because each zero was removed from the text on its own.
        #expect(try time("0") < time("1") * 3)
    }
}
