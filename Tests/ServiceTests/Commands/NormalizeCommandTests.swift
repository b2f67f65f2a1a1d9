import Foundation
import Testing

@testable import Service

@Suite struct NormalizeCommandTests {
    @Test func `prints the response to the content of standard input`() throws {
        let result = try DecantProcess.run("normalize", input: #"{"id": 9007199254740993, "name": null}"#)
        #expect(
            result.output == """
                {"outcome":"value","serializer":"json","value":{"id":9007199254740993},"nullsDropped":1,\
                "upstream":{"status":200,"statusAssumed":true,"charset":"utf-8","bytes":38}}

                """
        )
        #expect(result.errors.isEmpty)
        #expect(result.status == 0)
    }

    @Test func `has the options of the HTTP contract and flags for the head of the upstream response`() throws {
        let result = try DecantProcess.run(
            "normalize",
            "--view",
            "value",
            "--nulls",
            "drop-all",
            "--content-type",
            "application/json",
            "--status",
            "201",
            "-",
            input: "[1, null]"
        )
        #expect(result == .init(status: 0, output: "[1]\n", errors: ""))
    }

    @Test(arguments: ["full", "value"])
    func `ends with 1 and the problem on standard error if the response is rejected`(view: String) throws {
        let result = try DecantProcess.run(
            "normalize",
            "--view",
            view,
            "--type",
            "application/json",
            input: #"{"a":tru}"#
        )
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix(#"{"type":"/problems/json.invalid_literal","#))
        #expect(result.errors.hasSuffix("}\n"))
    }

    @Test func `several thumbnails may be requested`() throws {
        let photo = Contract.root.appending(path: "examples/photo.jpg").path
        let result = try DecantProcess.run("normalize", "--thumbnail", "64x64", "--thumbnail", "32x32,fit=cover", photo)
        #expect(result.status == 0)
        #expect(result.output.contains(#""width":48,"height":64"#))
        #expect(result.output.contains(#""width":32,"height":32"#))
    }

    /// The media type of each file depends on its extension. Problems do not change the order of the results.
    @Test func `normalizes several files, whose types depend on their extensions`() throws {
        let folder = try TemporaryFolder()
        let list = try folder.write(#"<plist><dict><key>a</key><integer>1</integer></dict></plist>"#, to: "list.PLIST")
        let broken = try folder.write("[1,", to: "broken.json")
        let lines = try folder.write("1\n2\n", to: "lines.ndjson")
        let result = try DecantProcess.run(
            "normalize",
            "--view",
            "value",
            list,
            broken,
            "/nowhere/at.all",
            "-",
            lines,
            input: #"{"b":2}"#
        )
        #expect(result.output == "{\"a\":1}\n{\"b\":2}\n[1,2]\n")
        let errors = result.errors.split(separator: "\n")
        #expect(errors.count == 3)
        #expect(errors.first == "\(broken):")
        #expect(errors.dropFirst().first?.hasPrefix(#"{"type":"/problems/json.unexpected_end","#) == true)
        #expect(errors.last == "Error: cannot open /nowhere/at.all: No such file or directory")
        #expect(result.status == 2)
    }

    @Test func `a Content-Type flag overrides the extension`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("<a>1</a>", to: "data.json")
        let result = try DecantProcess.run("normalize", "--view", "value", "--content-type", "text/xml", file)
        #expect(result == .init(status: 0, output: "{\"a\":\"1\"}\n", errors: ""))
    }

    @Test func `input that begins with HTTP is a message`() throws {
        let message = "HTTP/1.1 301 M\r\nLocation: /\r\n\r\nHTTP/2 200 \r\ncontent-type: application/json\r\n\r\n[1]"
        for arguments in [[], ["--form", "message"]] {
            let result = try DecantProcess(["normalize", "--view", "value"] + arguments, input: message).finish()
            #expect(result == .init(status: 0, output: "[1]\n", errors: ""))
        }
        let direct = try DecantProcess.run(
            "normalize",
            "--form",
            "direct",
            "--type",
            "application/json",
            input: message
        )
        #expect(direct.errors.hasPrefix(#"{"type":"/problems/json.unexpected_character","#))
        let described = try DecantProcess.run("normalize", "--content-type", "application/json", input: message)
        #expect(described.errors.hasPrefix(#"{"type":"/problems/json.unexpected_character","#))
        let cut = try DecantProcess.run("normalize", input: "HTTP/1.1 200 OK\r\n")
        #expect(cut.status == 1)
        #expect(cut.errors.hasPrefix(#"{"type":"/problems/message.truncated","#))
        #expect(!cut.errors.contains("accepts"))
        let short = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        let accepts = #""accepts":{"truncated":"allow"}"#
        #expect(try DecantProcess.run("normalize", input: short + "[1]").errors.contains(accepts))
        #expect(!(try DecantProcess.run("normalize", input: short + "[1").errors.contains("accepts")))
    }

    @Test func `--form selects the form of the input`() throws {
        let envelope = #"{"status":201,"headers":{"content-type":"text/xml"},"body":{"text":"<a>\n</a>"}}"#
        let result = try DecantProcess.run("normalize", "--form", "envelope", input: envelope)
        #expect(result.status == 0)
        #expect(result.output.contains(#""serializer":"xml","#) && result.output.contains(#""status":201"#))
        let message = try DecantProcess.run("normalize", "--form", "message", input: "[1]")
        #expect(message.errors.hasPrefix(#"{"type":"/problems/message.invalid_status_line","#))
        let unknown = try DecantProcess.run("normalize", "--form", "messages", input: "")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("--form is 'messages'; it must be one of direct, message, envelope."))
        let contradictory = try DecantProcess.run("normalize", "--form", "message", "--status", "200", input: "")
        #expect(contradictory.status == 2)
        #expect(contradictory.errors.contains("--status is allowed only with --form direct"))
    }

