import Foundation
import Testing

/// Runs `scripts/test` with a program that has the options and the events of the test library, and whose tests end as
/// their names specify.
@Suite(.enabled(if: Project.output("python3", "--version") != nil, "python3 is not installed"))
struct TestScriptTests {
    @Test func `tests that pass need few lines`() throws {
        let run = try Run("--filter", "passes|skipped")
        #expect(run.status == 0)
        #expect(run.lines.count <= 8)
        #expect(run.lines.contains("     1  sandwich is not installed: OneTests/is skipped"))
        #expect(run.summary.hasPrefix("3 tests: 2 passed, 1 skipped; 0:0"))
    }

    @Test func `a failure is printed with its location and arguments when it occurs, and again at the end`() throws {
        let run = try Run("--filter", "fails|passes")
        #expect(run.status == 1)
        let start = try #require(run.lines.firstIndex(of: "✘ TwoTests/fails"))
        #expect(
            run.lines[start...].prefix(4) == [
                "✘ TwoTests/fails", "    Tests/Two.swift:7", "    arguments: 1", "    Expectation failed: 1 == 2",
            ]
        )
        let end = try #require(run.lines.firstIndex(of: "Failed:"))
        #expect(start < end)
        #expect(run.lines[end...].contains("    Tests/Two.swift:7"))
        #expect(run.summary.hasPrefix("3 tests: 2 passed, 1 failed; "))
    }

    @Test func `long lines and many failures are shortened`() throws {
        let run = try Run("--filter", "floods")
        #expect(run.status == 1)
        #expect(run.lines.allSatisfy { $0.count < 450 })
        #expect(run.lines.contains { $0.hasSuffix("… (100024 characters)") })
        #expect(run.lines.count < 70)
    }

    @Test(arguments: [("aborts", "SIGABRT"), ("is killed", "SIGKILL")])
    func `the test that ran when its process ended has failed, and the remaining tests run`(
        name: String,
        signal: String
    ) throws {
        let run = try Run("--filter", "passes|\(name)", "--jobs", "1")
        #expect(run.status == 1)
        #expect(run.lines.contains("✘ OneTests/\(name)"))
        #expect(run.lines.contains { $0.hasPrefix("    The process was ended by \(signal). Its output is in ") })
        #expect(run.lines.contains("    Fatal error: the last words") == (name == "aborts"))
        #expect(run.summary.hasPrefix("3 tests: 2 passed, 1 failed; "))
    }

    @Test func `a process that ends before its tests is a failure`() throws {
        let run = try Run("--filter", "leaves")
        #expect(run.status == 1)
        #expect(run.lines.contains("✘ A process ended before its tests."))
        #expect(run.summary.hasPrefix("1 test: 0 passed, 1 failed, 1 did not run; "))
    }

    @Test func `a filter without any test is a failure`() throws {
        let run = try Run("--filter", "nothing")
        #expect(run.status == 1)
        #expect(run.lines.last == "No test matches.")
    }

    @Test func `no test runs if the build fails`() throws {
        let run = try Run("--build", builds: "for i in $(seq 400); do echo [$i/400] step; done; echo error: no; exit 3")
        #expect(run.status == 1)
        #expect(run.lines.first == "error: no")
        #expect(run.lines.count == 2)
    }

    @Test func `the output of a build that succeeds is not printed`() throws {
        let run = try Run("--build", "--filter", "passes", builds: "for i in $(seq 400); do echo [$i/400] step; done")
        #expect(run.status == 0)
        #expect(run.lines.count == 2)
    }

    @Test func `tests that the program cannot list are a failure`() throws {
        let run = try Run(program: "#!/bin/sh\necho broken >&2; exit 3\n")
        #expect(run.status == 1)
        #expect(run.lines == ["The tests cannot be listed: broken"])
    }
}

/// A finished run of the script.
private struct Run {
    var status: Int32
    var lines: [String]

    /// The line with the number of tests.
    var summary: String { lines.last { $0.contains(" passed") } ?? "" }

    /// - Parameters:
    ///   - text: the program that contains the tests.
    ///   - build: a shell script that takes the place of `swift`.
    init(_ arguments: String..., program text: String = Self.program, builds build: String = "exit 1") throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "test-script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "program")
        for (file, content) in [(program, text), (folder.appending(path: "swift"), "#!/bin/sh\n\(build)\n")] {
            try content.write(to: file, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment
        process.environment?["PATH"] = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        process.executableURL = Project.root.appending(path: "scripts/test")
        process.arguments = ["--program", program.path, "--output", folder.appending(path: "output").path] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        lines = text.split(separator: "\n").map(String.init)
    }

    private static let program = #"""
        #!/usr/bin/env python3
        import json, os, re, sys

        names = ["OneTests/passes", "OneTests/is skipped", "OneTests/aborts", "OneTests/is killed", \#
        "OneTests/passes too", "TwoTests/fails",
            "TwoTests/floods", "TwoTests/leaves"]
        options = list(zip(sys.argv, sys.argv[1:]))
        events = open(dict(options)["--event-stream-output-path"], "w", buffering=1)

        def write(record, **payload):
            print(json.dumps({"kind": record, "payload": payload, "version": 0}), file=events)

        def event(kind, test=None, **payload):
            write("event", kind=kind, testID=test, **payload)

        def fail(test, text, **payload):
            message = f'Test "{test}" recorded an issue with 1 argument value → 1 at Two.swift:7:5: {text}'
            location = {"_filePath": "Tests/Two.swift", "fileID": "Two/Two.swift", "line": 7, "column": 5}
            event("issueRecorded", test, issue={"isKnown": False, "sourceLocation": location},
                messages=[{"symbol": "fail", "text": message}], **payload)

        filters = [value for option, value in options if option == "--filter"]
        for name in names:
            suite, function = name.split("/")
            test = f"{suite}/`{function}`()/File.swift:1:2"
            if "--list-tests" in sys.argv:
                write("test", kind="function", id=test, name=f"`{function}`()", displayName=function, \#
                isParameterized=function == "fails")
                continue
            if not any(re.search(pattern, test) for pattern in filters):
                continue
            if function == "leaves":
                sys.exit(0)
            if function == "is skipped":
                event("testSkipped", test, _comments=["sandwich is not installed"])
                continue
            event("testStarted", test)
            if function == "aborts":
                print("Fatal error: the last words", file=sys.stderr, flush=True)
                os.abort()
            if function == "is killed":
                os.kill(os.getpid(), 9)
            if function == "fails":
                case = {"displayName": "1", "id": "1"}
                event("testCaseStarted", test, _testCase=case)
                fail(test, "Expectation failed: 1 == 2", _testCase=case)
                event("testCaseEnded", test, _testCase=case)
            if function == "floods":
                for _ in range(100):
                    fail(test, "Expectation failed: " + "x" * 100_000)
                    fail(test, "Expectation failed: " + "x\n" * 100_000)
            event("testEnded", test)
        event("runEnded")
        """#
}
