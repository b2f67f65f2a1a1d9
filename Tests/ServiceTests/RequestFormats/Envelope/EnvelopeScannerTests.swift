import Serialization
import Testing

@testable import Service

@Suite struct EnvelopeScannerTests {
    private static let usual = [
        #"{}"#, #" { } "#, #"{"status":200}"#, #"{"id":"a","status":404,"url":"http://a.example/é","method":"GET"}"#,
        #"{"id":0}"#, #"{"id":1234567890,"body":{"text":""}}"#, #"{"body":{"base64":"AAEC"}}"#,
        #"{"headers":{},"body":{"text":"plain text that is longer than one vector, without escapes"}}"#,
        #"{"headers":[],"body":{"text":"{\"a\":\"\\\\\u00e9\ud83d\ude00\/\b\f\n\r\t\"}"}}"#,
        #"{"headers":{"content-type":"application/json","ETag":"\"1\"","x":" \t y "},"body":{"text":"[1]"}}"#,
        #"{"headers":[["a","b"],["a","c"], [ "d" , "e" ] ] , "body" : { "text" : "é" } }"#,
    ]

    private static let others = [
        "", "[]", "{", "x", #"{"id":-1}"#, #"{"id":01}"#, #"{"id":1.5}"#, #"{"id":"\u0041"}"#, #"{"id":null}"#,
        #"{"status":99}"#, #"{"status":200.0}"#, #"{"status":"200"}"#, #"{"method":""}"#, #"{"method":"a b"}"#,
        #"{"status":200,"status":200}"#, #"{"other":1}"#, #"{"body":{"json":{"a":1}}}"#, #"{"body":{}}"#,
        #"{"body":{"text":"a","text":"b"}}"#, #"{"body":{"text":"\ud800"}}"#, #"{"body":{"text":"\x"}}"#,
        #"{"body":{"text":"\ud800\u0041"}}"#, #"{"body":{"base64":"AAE"}}"#, #"{"body":{"base64":"\u0041AAA"}}"#,
        #"{"headers":{"a":"b","a":"c"}}"#, #"{"headers":{"a":["b"]}}"#, #"{"headers":{"":"b"}}"#,
        #"{"headers":{"a b":"c"}}"#, #"{"headers":{"a":"\n"}}"#, #"{"headers":[["a"]]}"#,
        #"{"headers":[["a","b","c"]]}"#,
        #"{"url":"\u0001"}"#, "{\"url\":\"a\nb\"}", #"{"url":"a"}}"#, #"{"url":"a",}"#, "{\"url\"\t:\"a\"}",
        "\u{FEFF}{}", #"{"url":1}"#, #"{"id":"a"} {}"#,
    ]

    private func scanned(_ text: [UInt8], _ limits: Limits = Limits()) -> Envelope? {
        EnvelopeScanner.read(text.span, limits: limits)
    }

    private func read(_ text: [UInt8], _ limits: Limits = Limits()) -> Envelope? {
        try? EnvelopeReader.read(text.span, limits: limits, memory: .unlimited, acceptsID: true)
    }

    @Test(arguments: usual) func `a usual envelope is read as by the other reader`(text: String) throws {
        let envelope = try #require(scanned(Array(text.utf8)))
        #expect(envelope == read(Array(text.utf8)))
    }

    @Test(arguments: others) func `an unusual envelope, or none, is left to the other reader`(text: String) {
        #expect(scanned(Array(text.utf8)) == nil)
    }

    @Test func `whatever is returned is what the other reader returns`() throws {
        var generator = SeededGenerator(seed: 51)
        let texts = (Self.usual + Self.others).map { Array($0.utf8) }
        let pieces =
            ["\"", "\\", "\\u12", "{", "}", "[", "]", ",", ":", "0", "9", "a", " ", "\n", "\u{0}", "é"]
            .map { Array($0.utf8) } + [[0xFF], [0xC3]]
        var returned = 0
        for _ in 0..<40_000 {
            var text = texts.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let start = Int.random(in: 0...text.count, using: &generator)
                let end = min(text.count, start + Int.random(in: 0...2, using: &generator))
                text.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator) ?? [])
            }
            guard let envelope = scanned(text) else { continue }
            returned += 1
            if envelope != read(text) { Issue.record("\(String(decoding: text, as: UTF8.self))") }
        }
        #expect(returned > 200)
    }

    @Test func `the limits are those of the other reader`() {
        let text = Array(#"{"id":123,"headers":{"content-type":"a"},"body":{"text":"xxxx"}}"#.utf8)
        for change: (inout Limits) -> Void in [
            { $0.maxContentBytes = 3 }, { $0.maxKeyBytes = 4 }, { $0.maxNumberBytes = 2 }, { $0.maxNestingDepth = 0 },
            { $0.maxObjectMembers = 1 },
        ] {
            var limits = Limits()
            change(&limits)
            #expect(scanned(text, limits) == nil)
        }
        #expect(scanned(text) != nil)
    }

    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
