import Foundation
import Testing

@testable import Platform
@testable import Service

@Suite struct BatchResumptionTests {
    private static func input(_ count: Int) -> String {
        (0..<count).map { index in
            let content =
                index % 7 == 3
                ? "{\\\"a\\\": " : "{\\\"a\\\": [\(index), \\\"\(String(repeating: "x", count: index % 50))\\\"]}"
            return #"{"id":\#(index),"headers":{"content-type":"application/json"},"body":{"text":"\#(content)"}}"#
        }.joined(separator: "\n")
    }

    /// The paths of an input and its outputs.
    private struct Files {
        let folder: TemporaryFolder
        let input: String
        var output: String { folder.url.appending(path: "output").path }
        var record: String { output + ".resume" }

        init(_ text: String) throws {
            folder = try TemporaryFolder()
            input = try folder.write(text, to: "input.ndjson")
        }

        /// Returns the output of a run that is not interrupted.
        func complete(_ options: String...) throws -> String {
            try DecantProcess(["batch"] + options + [input]).finish().output
        }

        func resume(_ options: String...) throws -> DecantProcess.Result {
            try DecantProcess(["batch", "--resume", "--output", output] + options + [input]).finish()
        }

        func text() throws -> String { try String(contentsOfFile: output, encoding: .utf8) }

        var bytes: Int { (try? FileStatus.of(output)?.bytes) ?? 0 }
    }

    /// The size at which a run is killed is a condition, and no time: the test does not depend on the machine.
    @Test func `after SIGKILL at random sizes, the completed output is that of an uninterrupted run`() throws {
        let files = try Files(Self.input(3_000))
        let complete = try files.complete()
        var interrupted = 0
        for _ in 0..<6 {
            try? FileManager.default.removeItem(atPath: files.output)
            try? FileManager.default.removeItem(atPath: files.record)
            while true {
                let jobs = "\(Int.random(in: 1...4))"
                let process = try DecantProcess([
                    "batch", "--resume", "--output", files.output, "--jobs", jobs, files.input,
                ])
                let size = files.bytes + Int.random(in: 0...complete.utf8.count / 3)
                _ = eventually { files.bytes > size || !process.isRunning }
                process.signal(SIGKILL)
                _ = try process.finish()
                guard process.status == SIGKILL else { break }
                interrupted += 1
            }
            #expect(try files.text() == complete)
            #expect(!FileManager.default.fileExists(atPath: files.record))
        }
        #expect(interrupted > 0)
    }

    /// Every length of the output, as a crash of the machine could leave it.
    @Test func `an output that was cut anywhere is completed`() throws {
        let files = try Files(Self.input(12))
        let complete = Array(try files.complete().utf8)
        let resumed = try files.resume()
        #expect(resumed.status == 1)
        #expect(Array(try files.text().utf8) == complete)
        let record = try Self.record(of: files)
        for count in stride(from: 0, to: complete.count, by: 331) {
            try Data(complete[..<count]).write(to: URL(filePath: files.output))
            try record.write(toFile: files.record, atomically: true, encoding: .utf8)
            #expect(try files.resume().status == 1)
            #expect(Array(try files.text().utf8) == complete, "cut at \(count)")
        }
    }

    /// Returns the record that a run writes, which is removed when the run is complete.
    private static func record(
        of files: Files,
        _ pairs: [QueryString.Pair] = [],
        environment: [String: String] = [:]
    ) throws -> String {
        let configuration = try Configuration(
            only: BatchRun.relevantSettings,
            flags: [:],
            environment: environment,
            resources: .current()
        )
        let settings = try BatchSettings([files.input], flags: ["output": files.output])
        let resumption = try BatchResumption(settings, pairs, configuration)
        try #require(resumption).begin()
        return try String(contentsOfFile: files.record, encoding: .utf8)
    }

