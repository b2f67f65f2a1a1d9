import Testing

@testable import Service

@Suite struct PrettyJSONTests {
    private static func render(_ json: String, isColored: Bool = false) -> String {
        String(decoding: PrettyJSON.rendering(json.utf8Span.span, isColored: isColored), as: UTF8.self)
    }

    @Test(arguments: [
        ("null", "null"), ("\"a\"", "\"a\""), ("[]", "[]"), ("{}", "{}"), ("[ ]", "[]"),
        ("[[],{}]", "[\n  [],\n  {}\n]"),
        (#"{"a":1.10,"b":[true,"x"]}"#, "{\n  \"a\": 1.10,\n  \"b\": [\n    true,\n    \"x\"\n  ]\n}"),
        (#"{"\"{,:":"\\"}"#, "{\n  \"\\\"{,:\": \"\\\\\"\n}"),
        ("{ \"a\" :\n-1e5 , \"a\":{} }", "{\n  \"a\": -1e5,\n  \"a\": {}\n}"),
    ])
    func `writes one member or element per line`(json: String, pretty: String) {
        #expect(Self.render(json) == pretty)
    }

    @Test func `colours names, strings, numbers and literals`() {
        #expect(
            Self.render(#"{"a":"b","c":[-1,null]}"#, isColored: true).replacing("\u{1B}", with: "^") == """
                {
                  ^[34;1m"a"^[0m: ^[32m"b"^[0m,
                  ^[34;1m"c"^[0m: [
                    ^[33m-1^[0m,
                    ^[35mnull^[0m
                  ]
                }
                """
        )
    }

    /// U+009B (CSI) begins a sequence that a terminal executes.
    @Test func `control characters that JSON permits become escapes`() {
        #expect(Self.render("\"\u{9B}31m\u{7F}\u{80}\u{9F}\u{A0}é\"") == #""\u009b31m\u007f\u0080\u009f"# + "\u{A0}é\"")
    }

    @Test func `characters that hide or reorder text become escapes`() {
        let hidden = "\u{61C}\u{200B}\u{200F}\u{2028}\u{202E}\u{2060}\u{2066}\u{206F}\u{FEFF}\u{AD}\u{E000}\u{E0041}"
        let escapes = #"\u061c\u200b\u200f\u2028\u202e\u2060\u2066\u206f\ufeff\u00ad\ue000\udb40\udc41"#
        #expect(Self.render("\"\(hidden)\"") == "\"\(escapes)\"")
        let others = "\u{61B}\u{61D}\u{200A}\u{2010}\u{2027}\u{202F}\u{205F}\u{2070}\u{FF01}日\u{1F600}"
        #expect(Self.render("\"\(others)\"") == "\"\(others)\"")
    }

    @Test(arguments: ["", "\"", "\"\\", "[", "{\"a", "]", "}{", ",,", "[\u{C2}", "\"a\\\"", "tru"])
    func `does not trap on text that is not JSON`(text: String) {
        _ = Self.render(text, isColored: true)
    }

    @Test func `the nesting depth is not limited by the stack`() {
        let depth = 2_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(Self.render(text).filter { $0 == "[" || $0 == "]" } == text)
    }

    @Test(
        arguments: [
            (nil, true, [:], JSONStyle(isPretty: true, isColored: true)),
            (nil, false, [:], JSONStyle(isPretty: false, isColored: false)),
            (true, false, [:], JSONStyle(isPretty: true, isColored: false)),
            (false, true, [:], JSONStyle(isPretty: false, isColored: false)),
            (nil, true, ["NO_COLOR": "1"], JSONStyle(isPretty: true, isColored: false)),
            (nil, true, ["NO_COLOR": ""], JSONStyle(isPretty: true, isColored: true)),
            (nil, true, ["TERM": "dumb"], JSONStyle(isPretty: true, isColored: false)),
        ] as [(Bool?, Bool, [String: String], JSONStyle)]
    )
    func `the form depends on the option, the terminal and NO_COLOR`(
        isPretty: Bool?,
        isTerminal: Bool,
        environment: [String: String],
        style: JSONStyle
    ) {
        #expect(JSONStyle(isPretty: isPretty, isTerminal: isTerminal, environment: environment) == style)
    }
}

extension JSONStyle {
    fileprivate init(isPretty: Bool, isColored: Bool) {
        self.init(isPretty: isPretty, isTerminal: false, environment: [:])
        self.isColored = isColored
    }
}
