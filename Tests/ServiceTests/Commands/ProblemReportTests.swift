import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct ProblemReportTests {
    /// Returns the report of the problem with this content.
    private func report(
        _ content: [UInt8],
        type: String = "application/json",
        name: String? = "order.json",
        flags: [(name: String, value: String)] = [],
        columns: Int = 80
    ) throws -> String {
        let response = try LocalExchange(
            "POST",
            "/v1/normalize",
            fields: [("Content-Type", type)],
            content: content,
            to: DecantApplication(readiness: Readiness(.ready))
        )
        #expect(response.status == 422)
        let command = CommandText(name: "normalize", flags: flags, operand: name)
        let input = ProblemReport.Input(name: name, content: content, command: command)
        let facts = ProblemFacts(Array(response.content.utf8).span)
        return ProblemReport(facts, of: input, columns: columns, isColored: false).text
    }

    private func report(_ text: String, flags: [(name: String, value: String)] = []) throws -> String {
        try report(Array(text.utf8), flags: flags)
    }

    @Test func `shows the line with a caret under the position`() throws {
        let text = try report("{\n  \"order\": 1042,\n    {\"sku\": \"B-7\" \"count\": 1}\n}")
        #expect(
            text == """
                error[json.unexpected_character]: expected a name, found '{' at byte 23 (line 3, column 5)
                  --> order.json:3:5
                   |
                 3 |     {"sku": "B-7" "count": 1}
                   |     ^ expected a name
                """
        )
    }

    @Test func `shows the hint as a command that can be pasted, in which the option is replaced`() throws {
        let text = try report("[1, // one\n]", flags: [("lenient", "comments"), ("nulls", "keep")])
        #expect(
            text.hasSuffix(
                """
                hint: lenient=trailing-commas,comments accepts this content
                    decant normalize --nulls keep --lenient trailing-commas,comments order.json
                """
            )
        )
    }

    @Test func `shows a position at the end of the content`() throws {
        #expect(try report("{\"a\": ").hasSuffix(" 1 | {\"a\": \n   |       ^ expected a value"))
    }

    @Test func `cuts a long line around the position`() throws {
        let padding = String(repeating: "x", count: 500_000)
        let text = try report("[\"\(padding)\" \"é\(padding)\"]")
        let lines = text.split(separator: "\n").map(String.init)
        for line in lines.dropFirst() { #expect(line.count <= 80, "\(line)") }
        let caret = try #require(lines.last { $0.contains("^") })
        let shown = try #require(lines.first { $0.hasPrefix(" 1 | …") })
        let column = caret.distance(from: caret.startIndex, to: try #require(caret.firstIndex(of: "^")))
        #expect(shown.dropFirst(column).hasPrefix("\"é"))
        #expect(shown.hasSuffix("…"))
    }

    @Test(arguments: [
        "\u{1B}[2J\u{1B}]0;title\u{7}", "\u{9B}31m", "\u{202E}gnp.exe\u{2066}", "\u{7F}\u{8}\u{8}",
        "\u{FEFF}\u{200B}\r\u{0}",
        "\u{2028}\u{85}",
    ])
    func `escapes everything that a terminal could execute, hide or reorder`(attack: String) throws {
        let texts = try [
            report("{\"\(attack)\": \(attack)}"), report("\(attack)[1"), report("[1 \(attack)"),
            report(Array("{".utf8), name: "\(attack).json"),
        ]
        for text in texts {
            let bad = text.unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control: scalar != "\n"
                case .format, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            }
            #expect(bad.isEmpty, "\(text.debugDescription)")
        }
    }

    @Test func `shows bytes that are not UTF-8 with their values, and the caret below the first of them`() throws {
        let text = try report(Array("{\"city\": \"K".utf8) + [0xF6] + Array("ln\"}".utf8))
        #expect(text.contains(" 1 | {\"city\": \"K\\xf6ln\"}\n   |            ^ "))
    }

    @Test func `counts columns of wide and combining characters`() throws {
        let text = try report("{\"日本\": \"e\u{301}\" 1}")
        #expect(text.contains(" 1 | {\"日本\": \"e\u{301}\" 1}\n   |              ^ "))
    }

    @Test func `shows no line of content that the location does not refer to`() throws {
        let facts = ProblemFacts(
            Array(
                #"""
                {"code":"json.unexpected_end","detail":"d","chain":[{"code":"c","message":"d",\#
                "at":{"byte":5,"line":2,"column":1},"excerpt":"x\#u{202E}y"}]}
                """#.utf8
            ).span
        )
        let input = ProblemReport.Input(name: nil, content: Array("compressed".utf8))
        let text = ProblemReport(facts, of: input, columns: 80, isColored: false).text
        #expect(text == "error[json.unexpected_end]: d\n  --> standard input:2:1\n   | x\\u{202e}y")
    }

    @Test func `lists the causes that the detail does not contain`() throws {
        let facts = ProblemFacts(
            Array(
                #"""
                {"code":"a","detail":"first",\#
                "chain":[{"code":"a","message":"first"},{"code":"b","message":"second"}]}
                """#.utf8
            ).span
        )
        let text = ProblemReport(facts, of: .init(), columns: 80, isColored: false).text
        #expect(text == "error[a]: first\n  caused by: second [b]")
    }

    @Test func `reads only the members that it shows`() {
        let json =
            #"{"code":"c","value":{"code":"x","chain":[{"code":"y"}],"detail":["a"]},"accepts":{"a":"1","#
            + #""b":"2"},"chain":[{"code":"z","expected":["p","q"],"at":{"byte":3}}]}"#
        let facts = ProblemFacts(Array(json.utf8).span)
        #expect(facts.code == "c")
        #expect(facts.detail.isEmpty)
        #expect(facts.accepts.map(\.name) == ["a", "b"])
        #expect(facts.links == [.init(code: "z", byte: 3, expected: ["p", "q"])])
    }

    @Test(arguments: [
        ("a.json", "a.json"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("-x", "./-x"), ("", "''"),
        ("$(id)", "'$(id)'"),
        ("a\u{1B}\n'b", #"$'a\033\012\047b'"#), ("é", "'é'"),
    ])
    func `quotes words for a shell`(operand: String, word: String) throws {
        #expect(CommandText(name: "normalize", flags: [], operand: operand).text == "decant normalize \(word)")
        let printed = try Tool.run("/bin/bash", "-c", "printf %s \(word)").output
        #expect(printed == (operand.hasPrefix("-") ? "./" + operand : operand))
    }

    @Test func `proposes the form message for the path of messages, and nothing for another path`() {
        let command = CommandText(name: "normalize", flags: [], operand: nil)
        #expect(
            command.changed(by: [("path", "/v1/normalize/message")])?.text == "decant normalize --form message"
        )
        #expect(command.changed(by: [("path", "/v1/other")]) == nil)
        #expect(command.changed(by: []) == nil)
    }

    @Test func `without arguments, the program shows six examples`() throws {
        let result = try DecantProcess.run()
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").count { $0.hasPrefix("    ") && $0.contains("decant ") } == 6)
    }

    /// script(1) runs a command on its own terminal, which writes CR LF.
    private static let hasTerminal = ConditionTrait.enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"),
        "script is not installed"
    )

    /// Runs a command with a terminal as its standard streams.
    private func onTerminal(_ command: String) throws -> DecantProcess.Result {
        try DecantProcess(shell: #"export TERM=xterm; exec /usr/bin/script -qec "\#(command)" /dev/null"#).finish()
    }

    @Test(hasTerminal) func `on a terminal a problem is a report, and with --pretty it is JSON`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("[1, // one\n]", to: "list.json")
        let report = try onTerminal("NO_COLOR=1 $0 normalize \(file)")
        #expect(report.status == 1)
        #expect(report.output.hasPrefix("error[json.unexpected_character]: "))
        #expect(report.output.contains("--> \(file):1:5\r\n"))
        #expect(report.output.contains("\r\n    decant normalize --lenient trailing-commas,comments \(file)\r\n"))
        let colored = try onTerminal("$0 normalize \(file)")
        #expect(colored.output.hasPrefix("\u{1B}[31;1merror[json.unexpected_character]\u{1B}[0m: "))
        let json = try onTerminal("NO_COLOR=1 $0 normalize --pretty true \(file)")
        #expect(json.output.hasPrefix("{\r\n  \"type\": "))
        // The proposed command accepts the content.
        #expect(try DecantProcess.run("normalize", "--lenient", "trailing-commas,comments", file).status == 0)
    }

    @Test(
        hasTerminal,
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\n \"a\" 1}",
                " (content):2:6", " 2 |  \"a\" 1}"
            ),
            ("HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}", ":1:16", " 1 | HTTP/1.1 200 OK"),
        ]
    )
    func `the position in a message is shown in its content, and that of a malformed message in the message`(
        message: String,
        position: String,
        line: String
    ) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(message, to: "response.http")
        let report = try onTerminal("NO_COLOR=1 $0 normalize \(file)").output
        #expect(report.contains("--> \(file)\(position)\r\n"), "\(report)")
        #expect(report.contains("\(line)\r\n"), "\(report)")
    }

    @Test(hasTerminal) func `a service on a terminal prints the address of the page`() throws {
        let service = try DecantProcess(
            shell: #"exec /usr/bin/script -qec "timeout 5 $0 serve --port 0 --workers 0" /dev/null"#
        )
        #expect(try service.finish().output.contains(/Open http:\/\/127\.0\.0\.1:\d+ in a browser to try it\./))
    }
}