    @Test func `an output that is complete remains as it is`() throws {
        let files = try Files(Self.input(5))
        #expect(try files.resume().status == 1)
        let text = try files.text()
        let again = try files.resume()
        #expect(again.status == 1)
        #expect(again.errors == "\(files.output) is complete: 5 items, 1 failed.\n")
        #expect(try files.text() == text)
    }

    @Test func `a complete output is rejected if the input is another one or newer`() throws {
        let files = try Files(Self.input(5))
        #expect(try files.resume().status == 1)
        let text = try files.text()
        let other = try files.folder.write(Self.input(5), to: "other.ndjson")
        let result = try DecantProcess(["batch", "--resume", "--output", files.output, other]).finish()
        #expect(result.status == 2)
        let sentence = "Error: \(files.output) cannot be continued: it is complete, and the input is "
        #expect(result.errors == sentence + "another one.\n")
        try FileManager.default.setAttributes([.modificationDate: Date.now + 60], ofItemAtPath: files.input)
        let newer = try files.resume()
        #expect(newer.status == 2)
        #expect(newer.errors == sentence + "newer.\n")
        #expect(try files.text() == text)
    }

    @Test func `the record of a run that was killed after its summary is removed`() throws {
        let files = try Files(Self.input(5))
        let record = try Self.record(of: files)
        let complete = try files.complete()
        try complete.write(toFile: files.output, atomically: true, encoding: .utf8)
        try record.write(toFile: files.record, atomically: true, encoding: .utf8)
        #expect(try files.resume().status == 1)
        #expect(try files.text() == complete)
        #expect(!FileManager.default.fileExists(atPath: files.record))
    }

    @Test func `an output that is not the beginning of that of the batch is rejected and stays`() throws {
        let files = try Files(Self.input(4))
        let record = try Self.record(of: files)
        let complete = try files.complete()
        let lines = complete.split(separator: "\n").map { "\($0)\n" }
        let incomplete = #"{"summary":{"items":3,"failed":0,"skipped":{},"complete":false}}"# + "\n"
        let further = lines[3].replacing("\"index\":3", with: "\"index\":4")
        let damaged = lines[1].replacing("\"value\"", with: "\"\0\0\0\0\0\"")
        let withoutEnding = String(lines[1].dropLast(10)) + "\n"
        let withoutEnd = String(lines[1].dropLast(1))
        let texts: [[String]] = [
            [lines[0], lines[1], lines[2], incomplete, lines[3]], [lines[0], lines[1], lines[2], lines[3], further],
            [lines[0], lines[1], lines[2], lines[4]], [lines[0], damaged, lines[2]],
            [lines[0], withoutEnding, lines[2]], [lines[0], withoutEnd, lines[2], lines[3]],
            ["other text without a line end"], ["other text\n"],
        ]
        for parts in texts {
            let text = parts.joined()
            try text.write(toFile: files.output, atomically: true, encoding: .utf8)
            try record.write(toFile: files.record, atomically: true, encoding: .utf8)
            let resumed = try files.resume()
            #expect(resumed.status == 2)
            #expect(resumed.errors.contains("cannot be continued"))
            #expect(try files.text() == text)
        }
    }

