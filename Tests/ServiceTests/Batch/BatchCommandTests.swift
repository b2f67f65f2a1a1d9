import Foundation
import Platform
import Testing

@testable import Service

@Suite struct BatchCommandTests {
    private static let two = """
        {"id":"a","status":200,"headers":{"content-type":"application/json"},"body":{"text":"{\\"a\\": 1}"}}
        {"id":7,"headers":[["content-type","application/json"]],"body":{"text":"{\\"a\\" 1}"}}

        """

    // MARK: Lines

    @Test func `writes one line per item with its index, identifier, file and offset, and a summary`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.two, to: "two.ndjson")
        let result = try DecantProcess.run("batch", "--jobs", "1", file)
        let lines = result.output.split(separator: "\n").map { String($0) }
        try #require(lines.count == 3)
        #expect(
            lines[0] == """
                {"index":0,"id":"a","file":"\(file)","byte":0,"result":{"outcome":"value","serializer":"json",\
                "value":{"a":1},"upstream":{"status":200,"mediaType":"application/json","charset":"utf-8","bytes":8,\
                "headers":[["content-type","application/json"]]}}}
                """
        )
        let byte = Self.two.utf8.firstIndex(of: 10).map {
            Self.two.utf8.distance(from: Self.two.startIndex, to: $0) + 1
        }
        #expect(
            lines[1].hasPrefix(
                #"{"index":1,"id":7,"file":"\#(file)","byte":\#(byte ?? 0),"problem":{"type":"/problems/json."#
            )
        )
        #expect(lines[2] == #"{"summary":{"items":2,"failed":1,"skipped":{},"complete":true}}"#)
        #expect(result.errors == "2 items, 1 failed.\n")
        #expect(result.status == 1)
    }

    @Test func `the result of an item is that of the endpoint for envelopes`() throws {
        let content = #"<a b="1"><c>é</c><c/></a>"#
        let envelope =
            #"{"url":"http://a.example/x","headers":[["content-type","text/xml"]],"#
            + #""body":{"text":"\#(content.replacing("\"", with: "\\\""))"}}"#
        let options = ["--xml-trim", "true", "--hints", "true", "--nulls", "keep"]
        let batch = try DecantProcess(["batch"] + options, input: envelope).finish()
        let normalized = try DecantProcess(["normalize", "--form", "envelope"] + options, input: envelope).finish()
        #expect(normalized.status == 0)
        let line = batch.output.split(separator: "\n").first.map { String($0) }
        let result = String(normalized.output.dropLast())
        #expect(line == #"{"index":0,"byte":0,"result":\#(result)}"#)
        #expect(batch.status == 0)
    }

    @Test func `with view=value, the result is the value alone, and null if there is none`() throws {
        let input = #"{"body":{"json":[1]}}"# + "\n" + #"{"status":204}"#
        let result = try DecantProcess.run("batch", "--view", "value", input: input)
        #expect(
            result.output == """
                {"index":0,"byte":0,"result":[1]}
                {"index":1,"byte":22,"result":null}
                {"summary":{"items":2,"failed":0,"skipped":{},"complete":true}}

                """
        )
    }

    @Test func `the same item always has the same problem, with its own instance`() throws {
        let input = "{\n[\n"
        let first = try DecantProcess.run("batch", input: input)
        #expect(try DecantProcess.run("batch", "--jobs", "3", input: input) == first)
        let instances = first.output.matches(of: /"instance":"(urn:uuid:[0-9a-f-]{13}-8[0-9a-f]{3}-[89ab][^"]*)"/).map {
            $0.1
        }
        #expect(instances.count == 2)
        #expect(Set(instances).count == 2)
    }

    @Test(arguments: [
        (#"{"id":"a","body":{"text":1}}"#, #","id":"a""#), (#"{"x":1,"id":-1.50}"#, #","id":-1.50"#),
        (#"{"id":"a","id":"b"}"#, #","id":"a""#), (#"{"id":null}"#, ""), (#"{"id":[1]}"#, ""), ("{\"id\":\"a\"", ""),
        (#"{"id":"\u0041\n"}"#, #","id":"\u0041\n""#), ("[1]", ""), ("\"id\"", ""),
    ])
    func `an item that is no envelope keeps its identifier`(line: String, id: String) throws {
        let result = try DecantProcess.run("batch", input: line)
        #expect(result.output.hasPrefix(#"{"index":0\#(id),"byte":0,"#))
    }

    @Test func `an identifier of 1 KiB is kept, and a longer one is rejected`() throws {
        let id = "\"" + String(repeating: "x", count: 1_022) + "\""
        let kept = try DecantProcess.run("batch", input: #"{"id":\#(id),"status":204}"#)
        #expect(kept.output.hasPrefix(#"{"index":0,"id":\#(id),"byte":0,"result":"#))
        let rejected = try DecantProcess.run("batch", input: #"{"id":"x\#(id.dropFirst()),"status":204}"#)
        #expect(
            rejected.output.hasPrefix(#"{"index":0,"byte":0,"problem":{"type":"/problems/request.invalid_envelope""#)
        )
        #expect(rejected.output.contains("found 1025 at /id, byte 6 (line 1, column 7)"))
    }

    @Test func `the location of an error counts in its line`() throws {
        let result = try DecantProcess.run("batch", input: "{\"status\":200}\n{\"sttus\":200}\n")
        #expect(result.output.contains("there is no member 'sttus' at byte 1 (line 1, column 2)"))
        #expect(result.output.contains("Did you mean 'status'?"))
    }

    // MARK: Input

    @Test func `an input that cannot be read does not prevent the others from being processed`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(#"{"body":{"json":1}}"#, to: "one.ndjson")
        let empty = try folder.write("", to: "empty")
        let result = try DecantProcess.run(
            "batch",
            "/nowhere/at.all",
            folder.url.path,
            empty,
            file,
            "-",
            input: #"{"body":{"json":2}}"#
        )
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix(#"{"index":0,"file":"\#(file)","byte":0,"result":"#))
        #expect(lines[1].hasPrefix(#"{"index":1,"byte":0,"result":"#))
        #expect(
            lines[2].hasPrefix(
                #"{"summary":{"items":2,"failed":0,"skipped":{},"complete":false,"problem":"#
                    + #"{"type":"/problems/batch.unreadable_input""#
            )
        )
        let errors = result.errors.split(separator: "\n")
        try #require(errors.count == 3)
        #expect(errors[0] == "Error: cannot open /nowhere/at.all: No such file or directory")
        #expect(errors[1].hasSuffix(": Is a directory"))
        #expect(errors[2] == "2 items, 0 failed; the input is incomplete.")
        #expect(result.status == 2)
    }

    private func record(_ type: String, _ block: String, _ fields: String = "") -> String {
        """
        WARC/1.0\r\nWARC-Type: \(type)\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-26T00:00:00Z\r\n\
        WARC-Target-URI: <http://a.example/x>\r\n\(fields)Content-Length: \(block.utf8.count)\r\n\r\n\(block)\r\n\r\n
        """
    }

    @Test func `the responses of a web archive are items, and other records are counted`() throws {
        let folder = try TemporaryFolder()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        let crawled = head + "X-Crawler-Content-Encoding: gzip\r\n\r\n[1]"
        let request = record("warcinfo", "a: b\r\n") + record("request", "GET /x HTTP/1.1\r\n\r\n")
        let truncated = record("response", head + "\r\n[2", "WARC-Truncated: length\r\n")
        let text = request + record("response", crawled) + truncated
        let file = try folder.write(text, to: "crawl.warc")
        let result = try DecantProcess.run("batch", "--view", "value", file)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 3)
        let start = #"{"index":0,"id":"urn:uuid:1","file":"\#(file)","byte":\#(request.utf8.count),"#
        #expect(lines[0] == start + #""result":[1]}"#)
        #expect(lines[1].contains(#""problem":{"type":"/problems/message.truncated""#))
        let summary = #"{"summary":{"items":2,"failed":1,"skipped":{"request":1,"warcinfo":1},"complete":true}}"#
        #expect(lines[2] == summary)
        #expect(result.errors == "2 items, 1 failed, 2 other records skipped.\n")
        let cut = try folder.write(String(text.dropLast(30)), to: "cut.warc")
        let incomplete = try DecantProcess.run("batch", "--view", "value", cut)
        #expect(incomplete.output.hasPrefix(#"{"index":0,"#))
        #expect(incomplete.output.contains(#""complete":false,"problem":{"type":"/problems/batch.unreadable_input""#))
        #expect(incomplete.status == 2)
    }

    @Test func `a damaged record of a plain archive is a line, and only the last one ends the input`() throws {
        let folder = try TemporaryFolder()
        func response(_ value: Int) -> String {
            record("response", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[\(value)]")
        }
        let damaged = response(2).replacing("Content-Length: ", with: "Content-Length: 9")
        let file = try folder.write(response(1) + damaged + response(3), to: "crawl.warc")
        let result = try DecantProcess.run("batch", "--view", "value", file)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 4)
        let byte = response(1).utf8.count
        #expect(lines[1].hasPrefix(#"{"index":1,"id":"urn:uuid:1","file":"\#(file)","byte":\#(byte),"problem":{"#))
        #expect(lines[0].hasSuffix(#""result":[1]}"#) && lines[2].hasSuffix(#""result":[3]}"#))
        #expect(lines[3] == #"{"summary":{"items":3,"failed":1,"skipped":{},"complete":true}}"#)
        #expect(result.status == 1)
        let last = try folder.write(response(1) + damaged, to: "last.warc")
        let incomplete = try DecantProcess.run("batch", "--view", "value", last)
        #expect(incomplete.output.contains(#"{"summary":{"items":1,"failed":0,"skipped":{},"complete":false,"#))
        #expect(incomplete.output.contains("byte \(byte)") && incomplete.status == 2)
    }

    @Test func `the entries of an HTTP archive are items`() throws {
        let folder = try TemporaryFolder()
        func entry(_ status: Int, _ content: String) -> String {
            #"{"request":{"method":"GET","url":"http://a.example/"},"response":{"status":\#(status),"headers":"#
                + #"[{"name":"Content-Encoding","value":"gzip"}],"content":\#(content)}}"#
        }
        let json = #"{"size":3,"mimeType":"application/json","text":"[1]"}"#
        let encoded = #"{"size":3,"mimeType":"application/json","text":"WzJd","encoding":"base64"}"#
        let entries = [entry(200, json), entry(200, encoded), entry(0, json), "{}"].joined(separator: ",")
        let file = try folder.write(#"{"log":{"version":"1.2","entries":[\#(entries)]}}"#, to: "session.har")
        let result = try DecantProcess.run("batch", "--view", "value", file)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 5)
        #expect(lines[0] == #"{"index":0,"file":"\#(file)","byte":35,"result":[1]}"#)
        #expect(lines[1].hasSuffix(#""result":[2]}"#))
        for line in lines[2...3] { #expect(line.contains(#""problem":{"type":"/problems/batch.invalid_item""#)) }
        #expect(lines[4] == #"{"summary":{"items":4,"failed":2,"skipped":{},"complete":true}}"#)
    }

    /// A program that sends an item and waits for its result before it sends the next one.
    @Test func `the result of an item is written before the next one arrives`() throws {
        let process = try StreamProcess("batch")
        process.send(#"{"id":1,"body":"#)
        process.send(#"{"json":1}}"# + "\n")
        #expect(try process.line().hasPrefix(#"{"index":0,"id":1,"#))
        process.send(#"{"id":2,"body":{"json":2}}"# + "\n" + #"{"id":3,"#)
        #expect(try process.line().hasPrefix(#"{"index":1,"id":2,"#))
        process.send("\"status\":204}")
        process.closeInput()
        #expect(try process.line().hasPrefix(#"{"index":2,"id":3,"#))
        #expect(try process.line().hasPrefix(#"{"summary":{"items":3,"#))
        #expect(process.finish() == 0)
    }

    @Test(arguments: [1, 4])
    func `many items keep their order`(jobs: Int) throws {
        let lines = (0..<4_000).map { #"{"id":\#($0),"body":{"json":\#($0)}}"# }
        var starts = [0]
        for line in lines { starts.append(starts[starts.count - 1] + line.utf8.count + 1) }
        let result = try DecantProcess.run(
            "batch",
            "--view",
            "value",
            "--jobs",
            "\(jobs)",
            input: lines.joined(separator: "\n")
        )
        let results = result.output.split(separator: "\n")
        try #require(results.count == 4_001)
        let expected = lines.indices.map { index in
            let byte = starts[index]
            return #"{"index":\#(index),"id":\#(index),"byte":\#(byte),"result":\#(index)}"#
        }
        #expect(results.dropLast().map { String($0) } == expected)
        let unordered = try DecantProcess.run(
            "batch",
            "--view",
            "value",
            "--jobs",
            "\(jobs)",
            "--unordered",
            input: lines.joined(separator: "\n")
        )
        #expect(Set(unordered.output.split(separator: "\n")) == Set(results))
    }

    @Test func `an item of the maximum length is processed, and a longer one is rejected`() throws {
        let content = String(repeating: "x", count: 100)
        let lines = [content, content + "x", "y"].map {
            #"{"headers":{"content-type":"application/json"},"body":{"text":"\"\#($0)\""}}"#
        }
        let result = try DecantProcess.run("batch", "--max-content-bytes", "102", input: lines.joined(separator: "\n"))
        let results = result.output.split(separator: "\n")
        try #require(results.count == 4)
        #expect(results[0].contains(#""result":"#))
        #expect(results[1].contains(#""problem":{"type":"/problems/request.content_too_large""#))
        #expect(results[2].contains(#""result":"#))
        // An envelope may be as long as its Base64 form, and 1 MiB.
        let long = #"{"body":{"text":""# + String(repeating: "x", count: 2 << 20) + #""}}"#
        let skipped = try DecantProcess.run("batch", "--max-content-bytes", "102", input: long + "\n" + lines[0])
        #expect(skipped.output.contains("the item is longer than the allowed"))
        #expect(skipped.output.contains(#"{"index":1,"byte":\#(long.utf8.count + 1),"result":"#))
    }

    /// The thread that reads the first block starts the worker, and has no further work while the other one needs it.
    @Test func `a worker that threads share remains until all of them are finished`() throws {
        let photo = try Data(contentsOf: Contract.root.appending(path: "examples/photo.jpg")).base64EncodedString()
        let image = #"{"headers":{"content-type":"image/jpeg"},"body":{"base64":"\#(photo)"}}"#
        let filler =
            #"{"headers":{"content-type":"text/csv"},"body":{"text":"a\n\#(String(repeating: "x", count: 66_000))"}}"#
        let input = ([image, filler] + (0..<20).map { _ in image }).joined(separator: "\n")
        let folder = try TemporaryFolder()
        let file = try folder.write(input, to: "images.ndjson")
        let process = try DecantProcess(
            ["batch", "--jobs", "2", "--thumbnail", "16x16", file],
            environment: ["DECANT_WORKERS": "1"]
        )
        let result = try process.finish()
        #expect(result.status == 0, "\(result.errors)")
    }

    /// The worker is killed while it waits between two images.
    @Test func `a worker that is killed costs its image alone`() throws {
        let photo = try Data(contentsOf: Contract.root.appending(path: "examples/photo.jpg")).base64EncodedString()
        let image = #"{"headers":{"content-type":"image/jpeg"},"body":{"base64":"\#(photo)"}}"# + "\n"
        let process = try StreamProcess("batch", "--jobs", "1", "--thumbnail", "none")
        process.send(image)
        #expect(try process.line().hasPrefix(#"{"index":0,"byte":0,"result":"#))
        for index in 1...3 {
            for worker in process.children { kill(worker, SIGKILL) }
            process.send(image)
            #expect(try process.line().hasPrefix(#"{"index":\#(index),"byte":"#))
        }
        process.send(#"{"body":{"json":1}}"#)
        process.closeInput()
        #expect(try process.line().contains(#""result":"#))
        #expect(try process.line().hasPrefix(#"{"summary":{"items":5,"#))
        _ = process.finish()
    }

    // MARK: Usage

    @Test(arguments: [
        (["--jobs", "0"], "--jobs is '0'; it must be 1 to 256."),
        (["--format", "csv"], "--format is 'csv'; it must be one of ndjson, har, warc, frames."),
        (["--resume"], "--resume requires --output FILE."),
        (["--resume", "--output", "x", "--unordered", "a"], "--resume is not possible with --unordered"),
        (
            ["--resume", "--output", "/tmp/x"],
            "--resume is not possible: the output and each input must be regular files."
        ),
        (["--resume", "--output", "x", "--format", "frames", "a"], "--resume is not possible with --format frames."),
        (["--output", "/nowhere/at.all"], "cannot open /nowhere/at.all"), (["--nulls", "burn"], "nulls"),
        (["-", "-"], "standard input (-) is given more than once."),
    ])
    func `wrong usage ends with 2 and a sentence`(arguments: [String], sentence: String) throws {
        let result = try DecantProcess(["batch"] + arguments).finish()
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("Error: "))
        #expect(result.errors.contains(sentence))
    }

    @Test func `the output does not replace an input`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.two, to: "two.ndjson")
        let result = try DecantProcess.run("batch", "--output", file, file)
        #expect(result.status == 2)
        #expect(result.errors.contains("which is an input"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.two)
        let redirected = try DecantProcess(shell: #""$0" batch '\#(file)' >> '\#(file)'"#).finish()
        #expect(redirected.status == 2)
        #expect(redirected.errors == "Error: cannot write to standard output, which is an input: Invalid argument\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.two)
    }

    @Test(arguments: ["output.resume", "output.resume.tmp"])
    func `an input is not replaced by the file that describes an interrupted output`(name: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.two, to: name)
        let output = folder.url.appending(path: "output").path
        let result = try DecantProcess.run("batch", "--output", output, "--format", "ndjson", file)
        #expect(result.status == 2)
        #expect(result.errors.contains("\(name), which is an input"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.two)
    }

    @Test func `two processes do not write to the same file`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.two, to: "two.ndjson")
        let output = folder.url.appending(path: "output").path
        let lock = try FileDescriptor(extending: output)
        try lock.lock()
        let second = try DecantProcess.run("batch", "--output", output, file)
        #expect(second.status == 2)
        #expect(second.errors.contains("cannot write to \(output), to which another process writes"))
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "")
        extendLifetime(lock)
    }

    @Test func `a device as the output has no file beside it`() throws {
        let folder = try TemporaryFolder()
        let link = folder.url.appending(path: "null").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        let file = try folder.write(Self.two, to: "two.ndjson")
        let result = try DecantProcess.run("batch", "--output", link, file)
        #expect(result.status == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["null", "two.ndjson"]
        )
        let resumed = try DecantProcess.run("batch", "--resume", "--output", link, file)
        #expect(resumed.status == 2)
        #expect(resumed.errors.contains("the output and each input must be regular files"))
    }

    // MARK: Output

    @Test func `a named pipe as the output receives all lines, and ends the batch when its reader leaves`() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<10_000).map { _ in #"{"body":{"json":[1,2,3]}}"# }.joined(separator: "\n")
        let file = try folder.write(lines, to: "many.ndjson")
        for (reader, status, lines) in [("cat", "0", "10001"), ("head -n 1", "2", "1")] {
            let script = """
                cd '\(folder.url.path)' && rm -f pipe && mkfifo pipe
                "$0" batch --output pipe '\(file)' 2> errors & process=$!
                \(reader) pipe | wc -l
                wait $process; echo $?; grep -c 'pipe: Broken pipe' errors
                """
            let result = try DecantProcess(shell: script).finish()
            #expect(result.output == "\(lines)\n\(status)\n\(status == "2" ? 1 : 0)\n")
        }
    }

    /// The signal may come before or while the pipe is opened: it ends the process in both cases.
    @Test func `a signal ends a batch whose output is a named pipe without a reader`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.two, to: "two.ndjson")
        let script = """
            cd '\(folder.url.path)' && mkfifo pipe
            "$0" batch --output pipe '\(file)' & process=$!
            kill -TERM $process; wait $process; echo $?
            """
        #expect(try DecantProcess(shell: script).finish().output == "143\n")
    }

    @Test func `several processes write to a device`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.two, to: "two.ndjson")
        let device = try FileDescriptor(extending: "/dev/null")
        // Another process may have locked it.
        try? device.lock()
        #expect(try DecantProcess.run("batch", "--output", "/dev/null", file).status == 1)
        extendLifetime(device)
    }

    @Test func `ends with 2 if the output cannot be written`() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<10_000).map { _ in #"{"body":{"json":[1,2,3]}}"# }.joined(separator: "\n")
        let file = try folder.write(lines, to: "many.ndjson")
        for (target, reason) in [
            ("> /dev/full", "No space left on device"), ("| head -n 1 > /dev/null", "Broken pipe"),
        ] {
            let script = #"{ "$0" batch '\#(file)'; echo $? > '\#(folder.url.path)/status'; } \#(target)"#
            let result = try DecantProcess(shell: script).finish()
            #expect(result.errors == "Error: cannot write to standard output: \(reason)\n")
            #expect(try String(contentsOfFile: folder.url.path + "/status", encoding: .utf8) == "2\n")
        }
    }

    /// The limit of a file is a full disk that needs no privileges.
    @Test func `a file that cannot grow ends after a whole line`() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<20_000).map { _ in #"{"body":{"json":[1,2,3]}}"# }.joined(separator: "\n")
        let file = try folder.write(lines, to: "many.ndjson")
        let output = folder.url.path + "/output"
        // More than a piece, and less than all of the output.
        let script = #"ulimit -f 2000; trap '' XFSZ; "$0" batch --output '\#(output)' '\#(file)'"#
        let result = try DecantProcess(shell: script).finish()
        #expect(result.status == 2)
        #expect(result.errors == "Error: cannot write to \(output): File too large\n")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.utf8.count > 100_000)
        #expect(text.hasSuffix("}}\n"))
        #expect(try DecantProcess.run("batch", file).output.hasPrefix(text))
    }

    /// The limit of a file also applies to the memory that is shared with a worker.
    @Test func `if no worker can be started, the output can be continued`() throws {
        let folder = try TemporaryFolder()
        let photo = try Data(contentsOf: Contract.root.appending(path: "examples/photo.jpg")).base64EncodedString()
        let lines = [
            #"{"body":{"json":1}}"#, #"{"headers":{"content-type":"image/jpeg"},"body":{"base64":"\#(photo)"}}"#,
            #"{"body":{"json":2}}"#,
        ]
        let file = try folder.write(lines.joined(separator: "\n"), to: "some.ndjson")
        let output = folder.url.path + "/output"
        let result = try DecantProcess(shell: #"ulimit -f 100; "$0" batch --output '\#(output)' '\#(file)'"#).finish()
        #expect(result.status == 2)
        let error = "Error: images cannot be read, because decant-worker cannot be started."
        #expect(result.errors.hasSuffix("\(error) Repeat the command with --resume to continue.\n"))
        #expect(try !String(contentsOfFile: output, encoding: .utf8).contains("worker.none"))
        #expect(try DecantProcess.run("batch", "--resume", "--output", output, file).status == 0)
        #expect(try String(contentsOfFile: output, encoding: .utf8) == DecantProcess.run("batch", file).output)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `after a signal the output ends after a whole line`(signal: Int32) throws {
        // The tests may be a background job, which ignores some of them, and the process would inherit that.
        Foundation.signal(signal, SIG_DFL)
        let process = try StreamProcess("batch")
        process.send(#"{"id":1,"body":{"json":1}}"# + "\n" + #"{"id":2,"body":"#)
        #expect(try process.line().hasPrefix(#"{"index":0,"id":1,"#))
        process.signal(signal)
        #expect(process.rest() == "")
        #expect(process.finish() == 128 + signal)
        let name = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][signal] ?? ""
        #expect(process.errors == "Ended by \(name).\n")
    }

    @Test(arguments: [("HUP", SIGHUP), ("INT", SIGINT), ("TERM", SIGTERM)])
    func `a signal that the caller ignores is ignored`(name: String, signal: Int32) throws {
        let process = try StreamProcess(shell: #"trap '' \#(name); exec "$0" batch"#)
        process.send(#"{"id":1,"status":204}"# + "\n")
        _ = try process.line()
        process.signal(signal)
        process.send(#"{"id":2,"status":204}"# + "\n")
        #expect(try process.line().hasPrefix(#"{"index":1,"#))
        process.closeInput()
        #expect(try process.line().hasPrefix(#"{"summary":"#))
        #expect(process.finish() == 0)
    }
}
