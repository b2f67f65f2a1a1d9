import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// `select` and `omit` for the values of serializers.
@Suite struct ValuePartsTests {
    private func parts(
        select: String = "",
        omit: String? = nil,
        missing: MissingPart = .reject
    ) throws -> ValueParts {
        var parts = ValueParts()
        parts.selected = try PartPointer(parsing: select)
        parts.missing = missing
        if let omit { parts.omitted = try ValueParts.patterns(parsing: omit) }
        return parts
    }

    private func value(
        _ content: String,
        type: String = "application/json",
        select: String = "",
        omit: String? = nil,
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) throws -> String? {
        let parts = try parts(select: select, omit: omit)
        let result = serialize(type: type, content) { options in
            options.view = .value
            options.parts = parts
            configure(&options)
        }
        return result.json
    }

    private func missing(_ content: String, _ select: String, omit: String? = nil) throws -> PartNotFound? {
        let parts = try parts(select: select, omit: omit)
        let result = serialize(type: "application/json", content) { $0.parts = parts }
        guard result.chain.count == 1, case .partNotFound(let error) = result.chain[0] else { return nil }
        return error
    }

    // MARK: Selecting

    @Test(arguments: [
        ("", #"{"a":{"b":[10,{"c":"x"}]},"":1,"a/b":2,"m~n":3,"0":4}"#), ("/a", #"{"b":[10,{"c":"x"}]}"#),
        ("/a/b", #"[10,{"c":"x"}]"#), ("/a/b/0", "10"), ("/a/b/1/c", #""x""#), ("/", "1"), ("/a~1b", "2"),
        ("/m~0n", "3"), ("/0", "4"),
    ])
    func `the value is the selected part`(select: String, expected: String) throws {
        let content = #"{"a": {"b": [10, {"c": "x"}]}, "": 1, "a/b": 2, "m~n": 3, "0": 4}"#
        #expect(try value(content, select: select) == expected)
    }

    @Test func `names are compared as bytes, after their escapes are decoded`() throws {
        let content = #"{"\u0061":1,"\"":2,"\\":3,"\u00e9":4,"e\u0301":5,"\ud83d\ude00":6,"A":7,"\n":8}"#
        for (select, expected) in [
            ("/a", "1"), ("/\"", "2"), ("/\\", "3"), ("/é", "4"), ("/e\u{301}", "5"), ("/😀", "6"), ("/A", "7"),
            ("/\n", "8"),
        ] {
            #expect(try value(content, select: select) == expected)
        }
        #expect(try missing(content, "/\\u0061") != nil)
    }

    @Test(arguments: [
        ("/a/b/2", "/a/b", PartNotFound.Parent.array, 10), ("/a/b/-", "/a/b", .array, 10),
        ("/a/b/00", "/a/b", .array, 10), ("/a/b/1/x", "/a/b/1", .scalar, 13), ("/a/x/y", "/a", .object, 5),
        ("/x", "", .object, 0), ("/a/b/99999999999999999999", "/a/b", .array, 10), ("/a/s/x/y", "/a/s", .scalar, 22),
        ("/a/s/0", "/a/s", .scalar, 22),
    ])
    func `a missing part is an error with the longest prefix that exists`(
        select: String,
        prefix: String,
        parent: PartNotFound.Parent,
        byte: Int
    ) throws {
        let error = try #require(try missing(#"{"a":{"b":[7,"["],"s":"{"}}"#, select))
        #expect(error.selected == select)
        #expect(error.parent == parent)
        #expect(error.location.pointer == prefix)
        #expect(error.location.byte == byte)
        #expect(error.location.isInValue)
    }

    @Test func `a missing part of a scalar has no prefix`() throws {
        let error = try #require(try missing("7", "/a"))
        #expect(error.diagnostic.sentence == "there is no part '/a' (select): the value has no members or elements")
        #expect(error.location.pointer == "")
    }

    @Test func `with select-missing=empty the outcome is empty`() throws {
        let missing = try parts(select: "/b", missing: .empty)
        let result = serialize(type: "application/json", #"{"a":1}"#) { $0.parts = missing }
        let start = #"{"outcome":"empty","serializer":"json","value":null,"upstream":{"#
        #expect(result.json?.hasPrefix(start) == true)
        let alone = serialize(type: "application/json", #"{"a":1}"#) { options in
            options.parts = missing
            options.view = .value
        }
        #expect(alone.json == "")
    }

    @Test func `nulls are counted without the part, too`() throws {
        let missing = try parts(select: "/b", missing: .empty)
        let result = serialize(type: "application/json", #"{"a":{"c":null},"d":null}"#) { $0.parts = missing }
        let start = #"{"outcome":"empty","serializer":"json","value":null,"nullsDropped":2,"upstream":{"#
        #expect(result.json?.hasPrefix(start) == true)
    }

    @Test func `what lies outside of the part is validated`() throws {
        let part = try parts(select: "/a")
        for content in [#"{"a":1,"b":tru}"#, #"{"a":1} x"#, #"{"a":1,"b":"\q"}"#] {
            #expect(serialize(type: "application/json", content) { $0.parts = part }.chain.first?.contentError != nil)
        }
    }

    @Test func `the pointer refers to the value after nulls are removed and duplicates resolved`() throws {
        #expect(try missing(#"{"a":null}"#, "/a") != nil)
        #expect(try value(#"{"a":null}"#, select: "/a") { $0.nulls = .keep } == "null")
        #expect(try value(#"[null,1]"#, select: "/0") { $0.nulls = .dropAll } == "1")
        #expect(try value(#"{"a":1,"a":2}"#, select: "/a") == "2")
        let both = #"{"a":1,"a":{"b":2}}"#
        #expect(try value(both, select: "/a") { $0.duplicates = .keep } == "1")
        #expect(try value(both, select: "/a/b") { $0.duplicates = .keep } == "2")
        #expect(try value(both, omit: "/a") { $0.duplicates = .keep } == "{}")
    }

    @Test func `of a rejected response nothing is selected, and parts are left out`() throws {
        let parts = try parts(select: "/data", omit: "/secret")
        let result = serialize(status: 500, type: "application/json", #"{"error":"x","secret":1}"#) { options in
            options.parts = parts
        }
        #expect(result.chain == [.status(500)])
        #expect(result.value == #"{"error":"x"}"#)
    }

    // MARK: Leaving out

    @Test(arguments: [
        ("/a", #"{"b":[1,2,3],"c":{"a":1}}"#), ("/b", #"{"a":0,"c":{"a":1}}"#), ("/c", #"{"a":0,"b":[1,2,3]}"#),
        ("/a,/b,/c", "{}"), ("/*", "{}"), ("/b/0", #"{"a":0,"b":[2,3],"c":{"a":1}}"#),
        ("/b/1", #"{"a":0,"b":[1,3],"c":{"a":1}}"#), ("/b/0,/b/2", #"{"a":0,"b":[2],"c":{"a":1}}"#),
        ("/b/*", #"{"a":0,"b":[],"c":{"a":1}}"#), ("/*/a", #"{"a":0,"b":[1,2,3],"c":{}}"#),
        ("/b/01,/b/-,/b/3,/x,/a/x", #"{"a":0,"b":[1,2,3],"c":{"a":1}}"#), ("/*/*", #"{"a":0,"b":[],"c":{}}"#),
    ])
    func `the denoted members and elements are left out`(omit: String, expected: String) throws {
        #expect(try value(#"{"a": 0, "b": [1, 2, 3], "c": {"a": 1}}"#, omit: omit) == expected)
    }

    @Test func `what was left out is counted`() throws {
        let some = try parts(omit: "/items/*/internal,/items/1,/nothing")
        let content = #"{"items":[{"internal":1,"id":7},{"internal":2}],"n":null}"#
        let result = serialize(type: "application/json", content) { $0.parts = some }
        let start =
            #"{"outcome":"value","serializer":"json","value":{"items":[{"id":7}]},"nullsDropped":1,"omitted":2,"#
        #expect(result.json?.hasPrefix(start) == true)
        let none = try parts(omit: "/nothing")
        #expect(serialize(type: "application/json", content) { $0.parts = none }.json?.contains("omitted") == false)
    }

    @Test func `patterns refer to the value without select and omit`() throws {
        let content = #"{"items":[{"id":7,"x":1},{"id":8,"x":2}],"x":3}"#
        #expect(try value(content, select: "/items", omit: "/items/*/x,/x") == #"[{"id":7},{"id":8}]"#)
        #expect(try value(content, select: "/items/1", omit: "/items/0,/items/1/x") == #"{"id":8}"#)
        #expect(try value(content, select: "/items/1/id", omit: "/items/0,/items/*/x") == "8")
        #expect(try value(content, omit: "/items/0,/items/0") == #"{"items":[{"id":8,"x":2}],"x":3}"#)
    }

    @Test(arguments: [
        ("/a/b/c", "/a/b/c", "/a/b"), ("/a/b/c", "/a/b", "/a"), ("/a/b/c", "/*/b,/a", ""), ("/a/b/c", "/*", ""),
        ("/a/b/x", "/a/b/*", "/a/b"),
    ])
    func `a selected part that is left out does not exist`(select: String, omit: String, prefix: String) throws {
        let error = try #require(try missing(#"{"a":{"b":{"c":1}}}"#, select, omit: omit))
        #expect(error.location.pointer == prefix)
        #expect(error.parent == .omitted)
    }

    @Test func `64 patterns apply at once`() throws {
        let members = (0..<70).map { #""n\#($0)":\#($0)"# }
        let omit = (0..<64).map { "/n\($0)" }.joined(separator: ",")
        let remaining = "{" + members[64...].joined(separator: ",") + "}"
        #expect(try value("{" + members.joined(separator: ",") + "}", omit: omit) == remaining)
    }

    @Test func `pointers lead to the maximum depth`() throws {
        let (open, close) = (String(repeating: "[", count: 512), String(repeating: "]", count: 512))
        let content = open + "7" + close
        #expect(try value(content, select: String(repeating: "/0", count: 512)) == "7")
        #expect(try value(content, omit: String(repeating: "/*", count: 512)) == open + close)
        #expect(try missing(content, String(repeating: "/0", count: 513))?.location.pointer?.utf8.count == 1024)
    }

    // MARK: Other serializers and options

    @Test func `the value of every serializer of text has parts`() throws {
        #expect(try value("<r><a>1</a><a>2</a></r>", type: "application/xml", select: "/r/a/1") == #""2""#)
        #expect(
            try value("<r><a/></r>", type: "application/xml", select: "/root/name") {
                $0.serializer = .one(.xmlDocument)
            }
                == #""r""#
        )
        #expect(
            try value(
                "<plist><dict><key>a</key><integer>1</integer></dict></plist>",
                type: "application/x-plist",
                omit: "/a"
            )
                == "{}"
        )
        #expect(try value("a,b\n1,2\n3,4\n", type: "text/csv", omit: "/*/a") == #"[{"b":"2"},{"b":"4"}]"#)
        #expect(try value("data: x\n\n", type: "text/event-stream", select: "/0/data") == #""x""#)
        #expect(try value("a=1&b=2", type: "application/x-www-form-urlencoded", select: "/b") == #""2""#)
        #expect(try value("x", type: "text/plain", select: "/text") { $0.serializer = .one(.http) } == #""x""#)
        #expect(try value("{\"a\":1}\n{\"a\":2}\n", type: "application/x-ndjson", omit: "/0") == #"[{"a":2}]"#)
        #expect(try value(#"{"b":1,"a":2}"#, omit: "/b") { $0.canonical = true } == #"{"a":2}"#)
    }

    @Test func `in a compound, parts are those of the first value`() throws {
        let parts = try parts(select: "/b")
        let both: (inout SerializationOptions) -> Void = { $0.serializer = .compound([.json, .http]) }
        let result = serialize(type: "text/json", #"{"a":1}"#) { options in
            options.parts = parts
            both(&options)
        }
        guard case .partNotFound = result.chain.first else {
            Issue.record("the part is missing in the first value")
            return
        }
        let empty = try self.parts(select: "/b", missing: .empty)
        let answer = serialize(type: "text/json", #"{"a":1}"#) { options in
            options.parts = empty
            both(&options)
        }
        #expect(answer.json?.hasPrefix(#"{"outcome":"empty","serializer":"json""#) == true)
        #expect(try value("{oops", type: "text/json", select: "/text", both) == #""{oops""#)
    }

    @Test func `hints of what is not in the value are removed, and their pointers are unchanged`() throws {
        let content =
            "<plist><dict><key>a</key><date>2026-11-26T08:00:00Z</date><key>b</key><array><date>2026-11-26T08:00:00Z"
            + "</date><date>2026-11-26T08:00:00Z</date></array></dict></plist>"
        for (select, omit, hints) in [
            ("/b", nil, #""hints":{"/b/0":"date","/b/1":"date"}"#),
            ("", "/b/0", #""hints":{"/a":"date","/b/1":"date"}"#),
            ("/b/1", "/a", #""hints":{"/b/1":"date"}"#),
        ] {
            let parts = try parts(select: select, omit: omit)
            let result = serialize(type: "application/x-plist", content) { options in
                options.hints = true
                options.parts = parts
            }
            #expect(result.json?.contains(hints + ",") == true)
        }
        let columns = try parts(select: "/0")
        let csv = serialize(type: "text/csv", "a,b\n1,x\n") { options in
            options.hints = true
            options.parts = columns
        }
        #expect(csv.json?.contains(#""value":{"a":"1","b":"x"},"hints":{"/*/a":"integer"}"#) == true)
    }

    /// The pointers of all hints were read completely: their number times their depth.
    @Test(arguments: [("/r", nil), ("", "/x")] as [(String, String?)])
    func `the hints of deep values cost little more with parts`(select: String, omit: String?) throws {
        let depth = 200
        let content =
            "<r>" + String(repeating: "<a>", count: depth) + String(repeating: "<b>1</b>", count: 2_000)
            + String(repeating: "</a>", count: depth) + "</r>"
        func time(_ parts: ValueParts) -> Duration {
            let times = (0..<3).map { _ in
                processorTime {
                    _ = serialize(type: "application/xml", content) { options in
                        options.hints = true
                        options.parts = parts
                    }
                }
            }
            return times.min() ?? .zero
        }
        #expect(time(try parts(select: select, omit: omit)) < time(ValueParts()) * 4)
    }

    @Test(arguments: [
        ("", "/*/a", #""value":[{"b":"x"},{"b":"y"}],"omitted":2"#),
        ("/0", "/0/a", #""value":{"b":"x"},"omitted":1"#),
        ("/0", "/1/a", #""value":{"a":"1","b":"x"},"hints":{"/*/a":"integer"}"#),
        ("", "/0/a,/1/a", #""value":[{"b":"x"},{"b":"y"}],"omitted":2,"hints":{"/*/a":"integer"}"#),
    ])
    func `the hint of a column stands for all records`(select: String, omit: String, expected: String) throws {
        let parts = try parts(select: select, omit: omit)
        let csv = serialize(type: "text/csv", "a,b\n1,x\n2,y\n") { options in
            options.hints = true
            options.parts = parts
        }
        #expect(csv.json?.contains(expected) == true, "\(csv.json ?? "")")
        #expect(csv.json?.contains("hints") == expected.contains("hints"))
    }

    @Test func `no memory for the scanner is an error`() throws {
        final class NoMemory: MemoryGrant {
            func grow(by bytes: Int) -> Bool { false }
        }
        var options = SerializationOptions()
        options.parts = try parts(omit: String(repeating: "/*", count: 1000))
        options.serializer = .one(.json)
        let content = Array("[1]".utf8)
        do throws(SerializationFailure) {
            _ = try ResponseSerializer(options: options)
                .serialize(UpstreamResponse(status: 200), content: content.span, memory: NoMemory())
            Issue.record("there is no memory")
        } catch {
            #expect(error.chain == [.outOfMemory])
        }
    }
}
