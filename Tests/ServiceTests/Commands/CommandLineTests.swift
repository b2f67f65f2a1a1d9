import Platform
import Testing

@testable import Service

@Suite struct CommandLineTests {
    @Test func `says its version`() throws {
        #expect(try DecantProcess.run("--version") == .init(status: 0, output: "0.1.0\n", errors: ""))
    }

    @Test(arguments: [
        ["--prot", "80"], ["--port", "eighty"], ["frobnicate"], ["normalize", "--nulls", "burn"],
        ["--port", "0", "--port", "0"], ["normalize", "--nulls", "keep", "--nulls", "drop"],
        ["normalize", "--status", "200", "--status", "200"],
    ])
    func `ends with 2 and a sentence on standard error where it is used wrongly`(arguments: [String]) throws {
        let result = try DecantProcess(arguments).finish()
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("Error: "))
    }

    @Test func `serve --help shows every setting with its variable, its default and what is allowed`() throws {
        let help = try DecantProcess.run("serve", "--help", environment: ["COLUMNS": "10000"]).output.withoutLineBreaks
        let defaults = Configuration(resources: .current())
        for setting in Setting.all {
            #expect(help.contains("\(setting.flag) <"))
            #expect(
                help.contains(
                    "[\(setting.allowed); \(setting.variable)] (default: \(setting.value(in: defaults)))"
                ),
                "\(setting.name)"
            )
        }
    }

    @Test func `normalize --help shows every option of the HTTP contract`() throws {
        let help = try DecantProcess.run("normalize", "--help").output.withoutLineBreaks
        for option in OptionTable.all {
            #expect(help.contains("--\(option.name.rawValue) <value> \(option.summary)"))
        }
    }
}

extension String {
    /// The words with one space between: the help wraps its lines to the terminal.
    fileprivate var withoutLineBreaks: String {
        split { $0.isWhitespace }.joined(separator: " ")
    }
}
