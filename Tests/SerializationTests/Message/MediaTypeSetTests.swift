import Serialization
import Testing

@Suite struct MediaTypeSetTests {
    @Test(arguments: [
        ("application/json", "application/json", true),
        ("Application/JSON", "application/json", true),
        ("application/json", "application/json; charset=utf-8", true),
        ("application/json", "application/vnd.api+json", false),
        ("text/csv, application/json", "application/json", true),
        ("image/*", "image/png", true),
        ("image/*", "application/png", false),
        ("+json", "application/vnd.api+json", true),
        ("+JSON", "application/vnd.api+json", true),
        ("+json", "application/json", false),
        ("text/html;charset=UTF-8", "text/html; charset=utf-8", true),
        ("text/html;charset=utf-8", "text/html", false),
        ("text/html;x=\"a,b\",text/csv", "text/csv", true),
        ("*", "any/thing", true),
        ("text/html,*/*", "any/thing", true),
        ("none", "any/thing", false),
    ])
    func `accepts types, ranges and suffixes`(list: String, type: String, isAccepted: Bool) throws {
        #expect(try MediaTypeSet(parsing: list).accepts(try MediaType(parsing: type)) == isAccepted)
    }

    /// AFNetworking tests whether a set of strings contains the response's type in lower case.
    @Test(arguments: [
        ("text/html", "text/html", true),
        ("TEXT/HTML", "text/html", false),
        ("text/html; charset=utf-8", "text/html", false),
        ("text/*", "text/html", false),
        ("+json", "application/vnd.api+json", false),
        ("*", "text/html", true),
        ("none", "text/html", false),
    ])
    func `letter by letter, only the exact text is accepted`(list: String, type: String, isAccepted: Bool) throws {
        #expect(try MediaTypeSet(parsing: list).accepts(letterByLetter: type) == isAccepted)
    }

    @Test(arguments: [
        ("", MediaTypeError.malformed(at: 0)),
        ("text/html,", .malformed(at: 10)),
        ("text/html, json", .malformed(at: 15)),
        ("text/html,none", .malformed(at: 14)),
        ("text/html, */json", .malformed(at: 11)),
        ("text/html, +", .malformed(at: 12)),
        ("text/html, a/b;c", .malformedParameter(at: 16)),
    ])
    func `rejects a list with an invalid entry and reports its offset`(list: String, error: MediaTypeError) {
        #expect(throws: error) { try MediaTypeSet(parsing: list) }
    }

    @Test func `a list has at most 32 entries`() throws {
        let list = (1...MediaTypeSet.maxEntries).map { "a/b\($0)" }.joined(separator: ",")
        #expect(try MediaTypeSet(parsing: list).descriptions.count == 32)
        #expect(throws: MediaTypeError.malformed(at: list.utf8.count + 1)) { try MediaTypeSet(parsing: list + ",c/d") }
    }

    @Test(arguments: ["application/json,+json,image/*", "TEXT/HTML", "*", "none"])
    func `the description is the original text`(list: String) throws {
        #expect(try MediaTypeSet(parsing: list).description == list)
    }
}
