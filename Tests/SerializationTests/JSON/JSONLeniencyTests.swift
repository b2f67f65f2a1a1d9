import Foundation
import Serialization
import TestSupport
import Testing

@Suite struct JSONLeniencyTests {
    @Test(arguments: [
        ("[1,2,]", "[1,2]", JSONLeniencies.trailingCommas),
        (#"{"a":1 , }"#, #"{"a":1}"#, .trailingCommas),
        ("// one\n[1, /* two */ 2] // three", "[1,2]", .comments),
        (#"{"a"/**/:/**/1}"#, #"{"a":1}"#, .comments),
        ("[NaN,Infinity,-Infinity,+Infinity,-NaN]", #"["NaN","Infinity","-Infinity","+Infinity","-NaN"]"#, .nan),
        (#"['a','it\'s','say "hi"','\u0041','é']"#, #"["a","it's","say \"hi\"","\u0041","é"]"#, .singleQuotes),
        (#"{a:1,$b_2:2,é:3,true:4,null:5,"c":6}"#, #"{"a":1,"$b_2":2,"é":3,"true":4,"null":5,"c":6}"#, .unquotedKeys),
    ])
    func `each has an option of its own`(content: String, expected: String, leniency: JSONLeniencies) throws {
        let reading = try read(content) { $0.leniencies = leniency }
        #expect(reading.text == expected)
        #expect(!reading.warnings.isEmpty)
        #expect(reading.warnings.allSatisfy { $0.kind == .lenient(leniency) })
        let others = JSONLeniencies(rawValue: 31).subtracting(leniency)
        #expect(refusal(of: content) { $0.leniencies = others } != nil)
        #expect(refusal(of: content) != nil)
    }

    @Test func `each use is a warning with its location`() throws {
        let reading = try read("{a: [1,],\n  'b': NaN, // end\n}") { $0.leniencies = JSONLeniencies(rawValue: 31) }
        #expect(reading.text == #"{"a":[1],"b":"NaN"}"#)
        func warning(_ leniency: JSONLeniencies, _ byte: Int, _ line: Int, _ column: Int, _ pointer: String) -> Warning
        {
            Warning(.lenient(leniency), at: SourceLocation(byte: byte, line: line, column: column, pointer: pointer))
        }
        #expect(
            reading.warnings == [
                warning(.unquotedKeys, 1, 1, 2, "/a"), warning(.trailingCommas, 6, 1, 7, "/a/0"),
                warning(.singleQuotes, 12, 2, 3, "/b"), warning(.nan, 17, 2, 8, "/b"),
                warning(.trailingCommas, 20, 2, 11, "/b"), warning(.comments, 22, 2, 13, "/b"),
            ]
        )
    }

    @Test(arguments: [
        ("[,]", 1), ("[1,,]", 3), ("{,}", 1), ("[1 /* no end", 3), ("[1 / 2]", 3), ("['a", 3), ("[Nan]", 1),
        ("{a b:1}", 1),
        ("[0x1F]", 2), ("[.5]", 1), ("[+1]", 1), ("{1a:2}", 1), ("['\n']", 2),
    ])
    func `nothing else is accepted, and locations refer to the source`(content: String, byte: Int) {
        let error = refusal(of: content) { $0.leniencies = JSONLeniencies(rawValue: 31) }
        #expect(error?.location.byte == byte)
    }

    @Test func `a strict text is read as usual`() throws {
        let content = #"{"a":"// no, 'comment',","b":["NaN","/*"]}"#
        #expect(try read(content) { $0.leniencies = JSONLeniencies(rawValue: 31) } == JSONReading(text: content))
    }

    @Test func `a lone surrogate can be replaced`() throws {
        let content = #"{"a":"\ud800","b":"x\udc00y\ud83d\ude00\ud83d","\ud801":1}"#
        let reading = try read(content) { $0.surrogates = .replace }
        #expect(reading.text == #"{"a":"\ufffd","b":"x\ufffdy\ud83d\ude00\ufffd","\ufffd":1}"#)
        #expect(reading.warnings.map(\.kind) == Array(repeating: .loneSurrogate, count: 4))
        #expect(reading.warnings.map { $0.location?.byte } == [6, 20, 39, 48])
        #expect(reading.warnings.map { $0.location?.pointer } == ["/a", "/b", "/b", "/\u{FFFD}"])
        #expect(refusal(of: content)?.reason == .loneSurrogate)
    }

    @Test func `comments without an end take linear time`() {
        let content = "[" + String(repeating: "/*,", count: 300_000)
        let time = processorTime {
            #expect(refusal(of: content) { $0.leniencies = JSONLeniencies(rawValue: 31) } != nil)
        }
        #expect(time < .seconds(10))
    }

    @Test(.needs("json/json5-tests"))
    func `the parts of JSON5 that the leniencies cover are read`() throws {
        let all = { (options: inout JSONReader.Options) in options.leniencies = JSONLeniencies(rawValue: 31) }
        let covered = [
            "arrays/trailing-comma-array.json5", "comments/block-comment-following-array-element.json5",
            "comments/block-comment-with-asterisks.json5", "comments/inline-comment-preceding-top-level-value.json5",
            "new-lines/comment-cr.json5", "numbers/infinity.json5", "numbers/nan.json5",
            "objects/single-quoted-key.json5",
            "objects/trailing-comma-object.json5", "objects/unquoted-keys.json5", "objects/reserved-unquoted-key.json5",
            "strings/single-quoted-string.json5", "strings/escaped-single-quoted-string.json5",
            "misc/npm-package.json5",
        ]
        for name in covered {
            let url = Suites.url("json/json5-tests/\(name)")
            #expect(refusal(of: [UInt8](try Data(contentsOf: url)), all) == nil, "\(name)")
        }
        // `.txt` and `.js` files are not JSON5; some only need a leniency that exists.
        let refused = [
            "arrays/leading-comma-array.js", "arrays/lone-trailing-comma-array.js", "arrays/no-comma-array.txt",
            "comments/top-level-block-comment.txt", "comments/unterminated-block-comment.txt",
            "objects/illegal-unquoted-key-number.txt", "objects/illegal-unquoted-key-symbol.txt",
            "objects/lone-trailing-comma-object.txt", "strings/unescaped-multi-line-string.txt", "misc/empty.txt",
        ]
        for name in refused {
            let url = Suites.url("json/json5-tests/\(name)")
            #expect(refusal(of: [UInt8](try Data(contentsOf: url)), all) != nil, "\(name)")
        }
    }
}
