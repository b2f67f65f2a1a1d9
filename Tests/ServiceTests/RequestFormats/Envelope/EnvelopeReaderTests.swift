import Serialization
import Testing

@testable import Service

@Suite struct EnvelopeReaderTests {
    private func read(_ text: String, limits: Limits = Limits()) throws(EnvelopeError) -> Envelope {
        try EnvelopeReader.read(text.utf8Span.span, limits: limits, memory: .unlimited)
    }

    /// Returns the content of an envelope as text; `nil` if there is none.
    private func content(_ text: String) throws(EnvelopeError) -> String? {
        switch try read(text).content {
        case .none: nil
        case .slice(let range): String(decoding: Array(text.utf8)[range], as: UTF8.self)
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func `an empty envelope is a response with the status 200 and without content`() throws {
        #expect(try read(" { } ") == Envelope(response: UpstreamResponse(statusAssumed: true), content: .none))
    }

    @Test func `every member is read`() throws {
        let envelope = try read(
            """
            {"status":404,"url":"https://example.org/a?b=1","method":"HEAD",
             "headers":[["Content-Type","text/xml"],["X-A"," 1\\t"],["X-A","2"]],"body":{"base64":"aGk="}}
            """
        )
        let fields = HeaderFields([
            .init(name: "Content-Type", value: "text/xml"), .init(name: "X-A", value: "1"),
            .init(name: "X-A", value: "2"),
        ])
        var response = UpstreamResponse(status: 404, url: "https://example.org/a?b=1", method: "HEAD", fields: fields)
        response.hasAllFields = true
        #expect(envelope == Envelope(response: response, content: .bytes(Array("hi".utf8))))
    }

    @Test func `headers may be an object of strings and of arrays`() throws {
        let fields = try read(#"{"headers":{"a":"1","b":["2","3"],"A":"4","c":[]}}"#).response.fields
        #expect(fields.fields.map { "\($0.name)=\($0.value)" } == ["a=1", "b=2", "b=3", "A=4"])
    }

    @Test(arguments: [
        (#"{"body":{"text":""}}"#, ""),
        (#"{"body":{"text":"{\"a\":\"\\u00e9\"}"}}"#, #"{"a":"\u00e9"}"#),
        (#"{"body":{"text":"\b\f\n\r\t\/\\\" \u00e9 \ud83d\ude00é"}}"#, "\u{8}\u{C}\n\r\t/\\\" é 😀é"),
        (#"{"body":{"base64":""}}"#, ""),
        (#"{"body":{"base64":"aGk\u003d"}}"#, "hi"),
        (#"{"body":{"base64":"Pz8\/"}}"#, "???"),
        (#"{ "body" : { "json" : {"a": [1, "]}", null], "a": 2} } }"#, #"{"a": [1, "]}", null], "a": 2}"#),
        (#"{"body":{"json":null}}"#, "null"),
        (#"{"body":{"json":"text"}}"#, #""text""#),
        (#"{"body":{"json":-1.50e3}}"#, "-1.50e3"),
        ("\u{FEFF}{\"body\":{\"json\":[]}}", "[]"),
    ])
    func `body is text, Base64 or unchanged JSON`(envelope: String, content: String) throws {
        #expect(try self.content(envelope) == content)
    }

    @Test(arguments: [
        (#"{"body":{"text":"a"}}"#, true), (#"{"body":{"json":"a"}}"#, true), (#"{"body":{"base64":"aGk="}}"#, false),
        (#"{"status":200}"#, false),
    ])
    func `text and JSON are Unicode, whatever the fields declare`(envelope: String, isUnicode: Bool) throws {
        #expect(try read(envelope).response.hasUnicodeContent == isUnicode)
    }

    @Test func `without body there is no content`() throws {
        #expect(try content(#"{"status":200}"#) == nil)
    }

    @Test(arguments: [
        ("[]", "an array", ["an object"], 0, ""),
        (#"{"status":"200"}"#, #""200""#, ["a number from 100 to 999"], 10, "/status"),
        (#"{"status":99}"#, "99", ["a number from 100 to 999"], 10, "/status"),
        (#"{"status":1000}"#, "1000", ["a number from 100 to 999"], 10, "/status"),
        (#"{"status":2e2}"#, "2e2", ["a number from 100 to 999"], 10, "/status"),
        (#"{"status":null}"#, "null", ["a number from 100 to 999"], 10, "/status"),
        (#"{"url":null}"#, "null", ["a string"], 7, "/url"),
        (#"{"url":"a\nb"}"#, "a control character", ["text without control characters"], 7, "/url"),
        (#"{"method":"G E"}"#, "'G E'", ["a method name"], 10, "/method"),
        (#"{"headers":"a"}"#, "a string", ["an array of pairs", "an object"], 11, "/headers"),
        (
            #"{"headers":[["a"]]}"#, "an array with another number of elements", ["a pair of name and value"], 12,
            "/headers/0"
        ),
        (
            #"{"headers":[["a","b","c"]]}"#, "an array with another number of elements", ["a pair of name and value"],
            12, "/headers/0"
        ),
        (
            #"{"headers":[[]]}"#, "an array with another number of elements", ["a pair of name and value"], 12,
            "/headers/0"
        ),
        (#"{"headers":[{}]}"#, "an object", ["an array"], 12, "/headers/0"),
        (#"{"headers":[["a:","b"]]}"#, "'a:'", ["a field name"], 13, "/headers/0/0"),
        (#"{"headers":[["a",1]]}"#, "a number", ["a string"], 17, "/headers/0/1"),
        (
            #"{"headers":[["a","b\u0000"]]}"#, "a control character", ["text without control characters"], 17,
            "/headers/0/1"
        ),
        (#"{"headers":{"a b":"c"}}"#, "'a b'", ["a field name"], 12, "/headers"),
        (#"{"headers":{"a~b":1}}"#, "a number", ["a string", "an array of strings"], 18, "/headers/a~0b"),
        (#"{"headers":{"a":[true]}}"#, "true or false", ["a string"], 17, "/headers/a/0"),
        (
            #"{"body":"x"}"#, "a string", [#"{"text":"…"}"#, #"{"base64":"…"}"#, #"{"json":…}"#], 8, "/body"
        ),
        (
            #"{"body":{"a":1}}"#, "the member 'a'", [#"{"text":"…"}"#, #"{"base64":"…"}"#, #"{"json":…}"#], 9, "/body"
        ),
        (#"{"body":{}}"#, "an object without these members", ["exactly one of text, base64 and json"], 8, "/body"),
        (
            #"{"body":{"text":"","json":1}}"#, "a second member, 'json'", ["exactly one of text, base64 and json"], 19,
            "/body"
        ),
        (#"{"body":{"text":1}}"#, "a number", ["a string"], 16, "/body/text"),
        (#"{"body":{"base64":[]}}"#, "an array", ["a string"], 18, "/body/base64"),
    ])
    func `rejects another type or value`(text: String, found: String, expected: [String], byte: Int, pointer: String) {
        let at = SourceLocation(byte: byte, line: 1, column: byte + 1, pointer: pointer)
        #expect(throws: EnvelopeError.unexpected(found: found, expected: expected, at: at)) { try read(text) }
    }

    /// As in other content, a carriage return alone also ends a line.
    @Test(arguments: ["\n", "\r", "\r\n"])
    func `lines end with a line feed, a carriage return or both`(end: String) {
        let text = "{\(end)\"url\":\"\",\(end) \"url\":\"\"}"
        let second = SourceLocation(byte: text.utf8.count - 9, line: 3, column: 2, pointer: "")
        let first = SourceLocation(byte: 1 + end.utf8.count, line: 2, column: 1, pointer: "")
        #expect(throws: EnvelopeError.duplicateMember("url", at: second, firstAt: first)) { try read(text) }
    }

    @Test func `rejects unknown and repeated members, with their location`() {
        let second = SourceLocation(byte: 14, line: 2, column: 2, pointer: "")
        let first = SourceLocation(byte: 1, line: 1, column: 2, pointer: "")
        #expect(throws: EnvelopeError.duplicateMember("url", at: second, firstAt: first)) {
            try read("{\"url\":\"é\",\n \"url\":\"\"}")
        }
        #expect(
            throws: EnvelopeError.duplicateMember(
                "a",
                at: .init(byte: 20, line: 1, column: 21, pointer: "/headers"),
                firstAt: .init(byte: 12, line: 1, column: 13, pointer: "/headers")
            )
        ) {
            try read(#"{"headers":{"a":"1","\u0061":"2"}}"#)
        }
        let members = ["status", "url", "method", "headers", "body"]
        let start = SourceLocation(byte: 1, line: 1, column: 2, pointer: "")
        #expect(throws: EnvelopeError.unknownMember("Status", expected: members, at: start)) {
            try read(#"{"Status":1}"#)
        }
    }

    @Test func `only an item of a batch may have an identifier`() throws {
        let text = Array(#"{"id":"a","status":204}"#.utf8)
        let members = ["status", "url", "method", "headers", "body"]
        let start = SourceLocation(byte: 1, line: 1, column: 2, pointer: "")
        #expect(throws: EnvelopeError.unknownMember("id", expected: members, at: start)) {
            try EnvelopeReader.read(text.span, limits: Limits(), memory: .unlimited)
        }
        let envelope = try EnvelopeReader.read(text.span, limits: Limits(), memory: .unlimited, acceptsID: true)
        #expect(envelope.id == 6..<9)
    }

    /// A name is in the envelope once, and in the response with each value: 63 KB became 330 MB, and took half a second
    /// on an HTTP thread.
    @Test func `the names of all values together are limited`() throws {
        func envelope(nameBytes: Int, values: Int) -> String {
            let values = [String](repeating: #""""#, count: values).joined(separator: ",")
            return #"{"headers":{"\#(String(repeating: "n", count: nameBytes))":[\#(values)]}}"#
        }
        let allowed = try read(envelope(nameBytes: 16_384, values: 4))
        #expect(allowed.response.fields.fields.count == 4)
        #expect(throws: EnvelopeError.self) { try read(envelope(nameBytes: 16_384, values: 5)) }
        #expect(throws: EnvelopeError.self) { try read(envelope(nameBytes: 30_000, values: 11_000)) }
    }

    @Test func `a pointer ends after the last name that fits`() throws {
        let name = String(repeating: "~", count: 1_000)
        let at = SourceLocation(
            byte: 15 + name.utf8.count,
            line: 1,
            column: 16 + name.utf8.count,
            pointer: "/headers/…"
        )
        #expect(
            throws: EnvelopeError.unexpected(found: "a number", expected: ["a string", "an array of strings"], at: at)
        ) {
            try read(#"{"headers":{"\#(name)":1}}"#)
        }
    }

    @Test(arguments: [
        (#"{"headers":{"a":"\#(String(repeating: "b", count: 4_088))"}}"#, true),
        (#"{"headers":{"a":"\#(String(repeating: "b", count: 4_089))"}}"#, false),
        (#"{"url":"\#(String(repeating: "b", count: 4_095))"}"#, false),
        (#"{"body":{"text":"\#(String(repeating: "b", count: 40_000))"}}"#, true),
    ])
    func `an HTTP thread reads only short members besides the content`(text: String, isShort: Bool) throws {
        let short = try EnvelopeReader.readShort(text.utf8Span.span, limits: Limits(), memory: .unlimited)
        #expect(try short == (isShort ? read(text) : nil))
    }

    @Test func `rejects invalid JSON with the error of the reader`() throws {
        let error = try #require(throws: EnvelopeError.self) { try read(#"{"status":200,}"#) }
        guard case .malformed(let json) = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(json.location.byte == 14)
    }

    @Test func `a name that is only canonically equivalent to that of a member is unknown`() throws {
        func call(_ text: String) throws(EnvelopeError) -> FetchCall? {
            try EnvelopeReader.readCall(
                text.utf8Span.span,
                limits: Limits(),
                memory: .unlimited,
                maxShortMemberBytes: 4096
            )
        }
        #expect(try call(#"{"url":"https://a.example/","cacheKey":"k"}"#)?.cacheKey == "k")
        // U+212A KELVIN SIGN, whose canonical decomposition is `K`.
        #expect {
            try call("{\"url\":\"https://a.example/\",\"cache\u{212A}ey\":\"k\"}")
        } throws: { error in
            guard case EnvelopeError.unknownMember("cache\u{212A}ey", _, let location) = error else { return false }
            return location.byte == 28
        }
    }

    @Test func `rejects encodings other than UTF-8`() {
        let text = "{}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(throws: EnvelopeError.notUTF8(encoding: "utf-16le")) {
            try EnvelopeReader.read(text.span, limits: Limits(), memory: .unlimited)
        }
    }

    @Test func `rejects content whose decoded form is too long`() throws {
        var limits = Limits()
        limits.maxContentBytes = 3
        #expect(try read(#"{"body":{"base64":"YWJj"}}"#, limits: limits).content == .bytes(Array("abc".utf8)))
        #expect(throws: EnvelopeError.contentTooLarge(max: 3)) {
            try read(#"{"body":{"base64":"YWJjZA=="}}"#, limits: limits)
        }
        #expect(throws: EnvelopeError.contentTooLarge(max: 3)) {
            try read(#"{"body":{"text":"abcd"}}"#, limits: limits)
        }
    }

    /// Fifteen million empty values of one field used 576 MB.
    @Test(arguments: [
        ("url", #""https://a/"#, "b", #"""#), ("method", #"""#, "G", #"""#),
        ("headers", #"{"a":[""#, #"",""#, #""]}"#), ("headers", "[", #"["a",""],"#, #"["b",""]]"#),
        ("headers", #"{"a":""#, "b", #""}"#), ("headers", #"{"a":"#, " ", #""b"}"#),
    ])
    func `the length of the other members is limited`(member: String, start: String, middle: String, end: String) throws
    {
        func value(maxBytes: Int) -> String {
            let room = maxBytes - start.utf8.count - end.utf8.count
            return start + String(repeating: middle, count: room / middle.utf8.count) + end
        }
        let long = value(maxBytes: Envelope.maxMemberBytes + middle.utf8.count)
        let at = SourceLocation(
            byte: member.utf8.count + 4,
            line: 1,
            column: member.utf8.count + 5,
            pointer: "/\(member)"
        )
        #expect(
            throws: EnvelopeError.unexpected(found: "\(long.utf8.count)", expected: ["at most 65536 bytes"], at: at)
        ) {
            try read(#"{"\#(member)":\#(long)}"#)
        }
        _ = try read(#"{"\#(member)":\#(value(maxBytes: Envelope.maxMemberBytes))}"#)
    }

    @Test func `content of the maximum size fits into its envelope`() {
        #expect(Envelope.maxBytes(maxContentBytes: 3 << 20) == (4 << 20) + (1 << 20) + 4)
        #expect(Envelope.maxBytes(maxContentBytes: .max) == .max)
    }
}
