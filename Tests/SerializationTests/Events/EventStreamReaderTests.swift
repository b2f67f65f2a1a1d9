import SerializationSupport
import Testing

@testable import Serialization

/// Event streams (`text/event-stream`) as arrays of events.
@Suite struct EventStreamReaderTests {
    private static let type = "text/event-stream"

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

    private func location(_ byte: Int, _ line: Int, _ column: Int, _ pointer: String) -> Serialization.SourceLocation {
        Serialization.SourceLocation(byte: byte, line: line, column: column, pointer: pointer)
    }

    @Test(arguments: [
        ("data: a\n\n", #"[{"data":"a"}]"#), ("data:a\n\ndata:  b\n\n", #"[{"data":"a"},{"data":" b"}]"#),
        ("data: a\ndata: b\n\n", #"[{"data":"a\nb"}]"#), ("data\n\n", #"[{"data":""}]"#),
        ("data:\n\n", #"[{"data":""}]"#), ("data\ndata\n\n", #"[{"data":"\n"}]"#),
        ("data:a\r\rdata:b\r\n\r\n", #"[{"data":"a"},{"data":"b"}]"#),
        ("data:a\r\ndata:b\rdata:c\n\n", #"[{"data":"a\nb\nc"}]"#),
        ("event: price\ndata: 1\nid: 7\nretry: 3000\n\n", #"[{"event":"price","data":"1","id":"7","retry":3000}]"#),
        ("id: 7\ndata: 1\n\ndata: 2\n\n", #"[{"data":"1","id":"7"},{"data":"2"}]"#),
        ("id\ndata:1\n\n", #"[{"data":"1","id":""}]"#),
        ("event: a\nevent:\ndata:1\n\n", #"[{"data":"1"}]"#),
        ("retry: 0010\ndata:1\n\n", #"[{"data":"1","retry":10}]"#),
        ("retry: 000\ndata:1\n\n", #"[{"data":"1","retry":0}]"#), (": ping\n\n:\n\n", "[]"), ("\n\n\n", "[]"),
        ("data: a:b\n: c\n\n", #"[{"data":"a:b"}]"#), ("data: 1\n\n:", #"[{"data":"1"}]"#),
        ("data: a\u{0}\n\n", #"[{"data":"a\u0000"}]"#),
    ])
    func `each block with data is an event`(content: String, expected: String) {
        #expect(value(content) == expected)
    }

    /// What the tests `format-*` of the Web Platform Tests (`eventsource`) send and expect, without their time-outs. An
    /// `id` is also expected of later events there; here only the event that sets it has it.
    @Test(arguments: [
        ("\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n", #"[{"data":"1"},{"data":"3"}]"#),
        ("\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n", #"[{"data":"2"},{"data":"3"}]"#),
        (
            "data:1\r:\u{0}\n:\r\ndata:2\n:\(String(repeating: "x", count: 2048))\rdata:3\n:data:fail\r"
                + ":\(String(repeating: "x", count: 2048))\ndata:4\n\n", #"[{"data":"1\n2\n3\n4"}]"#
        ),
        ("data:\n\ndata\ndata\n\ndata:test\n\n", #"[{"data":""},{"data":"\n"},{"data":"test"}]"#),
        ("event: \ndata:data\n\n", #"[{"data":"data"}]"#),
        ("event:test\ndata:x\n\ndata:x\n\n", #"[{"event":"test","data":"x"},{"data":"x"}]"#),
        ("id:1\ndata:x\n\ndata:y\n\n", #"[{"data":"x","id":"1"},{"data":"y"}]"#),
        ("id\ndata:x\n\nid:\ndata:y\n\n", #"[{"data":"x","id":""},{"data":"y","id":""}]"#),
        ("id:\u{0}\ndata:hello\n\n", #"[{"data":"hello"}]"#), ("id: a\u{0}\ndata:hello\n\n", #"[{"data":"hello"}]"#),
        (
            "data:\u{0}\ndata:  2\rData:1\ndata\u{0}:2\ndata:1\r\u{0}data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n"
                + " data:32\ndata:4\n\n", #"[{"data":"\u0000\n 2\n1\n3\n\n4"}]"#
        ),
        ("retry:3000\nretry:1000x\ndata:x\n\n", #"[{"data":"x","retry":3000}]"#),
        ("retry\ndata:test\n\n", #"[{"data":"test"}]"#), ("retry:3000\ndata:x\n\n", #"[{"data":"x","retry":3000}]"#),
        (
            "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n",
            #"[{"data":"test\n\ntest"}]"#
        ),
        ("data:\ttest\rdata: \ndata:test\n\n", #"[{"data":"\ttest\n\ntest"}]"#),
        ("data:test\r\ndata\ndata:test\r\n\r\n", #"[{"data":"test\n\ntest"}]"#),
        ("data:\u{0}\n\n\n\n", #"[{"data":"\u0000"}]"#), ("data:ok\u{2026}\n\n", #"[{"data":"ok…"}]"#),
    ])
    func `the Web Platform Tests of the format have their events`(content: String, expected: String) {
        #expect(value(content) == expected)
    }

    @Test func `the Web Platform Test of an unfinished event has its first event with truncated=allow`() {
        let content = "retry:1000\ndata:test1\n\nid:test\ndata:test2"
        #expect(value(content) { $0.truncated = .allow } == #"[{"data":"test1","retry":1000}]"#)
    }

    @Test(
        arguments: [
            ("foo: 1\ndata: 1\n\n", .eventsUnknownField("foo"), 0, 1, 1),
            ("data: 1\nDATA: 1\n\n", .eventsUnknownField("DATA"), 8, 2, 1),
            ("data: 1\n data: 1\n\n", .eventsUnknownField(" data"), 8, 2, 1),
            ("data: 1\nid: a\u{0}\n\n", .eventsInvalidID, 12, 2, 5),
            ("retry: 1s\ndata: 1\n\n", .eventsInvalidRetry("1s"), 7, 1, 8),
            ("retry\ndata: 1\n\n", .eventsInvalidRetry(""), 5, 1, 6),
        ] as [(String, Warning.Kind, Int, Int, Int)]
    )
    func `what the standard ignores is a warning`(
        content: String,
        kind: Warning.Kind,
        byte: Int,
        line: Int,
        column: Int
    ) {
        #expect(value(content) == #"[{"data":"1"}]"#)
        #expect(warnings(content) == [Warning(kind, at: location(byte, line, column, "/0"))])
    }

    @Test func `fields without data are a warning and facts`() {
        let content = "retry: 3000\n\ndata: 1\n\nid: 9\n\n"
        let result = serialize(type: Self.type, content)
        #expect(result.warnings.map(\.kind) == [.eventsWithoutData, .eventsWithoutData])
        #expect(result.warnings.map(\.location) == [location(0, 1, 1, "/0"), location(22, 5, 1, "/1")])
        #expect(result.upstream.events == EventStreamFacts(lastEventID: "9", retry: 3000))
        #expect(result.json?.contains(#""events":{"lastEventId":"9","retry":3000}"#) == true)
        #expect(serialize(type: Self.type, "data: 1\n\n").json?.contains(#""events":"#) == false)
    }

    @Test(arguments: ["data: 1\n", "data: 1", "da", "data: 1\n: c\n", "id: 1\n", "data: 1\r\n"])
    func `an unfinished last event is an error, unless truncated=allow`(end: String) {
        let content = "data: 0\n\n" + end
        let error = serialize(type: Self.type, content).chain.first?.contentError as? EventStreamError
        #expect(error?.reason == .unfinished(hasEvents: true))
        #expect(error?.location.byte == content.utf8.count)
        #expect(error?.location.pointer == "/1")
        #expect(value(content) { $0.truncated = .allow } == #"[{"data":"0"}]"#)
        #expect(
            warnings(content) { $0.truncated = .allow } == [Warning(.eventsUnfinished, at: location(9, 3, 1, "/1"))]
        )
    }

    @Test(arguments: ["data: 1", "{\"error\":\"overloaded\"}", "id: 1\n\ndata: 1", "upstream timeout\n"])
    func `truncated=allow is not proposed if no event precedes the unfinished one`(content: String) {
        let result = serialize(type: Self.type, content) { $0.serializer = .one(.events) }
        let error = result.chain.first?.contentError as? EventStreamError
        #expect(error?.reason == .unfinished(hasEvents: false))
        #expect(error?.remedies.isEmpty == true)
    }

    @Test func `UTF-16 without a byte order mark is read as its label says`() {
        let text = "data: Привет, мир, как дела\n\n"
        for encoding in [UnicodeEncoding.utf16LittleEndian, .utf16BigEndian] {
            var options = SerializationOptions()
            options.view = .value
            var response = UpstreamResponse()
            response.fields.append(name: "Content-Type", value: Self.type + "; charset=\(encoding.rawValue)")
            let result = serialize(response, content: encoding.bytes(of: text), options: options)
            #expect(result.json == #"[{"data":"Привет, мир, как дела"}]"#)
            #expect(result.warnings.map(\.code) == ["response.transcoded"])
        }
    }

    /// `é` has two bytes, `日` three and `😀` four.
    @Test(arguments: ["data: é", "data: 1\ndata: 日", ": 😀", "é", "日"])
    func `an event that the end cuts within a character is omitted with truncated=allow`(end: String) {
        let intact = "data: 0\n\n"
        for count in 1...3 where count < Array(end.suffix(1).utf8).count {
            let content = Array((intact + end.dropLast()).utf8) + end.suffix(1).utf8.prefix(count)
            #expect(rejection(of: content, truncated: .reject) == .invalidEncoding("utf-8"))
            let answer = self.answer(to: content, truncated: .allow)
            #expect(answer.json == #"[{"data":"0"}]"#)
            let isComment = end.hasPrefix(":")
            #expect(answer.warnings.map(\.kind) == (isComment ? [] : [.eventsUnfinished]))
        }
        #expect(rejection(of: Array(intact.utf8) + [0xFF], truncated: .allow) == .invalidEncoding("utf-8"))
    }

    private func answer(to content: [UInt8], truncated: TruncatedPolicy) -> Serialized {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: Self.type)
        var options = SerializationOptions()
        options.view = .value
        options.truncated = truncated
        return serialize(response, content: content, options: options)
    }

    private func rejection(of content: [UInt8], truncated: TruncatedPolicy) -> EventStreamReason? {
        let error = answer(to: content, truncated: truncated).chain.first?.contentError as? EventStreamError
        return error?.reason
    }

    @Test func `with events-data=json, data that is JSON is its value`() {
        let content = "data: {\"a\":null,\ndata: \"b\":[1.50,null]}\n\ndata: [DONE]\n\ndata: 1\n\n"
        let json = { (options: inout SerializationOptions) in options.eventsData = .json }
        #expect(value(content, json) == #"[{"data":{"b":[1.50,null]}},{"data":"[DONE]"},{"data":1}]"#)
        #expect(warnings(content, json) == [Warning(.eventsDataNotJSON, at: location(47, 4, 7, "/1/data"))])
        #expect(
            value(content) {
                $0.eventsData = .json
                $0.nulls = .keep
            }?.hasPrefix(#"[{"data":{"a":null,"b":[1.50,null]}}"#) == true
        )
    }

    @Test(arguments: ["", "\u{FEFF}1", "1\u{0}", "\u{0}1", "1 2", "'a'", ")]}'1"])
    func `data that is not strict JSON stays a string`(data: String) {
        let escaped = data.replacing("\u{0}", with: #"\u0000"#)
        #expect(value("data: \(data)\n\n") { $0.eventsData = .json } == #"[{"data":"\#(escaped)"}]"#)
    }

    @Test func `a warning about JSON has its location in the content`() {
        let content = "data: 0\n\ndata: {\"a\":1,\ndata: \"a\":2}\n\n"
        #expect(
            warnings(content) { $0.eventsData = .json } == [
                Warning(
                    .duplicateName("a", kept: .last),
                    at: location(29, 4, 7, "/1/data/a"),
                    first: location(16, 3, 8, "/1/data/a")
                )
            ]
        )
    }

    @Test func `many lines of data are read in linear time`() {
        let count = 100_000
        let content = String(repeating: "data\n", count: count) + "\n"
        let expected = String(repeating: #"\n"#, count: count - 1)
        #expect(value(content) == #"[{"data":""# + expected + #""}]"#)
        let line = String(repeating: "x", count: 1 << 20)
        #expect(value("data: \(line)\n\n") == #"[{"data":"\#(line)"}]"#)
    }

    @Test func `invalid UTF-8 is an error with its location, unless the type has a charset`() {
        let bytes = Array("data: 0\n\ndata: ".utf8) + [0xE9] + Array("\n\n".utf8)
        func result(_ type: String) -> Serialized {
            var response = UpstreamResponse()
            response.fields.append(name: "Content-Type", value: type)
            var options = SerializationOptions()
            options.view = .value
            return serialize(response, content: bytes, options: options)
        }
        let error = result(Self.type).chain.first?.contentError as? EventStreamError
        #expect(error?.reason == .invalidEncoding("utf-8"))
        #expect(error?.location == location(15, 3, 7, "/1"))
        #expect(result(Self.type + "; charset=iso-8859-1").json == #"[{"data":"0"},{"data":"é"}]"#)
    }

    @Test func `one byte order mark is removed`() {
        #expect(value("\u{FEFF}data: 1\n\n") == #"[{"data":"1"}]"#)
        #expect(warnings("\u{FEFF}data: 1\n\n").map(\.code) == ["response.byte_order_mark"])
        #expect(value("\u{FEFF}\u{FEFF}data: 1\n\ndata: 2\n\n") == #"[{"data":"2"}]"#)
    }

    @Test func `only the media type or the name selects it`() {
        #expect(
            serialize(type: Self.type, "data: 1\n\n").json?.hasPrefix(#"{"outcome":"value","serializer":"events""#)
                == true
        )
        #expect(serialize(type: "text/plain", "data: 1\n\n").json == nil)
        #expect(serialize(type: nil, "data: 1\n\n").json == nil)
        #expect(value("data: 1\n\n", type: "text/plain") { $0.serializer = .one(.events) } == #"[{"data":"1"}]"#)
        #expect(serialize(type: Self.type, "").json?.hasPrefix(#"{"outcome":"empty","serializer":"events""#) == true)
        #expect(value("data: 1\n\n") { $0.serializer = .compound([.json, .events]) } == #"[{"data":"1"}]"#)
    }

    @Test(arguments: [
        #"{"error":1}"#, "<html><body>", "[1]", "\n{\"error\":1}\n\n", "\r\n<!DOCTYPE html>\n", "\u{FEFF}\n\r[1]\n",
    ])
    func `auto rejects content of another format`(content: String) {
        #expect(serialize(type: Self.type, content).chain.first?.isTypeRejection == true)
    }

    @Test(arguments: [
        ("\n\r\ndata: 1\n\n", #"[{"data":"1"}]"#), ("\u{FEFF}\n: c\n\n", "[]"), ("\u{FEFF}true\n\n", "[]"),
        ("\n", "[]"),
    ])
    func `a stream may begin with line ends`(content: String, expected: String) {
        #expect(value(content) == expected)
    }

    @Test func `profile afnetworking does not accept it`() {
        let result = serialize(type: Self.type, "data: 1\n\n") {
            $0.rules = .afnetworking
            $0.serializer = .one(.events)
        }
        #expect(result.json == nil)
    }
}
