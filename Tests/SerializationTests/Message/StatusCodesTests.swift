import Serialization
import Testing

@Suite struct StatusCodesTests {
    @Test(arguments: [
        ("200-299", [200...299]),
        ("200-299,304", [200...299, 304...304]),
        ("304, 200-299", [200...299, 304...304]),
        ("200-250,240-299", [200...299]),
        ("200-249,250-299", [200...299]),
        ("100-999", [100...999]),
        ("*", [100...999]),
        ("none", []),
    ])
    func `reads lists of ranges, in any order`(text: String, ranges: [ClosedRange<Int>]) throws {
        #expect(try StatusCodes(parsing: text).ranges == ranges)
    }

    @Test(arguments: [
        ("", StatusCodesError.malformed(at: 0)),
        ("20", .malformed(at: 2)),
        ("2000", .malformed(at: 3)),
        ("099", .malformed(at: 0)),
        ("2xx", .malformed(at: 1)),
        ("200-", .malformed(at: 4)),
        ("200,", .malformed(at: 4)),
        ("200;304", .malformed(at: 3)),
        ("*,200", .malformed(at: 0)),
        ("-200", .malformed(at: 0)),
        ("200, 299-200", .descendingRange(from: 299, to: 200, at: 5)),
    ])
    func `rejects text that is not a list of codes and reports the offset`(text: String, error: StatusCodesError) {
        #expect(throws: error) { try StatusCodes(parsing: text) }
    }

    @Test(arguments: ["200-299,304", "404", "*", "none"])
    func `the description can be parsed again`(text: String) throws {
        #expect(try StatusCodes(parsing: text).description == text)
    }

    @Test(arguments: [(199, false), (200, true), (299, true), (300, false), (304, true), (305, false)])
    func `contains both bounds of a range`(code: Int, isContained: Bool) throws {
        #expect(try StatusCodes(parsing: "200-299,304").contains(code) == isContained)
    }
}