    @Test func `other options, another input and another version are rejected`() throws {
        let files = try Files(Self.input(100))
        let complete = try files.complete()
        let part = String(complete.prefix(2_000))
        let record = try Self.record(of: files)
        func prepare() throws {
            try part.write(toFile: files.output, atomically: true, encoding: .utf8)
            try record.write(toFile: files.record, atomically: true, encoding: .utf8)
        }
        try prepare()
        let options = try files.resume("--nulls", "keep")
        #expect(options.status == 2)
        #expect(
            options.errors.contains(
                "cannot be continued, because the input or the options have changed: now there is '--nulls keep'"
            )
        )
        #expect(try files.text() == part)
        let limits = try DecantProcess(
            ["batch", "--resume", "--output", files.output, files.input],
            environment: ["DECANT_MAX_CONTENT_BYTES": "1000"]
        ).finish()
        #expect(limits.status == 2)
        #expect(limits.errors.contains("now there is 'DECANT_MAX_CONTENT_BYTES 1000'"))
        try record.replacing("decant \(decantVersion)", with: "decant 0.0.1").write(
            toFile: files.record,
            atomically: true,
            encoding: .utf8
        )
        #expect(try files.resume().errors.contains("it was made with 'decant 0.0.1'"))
        try FileManager.default.removeItem(atPath: files.record)
        #expect(try files.resume().errors.contains("cannot be continued: cannot open \(files.record)"))
        try prepare()
        _ = try files.folder.write(Self.input(101), to: "input.ndjson")
        let input = try files.resume()
        #expect(input.status == 2)
        #expect(input.errors.contains("bytes, modified "))
        #expect(try files.text() == part)
    }

    @Test func `another number of threads and workers continues the output`() throws {
        let files = try Files(Self.input(100))
        let complete = try files.complete()
        try String(complete.prefix(2_000)).write(toFile: files.output, atomically: true, encoding: .utf8)
        try Self.record(of: files).write(toFile: files.record, atomically: true, encoding: .utf8)
        let result = try DecantProcess(
            ["batch", "--resume", "--output", files.output, "--jobs", "3", files.input],
            environment: ["DECANT_WORKERS": "7", "DECANT_FACT_WORKERS": "9", "DECANT_FETCH_RETRIES": "1"]
        ).finish()
        #expect(result.status == 1, "\(result.errors)")
        #expect(try files.text() == complete)
    }

    @Test func `other profiles are rejected, and the same ones in another file are not`() throws {
        let files = try Files(Self.input(100))
        let options = ["--profile", "custom"]
        let profiles = { (nulls: String) in #"{"profiles":[{"name":"custom","options":{"nulls":"\#(nulls)"}}]}"# }
        let path = try files.folder.write(profiles("keep"), to: "profiles.json")
        let complete = try DecantProcess(["batch"] + options + [files.input], environment: ["DECANT_PROFILES": path])
            .finish().output
        let part = String(complete.prefix(2_000))
        let record = try Self.record(
            of: files,
            [(name: "profile", value: "custom")],
            environment: ["DECANT_PROFILES": path]
        )
        func resume(_ path: String) throws -> DecantProcess.Result {
            try part.write(toFile: files.output, atomically: true, encoding: .utf8)
            try record.write(toFile: files.record, atomically: true, encoding: .utf8)
            let arguments = ["batch", "--resume", "--output", files.output] + options + [files.input]
            return try DecantProcess(arguments, environment: ["DECANT_PROFILES": path]).finish()
        }
        let same = try resume(files.folder.write(profiles("keep"), to: "other.json"))
        #expect(same.status == 1, "\(same.errors)")
        #expect(try files.text() == complete)
        let other = try resume(files.folder.write(profiles("drop"), to: "profiles.json"))
        #expect(other.status == 2)
        #expect(other.errors.contains("now there is 'DECANT_PROFILES SHA-256 "))
        #expect(try files.text() == part)
    }

    @Test(arguments: [
        "{\"a\":1}\n", "x\n", "{\"index\":1,\"byte\":0,\"result\":1}\n", "{\"index\":0,\"byte\":0}\n", "\n",
    ])
    func `a file that is no output of a batch is not changed`(text: String) throws {
        let files = try Files(Self.input(2))
        try text.write(toFile: files.output, atomically: true, encoding: .utf8)
        let result = try files.resume()
        #expect(result.status == 2)
        #expect(result.errors == "Error: \(files.output) cannot be continued: it is not the output of decant batch.\n")
        #expect(try files.text() == text)
    }

    @Test func `without --resume, the output is replaced`() throws {
        let files = try Files(Self.input(5))
        try String(repeating: "old\n", count: 1_000).write(toFile: files.output, atomically: true, encoding: .utf8)
        let result = try DecantProcess(["batch", "--output", files.output, files.input]).finish()
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(try files.text() == files.complete())
    }
}
