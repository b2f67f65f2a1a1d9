import Foundation
import Serialization
import TestSupport
import Testing

@Suite struct JSONOrderTests {
    private func sorted(_ content: String) throws -> String {
        try read(content) { $0.keys = .sorted }.text
    }

    private func canonical(_ content: String) throws -> JSONReading {
        try read(content) { $0.isCanonical = true }
    }

    @Test(arguments: [
        (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
        (#"{"b":{"d":1,"c":[{"z":1,"y":2},3]},"a":2}"#, #"{"a":2,"b":{"c":[{"y":2,"z":1},3],"d":1}}"#),
        (#"{"\u0062":1.0,"a":"\u0041"}"#, #"{"a":"\u0041","\u0062":1.0}"#),
        (#"{"aa":1,"a":2,"":3}"#, #"{"":3,"a":2,"aa":1}"#),
        ("{\"\u{FB33}\":1,\"😀\":2,\"é\":3,\"\u{D7FF}\":4}", "{\"é\":3,\"\u{D7FF}\":4,\"😀\":2,\"\u{FB33}\":1}"),
        ("[3,1,2]", "[3,1,2]"),
        ("{}", "{}"),
        (#""x""#, #""x""#),
        ("-1e5", "-1e5"),
    ])
    func `members are sorted and nothing else changes`(content: String, expected: String) throws {
        #expect(try sorted(content) == expected)
    }

    @Test(arguments: [
        (#"{"a\n1":1,"a\t2":2,"a\n0":3}"#, #"{"a\t2":2,"a\n0":3,"a\n1":1}"#),
        (#"{"\"\"b":1,"\"\"":2,"\"\"a":3}"#, #"{"\"\"":2,"\"\"a":3,"\"\"b":1}"#),
        (
            #"{"\u0061\u0062":1,"\u0061a":2,"a\u0061b":3,"\u0061":4}"#,
            #"{"\u0061":4,"\u0061a":2,"a\u0061b":3,"\u0061\u0062":1}"#
        ),
        (
            #"{"x\ud83d\ude01":1,"x\uD83D\uDE00":2,"x\ufb33":3,"x\ud83d\ude00a":4}"#,
            #"{"x\uD83D\uDE00":2,"x\ud83d\ude00a":4,"x\ud83d\ude01":1,"x\ufb33":3}"#
        ),
        (#"{"\\u0062":1,"\\u0061":2,"\\":3}"#, #"{"\\":3,"\\u0061":2,"\\u0062":1}"#),
        (#"{"\u0000b":1,"\u0000":2,"\u0000a":3}"#, #"{"\u0000":2,"\u0000a":3,"\u0000b":1}"#),
    ])
    func `names with escapes are sorted by their characters`(content: String, expected: String) throws {
        #expect(try sorted(content) == expected)
    }

    /// Each comparison unescaped both names, with an array for each escape: 8 MB took 3.7 s.
    @Test func `sorting names that consist of escapes costs about as much as sorting others`() throws {
        func time(_ character: String) throws -> Duration {
            let names = (0..<5000).map {
                String(repeating: character, count: 60 / character.utf8.count) + "\($0 * 7919 % 10_007)"
            }
            let text = "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            return try (0..<2).map { _ in try processorTime { _ = try sorted(text) } }.min() ?? .zero
        }
        let plain = try time("x")
        for escaped in [#"\""#, #"\n"#, #"\u0078"#, #"\ud83d\ude00"#] {
            // It was more than ten times as long.
            #expect(try time(escaped) < plain * 4 + .milliseconds(10), "\(escaped)")
        }
    }

    @Test func `nulls and duplicates are handled before sorting`() throws {
        #expect(try sorted(#"{"c":1,"b":null,"c":2,"a":3}"#) == #"{"a":3,"c":2}"#)
    }

    @Test func `deep and long values are sorted too`() throws {
        let deep = String(repeating: #"{"b":1,"a":"#, count: 500) + "1" + String(repeating: "}", count: 500)
        #expect(try sorted(deep).hasPrefix(#"{"a":{"a":"#))
        let names = (0..<20_000).map { #""\#(20_000 - $0 + 100_000)":1"# }
        #expect(
            try sorted("{" + names.joined(separator: ",") + "}") == "{" + names.reversed().joined(separator: ",") + "}"
        )
    }

    /// RFC 8785 appendix B, and the boundaries of ECMA-262's rules.
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("1.0", "1"), ("1e3", "1000"), ("1E-3", "0.001"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"), ("123456789012345678901", "123456789012345680000"), ("1e21", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("5e-324", "5e-324"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740993", "9007199254740992"), ("295147905179352825856", "295147905179352830000"), ("4.50", "4.5"),
        ("2e-3", "0.002"), ("0.000000000000000000000000001", "1e-27"), ("333333333.33333329", "333333333.3333333"),
        ("1e23", "1e+23"), ("9.999999999999997e22", "9.999999999999997e+22"), ("-1.5e300", "-1.5e+300"),
    ])
    func `numbers are written as in ECMAScript`(number: String, expected: String) throws {
        let reading = try canonical("[\(number)]")
        #expect(reading.text == "[\(expected)]")
        let place = SourceLocation(byte: 1, line: 1, column: 2, pointer: "/0")
        #expect(
            reading.warnings
                == (number == expected ? [] : [Warning(.numberRewritten(from: number, to: expected), at: place)])
        )
    }

    @Test func `strings are written in their shortest form`() throws {
        let content = #"{"\u0061\/":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\ud83d\ude00"}"#
        #expect(try canonical(content).text == "{\"a/\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/😀\"}")
        #expect(try canonical(#""\u0008\u000c\u0009\u000d\u007f""#).text == "\"\\b\\f\\t\\r\u{7F}\"")
    }

    @Test func `a number that no double is near is rejected`() {
        let error = refusal(of: #"{"a":[1,1e400]}"#) { $0.isCanonical = true }
        #expect(error?.reason == .numberNotRepresentable)
        #expect(error?.location == SourceLocation(byte: 8, line: 1, column: 9, pointer: "/a/1"))
    }

    @Test(.needs("json/jcs"))
    func `the corpus of RFC 8785 is reproduced byte for byte`() throws {
        let inputs = Suites.files(in: "json/jcs/testdata/input")
        #expect(inputs.count >= 6)
        for input in inputs {
            let output = Suites.url("json/jcs/testdata/output/\(input.lastPathComponent)")
            let content = [UInt8](try Data(contentsOf: input))
            let reading = try read(content) { options in
                options.isCanonical = true
                options.nulls = .keep
            }
            #expect(
                reading.text == String(decoding: try Data(contentsOf: output), as: UTF8.self),
                "\(input.lastPathComponent)"
            )
        }
    }
}
