import SerializationSupport
import Testing

@testable import Serialization

/// CSV and tab-separated values as arrays of objects, or of arrays.
@Suite struct CSVReaderTests {
    private static let type = "text/csv"

    private func value(
        _ content: String,
        type: String = Self.type,
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> String? {
        serialize(type: type, content) { options in
            options.view = .value
            configure(&options)
        }.json
    }

    private func warnings(_ content: String, _ configure: (inout SerializationOptions) -> Void = { _ in }) -> [Warning]
    {
        serialize(type: Self.type, content, configure).warnings
    }

    private func rejection(
        of content: String,
        type: String = Self.type,
        limits: Limits = Limits(),
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> CSVError? {
        serialize(type: type, content, limits: limits, configure).chain.first?.contentError as? CSVError
    }

    private func location(_ byte: Int, _ line: Int, _ column: Int, _ pointer: String) -> Serialization.SourceLocation {
        Serialization.SourceLocation(byte: byte, line: line, column: column, pointer: pointer)
    }

    // MARK: Records

    @Test(arguments: [
        ("a,b\n1,2\n", #"[{"a":"1","b":"2"}]"#), ("a,b\n1,2", #"[{"a":"1","b":"2"}]"#), ("a,b", "[]"), ("a,b\n", "[]"),
        ("a,b\r\n1,2\r\n3,4\r\n", #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#),
        ("a,b\r1,2\r3,4", #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#),
        ("a,b\n1,2\r\n3,4\r5,6", #"[{"a":"1","b":"2"},{"a":"3","b":"4"},{"a":"5","b":"6"}]"#),
        ("a,b\n,\n", #"[{"a":"","b":""}]"#), ("a\n\n1\n", #"[{"a":""},{"a":"1"}]"#), ("a\n\"\"\n", #"[{"a":""}]"#),
        ("a,b\n 1 , 2\n", #"[{"a":" 1 ","b":" 2"}]"#), ("ü,\u{65E5}\né,\u{1F600}", #"[{"ü":"é","日":"😀"}]"#),
        ("a\n1\u{0}2\n", #"[{"a":"1\u00002"}]"#), ("a\\b\n\\n\n", #"[{"a\\b":"\\n"}]"#),
    ])
    func `each record is an object`(content: String, expected: String) {
        #expect(value(content) == expected)
    }

    @Test(arguments: [
        ("a,b\n\"x,y\",\"z\"\n", #"[{"a":"x,y","b":"z"}]"#), ("a\n\"x\"\"y\"\n", #"[{"a":"x\"y"}]"#),
        ("a\n\"\"\"\"\n", #"[{"a":"\""}]"#), ("a\n\"x\ny\r\nz\"\n", #"[{"a":"x\ny\r\nz"}]"#),
        ("\"a \"\"b\"\"\"\n1\n", #"[{"a \"b\"":"1"}]"#), ("a\n\"x\\\"\n", #"[{"a":"x\\"}]"#),
    ])
    func `quotes enclose delimiters, line ends and doubled quotes`(content: String, expected: String) {
        #expect(value(content) == expected)
        #expect(warnings(content) == [])
    }

    @Test(arguments: [
        ("a\n\"x\\\"y\"\n", #"[{"a":"x\"y"}]"#), ("a\n\"x\\\\\"\n", #"[{"a":"x\\"}]"#),
        ("a\n\"C:\\new\"\n", #"[{"a":"C:\\new"}]"#), ("a\n\"x\"\"y\"\n", #"[{"a":"x\"y"}]"#),
        ("a\n\\\"\n", #"[{"a":"\\\""}]"#),
    ])
    func `with csv-escape=backslash, a backslash escapes a quote and a backslash`(content: String, expected: String) {
        #expect(value(content) { $0.csvEscape = .backslash } == expected)
    }

    private static let noQuotes: @Sendable (inout SerializationOptions) -> Void = { $0.csvQuote = .none }

    @Test(arguments: [
        ("a,b\n\"x,2\n", #"[{"a":"\"x","b":"2"}]"#), ("a,b\n\"x\"y,\"\"\n", #"[{"a":"\"x\"y","b":"\"\""}]"#),
        ("\"a\",b\n5\" disk,\"\n", ##"[{"\"a\"":"5\" disk","b":"\""}]"##),
        ("a\n\"x\ny\"", #"[{"a":"\"x"},{"a":"y\""}]"#), ("a,b\r\n\",\"\r\n", #"[{"a":"\"","b":"\""}]"#),
        ("a;b\n\"1,2;3\n\"4,5;6\n", #"[{"a":"\"1,2","b":"3"},{"a":"\"4,5","b":"6"}]"#),
        ("a\nx\\\"y\n", #"[{"a":"x\\\"y"}]"#),
    ])
    func `with csv-quote=none, a quote is text, and line ends end records`(content: String, expected: String) {
        #expect(value(content, Self.noQuotes) == expected)
        #expect(warnings(content, Self.noQuotes) == [])
    }

    @Test(arguments: [
        ("a,b\nx\\,y,z\n", #"[{"a":"x,y","b":"z"}]"#), ("a,b\n1\\\n2,3\n", #"[{"a":"1\n2","b":"3"}]"#),
        ("a,b\r\n1\\\r\n2,3\r\n", #"[{"a":"1\r\n2","b":"3"}]"#), ("a\n\\\"x\\\\\n", #"[{"a":"\"x\\"}]"#),
        ("a\n\\N\\n\\", #"[{"a":"\\N\\n\\"}]"#), ("a\\,b,c\n\"x,\\\\\\,\"\n", #"[{"a,b":"\"x","c":"\\,\""}]"#),
        ("a;b\n1\\,2;3\n", #"[{"a":"1\\,2","b":"3"}]"#),
    ])
    func `without quotes, a backslash escapes delimiters, line ends, quotes and backslashes`(
        content: String,
        expected: String
    ) {
        let value = value(content) {
            $0.csvQuote = .none
            $0.csvEscape = .backslash
        }
        #expect(value == expected)
    }

    @Test(arguments: offsets)
    func `without quotes, fields are read at any offset of a block`(offset: Int) {
        let x = String(repeating: "x", count: offset)
        let content = "\"\(x),\(x)\"\n\(x)\"\(x),\"\"\n\(x)\\\\,\(x)"
        let expected = #"[["\"\#(x)","\#(x)\""],["\#(x)\"\#(x)","\"\""],["\#(x)\\\\","\#(x)"]]"#
        let escaped = #"[["\"\#(x)","\#(x)\""],["\#(x)\"\#(x)","\"\""],["\#(x)\\","\#(x)"]]"#
        for (escape, expected) in [(CSVEscape.quote, expected), (.backslash, escaped)] {
            let value = value(content) {
                $0.csvQuote = .none
                $0.csvEscape = escape
                $0.csvHeader = .absent
                $0.csvDelimiter = .character(UInt8(ascii: ","))
            }
            #expect(value == expected)
        }
    }

    /// Offsets around the ends of vectors of 16 bytes, blocks of 64 and pieces of 512.
    private static let offsets: [Int] = [
        0, 1, 7, 8, 12, 13, 14, 15, 16, 17, 31, 32, 33, 47, 48, 60, 61, 62, 63, 64, 65, 66, 126, 127, 128, 129, 510,
        511, 512, 513, 1022, 1023, 1024, 1025,
    ]

    @Test(arguments: offsets)
    func `delimiters, quotes and line ends are found at any offset of a block`(offset: Int) {
        let x = String(repeating: "x", count: offset)
        for (end, escaped) in [("\n", #"\n"#), ("\r", #"\r"#), ("\r\n", #"\r\n"#)] {
            let records = [
                (#"\#(x),y"#, #"["\#(x)","y"]"#), (#",\#(x)"#, #"["","\#(x)"]"#),
                ("\"\(x),\(end)\",\(x);", #"["\#(x),\#(escaped)","\#(x);"]"#),
                (#"\#(x)y"z",\#(x)"#, #"["\#(x)y\"z\"","\#(x)"]"#),
                (#""\#(x)""","\#(x)""\#(x)""""z""#, #"["\#(x)\"","\#(x)\"\#(x)\"\"z"]"#),
            ]
            let expected = "[" + records.map(\.1).joined(separator: ",") + "]"
            let content = records.map(\.0).joined(separator: end)
            for content in [content, content + end] {
                let value = value(content) {
                    $0.csvHeader = .absent
                    $0.csvDelimiter = .character(UInt8(ascii: ","))
                }
                #expect(value == expected)
            }
        }
    }

    @Test(arguments: offsets)
    func `escapes are decoded at any offset of a piece`(offset: Int) {
        let x = String(repeating: "x", count: offset)
        let field = #"\#(x)\"\\""\#(x)\n\\\"""\#u{1}"#
        let expected = #"[{"a":"\#(x)\"\\\"\#(x)\\n\\\"\"\u0001"}]"#
        #expect(value("a\n\"\(field)\"x\n") { $0.csvEscape = .backslash } == nil)
        #expect(value("a\n\"\(field)\"") { $0.csvEscape = .backslash } == expected)
        for (more, isWritten) in [(0, true), (-1, false)] {
            var limits = Limits()
            limits.maxOutputBytes = expected.utf8.count + more
            let result = serialize(type: Self.type, "a\n\"\(field)\"", limits: limits) { options in
                options.view = .value
                options.csvEscape = .backslash
            }
            #expect((result.json == expected) == isWritten)
        }
    }

    @Test func `a long field of quotes is read in linear time`() {
        let quotes = String(repeating: "\"", count: 1 << 20)
        let expected = String(repeating: #"\""#, count: 1 << 19)
        #expect(value("a\n\"" + quotes + "\"") == #"[{"a":""# + expected + #""}]"#)
        #expect(rejection(of: "a\n" + quotes + "\"")?.reason == .unterminatedQuote)
    }

    @Test(arguments: 0..<40)
    func `a field of any length is complete`(length: Int) {
        let text = String(repeating: "x", count: length)
        #expect(value("a,b\n\(text),\"\(text)\"") == #"[{"a":"\#(text)","b":"\#(text)"}]"#)
    }

    @Test func `a header has thousands of columns`() {
        let names = (0..<4_000).map { "c\($0)" }
        let record = names.map { #""\#($0)":"1""# }.joined(separator: ",")
        let content = names.joined(separator: ",") + "\n" + names.map { _ in "1" }.joined(separator: ",")
        #expect(value(content) == "[{" + record + "}]")
    }

    // MARK: The header

    @Test(arguments: [
        ("a,a,a", ["a", "a_2", "a_3"]), ("a,a,a_2", ["a", "a_3", "a_2"]), (",b,", ["_1", "b", "_3"]),
        ("a_2,a,a", ["a_2", "a", "a_3"]), ("_1,", ["_1", "_2"]), ("_2,", ["_2", "_2_2"]), ("a,A", ["a", "A"]),
    ])
    func `duplicate and empty names are made unique`(header: String, names: [String]) {
        let record = names.map { #""\#($0)":"""# }.joined(separator: ",")
        #expect(value(header + "\n" + String(repeating: ",", count: names.count - 1)) == "[{\(record)}]")
    }

    @Test func `each name that is changed is a warning`() {
        #expect(
            warnings("a,,a\n1,2,3") == [
                Warning(.csvEmptyName("_2"), at: location(2, 1, 3, "")),
                Warning(
                    .csvDuplicateName("a", "a_2"),
                    at: location(3, 1, 4, ""),
                    first: Serialization.SourceLocation(byte: 0, line: 1, column: 1)
                ),
            ]
        )
    }

    @Test func `many equal names are made unique in linear time`() {
        let count = 50_000
        let content = String(repeating: "a,", count: count) + "a"
        let result = serialize(type: Self.type, content)
        #expect(result.upstream.csv?.columns == count + 1)
        #expect(result.warnings.last?.kind == .truncated(count: count - 100))
    }

    @Test func `without a header each record is an array`() {
        #expect(value("1,2\n3,4") { $0.csvHeader = .absent } == #"[["1","2"],["3","4"]]"#)
        #expect(value("1,2", type: "text/csv; header=absent") == #"[["1","2"]]"#)
        #expect(value("a,b\n1,2", type: "text/csv; header=PRESENT") == #"[{"a":"1","b":"2"}]"#)
        #expect(value("a\n1", type: "text/csv; header=absent") { $0.csvHeader = .present } == #"[{"a":"1"}]"#)
    }

    // MARK: Delimiters

    @Test(arguments: [
        ("a;b\n1,5;2\n", #"[{"a":"1,5","b":"2"}]"#), ("a\tb\n1\t2", #"[{"a":"1","b":"2"}]"#),
        ("a|b\n1|2", #"[{"a":"1","b":"2"}]"#), ("a\n1;2", #"[{"a":"1;2"}]"#),
        ("\"a;b\",c\n1,2", #"[{"a;b":"1","c":"2"}]"#), ("x, y\tz\n1, 2\t3", #"[{"x, y":"1, 2","z":"3"}]"#),
        ("a,b;c,d\n1,2;3,4", #"[{"a":"1","b;c":"2;3","d":"4"}]"#),
        ("a;b,c\n1;2\n3;4", #"[{"a":"1","b,c":"2"},{"a":"3","b,c":"4"}]"#),
    ])
    func `the delimiter is determined from the first records`(content: String, expected: String?) {
        #expect(value(content) == expected)
    }

    @Test(arguments: [
        ("1,5;2,5;3,5\n1,6;2,6;3,6\n", #"[["1,5","2,5","3,5"],["1,6","2,6","3,6"]]"#),
        ("1,5\t2,5,1\n", #"[["1,5","2,5,1"]]"#),
        // A comma that is not a decimal one, another delimiter that is not in each record, and none.
        ("a,b;2,5\nc,d;2,5\n", #"[["a","b;2","5"],["c","d;2","5"]]"#),
        ("1,5;2,5\n1,6,2\n", #"[["1","5;2","5"],["1","6","2"]]"#),
        ("1,2,3\n4,5,6\n", #"[["1","2","3"],["4","5","6"]]"#),
    ])
    func `decimal commas are not delimiters if there is another one`(content: String, expected: String) {
        #expect(value(content) { $0.csvHeader = .absent } == expected)
    }

    @Test func `the option, the type and a line specify the delimiter`() {
        #expect(value("a,b\n1,2") { $0.csvDelimiter = .character(UInt8(ascii: ";")) } == #"[{"a,b":"1,2"}]"#)
        #expect(value("a,b\n1,2", type: "text/tab-separated-values") == #"[{"a,b":"1,2"}]"#)
        #expect(value("a\tb\n1\t2", type: "text/tab-separated-values") == #"[{"a":"1","b":"2"}]"#)
        #expect(value("a^b\n1^2") { $0.csvDelimiter = .character(UInt8(ascii: "^")) } == #"[{"a":"1","b":"2"}]"#)
        #expect(value("sep=;\na,b;c\n1;2") == #"[{"a,b":"1","c":"2"}]"#)
        #expect(value("\"SEP=|\"\r\na|b\r\n1|2") == #"[{"a":"1","b":"2"}]"#)
        #expect(warnings("sep=;\na;b\n1;2") == [Warning(.csvSeparatorLine, at: location(0, 1, 1, ""))])
        #expect(serialize(type: Self.type, "a;b\n1;2").upstream.csv == CSVFacts(delimiter: ";", columns: 2, records: 1))
    }

    @Test(
        arguments: [
            ("auto", .auto), ("comma", .character(0x2C)), ("semicolon", .character(0x3B)), ("tab", .character(0x09)),
            ("pipe", .character(0x7C)), ("^", .character(0x5E)), (" ", .character(0x20)), ("a", nil), ("1", nil),
            ("\"", nil), ("\\", nil), ("", nil), ("::", nil), ("\n", nil), ("\r", nil), ("\0", nil), ("é", nil),
            ("\u{1}", .character(0x01)), ("\u{B}", .character(0x0B)), ("\u{1F}", .character(0x1F)),
            ("\u{7F}", .character(0x7F)),
        ] as [(String, CSVDelimiter?)]
    )
    func `csv-delimiter is a name or a character`(text: String, expected: CSVDelimiter?) {
        #expect(CSVDelimiter(parsing: text) == expected)
        if let expected { #expect(CSVDelimiter(parsing: expected.text) == expected) }
    }

    @Test(arguments: [(UInt8(0x01), #"\u0001"#), (0x0B, #"\u000b"#), (0x1F, #"\u001f"#), (0x7F, "\u{7F}")])
    func `a control character can be the delimiter`(delimiter: UInt8, escaped: String) {
        let sign = String(Unicode.Scalar(delimiter))
        let result = serialize(type: Self.type, "a\(sign)b\n1,2\(sign)\"3\(sign)\"\n") {
            $0.csvDelimiter = .character(delimiter)
        }
        #expect(result.json?.lowercased().contains(#""value":[{"a":"1,2","b":"3\#(escaped)"}]"#) == true)
        #expect(result.json?.lowercased().contains(#""delimiter":"\#(escaped)","columns":2"#) == true)
        let error = rejection(of: "a\n\"1\"x") { $0.csvDelimiter = .character(delimiter) }
        #expect(error?.diagnostic.expected.first == "'\(Unicode.Scalar(delimiter).escaped(asASCII: true))'")
    }

    // MARK: Repairs and errors

    @Test func `a quote in a field is text, with a warning`() {
        let content = "a,b\n5\" disk,x\n \"y\",z"
        #expect(value(content) == #"[{"a":"5\" disk","b":"x"},{"a":" \"y\"","b":"z"}]"#)
        #expect(
            warnings(content) == [
                Warning(.csvBareQuote, at: location(5, 2, 2, "/0/a")),
                Warning(.csvBareQuote, at: location(15, 3, 2, "/1/a")),
            ]
        )
    }

    @Test func `an empty line is omitted, with a warning`() {
        let content = "\na,b\n\n1,2\n\n"
        #expect(value(content) == #"[{"a":"1","b":"2"}]"#)
        #expect(warnings(content).map(\.kind) == [.csvBlankLine, .csvBlankLine, .csvBlankLine])
        #expect(warnings(content).map(\.location?.line) == [1, 3, 5])
        #expect(value("\n\n") == "[]")
    }

    @Test(
        arguments: [
            ("a,b\n1,\"2\n", .unterminatedQuote, 6, 2, 3, "/0/b"),
            ("a\n\"x\"y\n", .textAfterQuote(delimiter: 0x2C), 5, 2, 4, "/0/a"),
            ("a,b\n1,2\n3\n", .tooFewFields(1, columns: 2), 9, 3, 2, "/1"),
            ("a,b\n1,2,3\n", .tooManyFields(columns: 2), 8, 2, 5, "/0"),
            ("\"a\n1", .unterminatedQuote, 0, 1, 1, ""), ("a/b\n\"", .unterminatedQuote, 4, 2, 1, "/0/a~1b"),
        ] as [(String, CSVReason, Int, Int, Int, String)]
    )
    func `an error reports its location`(
        content: String,
        reason: CSVReason,
        byte: Int,
        line: Int,
        column: Int,
        pointer: String
    ) {
        let error = rejection(of: content)
        #expect(error?.reason == reason)
        #expect(error?.location == location(byte, line, column, pointer))
    }

    @Test func `an error in an array reports its element`() {
        let error = rejection(of: "1,2\n3,\"") { $0.csvHeader = .absent }
        #expect(error?.location == location(6, 2, 3, "/1/1"))
        #expect(rejection(of: "1,2\n3") { $0.csvHeader = .absent }?.reason == .tooFewFields(1, columns: 2))
    }

    @Test func `lenient=ragged accepts records with another number of fields`() {
        let content = "a,b\n1\n1,2,3,4\n5,6\n"
        let lenient = { (options: inout SerializationOptions) in options.leniencies = .ragged }
        #expect(
            value(content, lenient) == #"[{"a":"1"},{"a":"1","b":"2","_extra":["3","4"]},{"a":"5","b":"6"}]"#
        )
        #expect(
            warnings(content, lenient) == [
                Warning(.lenient(.ragged), at: location(5, 2, 2, "/0")),
                Warning(.lenient(.ragged), at: location(10, 3, 5, "/1")),
            ]
        )
        #expect(value("a\n1,2,3,4,5\n", lenient) == #"[{"a":"1","_extra":["2","3","4","5"]}]"#)
        #expect(value("_extra\n1,2", lenient) == #"[{"_extra":"1","_extra_2":["2"]}]"#)
        #expect(
            value("1,2\n3\n4,5,6") {
                $0.leniencies = .ragged
                $0.csvHeader = .absent
            } == #"[["1","2"],["3"],["4","5","6"]]"#
        )
        #expect(value("a,b\n1,2") { $0.leniencies = .all } == #"[{"a":"1","b":"2"}]"#)
    }

    @Test func `limits are checked`() {
        var limits = Limits()
        limits.maxKeyBytes = 2
        #expect(serialize(type: Self.type, "ab\n1", limits: limits).json?.contains(#""value":[{"ab":"1"}]"#) == true)
        #expect(rejection(of: "a,abc\n1,2", limits: limits)?.reason == .keyTooLong(max: 2))
        limits = Limits()
        limits.maxObjectMembers = 2
        #expect(serialize(type: Self.type, "a,b\n1,2", limits: limits).json?.contains(#"[{"a":"1","b":"2"}]"#) == true)
        #expect(rejection(of: "a,b,c\n", limits: limits)?.reason == .tooManyColumns(max: 2))
        #expect(rejection(of: "a,b,c\n", limits: limits)?.location == location(4, 1, 5, ""))
        limits = Limits()
        let long = String(repeating: "x", count: 10_000)
        let error = rejection(of: long + String(repeating: "\n", count: 1000))
        #expect(error?.reason == .expansionTooLarge(maxBytes: 11_000 * 200 + 2 << 20))
        // The content counts, and not its text in UTF-8, which has twice the length.
        let latin1 = [UInt8](repeating: 0xE9, count: 10_000) + [UInt8](repeating: 0x0A, count: 1000)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: Self.type + ";charset=iso-8859-1")
        let failure = serialize(response, content: latin1)
        let latin1Error = failure.chain.first?.contentError as? CSVError
        #expect(latin1Error?.reason == .expansionTooLarge(maxBytes: 11_000 * 200 + 2 << 20))
        limits.maxOutputBytes = 10
        #expect(serialize(type: Self.type, "a\n1\n2", limits: limits).chain == [.outputTooLong(max: 10)])
    }

    // MARK: Values

    @Test func `an empty field is null with csv-empty=null, and nulls decides whether it is removed`() {
        func values(_ nulls: NullPolicy?, _ header: CSVHeader) -> String? {
            value("a,b\n1,\n\"\",2") {
                $0.csvEmpty = .null
                $0.nulls = nulls
                $0.csvHeader = header
            }
        }
        #expect(values(nil, .present) == #"[{"a":"1"},{"b":"2"}]"#)
        #expect(values(.keep, .present) == #"[{"a":"1","b":null},{"a":null,"b":"2"}]"#)
        #expect(values(.drop, .absent) == #"[["a","b"],["1",null],[null,"2"]]"#)
        #expect(values(.dropAll, .absent) == #"[["a","b"],["1"],["2"]]"#)
        let full = serialize(type: Self.type, "a,b\n1,") { $0.csvEmpty = .null }
        #expect(full.json?.contains(#""nullsDropped":1"#) == true)
    }

    @Test(
        arguments: [
            ("1,-20,0", "integer"), ("1,2.5,1e3", "decimal"), ("true,FALSE,True", "boolean"),
            ("2024-02-29,2024-12-31T23:59:60.5+01:00,2024-01-01 00:00:00", "date"), ("007,1", nil), ("+1,1", nil),
            ("1,", nil), ("1,x", nil), ("2023-02-29,2024-01-01", nil), ("1.,1", nil), ("true,1", nil), ("1,true", nil),
        ] as [(String, String?)]
    )
    func `hints name the type of a column if every record has it`(fields: String, expected: String?) {
        let records = fields.split(separator: ",", omittingEmptySubsequences: false).map { "\"\($0)\"" }
        let result = serialize(type: Self.type, "x,c\n" + records.map { "y,\($0)\n" }.joined()) { $0.hints = true }
        if let expected {
            #expect(result.json?.contains(#""hints":{"/*/c":"\#(expected)"}"#) == true)
        } else {
            #expect(result.json?.contains("hints") == false)
        }
    }

    @Test func `a null has no type, and a column without a header has a number`() {
        let result = serialize(type: Self.type, "x,1\ny,\n") {
            $0.hints = true
            $0.csvEmpty = .null
            $0.csvHeader = .absent
        }
        #expect(result.json?.contains(#""hints":{"/*/1":"integer"}"#) == true)
    }

    // MARK: Charsets

    private func result(_ bytes: [UInt8], type: String, _ leniencies: Leniencies = []) -> Serialized {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        var options = SerializationOptions()
        options.view = .value
        options.leniencies = leniencies
        return serialize(response, content: bytes, options: options)
    }

    @Test func `invalid UTF-8 is an error with its location, unless the type has a charset`() {
        let bytes = Array("a,b\n1,x".utf8) + [0xE9] + Array("y\n".utf8)
        let error = result(bytes, type: "text/csv").chain.first?.contentError as? CSVError
        #expect(
            error
                == CSVError(
                    .invalidEncoding("utf-8"),
                    at: location(7, 2, 4, "/0/b"),
                    found: #"'\xe9'"#,
                    excerpt: #"a,b\u{a}1,x\xe9y\u{a}"#
                )
        )
        #expect(result(bytes, type: "text/csv; charset=iso-8859-1").json == #"[{"a":"1","b":"xéy"}]"#)
        let lenient = result(bytes, type: "text/csv; charset=x-unknown", .declaredCharset)
        #expect(lenient.json == #"[{"a":"1","b":"xéy"}]"#)
        #expect(lenient.warnings.map(\.code) == ["response.charset_replaced", "response.transcoded"])
        let unknown = result(bytes, type: "text/csv; charset=x-unknown").chain.first?.contentError as? CSVError
        #expect(unknown?.reason == .unsupportedCharset("x-unknown"))
    }

    @Test func `a byte order mark is removed, and UTF-16 is detected`() {
        let marked = serialize(type: Self.type, "\u{FEFF}\"a\"\n1") { $0.view = .value }
        #expect(marked.json == #"[{"a":"1"}]"#)
        #expect(marked.warnings.map(\.code) == ["response.byte_order_mark"])
        let wide = "name,b\né,\"".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let error = result(wide, type: "text/csv").chain.first?.contentError as? CSVError
        #expect(error?.location == location(18, 2, 3, "/0/b"))
        // A text may begin with a null character.
        #expect(result(Array("\0,b\n1,2".utf8), type: "text/csv").json == #"[{"\u0000":"1","b":"2"}]"#)
    }

    /// The first characters are not ASCII, so that the bytes alone do not indicate the encoding.
    @Test(arguments: [
        "имя,город\nАнна,Москва\n", "日本,値段\n東京,5\n", "名前\n東京\n", "Όνομα,Πόλη\nΆννα,Αθήνα\n",
        "名,\u{3000}\n😀,é\n",
    ])
    func `UTF-16 and UTF-32 without a byte order mark are read as their label says`(text: String) {
        let expected = serialize(type: Self.type, text) { $0.view = .value }.json
        for (label, encoding) in [
            ("utf-16le", UnicodeEncoding.utf16LittleEndian), ("UTF-16BE", .utf16BigEndian),
            ("utf-16", .utf16LittleEndian), ("utf-16", .utf16BigEndian), ("ucs-2", .utf16LittleEndian),
            ("utf-32le", .utf32LittleEndian), ("utf-32be", .utf32BigEndian), ("utf-32", .utf32LittleEndian),
            ("utf-32", .utf32BigEndian),
        ] {
            let found = result(encoding.bytes(of: text), type: Self.type + "; charset=\(label)")
            #expect(found.json == expected, "\(label)")
            #expect(found.warnings.map(\.code) == ["response.transcoded"], "\(label)")
            #expect(found.upstream.representation.charset == encoding.rawValue)
        }
    }

    @Test func `a byte order mark, and text in another encoding, override a label of UTF-16`() {
        let text = "имя,b\nАнна,1\n"
        let expected = serialize(type: Self.type, text) { $0.view = .value }.json
        let marked = result(
            UnicodeEncoding.utf16LittleEndian.bytes(of: "\u{FEFF}" + text),
            type: Self.type + "; charset=utf-16be"
        )
        #expect(marked.json == expected)
        let codes = ["response.byte_order_mark", "response.charset_mismatch", "response.transcoded"]
        #expect(marked.warnings.map(\.code) == codes)
        let utf8 = result(Array(text.utf8), type: Self.type + "; charset=utf-16le")
        #expect(utf8.json == expected)
        #expect(utf8.warnings.map(\.code) == ["response.charset_mismatch"])
        // The bytes of most of the first characters indicate the order.
        let ascii = UnicodeEncoding.utf16BigEndian.bytes(of: "a,b\n1,2")
        let swapped = result(ascii, type: Self.type + "; charset=utf-16le")
        #expect(swapped.json == #"[{"a":"1","b":"2"}]"#)
        // No pair of bytes is ASCII in UTF-16.
        let latin1 = result(Array("a,b\n1,caf".utf8) + [0xE9], type: Self.type + "; charset=utf-16")
        let error = latin1.chain.first?.contentError as? CSVError
        #expect(error?.reason == .invalidEncoding("utf-8"))
    }

    @Test func `text that is not valid in its declared UTF-16 is an error with its location`() {
        let content = UnicodeEncoding.utf16BigEndian.bytes(of: "имя\nя") + [0xD8, 0, 0, 0x0A]
        let error = result(content, type: Self.type + "; charset=utf-16be").chain.first?.contentError as? CSVError
        #expect(error?.reason == .invalidEncoding("utf-16be"))
        #expect(error?.location.byte == 10)
    }

    // MARK: Selection

    @Test func `only the media type or the name selects it`() {
        for type in ["text/csv", "TEXT/CSV; charset=utf-8", "application/csv", "text/tab-separated-values"] {
            #expect(serialize(type: type, "a\n1").json?.hasPrefix(#"{"outcome":"value","serializer":"csv""#) == true)
        }
        #expect(serialize(type: "text/plain", "a,b\n1,2").json == nil)
        #expect(serialize(type: nil, "a,b\n1,2").json == nil)
        #expect(value("a,b\n1,2", type: "text/plain") { $0.serializer = .one(.csv) } == #"[{"a":"1","b":"2"}]"#)
        #expect(serialize(type: Self.type, "").json?.hasPrefix(#"{"outcome":"empty","serializer":"csv""#) == true)
    }

    @Test(arguments: [
        #"{"error":1}"#, "<html><body>", #"[{"a":1}]"#, " [ 1 ]", "%PDF-1.7", "[1,2]", "[true]", "[null]", "[\t1]",
        "\u{FEFF}<!DOCTYPE html>\n<html>", "\u{FEFF}{\"a\":1}", "\u{FEFF}[1]", "SQLite format 3\0", "PAR1\u{15}\u{4}",
        "ID3\u{3}\0", "\0\0\0 ftypmp42",
    ])
    func `auto rejects content of another format`(content: String) {
        #expect(serialize(type: Self.type, content).chain.first?.isTypeRejection == true)
    }

    @Test func `auto accepts fields that begin like JSON`() {
        #expect(value("[id],[name]\n1,2") == #"[{"[id]":"1","[name]":"2"}]"#)
        #expect(value("\"a\",\"b\"\n\"1\",\"2\"") == #"[{"a":"1","b":"2"}]"#)
        #expect(value("42\n7") == #"[{"42":"7"}]"#)
        #expect(value("ID3,PAR1\n1,2") == #"[{"ID3":"1","PAR1":"2"}]"#)
    }

    @Test(
        arguments: [
            ("a,b\n1,2\n", "text/csv"), ("a;b\r\n1;2", "text/csv"), ("a\tb\n1\t2", "text/csv"), ("a,b", nil),
            ("Hello, world\nBye, all", nil), ("a\nb", nil), ("a,b\n1", nil),
            ("data: a,b\ndata: c,d\n\n", "text/event-stream"),
        ] as [(String, String?)]
    )
    func `a problem proposes the type only for content that resembles it`(content: String, type: String?) {
        #expect(MediaType.proposed(for: Array(content.utf8).span) == type)
    }

    @Test func `a compound tries it like any other`() {
        #expect(value("a\n1") { $0.serializer = .compound([.json, .csv]) } == #"[{"a":"1"}]"#)
    }

    @Test func `profile afnetworking does not accept it`() {
        let result = serialize(type: Self.type, "a\n1") {
            $0.rules = .afnetworking
            $0.serializer = .one(.csv)
        }
        #expect(result.json == nil)
    }

    // MARK: Truncated content

    @Test func `of content that ends early, the records before the last line end are used, wherever it ends`() throws {
        let fields = ["", "1", "2.5", "true", "é日", "\"a\"", "\"x\ny\"", "\"a \"\"b\"\"\"", "2024-01-31"]
        for round in 0..<300 {
            var (text, ends): ([UInt8], [Int]) = ([], [0])
            for index in 0..<5 {
                let count = round % 2 == 0 ? 3 : Int.random(in: 1...4)
                let names = ["id", "\"nä\nme\"", "c", "d"]
                let record = try (0..<count).map { index == 0 ? names[$0] : try #require(fields.randomElement()) }
                let lineEnd = try #require(["\n", "\r\n", "\r"].randomElement())
                text += Array((record.joined(separator: ",") + lineEnd).utf8)
                ends.append(text.count)
                if lineEnd == "\r\n" { ends.append(text.count - 1) }
            }
            for count in 1...text.count {
                let end = try #require(ends.filter { $0 <= count }.max())
                var options = CSVReader.Options(memory: .unlimited)
                options.delimiter = .character(UInt8(ascii: ","))
                options.hints = true
                options.header = round % 3 == 0 ? .absent : .present
                if round % 2 == 1 { options.leniencies = [.ragged] }
                let intact = try read(text.prefix(end), options)
                options.isTruncated = true
                let answer = try read(text.prefix(count), options)
                #expect(answer.value == intact.value)
                #expect(answer.summary == intact.summary)
                #expect(answer.warnings == intact.warnings + (end < count ? [.csvUnfinished] : []))
            }
        }
    }

    private func read(
        _ content: ArraySlice<UInt8>,
        _ options: CSVReader.Options
    ) throws -> (value: String, summary: CSVReader.Summary, warnings: [Warning.Kind]) {
        var writer = JSONWriter(capacity: 256)
        var warnings = WarningList(max: 100)
        let bytes = Array(content)
        let summary = try CSVReader.read(bytes.span, options: options, into: &writer, warnings: &warnings)
        return (String(decoding: [UInt8](writer.buffer), as: UTF8.self), summary, warnings.listed.map(\.kind))
    }

    @Test func `an error before the last record of content that ends early is an error`() {
        for (content, reason) in [
            ("a,b\n1\n2,3", CSVReason.tooFewFields(1, columns: 2)), ("a\n\"1\"x\n2", .textAfterQuote(delimiter: 0x2C)),
            ("a,b\n1,2,3\n4", .tooManyFields(columns: 2)),
        ] {
            let error = truncated(Array(content.utf8)).chain.first?.contentError as? CSVError
            #expect(error?.reason == reason, "\(content)")
        }
        let invalid = truncated(Array("a\n".utf8) + [0xFF]).chain.first?.contentError as? CSVError
        #expect(invalid?.reason == .invalidEncoding("utf-8"))
    }

    @Test func `content that is known to end early has the records before the last line end`() {
        let answer = truncated(Array("id,amount\n1,2500\n2,25".utf8))
        #expect(answer.json == #"[{"id":"1","amount":"2500"}]"#)
        let unfinished = Warning(.csvUnfinished, at: location(17, 3, 1, "/1"))
        #expect(answer.warnings == [Warning(.messageTruncated(declared: nil, received: 21)), unfinished])
    }

    @Test(arguments: [
        ("21", TruncatedPolicy.allow, true), ("12", .allow, true), ("11", .allow, false), ("10", .allow, false),
        ("21", .reject, false),
    ])
    func `content that is shorter than its length ends early`(
        length: String,
        truncated: TruncatedPolicy,
        endsEarly: Bool
    ) {
        var response = UpstreamResponse()
        response.hasAllFields = true
        response.fields.append(name: "Content-Type", value: Self.type)
        response.fields.append(name: "Content-Length", value: length)
        var options = SerializationOptions()
        (options.view, options.truncated) = (.value, truncated)
        let answer = serialize(response, content: Array("a,b\n1,2\n3,4".utf8), options: options)
        #expect(answer.json == (endsEarly ? #"[{"a":"1","b":"2"}]"# : #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#))
        #expect(answer.warnings.contains { $0.code == "csv.unfinished" } == endsEarly)
    }

    /// The length is that of UTF-16, or of other line ends.
    @Test func `text that the caller has decoded is not compared with its length`() {
        var response = UpstreamResponse()
        response.hasAllFields = true
        response.hasUnicodeContent = true
        response.fields.append(name: "Content-Type", value: Self.type + ";charset=utf-16")
        response.fields.append(name: "Content-Length", value: "24")
        var options = SerializationOptions()
        (options.view, options.truncated) = (.value, .allow)
        let answer = serialize(response, content: Array("a,b\n1,2\n3,4".utf8), options: options)
        #expect(answer.json == #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#)
        #expect(answer.warnings.map(\.code) == ["response.charset_mismatch"])
    }

    @Test(arguments: [(CSVHeader.present, ""), (.absent, "/0")])
    func `a warning reports which record was not complete, although there is no other`(
        header: CSVHeader,
        pointer: String
    ) {
        let answer = truncated(Array("id,amo".utf8)) { $0.csvHeader = header }
        #expect(answer.json == "[]")
        #expect(answer.warnings.last == Warning(.csvUnfinished, at: location(0, 1, 1, pointer)))
    }

    private func truncated(
        _ content: [UInt8],
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Serialized {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: Self.type)
        response.message = MessageFacts(warnings: [Warning(.messageTruncated(declared: nil, received: content.count))])
        var options = SerializationOptions()
        options.view = .value
        configure(&options)
        return serialize(response, content: content, options: options)
    }
}
