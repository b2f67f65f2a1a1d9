import Serialization
import Testing

@Suite struct JSONReaderTests {
    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#),
        (" \t\r\n{ \"a\" : [ 1 , 2 , { } , [ ] ] } \n", #"{"a":[1,2,{},[]]}"#),
        ("{\n                    \"a\":\n                                  true}", #"{"a":true}"#),
        ("[true,false]", "[true,false]"),
        (#""text""#, #""text""#),
        ("false", "false"),
        ("null", "null"),
        (#"["",{"":""}]"#, #"["",{"":""}]"#),
    ])
    func `removes white space and keeps the rest`(content: String, expected: String) throws {
        #expect(try read(content) == JSONReading(text: expected))
    }

    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e1", "1E+1", "1e-1", "1.50e+300", "123456789012345678901234567890",
        "-65.613616999999977", "3.141592653589793238462643383279502884197169399375105820974944", "1e99999",
        "1234567890123456", "12345678901234567", "0.1234567890123456", "-0.123456789012345e-12",
    ])
    func `keeps the text of numbers`(number: String) throws {
        #expect(try read(number).text == number)
        #expect(try read("[\(number)]").text == "[\(number)]")
        #expect(try read("[\(number) , \(number)                  ]").text == "[\(number),\(number)]")
    }

    @Test(arguments: [
        #""""#, #""a""#, #""exactly 14 byte""#, #""fifteen bytes !""#, #""sixteen bytes !!""#, #""seventeen bytes !""#,
        #""\"\\\/\b\f\n\r\t""#, #""\u00e9\u00E9\u0000""#, #""\ud83d\ude00""#, #""é""#, #""漢字かな""#, #""😀""#,
        #""a plain text that is quite a bit longer than two vectors of sixteen bytes""#,
        #""mixed é text 漢 with 😀 all \n kinds \u20ac of things, and then some more to cross vectors""#,
        #""\\""#, #""0123456789abcd\\""#, #""0123456789abcde\"""#, #""0123456789abcdeé""#,
        "\"\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}\"",
    ])
    func `keeps the text of strings`(string: String) throws {
        #expect(try read(string).text == string)
        #expect(try read("{\(string):\(string)}").text == "{\(string):\(string)}")
        #expect(try read("[ \(string) ,                  \(string) ]").text == "[\(string),\(string)]")
    }

    @Test func `keeps the order of members`() throws {
        let content = #"{"z":1,"a":2,"m":{"y":1,"b":2},"10":3,"9":4}"#
        #expect(try read(content).text == content)
    }

    @Test func `accepts a scalar only if fragments are allowed`() {
        let expected = JSONError(
            .topLevelScalar,
            at: SourceLocation(byte: 1, line: 1, column: 2, pointer: ""),
            found: "'t'",
            excerpt: " true"
        )
        #expect(refusal(of: " true") { $0.fragments = false } == expected)
        for scalar in ["null", "1", "-1", #""a""#, "false"] {
            #expect(refusal(of: scalar) { $0.fragments = false }?.reason == .topLevelScalar)
        }
        #expect(refusal(of: "[1]") { $0.fragments = false } == nil)
    }
}

