import Batch
import Foundation
import Serialization
import SerializationSupport
import TestSupport
import Testing

@Suite struct HAREntryTests {
    private static func entry(_ text: String, at byte: Int = 0) throws(BatchItemError) -> HAREntry {
        try HAREntry(parsing: text.utf8.span, at: byte, memory: .unlimited)
    }

    /// Returns the entry of a response with some members.
    private static func response(_ members: String, method: String = "GET") throws(BatchItemError) -> HAREntry {
        try entry(#"{"request":{"method":"\#(method)"},"response":{\#(members)}}"#)
    }

    private static func text(_ entry: HAREntry, in text: String) -> String? {
        switch entry.content {
        case .none: nil
        case .slice(let range): String(decoding: Array(text.utf8)[range], as: UTF8.self)
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func `reads the response of an entry, whose members have any order`() throws {
        let text = """
            {"_priority":"High","response":{"content":{"text":"[\\"é\\"]","size":7,"mimeType":"text/plain","x":[{}]},
            "headers":[{"name":":status","value":"200"},{"value":" application/json ","name":"content-type"},
            {"name":"set-cookie","value":"a=1\\nb=2","comment":""},{"name":"Content-Length","value":"3"}],
            "status":404,"statusText":"Not Found"},"request":{"url":"http://a/?q=é","method":"POST","postData":{}}}
            """
        let entry = try Self.entry(text)
        #expect(entry.response.status == 404 && !entry.response.statusAssumed)
        #expect(entry.response.method == "POST" && entry.response.url == "http://a/?q=é")
        #expect(entry.response.hasAllFields && !entry.response.hasOriginalContent && entry.response.hasUnicodeContent)
        #expect(entry.response.decodedCodings == nil)
        #expect(
            entry.response.fields.fields == [
                .init(name: "content-type", value: "application/json"), .init(name: "set-cookie", value: "a=1"),
                .init(name: "set-cookie", value: "b=2"), .init(name: "Content-Length", value: "3"),
            ]
        )
        #expect(Self.text(entry, in: text) == #"["é"]"#)
    }

    @Test func `text without escapes is a part of the entry`() throws {
        let text = #"{"response":{"status":200,"content":{"text":"é[1]"}}}"#
        let entry = try Self.entry(text)
        #expect(entry.content == .slice(45..<50) && Self.text(entry, in: text) == "é[1]")
    }

    @Test(arguments: [
        ("AAEC/w==", [0, 1, 2, 0xFF]), (#"AAEC\/w=="#, [0, 1, 2, 0xFF]), ("AAEC\\n/w", [0, 1, 2, 0xFF]), ("", []),
    ])
    func `Base64 is decoded, and has the charset of its type`(base64: String, bytes: [UInt8]) throws {
        for encoding in ["base64", "BASE64"] {
            let entry = try Self.response(
                #""status":200,"content":{"encoding":"\#(encoding)","text":"\#(base64)"}"#
            )
            #expect(entry.content == .bytes(bytes) && !entry.response.hasUnicodeContent)
        }
    }

    @Test(arguments: [
        (#""name":"a b","value":"c""#, "a b"), (#""name":"","value":"c""#, ""), (#""name":"a=b","value":"c""#, "a=b"),
        (#""name":"a","value":"b\rc""#, "a"), (#""name":"a","value":"b\r\nc""#, "a"),
        (#""name":"a","value":"\u0001""#, "a"), (#""name":"a","value":"x\ny\u0000""#, "a"),
        (#""name":"a","value":null"#, "a"), (#""name":"a","value":1"#, "a"), (#""name":"a""#, "a"),
        (#""value":"c""#, ""), (#""name":null,"value":"c""#, ""), (#""name":["a"],"value":"c""#, ""), ("", ""),
    ])
    func `a field that is none is not used, with a warning`(members: String, name: String) throws {
        let text =
            #"{"response":{"status":200,"headers":[{"name":"x","value":"1"},{\#(members)}],"#
            + #""content":{"text":"[1]","mimeType":"application/json"}}}"#
        let entry = try Self.entry(text)
        #expect(entry.response.fields.fields.map(\.name) == ["x", "Content-Type"])
        let result = serialize(entry.response, content: Array("[1]".utf8))
        #expect(result.json?.contains("\"value\":[1]") == true)
        #expect(result.warnings.map(\.kind) == [.invalidField(name)])
    }

    @Test func `white space and line ends around a value and a type are removed`() throws {
        for space in ["", " ", #"\t\r\n"#, #"\n\n"#] {
            let entry = try Self.response(
                #""status":200,"headers":[{"name":"a","value":"\#(space)b\#(space)"},"#
                    + #"{"name":"c","value":"\#(space)"},{"name":"d","value":"\#(space)e\nf\#(space)"}],"#
                    + #""content":{"mimeType":"\#(space)text/csv\#(space)"}"#
            )
            let fields = entry.response.fields.fields.map { "\($0.name)=\($0.value)" }
            #expect(fields == ["a=b", "c=", "d=e", "d=f", "Content-Type=text/csv"])
            #expect(entry.response.message == nil)
        }
    }

    /// A browser stores the content of its cache, in which the response to a conditional request was found.
    @Test(arguments: [("GET", 304), ("GET", 205), ("GET", 204), ("HEAD", 200)])
    func `stored content is that of the response`(method: String, status: Int) throws {
        let members = "\"status\":\(status),\"content\":{\"mimeType\":\"application/json\",\"text\":"
        let entry = try Self.response(members + "\"[1]\"}", method: method)
        var options = SerializationOptions()
        options.acceptableStatusCodes = nil
        let result = serialize(entry.response, content: Array("[1]".utf8), options: options)
        #expect(result.json?.contains("\"value\":[1]") == true && result.warnings.isEmpty)
        #expect(try !Self.response(members + "\"\"}", method: method).response.hasStoredContent)
    }

    @Test func `Content-Encoding is reported and not applied`() throws {
        let text = """
            {"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json; charset=utf-16"},
            {"name":"Content-Encoding","value":"br"},{"name":"Content-Length","value":"5"}],"content":{"text":"[1,2]"}}}
            """
        let entry = try Self.entry(text)
        #expect(entry.response.fields.first("Content-Encoding") == "br")
        let result = serialize(entry.response, content: Array("[1,2]".utf8))
        #expect(result.json?.contains("\"value\":[1,2]") == true)
        #expect(result.upstream.representation.contentCodings == [] && result.upstream.representation.bytes == 5)
        #expect(result.warnings.map(\.kind) == [.charsetMismatch(declared: "utf-16", actual: "utf-8")])
    }

    @Test(
        arguments: [
            ("\"size\":0", "GET", 200, .bytes([])), ("\"size\":-1", "GET", 302, .bytes([])),
            ("", "GET", 200, .bytes([])), ("\"size\":0.0", "GET", 200, .bytes([])),
            ("\"size\":0e5", "GET", 200, .bytes([])),
            ("\"text\":null,\"size\":null,\"encoding\":null,\"mimeType\":null", "GET", 200, .bytes([])),
            ("\"size\":5", "HEAD", 200, .none), ("\"size\":0", "HEAD", 200, .none), ("\"size\":5", "GET", 304, .none),
            ("\"size\":0", "GET", 204, .none),
        ] as [(String, String, Int, ContainedBytes?)]
    )
    func `content without text`(members: String, method: String, status: Int, content: ContainedBytes?) throws {
        let entry = try Self.response("\"status\":\(status),\"content\":{\(members)}", method: method)
        #expect(entry.content == content)
    }

    @Test(
        arguments: [
            ("application/json", [], "application/json"), ("x-unknown", [], nil), ("", [], nil), (" ", [], nil),
            ("application/json", ["text/xml"], "text/xml"),
        ] as [(String, [String], String?)]
    )
    func `the type of the content is used if the response has none`(type: String, fields: [String], expected: String?)
        throws
    {
        let headers = fields.map { #"{"name":"CONTENT-TYPE","value":"\#($0)"}"# }.joined(separator: ",")
        let entry = try Self.response(
            #""headers":[\#(headers)],"status":200,"content":{"text":"","mimeType":"\#(type)"}"#
        )
        #expect(entry.response.fields.first("Content-Type") == expected)
    }

    @Test(arguments: [
        ("[]", 0, "expected an object, found an array"), ("{}", 0, "the member 'response' is missing"),
        (#"{"response":{}}"#, 12, "/response: the member 'status' is missing"),
        (#"{"response":{"status":200}}"#, 12, "/response: the member 'content' is missing"),
        (#"{"response":{"status":0}}"#, 22, "/response/status: status 0: the request failed, or was blocked"),
        (#"{"response":{"status":99}}"#, 22, "/response/status: expected a number from 100 to 999, found 99"),
        (#"{"response":{"status":1000}}"#, 22, "/response/status: expected 0 to 999, found 1000"),
        (#"{"response":{"status":200,"status":200}}"#, 26, "/response: the member 'status' is repeated"),
        (
            #"{"response":{"status":99999999999999999999}}"#, 22,
            "/response/status: expected 0 to 999, found 99999999999999999999"
        ),
        (#"{"response":{"status":"200"}}"#, 22, "/response/status: expected a number, found a string"),
        (
            #"{"response":{"status":200,"content":{"size":3}}}"#, 36,
            "/response/content: the archive does not contain the content of the response"
        ),
        (
            #"{"response":{"status":200,"content":{"size":1e99}}}"#, 36,
            "/response/content: the archive does not contain the content of the response"
        ),
        (
            #"{"response":{"status":200,"content":{"text":"é","encoding":"base64"}}}"#, 36,
            "/response/content: the text of the content is not Base64"
        ),
        (
            #"{"response":{"status":200,"content":{"text":"","encoding":"gzip"}}}"#, 58,
            "/response/content/encoding: expected base64, found 'gzip'"
        ),
        (#"{"response":{"headers":[1]}}"#, 24, "/response/headers/0: expected an object, found a number"),
        (#"{"response":{"headers":{}}}"#, 23, "/response/headers: expected an array, found an object"),
        (
            #"{"request":{"url":"\u0000"}}"#, 18,
            "/request/url: expected text without control characters, found a control character"
        ),
        (#"{"request":{"method":"A B"}}"#, 21, "/request/method: expected a method name, found 'A B'"),
        (#"{"a":1]"#, 6, "the entry is not JSON: expected ',' or '}', found ']'"),
        (#"{"response":"\#u{1}"}"#, 13, "the entry is not JSON: an unescaped control character in a string"),
        (
            #"{"a":"\ud83d","response":{"content":{"text":"\udc00"}}}"#, 45,
            "the entry is not JSON: an escaped lone surrogate"
        ),
    ])
    func `an error has its location in the file`(text: String, byte: Int, sentence: String) {
        #expect(throws: BatchItemError.malformed(BatchFault(sentence, at: 1_000 + byte))) {
            try Self.entry(text, at: 1_000)
        }
    }

    private static let unreadValues = [
        #""\ud83d""#, "\"\u{1}\"", #""\x""#, "01", "+1", "[1,,2]", "{1:[]}", String(repeating: "9", count: 5_000),
        String(repeating: "[", count: 1_030) + String(repeating: "]", count: 1_030),
        #"{"response":{"status":500}}"#,
    ]

    @Test(arguments: unreadValues) func `a fault in a value that is not read does not matter`(value: String) throws {
        let text = """
            {"_a":\(value),"request":{"method":"GET","_b":\(value),"url":"http://a/"},"response":{"_c" : \(value) ,
            "headers":[{"comment":\(value),"name":"a","value":"b"}],"status":200,
            "content":{"_d":\(value),"text":"é","mimeType":"text/plain"}},"cache":\(value)}
            """
        let entry = try Self.entry(text)
        #expect(entry.response.url == "http://a/" && entry.response.method == "GET" && entry.response.status == 200)
        #expect(entry.response.fields.fields.map(\.name) == ["a", "Content-Type"])
        #expect(Self.text(entry, in: text) == "é" && entry.response.message == nil)
    }

    @Test(arguments: ["tru", "nulll", "1 2", "\"", "", #""\"#, "[", "{"])
    func `a value that is not read must have an end`(value: String) {
        let rest = #""status":200,"content":{"text":"[1]"}}}"#
        for text in [#"{"_a":\#(value),"response":{\#(rest)"#, #"{"response":{"_a":\#(value),\#(rest)"#] {
            #expect(throws: BatchItemError.self) { try Self.entry(text) }
        }
    }

    @Test func `a lone surrogate in the content is replaced if the option permits it`() throws {
        let members = #"{"_a":"\ud83d","response":{"status":200,"content":{"mimeType":"text/plain","text":"#
        let text = members + #""x\ud83dy\n"}}}"#
        #expect(throws: BatchItemError.self) { try Self.entry(text) }
        let entry = try HAREntry(parsing: text.utf8.span, at: 0, surrogates: .replace, memory: .unlimited)
        #expect(Self.text(entry, in: text) == "x\u{FFFD}y\n")
        #expect(entry.response.message?.warnings == [Warning(.loneSurrogate)])
        let unread = members + #""x"}}}"#
        let other = try HAREntry(parsing: unread.utf8.span, at: 0, surrogates: .replace, memory: .unlimited)
        #expect(Self.text(other, in: unread) == "x" && other.response.message == nil)
    }

    @Test func `the cost of values that are not read is linear`() {
        let hostile = [#"{"a":"#, "[", "\"", #"{"response":{"a":"#, "1", "\\", ",", "{"]
        for part in hostile {
            let text = #"{"_a":"\ud83d","b":"# + String(repeating: part, count: (1 << 20) / part.utf8.count)
            let time = processorTime {
                let entry = try? Self.entry(text)
                #expect(entry == nil)
            }
            #expect(time < .seconds(10))
        }
    }

    /// The value of a member has the maximum length, and is valid.
    @Test(arguments: [
        (#"{"request":{"url":"\#u{1}"},"response":{"status":200,"content":{}}}"#, "/request/url", 18),
        (#"{"request":{"method":"\#u{1}"},"response":{"status":200,"content":{}}}"#, "/request/method", 21),
        (#"{"response":{"content":{"mimeType":"\#u{1}"},"status":200}}"#, "/response/content/mimeType", 35),
        (
            #"{"response":{"headers":[{"name":"a","value":"\#u{1}"}],"content":{},"status":200}}"#,
            "/response/headers", 23
        ),
    ])
    func `members other than the content have at most 64 KiB`(text: String, pointer: String, byte: Int) throws {
        let parts = text.split(separator: "\u{1}")
        // The array has more characters around the value.
        let others = pointer.hasSuffix("headers") ? #"[{"name":"a","value":""}]"#.utf8.count : 2
        let value = String(repeating: "x", count: BatchLimits.maxMemberBytes - others)
        _ = try Self.entry("\(parts[0])\(value)\(parts[1])")
        let sentence = "\(pointer): expected at most 65536 bytes, found 65537"
        #expect(throws: BatchItemError.malformed(BatchFault(sentence, at: byte))) {
            try Self.entry("\(parts[0])\(value)x\(parts[1])")
        }
    }

    /// Each name is stored: an entry of many megabytes could have millions of them.
    @Test func `an entry has at most 1 000 members`() throws {
        // There are three others, and values do not count.
        let members = (0..<997).map { #""\#($0)":{"a":1,"b":2}"# }
        let rest = #","response":{"status":200,"content":{}}}"#
        _ = try Self.entry("{" + members.joined(separator: ",") + rest)
        let start = "{" + (members + [#""x":1"#]).joined(separator: ",")
        let byte = (start + #","response":{"status":200,"#).utf8.count
        #expect(throws: BatchItemError.malformed(BatchFault("/response: more than 1000 members", at: byte))) {
            try Self.entry(start + rest)
        }
    }

    @Test func `the encoding of the content has at most 64 KiB`() throws {
        // Each character has the longest form.
        let name = Array("base64".utf8).map { #"\u00"# + String($0, radix: 16) }.joined()
        let entry = { (encoding: String) throws(BatchItemError) in
            try Self.response(#""status":200,"content":{"encoding":"\#(encoding)","text":"AAEC"}"#)
        }
        #expect(try entry(name).content == .bytes([0, 1, 2]))
        let long = String(repeating: "x", count: BatchLimits.maxMemberBytes - 2)
        let location = #"{"request":{"method":"GET"},"response":{"status":200,"content":{"encoding":"#.utf8.count
        for (encoding, sentence) in [
            (long, "expected base64, found '\(long.prefix(61))…'"),
            (long + "x", "expected at most 65536 bytes, found 65537"),
        ] {
            let fault = BatchFault("/response/content/encoding: \(sentence)", at: location)
            #expect(throws: BatchItemError.malformed(fault)) { try entry(encoding) }
        }
    }

    @Test(.needs("http/har-validator")) func `reads the entry of har-validator`() throws {
        let url = Suites.url("http/har-validator/test/fixtures/har/valid.json")
        var source = PieceSource(try Array(Data(contentsOf: url)))
        var reader = HARReader(limits: BatchLimits(maxItemBytes: 1 << 20))
        let block = try #require(try reader.next(from: &source))
        let item = try #require(block.items.first)
        let entry = try HAREntry(parsing: block.bytes.span.extracting(item.range), at: item.byte, memory: .unlimited)
        #expect(entry.response.status == 200 && entry.response.url == "http://mockbin.com/")
        #expect(entry.response.fields.first("Content-Encoding") == "gzip")
        guard case .slice(let range) = entry.content else {
            Issue.record("the content has no escapes")
            return
        }
        let content = Array(block.bytes[item.range])[range]
        #expect(String(decoding: content, as: UTF8.self) == "ALL YOUR BASE ARE BELONG TO US")
    }
}
