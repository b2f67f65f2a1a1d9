import Serialization
import Testing

@Suite struct JSONRecordTests {
    @Test(arguments: [
        (JSONReader.RecordFormat.lines, "{\"a\":1}\n{\"b\":null}\n", #"[{"a":1},{}]"#),
        (.lines, "{\"a\":1}\r\n\r\n  [2]  \r\n3", #"[{"a":1},[2],3]"#),
        (.lines, "", "[]"),
        (.lines, "\n\n", "[]"),
        (.lines, "1\n2\n", "[1,2]"),
        (.concatenated, #"{"a":1}{"b":2} [3]"x"4 true"#, #"[{"a":1},{"b":2},[3],"x",4,true]"#),
        (.concatenated, "[][]", "[[],[]]"),
        (.sequence, "\u{1E}{\"a\":1}\n\u{1E}[2]\n", #"[{"a":1},[2]]"#),
        (.sequence, "\u{1E}\u{1E}1\n\u{1E}", "[1]"),
    ])
    func `many values become an array`(format: JSONReader.RecordFormat, content: String, expected: String) throws {
        #expect(try read(content) { $0.records = format }.text == expected)
    }

    @Test(arguments: [
        (JSONReader.RecordFormat.lines, "{\"a\":1}\n{\"b\":x}\n", 13, 1, "/1/b"),
        (.lines, "{\"a\":1} {\"b\":2}\n", 8, 0, "/0"),
        (.lines, "1\n{\"a\":[1", 9, 1, "/1/a/0"),
        (.concatenated, "[1][2]]", 6, 2, "/2"),
        (.sequence, "\u{1E}1\n\u{1E}{\"trunc\":", 13, 1, "/1/trunc"),
        (.sequence, "{}", 0, 0, "/0"),
    ])
    func `an error names the record`(
        format: JSONReader.RecordFormat,
        content: String,
        byte: Int,
        record: Int,
        pointer: String
    ) {
        let location = refusal(of: content) { $0.records = format }?.location
        #expect(location?.byte == byte)
        #expect(location?.record == record)
        #expect(location?.pointer == pointer)
    }

    @Test func `duplicates and nulls are found in each`() throws {
        let reading = try read("{\"a\":1,\"a\":2}\n{\"a\":null}\n{\"b\":{\"c\":1,\"c\":2}}") { $0.records = .lines }
        #expect(reading.text == #"[{"a":2},{},{"b":{"c":2}}]"#)
        #expect(reading.nullsDropped == 1)
        #expect(
            reading.warnings.map(\.location) == [
                SourceLocation(byte: 7, line: 1, column: 8, pointer: "/0/a", record: 0),
                SourceLocation(byte: 37, line: 3, column: 13, pointer: "/2/b/c", record: 2),
            ]
        )
    }

    @Test(arguments: [
        (#"truefalse{"a":1,"a":2}"#, 2, "/2/a"),
        (#"1-1{"a":1,"a":2}"#, 2, "/2/a"),
        (#"nulltrue"x"null[{"a":1,"a":2}]"#, 4, "/4/0/a"),
    ])
    func `values without separators are counted individually`(content: String, record: Int, pointer: String) throws {
        let warning = try #require(try read(content) { $0.records = .concatenated }.warnings.first)
        #expect(warning.location?.record == record)
        #expect(warning.location?.pointer == pointer)
    }

    @Test(arguments: [
        ("\u{1E}1\u{1E}[2]\n", "[[2]]", 1, 0),
        ("\u{1E}[1]\n\u{1E}12", "[[1]]", 6, 1),
        ("\u{1E}true\u{1E}{}\u{1E}\"x\"", #"[{},"x"]"#, 1, 0),
        ("\u{1E}null", "[]", 1, 0),
    ])
    func `a number or literal that ends a record without white space may be truncated`(
        content: String,
        expected: String,
        byte: Int,
        record: Int
    ) throws {
        let reading = try read(content) { $0.records = .sequence }
        #expect(reading.text == expected)
        #expect(reading.warnings.map(\.code) == ["json.possibly_truncated"])
        #expect(reading.warnings.map(\.location?.byte) == [byte])
        #expect(reading.warnings.map(\.location?.record) == [record])
        #expect(reading.warnings.map(\.location?.pointer) == ["/\(record)"])
    }

    @Test(arguments: [
        (JSONReader.RecordFormat.lines, "null\n1\n null \n\"n\"\nnull"),
        (.sequence, "\u{1E}null\n\u{1E}1\n\u{1E}null \u{1E}\"n\""),
        (.concatenated, "null 1 null \"n\" null"),
    ])
    func `records that are null are elements of the array`(
        format: JSONReader.RecordFormat,
        content: String
    ) throws {
        let reading = try read(content) { ($0.records, $0.nulls) = (format, .dropAll) }
        #expect(reading.text == #"[1,"n"]"#)
        #expect(reading.nullsDropped == (format == .sequence ? 2 : 3))
        #expect(reading.warnings.isEmpty)
        let kept = try read(content) { ($0.records, $0.nulls) = (format, .drop) }
        #expect(kept.text.hasPrefix("[null,1,null,") && kept.nullsDropped == 0)
        let only = try read("null\nnull") { ($0.records, $0.nulls) = (.lines, .dropAll) }
        #expect(only.text == "[]")
    }

    @Test func `a value of NDJSON may take several lines, and a lone carriage return ends one`() throws {
        #expect(try read("{\n\"a\":\n1}\n[2]") { $0.records = .lines }.text == #"[{"a":1},[2]]"#)
        #expect(try read("1\r2\r\r3") { $0.records = .lines }.text == "[1,2,3]")
    }

    @Test func `a million small records take linear time and memory`() throws {
        let count = 200_000
        let content = String(repeating: "{}\n", count: count)
        let reading = try read(content) { $0.records = .lines }
        #expect(reading.text.utf8.count == 3 * count + 1)
    }
}

@Suite struct JSONPrefixTests {
    @Test(arguments: [
        ")]}'\n", ")]}',\n", "while(1);", "for(;;);", "for (;;);", "while (1) ; ", "throw 1; <dont be evil>\n",
        "throw 1;", "{}&& ",
        "&&&START&&&", "  )]}'\n",
    ])
    func `a guard is removed`(prefix: String) throws {
        let reading = try read(prefix + #"{"a":1}"#)
        #expect(reading.text == #"{"a":1}"#)
        guard case .prefix = reading.warnings.first?.kind else {
            Issue.record("no warning")
            return
        }
        #expect(refusal(of: prefix + #"{"a":1}"#) { $0.prefixes = .reject } != nil)
    }

    @Test(arguments: [
        (#"cb({"a":1});"#, "cb("),
        (#"/**/cb({"a":1})"#, "/**/cb("),
        (#"/**/callback_1.x["y"]({"a":1});"#, #"/**/callback_1.x["y"]("#),
        (#"/**/ typeof cb === 'function' && cb({"a":1});"#, "/**/ typeof cb === 'function' && cb("),
        ("cb ( {\"a\":1} ) ; \n", "cb ("),
    ])
    func `JSONP is removed if it is accepted`(content: String, prefix: String) throws {
        let reading = try read(content) { $0.acceptsJSONP = true }
        #expect(reading.text == #"{"a":1}"#)
        #expect(
            reading.warnings == [Warning(.prefix(prefix), at: SourceLocation(byte: 0, line: 1, column: 1, pointer: ""))]
        )
        #expect(refusal(of: content) != nil)
    }

    @Test func `locations include the prefix`() {
        let error = refusal(of: ")]}',\n{\"a\":x}")
        #expect(error?.location == SourceLocation(byte: 11, line: 2, column: 6, pointer: "/a"))
    }

    @Test(arguments: ["cb({}", "cb{}", "({})", "cb({}) x", ")]}", "whale(1);{}", "{}", "cb)("])
    func `text that only looks like a prefix is read unchanged`(content: String) throws {
        let strict = try? read(content).text
        let lenient = try? read(content) { $0.acceptsJSONP = true }.text
        #expect(strict == lenient)
        #expect(strict == (content == "{}" ? "{}" : nil))
    }
}