@Suite struct JSONNullTests {
    @Test(arguments: [
        (#"{"a":null}"#, "{}", 1),
        (#"{"a":null,"b":1}"#, #"{"b":1}"#, 1),
        (#"{"a":1,"b":null}"#, #"{"a":1}"#, 1),
        (#"{"a":1,"b":null,"c":2}"#, #"{"a":1,"c":2}"#, 1),
        (#"{"a":null,"b":null,"c":2,"d":null}"#, #"{"c":2}"#, 3),
        (#"{ "a" : { "b" : null } , "c" : [ { "d" : null } ] }"#, #"{"a":{},"c":[{}]}"#, 2),
        ("[null,1,null]", "[null,1,null]", 0),
        ("null", "null", 0),
        (#"{"a":"null","b":[null]}"#, #"{"a":"null","b":[null]}"#, 0),
    ])
    func `drop removes members`(content: String, expected: String, count: Int) throws {
        #expect(try read(content) == JSONReading(text: expected, nullsDropped: count))
    }

    @Test(arguments: [
        ("[null,1,null]", "[1]", 2),
        ("[[null],[[null,2]]]", "[[],[[2]]]", 2),
        ("[null]", "[]", 1),
        ("[1,null,null,2]", "[1,2]", 2),
        (#"{"a":[null,{"b":null}],"c":null}"#, #"{"a":[{}]}"#, 3),
        ("null", "null", 0),
    ])
    func `drop-all also removes elements`(content: String, expected: String, count: Int) throws {
        #expect(try read(content) { $0.nulls = .dropAll } == JSONReading(text: expected, nullsDropped: count))
    }

    @Test func `keep keeps all of them`() throws {
        let content = #"{"a":null,"b":[null]}"#
        #expect(try read(content) { $0.nulls = .keep } == JSONReading(text: content))
    }
}

@Suite struct JSONDuplicateTests {
    private func text(_ content: String, _ duplicates: DuplicateNames, nulls: NullPolicy = .drop) throws -> String {
        try read(content) {
            $0.duplicates = duplicates
            $0.nulls = nulls
        }.text
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, #"{"a":2}"#, #"{"a":1}"#),
        (#"{"a":1,"b":2,"a":3}"#, #"{"b":2,"a":3}"#, #"{"a":1,"b":2}"#),
        (#"{"a":1,"b":2,"a":3,"b":4,"a":5}"#, #"{"b":4,"a":5}"#, #"{"a":1,"b":2}"#),
        (#"{"a":1,"\u0061":2}"#, #"{"\u0061":2}"#, #"{"a":1}"#),
        (#"{"é":1,"\u00e9":2}"#, #"{"\u00e9":2}"#, #"{"é":1}"#),
        (#"{"\ud83d\ude00":1,"😀":2}"#, #"{"😀":2}"#, #"{"\ud83d\ude00":1}"#),
        (#"{"":1,"":2}"#, #"{"":2}"#, #"{"":1}"#),
        (#"{"a":1,"a":null}"#, "{}", #"{"a":1}"#),
        (#"{"a":null,"a":1}"#, #"{"a":1}"#, "{}"),
        (#"{"x":null,"a":1,"a":2,"b":3}"#, #"{"a":2,"b":3}"#, #"{"a":1,"b":3}"#),
        (#"{"a":{"b":1,"b":2},"a":{"c":1,"c":2}}"#, #"{"a":{"c":2}}"#, #"{"a":{"b":1}}"#),
        (#"{"a":[1,2],"b":{"a":1},"a":[3]}"#, #"{"b":{"a":1},"a":[3]}"#, #"{"a":[1,2],"b":{"a":1}}"#),
        (
            #"{"name that is long 1":1,"name that is long 2":2,"name that is long 1":3}"#,
            #"{"name that is long 2":2,"name that is long 1":3}"#, #"{"name that is long 1":1,"name that is long 2":2}"#
        ),
    ])
    func `the kept member stays at its position`(content: String, last: String, first: String) throws {
        #expect(try text(content, .last) == last)
        #expect(try text(content, .first) == first)
        #expect(try text(content, .keep, nulls: .keep) == content)
    }

    @Test func `each is a warning with its location and that of the first`() throws {
        let warnings = try read(#"{"a":1,"b":{"c":1,"c":2},"\u0061":3}"#).warnings
        #expect(
            warnings == [
                Warning(
                    .duplicateName("c", kept: .last),
                    at: SourceLocation(byte: 18, line: 1, column: 19, pointer: "/b/c"),
                    first: SourceLocation(byte: 12, line: 1, column: 13, pointer: "/b/c")
                ),
                Warning(
                    .duplicateName("a", kept: .last),
                    at: SourceLocation(byte: 25, line: 1, column: 26, pointer: "/a"),
                    first: SourceLocation(byte: 1, line: 1, column: 2, pointer: "/a")
                ),
            ]
        )
    }

    /// 20 other members make the object so long that its names are looked up in a table.
    @Test(arguments: ["", String((0..<100).map { #""x\#($0)":0,"# }.joined())], [DuplicateNames.last, .first])
    func `the first of many is the same for each`(others: String, policy: DuplicateNames) throws {
        let content = "[\n" + #"{"a":1,\#(others)"a":2,"# + "\n" + #""\u0061":3,"a":4}]"#
        let warnings = try read(content) { $0.duplicates = policy }.warnings
        #expect(warnings.count == 3)
        #expect(warnings.allSatisfy { $0.first == SourceLocation(byte: 3, line: 2, column: 2, pointer: "/0/a") })
        #expect(warnings.map(\.location?.line) == [2, 3, 3])
    }

    @Test func `locations are those of the content before repairs, and of the record`() throws {
        let content = "{}\n{/* é */\"a\":1,\n\"a\":2}"
        let reading = try read(content) {
            $0.leniencies = .comments
            $0.records = .concatenated
        }
        let duplicate = try #require(reading.warnings.first { $0.first != nil })
        #expect(duplicate.first == SourceLocation(byte: 12, line: 2, column: 9, pointer: "/1/a", record: 1))
        #expect(duplicate.location == SourceLocation(byte: 19, line: 3, column: 1, pointer: "/1/a", record: 1))
    }

    @Test func `reject rejects the second one`() {
        let error = refusal(of: #"{"a":1,"b":[{"c":1,"\u0063":2}]}"#) { $0.duplicates = .reject }
        #expect(error?.reason == .duplicateName("c"))
        #expect(error?.location == SourceLocation(byte: 19, line: 1, column: 20, pointer: "/b/0/c"))
    }

    /// Objects of one shape use the cache, short ones a linear search, long ones the table: all with the same result.
    @Test(arguments: [2, 16, 17, 63, 64, 65, 66, 300, 5000])
    func `finds one in an object of any size`(count: Int) throws {
        let names = (0..<count).map { #""member number \#($0)""# }
        let plain = "{" + names.map { "\($0):1" }.joined(separator: ",") + "}"
        for duplicate in Set([0, 1, count / 2, count - 1]) {
            let kept = names.indices.filter { $0 != duplicate }.map { "\(names[$0]):1" }.joined(separator: ",")
            let content = "[\(plain),\(plain.dropLast()),\(names[duplicate]):2},\(plain)]"
            let expected = "[\(plain),{\(kept)\(kept.isEmpty ? "" : ",")\(names[duplicate]):2},\(plain)]"
            let reading = try read(content)
            #expect(reading.text == expected)
            #expect(reading.warnings.count == 1)
            #expect(try text(content, .first) == "[\(plain),\(plain),\(plain)]")
        }
    }

    @Test func `siblings of the same and of different shapes are kept separate`() throws {
        let content =
            #"[{"a":1,"b":{"x":1,"y":2}},{"a":1,"b":{"x":1,"z":2}},{"b":1,"a":2},{"a":1},{"a":1,"b":2,"c":3}]"#
        #expect(try read(content) == JSONReading(text: content))
    }

    @Test func `an overridden duplicate does not reappear from an earlier sibling`() throws {
        let content = #"[{"a":1,"b":2,"b":3},{"a":1,"b":2},{"a":1,"b":2,"a":3}]"#
        #expect(try text(content, .last) == #"[{"a":1,"b":3},{"a":1,"b":2},{"b":2,"a":3}]"#)
    }

    @Test func `lists a hundred and counts the rest`() throws {
        let content = "{" + (0..<250).map { _ in #""a":1"# }.joined(separator: ",") + "}"
        let reading = try read(content)
        #expect(reading.text == #"{"a":1}"#)
        #expect(reading.warnings.count == 101)
        #expect(reading.warnings.last == Warning(.truncated(count: 149)))
    }
}
