import Serialization
import TestSupport
import Testing

@testable import Service

/// An envelope is checked while it is read, and validated only if it contains something unusual.
@Suite struct EnvelopeGrammarTests {
    private static let texts = [
        #"{}"#, #" { } "#, #"{"status":200}"#, #"{"id":"a","status":404,"url":"http://a.example/é","method":"GET"}"#,
        #"{"id":0}"#, #"{"id":1234567890,"body":{"text":""}}"#, #"{"body":{"base64":"AAEC"}}"#,
        #"{"headers":{},"body":{"text":"plain text that is longer than one vector, without escapes"}}"#,
        #"{"headers":[],"body":{"text":"{\"a\":\"\\\\\u00e9\ud83d\ude00\/\b\f\n\r\t\"}"}}"#,
        #"{"headers":{"content-type":"application/json","ETag":"\"1\"","x":" \t y "},"body":{"text":"[1]"}}"#,
        #"{"headers":[["a","b"],["a","c"], [ "d" , "e" ] ] , "body" : { "text" : "é" } }"#,
        #"{"body":{"json":{"a":[1,true,null,"\u0041"]}}}"#, "\u{FEFF}{\"url\":\"a\"}", "{\"url\"\t:\n\"a\"\r}",
        #"{"headers":{"a":["b","c"],"d":[]},"status":200}"#, #"{"id":-1.5e3}"#,
        // Not JSON.
        "", "{", "x", #"{"id":01}"#, #"{"body":{"text":"\ud800"}}"#, #"{"body":{"text":"\x"}}"#, #"{"url":"a"}}"#,
        #"{"body":{"text":"\ud800\u0041"}}"#, "{\"url\":\"a\nb\"}", #"{"url":"a",}"#, #"{,"url":"a"}"#, #"{"url" "a"}"#,
        #"{"url":"a" "method":"b"}"#, #"{"id":"a"} {}"#, #"{"headers":[["a","b",]]}"#, #"{"headers":[,["a","b"]]}"#,
        #"{"headers":[["a" "b"]]}"#, #"{"headers":[["a","b"}]}"#, #"{"headers":{"a":"b"]}"#, #"{]"#, #"{"id":1x}"#,
        #"{"id":"a"#, #"{"body":{"json":[1,]}}"#, #"{'url':"a"}"#, #"{url:"a"}"#, #"{"status":2OO}"#,
        #"{"status":99,"url":"#, #"{"other":1,"url":tru}"#, #"{"url":"a","url":nul}"#, #"{"body":{"base64":"A"},}"#,
        // JSON, but no envelope.
        "[]", #"{"status":99}"#, #"{"status":200.0}"#, #"{"method":""}"#, #"{"url":"a","url":"b"}"#, #"{"other":1}"#,
        #"{"body":{}}"#, #"{"body":{"base64":"AAE"}}"#, #"{"headers":{"a":"b","a":"c"}}"#, #"{"headers":[["a"]]}"#,
        #"{"body":{"text":"a","text":"b"}}"#, #"{"url":"\u0001"}"#, #"{"id":null}"#, #"{"url":1}"#,
    ]

    /// Returns the error in the grammar of a text, which is validated as a whole.
    private func malformation(of text: [UInt8], _ limits: Limits) -> EnvelopeError? {
        var limits = limits
        limits.maxNestingDepth = min(limits.maxNestingDepth + 2, Limits.hardMaxNestingDepth)
        do throws(JSONDocumentError) {
            _ = try JSONDocumentReader(text.span, limits: limits, errors: .first, memory: .unlimited)
            return nil
        } catch {
            return EnvelopeError(error)
        }
    }

    private func error(of text: [UInt8], _ limits: Limits) -> EnvelopeError? {
        do throws(EnvelopeError) {
            _ = try EnvelopeReader.read(text.span, limits: limits, memory: .unlimited, acceptsID: true)
            return nil
        } catch {
            return error
        }
    }

    /// Returns whether the text is JSON.
    private func compare(_ text: [UInt8], _ limits: Limits = Limits()) -> Bool {
        let found = error(of: text, limits)
        guard let expected = malformation(of: text, limits) else {
            switch found {
            case .malformed, .notUTF8: Issue.record("is JSON: \(String(decoding: text, as: UTF8.self))")
            case nil, .unexpected, .unknownMember, .duplicateMember, .contentTooLarge: break
            }
            return true
        }
        #expect(found == expected, "\(String(decoding: text, as: UTF8.self))")
        return false
    }

    @Test(arguments: texts) func `an error in the grammar is that of the whole text, before all others`(text: String) {
        _ = compare(Array(text.utf8))
    }

    @Test func `changed envelopes have the errors of the whole text`() {
        var generator = SeededGenerator(seed: 51)
        let pieces =
            ["\"", "\\", "\\u12", "{", "}", "[", "]", ",", ":", "0", "9", "a", " ", "\n", "\u{0}", "é", "true", "-1"]
            .map { Array($0.utf8) } + [[0xFF], [0xC3]]
        var (valid, invalid) = (0, 0)
        for _ in 0..<40_000 {
            var text = Array((Self.texts.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let start = Int.random(in: 0...text.count, using: &generator)
                let end = min(text.count, start + Int.random(in: 0...2, using: &generator))
                text.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator) ?? [])
            }
            if compare(text) { valid += 1 } else { invalid += 1 }
        }
        #expect(valid > 1_000 && invalid > 5_000)
    }

    @Test func `an envelope that ends anywhere has the error of the whole text`() {
        for text in Self.texts {
            let bytes = Array(text.utf8)
            for count in bytes.indices { _ = compare(Array(bytes[..<count])) }
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4, 12, 13]) func `the limits are those of the whole text`(limit: Int) {
        let changes: [(inout Limits) -> Void] = [
            { $0.maxKeyBytes = limit }, { $0.maxNumberBytes = limit }, { $0.maxNestingDepth = limit },
            { $0.maxObjectMembers = limit },
        ]
        for change in changes {
            var limits = Limits()
            change(&limits)
            for text in Self.texts { _ = compare(Array(text.utf8), limits) }
        }
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
