import Serialization
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
            let lists = String(repeating: list, count: 60_000 / length)
            let content = open == "(" ? "(\(lists))" : "<plist><array>\(lists)</array></plist>"
            return processorTime { #expect(propertyListRefusal(of: Array(content.utf8)) == nil) }
        }
        let (one, many) = (time(60_000), time(100))
        // It took ten times as long, because each container copied the list of all values before it.
        #expect(one < many * 3)
    }
}
