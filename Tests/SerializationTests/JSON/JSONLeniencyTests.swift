import Foundation
import Serialization
import SerializationSupport
import TestSupport
import Testing

@Suite struct JSONLeniencyTests {
    @Test(arguments: [
        ("[1,2,]", "[1,2]", Leniencies.trailingCommas),
        (#"{"a":1 , }"#, #"{"a":1}"#, .trailingCommas),
        ("// one\n[1, /* two */ 2] // three", "[1,2]", .comments),
        (#"{"a"/**/:/**/1}"#, #"{"a":1}"#, .comments),
        ("[NaN,Infinity,-Infinity,+Infinity,-NaN]", #"["NaN","Infinity","-Infinity","+Infinity","-NaN"]"#, .nan),
        (#"['a','it\'s','say "hi"','\u0041','é']"#, #"["a","it's","say \"hi\"","\u0041","é"]"#, .singleQuotes),
        (#"{a:1,$b_2:2,é:3,true:4,null:5,"c":6}"#, #"{"a":1,"$b_2":2,"é":3,"true":4,"null":5,"c":6}"#, .unquotedKeys),
        ("[\"a\nb\tc\r\u{1}\u{1F}\u{8}\u{C}\"]", #"["a\nb\tc\r\u0001\u001f\b\f"]"#, .rawControlCharacters),
        (#"["C:\dir\'s\x41\u12g4","\é\n"]"#, #"["C:\\dir\\'s\\x41\\u12g4","\\é\n"]"#, .badEscapes),
        (
            "[01,-007,00,.5,-.5,+1,+.5e1,1.,1.E+2,+0,0.50,-1e-5]", "[1,-7,0,0.5,-0.5,1,0.5e1,1.0,1.0E+2,0,0.50,-1e-5]",
            .numberForms
        ),
    ])
    func `each has an option of its own`(content: String, expected: String, leniency: Leniencies) throws {
        let reading = try read(content) { $0.leniencies = leniency }
        #expect(reading.text == expected)
        #expect(!reading.warnings.isEmpty)
        #expect(reading.warnings.allSatisfy { $0.kind == .lenient(leniency) })
        let others = Leniencies.all.subtracting(leniency)
        #expect(refusal(of: content) { $0.leniencies = others } != nil)
        #expect(refusal(of: content) != nil)
    }

    @Test func `each use is a warning with its location`() throws {
        let reading = try read("{a: [1,],\n  'b': NaN, // end\n}") { $0.leniencies = Leniencies(rawValue: 31) }
        #expect(reading.text == #"{"a":[1],"b":"NaN"}"#)
        func warning(_ leniency: Leniencies, _ byte: Int, _ line: Int, _ column: Int, _ pointer: String) -> Warning {
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
        let error = refusal(of: content) { $0.leniencies = Leniencies(rawValue: 31) }
        #expect(error?.location.byte == byte)
    }

    @Test(arguments: [
        "[1+2]", "[1-+2]", "[-+1]", "[--1]", "[1.2.3]", "[1..2]", "[.]", "[+]", "[.e5]", "[01x]", "[0x1F]", "[1e]",
        "[1e+]", "[.5.]", "[a.5]", "[١]",
    ])
    func `other forms of numbers are not repaired`(content: String) {
        #expect(refusal(of: content) { $0.leniencies = .numberForms } != nil)
    }

    @Test func `the new forms of strings and numbers are warnings with their locations`() throws {
        let reading = try read("{\"a\":\"x\ny\",\n\"b\":[\"é\\d\",+01.]}") { $0.leniencies = .all }
        #expect(reading.text == #"{"a":"x\ny","b":["é\\d",1.0]}"#)
        #expect(
            reading.warnings == [
                Warning(
                    .lenient(.rawControlCharacters),
                    at: SourceLocation(byte: 7, line: 1, column: 8, pointer: "/a")
                ),
                Warning(.lenient(.badEscapes), at: SourceLocation(byte: 20, line: 3, column: 8, pointer: "/b/0")),
                Warning(.lenient(.numberForms), at: SourceLocation(byte: 24, line: 3, column: 12, pointer: "/b/1")),
            ]
        )
    }

    @Test func `limits apply to repaired numbers and names`() throws {
        var limits = Limits()
        limits.maxNumberBytes = 3
        limits.maxKeyBytes = 3
        func result(_ content: String) -> JSONError.Reason? {
            refusal(of: content) {
                $0.leniencies = .all
                $0.limits = limits
            }?.reason
        }
        #expect(result("[.5,00012,+123]") == nil)
        #expect(result("[.55]") == .numberTooLong(max: 3))
        #expect(result("{\"a\n\":1}") == nil)
        #expect(result("{\"ab\n\":1}") == .keyTooLong(max: 3))
    }

    @Test(arguments: [
        ("application/json;charset=utf-8", "windows-1252"), ("application/json;charset=Shift_JIS", "windows-1252"),
        ("application/json;charset=nonsense", "windows-1252"), ("application/json", "windows-1252"),
    ])
    func `a charset that fails is replaced`(type: String, used: String) throws {
        // In Shift_JIS, E9 begins a character that the quote cannot end.
        let content: [UInt8] = Array(#"{"a":""#.utf8) + [0xE9] + Array("\",\n\"b\":1}".utf8)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        var options = SerializationOptions()
        options.view = .value
        #expect(throws: SerializationFailure.self) {
            _ = try ResponseSerializer(options: options).serialize(response, content: content.span)
        }
        options.leniencies = .declaredCharset
        let answer = try ResponseSerializer(options: options).serialize(response, content: content.span)
        let declared = try MediaType(parsing: type).charset
        let location = SourceLocation(byte: 6, line: 1, column: 7)
        #expect(
            answer.warnings == [
                Warning(.charsetReplaced(declared: declared, used: used), at: location),
                Warning(.transcoded(encoding: used), at: SourceLocation(byte: 0)),
            ]
        )
        #expect(answer.upstream.representation.charset == used)
        #expect(String(decoding: [UInt8](answer.json), as: UTF8.self) == #"{"a":"é","b":1}"#)
    }

    @Test func `a charset that does not fail is used`() throws {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/json;charset=windows-1251")
        var options = SerializationOptions()
        options.leniencies = .declaredCharset
        options.view = .value
        let content: [UInt8] = [0x22, 0xE9, 0x22]
        let answer = try ResponseSerializer(options: options).serialize(response, content: content.span)
        #expect(answer.warnings.map(\.kind) == [.transcoded(encoding: "windows-1251")])
        #expect(String(decoding: [UInt8](answer.json), as: UTF8.self) == "\"й\"")
    }

    @Test func `a strict text is read as usual`() throws {
        let content = #"{"a":"// no, 'comment',","b":["NaN","/*"]}"#
        #expect(try read(content) { $0.leniencies = Leniencies(rawValue: 31) } == JSONReading(text: content))
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
            #expect(refusal(of: content) { $0.leniencies = Leniencies(rawValue: 31) } != nil)
        }
        #expect(time < .seconds(10))
    }

    @Test(.needs("json/json5-tests"))
    func `the parts of JSON5 that the leniencies cover are read`() throws {
        let all = { (options: inout JSONReader.Options) in options.leniencies = Leniencies(rawValue: 31) }
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
