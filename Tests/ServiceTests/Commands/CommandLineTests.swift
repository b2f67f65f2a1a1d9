import Foundation
import Platform
import Testing

@testable import Service

@Suite struct CommandLineTests {
    @Test func `prints its version`() throws {
        #expect(try DecantProcess.run("--version") == .init(status: 0, output: "\(decantVersion)\n", errors: ""))
    }

    @Test func `an argument that is not UTF-8 is rejected, and not changed`() throws {
        let folder = try TemporaryFolder()
        let script = #"cd '\#(folder.url.path)' && echo 1 | "$0" batch --output "$(printf 'caf\351')" -"#
        let result = try DecantProcess(shell: script).finish()
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("Error: The argument 3, 'caf\u{FFFD}', is not UTF-8."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        let replacement = try folder.write("1", to: "\u{FFFD}.json")
        #expect(try DecantProcess.run("normalize", "--view", "value", replacement).output == "1\n")
    }

    @Test(arguments: [
        ["--prot", "80"], ["--port", "eighty"], ["frobnicate"], ["normalize", "--nulls", "burn"],
        ["--port", "0", "--port", "0"], ["normalize", "--nulls", "keep", "--nulls", "drop"],
        ["normalize", "--status", "200", "--status", "200"], ["normalize", "-", "-"],
        ["normalize", "--pretty=maybe"], ["thumbnail", "--nulls", "keep"], ["thumbnail", "--thumbnail", "none"],
        ["thumbnail", "--thumbnail", "8x8", "--thumbnail", "9x9"],
    ])
    func `wrong usage ends with 2 and a sentence on standard error`(arguments: [String]) throws {
        let result = try DecantProcess(arguments).finish()
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("Error: "))
    }

    @Test(arguments: [
        ("nrmalize", "Did you mean 'normalize'?"), ("thumb", "Did you mean 'thumbnail'?"),
        ("frobnicate", "The commands are serve, normalize, batch, thumbnail, fetch, sign, healthcheck, version."),
    ])
    func `an unknown command is reported with the nearest one`(name: String, remedy: String) throws {
        let result = try DecantProcess.run(name)
        #expect(result == .init(status: 2, output: "", errors: "Error: there is no command '\(name)'. \(remedy)\n"))
    }

    @Test(arguments: [
        (["--hints"], ["--hints=true"]), (["--hints", "false", "a"], ["--hints", "false", "a"]),
        (["--hints", "list.plist"], ["--hints=true", "list.plist"]), (["--hints=false"], ["--hints=false"]),
        (["--pretty", "--canonical"], ["--pretty=true", "--canonical=true"]),
        (["--allow-unsandboxed"], ["--allow-unsandboxed=true"]), (["--nulls", "true"], ["--nulls", "true"]),
        (["--", "--hints"], ["--", "--hints"]), (["---completion", "--hints"], ["---completion", "--hints"]), ([], []),
    ])
    func `a Boolean flag without a value is true`(arguments: [String], complete: [String]) {
        #expect(BooleanFlags.withValues(arguments) == complete)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions contain the values of options and settings`(shell: String) throws {
        let result = try DecantProcess.run("--generate-completion-script", shell)
        #expect(result.status == 0)
        for value in ["drop-all", "unquoted-keys", "afnetworking", "thumbhash", "image/x-xbitmap", "critical", "HEAD"] {
            #expect(result.output.contains(value))
        }
    }

    @Test(arguments: RootCommand.names.filter { $0 != "version" })
    func `the manual page has every flag of --help`(command: String) throws {
        let page = try Contract.text("docs/decant.1")
        let help = try DecantProcess.run(command, "--help", environment: ["COLUMNS": "10000"]).output
        let flags = Set(help.matches(of: /(?m)^ +(?:-., )?--([a-z-]+)/).map { String($0.1) })
        #expect(flags.count >= 4)
        for flag in flags where flag != "version" && flag != "help" {
            let name = flag.replacing("-", with: "\\-")
            #expect(page.contains("\\-\\-\(name)\n") || page.contains("\\-\\-\(name) "), "\(flag)")
        }
    }

    @Test func `the manual page has the version of the program and every command`() throws {
        let page = try Contract.text("docs/decant.1")
        #expect(page.contains("\"decant \(decantVersion)\""))
        for name in RootCommand.names {
            #expect(page.contains("\n.B decant \(name)\n"))
        }
    }

    @Test func `serve --help shows every setting with its default and the allowed values`() throws {
        let help = try DecantProcess.run("serve", "--help", environment: ["COLUMNS": "10000"]).output.withoutLineBreaks
        let defaults = Configuration(resources: .current())
        for setting in Settings.all {
            #expect(help.contains("\(setting.flag) <"))
            let text = setting.text(in: defaults)
            let isShown = help.contains("[\(setting.allowed)] (default: \(text.isEmpty ? "none" : text))")
            #expect(isShown, "\(setting.name)")
        }
    }

    @Test func `normalize --help shows every option of the HTTP contract`() throws {
        let help = try DecantProcess.run("normalize", "--help").output.withoutLineBreaks
        for option in OptionTable.all {
            #expect(help.contains("--\(option.name.rawValue) <value> \(option.summary)"))
        }
    }

    @Test func `thumbnail --help shows every option that affects a thumbnail`() throws {
        let help = try DecantProcess.run("thumbnail", "--help").output.withoutLineBreaks
        for name in OptionParser.namesForThumbnail where name != .serializer {
            #expect(help.contains("--\(name.rawValue) <value> "))
        }
    }
}

extension String {
    /// The words separated by single spaces, because the help wraps its lines to the width of the terminal.
    fileprivate var withoutLineBreaks: String {
        split { $0.isWhitespace }.joined(separator: " ")
    }
}
