import Testing

@testable import Service

@Suite struct QueryStringTests {
    @Test(arguments: [
        ("", []),
        ("a=1", ["a", "1"]),
        ("a=1&&b=2&", ["a", "1", "b", "2"]),
        ("a", ["a", ""]),
        ("a=b=c", ["a", "b=c"]),
        ("a=x+y", ["a", "x+y"]),
        ("accept-types=%2Bjson,image%2f*", ["accept-types", "+json,image/*"]),
        ("t=%C3%A9", ["t", "é"]),
    ])
    func `splits at ampersands, and decodes only percent escapes`(query: String, flat: [String]) throws {
        #expect(try QueryString.pairs(parsing: query).flatMap { [$0.name, $0.value] } == flat)
    }

    @Test(arguments: [
        ("a=%", OptionError.QueryFault.invalidEscape, 2),
        ("a=%4", .invalidEscape, 2),
        ("a=1&b=%zz", .invalidEscape, 6),
        ("a=%4&b=1", .invalidEscape, 2),
        ("a=x%00y", .nul, 3),
        ("a=1&b=%FF", .notUTF8, 6),
        ("a=%C3%28", .notUTF8, 2),
        ("%ED%A0%80=1", .notUTF8, 0),
    ])
    func `rejects a query that cannot be decoded, with the location`(
        query: String,
        fault: OptionError.QueryFault,
        at: Int
    ) {
        #expect(throws: OptionError.malformedQuery(fault, at: at)) { try QueryString.pairs(parsing: query) }
    }
}