    @Test func `a Boolean option needs no value`() throws {
        let result = try DecantProcess.run("normalize", "--canonical", "--view", "value", input: #"{"b":1.0,"a":2}"#)
        #expect(result.status == 0)
        #expect(result.output == "{\"a\":2,\"b\":1}\n")
        // The codes of the warnings, which the value alone cannot contain.
        #expect(result.errors.hasPrefix("Warnings: json."))
    }

    @Test func `--pretty indents the JSON, without colours if standard output is not a terminal`() throws {
        let result = try DecantProcess.run("normalize", "--pretty", "--view", "value", input: #"{"a":[1,{}]}"#)
        #expect(result == .init(status: 0, output: "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n", errors: ""))
    }

    /// script(1) runs a command on its own terminal, which writes CR LF.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed"),
        arguments: [
            ("", "{\r\n  \u{1B}[34;1m\"a\"\u{1B}[0m: \u{1B}[33m1\u{1B}[0m\r\n}\r\n"),
            ("NO_COLOR=1", "{\r\n  \"a\": 1\r\n}\r\n"), ("TERM=dumb", "{\r\n  \"a\": 1\r\n}\r\n"),
        ]
    )
    func `indents and colours JSON on a terminal`(variable: String, output: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(#"{"a":1}"#, to: "a.json")
        let command =
            #"export TERM=xterm; exec /usr/bin/script -qec "\#(variable) $0 normalize --view value \#(file)" /dev/null"#
        let result = try DecantProcess(shell: command).finish()
        #expect(result.status == 0)
        #expect(result.output == output)
    }

    @Test func `ends with 2 if the file cannot be read`() throws {
        let result = try DecantProcess.run("normalize", "/nowhere/at.all")
        #expect(
            result
                == .init(
                    status: 2,
                    output: "",
                    errors: "Error: cannot open /nowhere/at.all: No such file or directory\n"
                )
        )
    }

    /// 1 would mean that the response was rejected, whose problem goes to standard error.
    @Test(arguments: [">/dev/full", "--pretty >/dev/full", "--status 404 2>/dev/full", "--status 404 >/dev/full 2>&1"])
    func `ends with 2 if the output cannot be written`(arguments: String) throws {
        let result = try DecantProcess(shell: #"echo '{}' | "$0" normalize \#(arguments)"#).finish()
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        if !arguments.contains("404") {
            #expect(result.errors == "Error: cannot write to standard output: No space left on device\n")
        }
    }

    @Test func `reads at most the size that the environment allows`() throws {
        let result = try DecantProcess.run("normalize", environment: ["DECANT_MAX_CONTENT_BYTES": "4"], input: "[1,2]")
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix(#"{"type":"/problems/request.content_too_large","#))
    }

    @Test func `names of files are escaped in messages`() throws {
        let folder = try TemporaryFolder()
        let invalid = try folder.write("{", to: "\u{1B}[2J.json")
        let result = try DecantProcess.run("normalize", invalid, "/nowhere/\u{1B}[3J")
        #expect(result.status == 2 || result.status == 1)
        #expect(!result.errors.contains("\u{1B}"), "\(result.errors)")
        #expect(result.errors.contains("\\u{1b}[2J.json:") && result.errors.contains("/nowhere/\\u{1b}[3J"))
    }
}
