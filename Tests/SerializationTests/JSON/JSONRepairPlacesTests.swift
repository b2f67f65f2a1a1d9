import Serialization
import Testing

/// A location refers to the content as received, however many repairs precede it.
@Suite struct JSONRepairPlacesTests {
    @Test(arguments: [0, 1, 1023, 1024, 1025, 5000])
    func `an error is located in the source`(count: Int) {
        let repairs: [(piece: String, leniency: Leniencies)] = [
            ("/**/ 'a',", [.comments, .singleQuotes]),
            (#"'"\'"' , "#, .singleQuotes),
            ("{a:NaN,},", [.unquotedKeys, .nan, .trailingCommas]),
            (#""\ud800","#, []),
        ]
        for (piece, leniencies) in repairs {
            let before = "['first'," + String(repeating: piece, count: count) + String(repeating: " ", count: 300)
            let error = refusal(of: before + "!]") {
                $0.leniencies = leniencies.union(.singleQuotes)
                $0.surrogates = .replace
            }
            #expect(error?.location.byte == before.utf8.count, "\(count) times \(piece)")
            #expect(error?.location.pointer == "/\(count + 1)")
        }
    }

    @Test func `repairs beyond the listed ones are counted`() throws {
        let content = "[" + String(repeating: "'',", count: 250) + "0]"
        let reading = try read(content) { $0.leniencies = .singleQuotes }
        #expect(reading.warnings.count == 101)
        #expect(reading.warnings[99].location?.byte == 1 + 99 * 3)
        #expect(reading.warnings.last == Warning(.truncated(count: 150)))
    }
}
