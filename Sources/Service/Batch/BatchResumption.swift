internal import Batch
internal import HTTP
internal import Platform
internal import Serialization

// The output of a batch in the order of the input is a function of the input, the options and the limits. An
// interrupted output is therefore the beginning of the complete one, and is continued like this: the lines of the
// output are counted, a part of a line at its end is removed, the input is read from its start, and the items that
// have a line are skipped.
//
// Next to the output, `FILE.resume` contains what the output depends on, one fact per line. Before a new output is
// begun, the file is removed; it is written under another name and renamed after the output was emptied, so that it
// never describes an older output. It is removed when the output is complete.

/// The file that shows whether the output of an interrupted batch can be continued.
struct BatchResumption: Sendable {
    private let outputPath: String
    private let facts: [String]
    /// The names of the inputs as JSON, as lines of the output contain them.
    private let inputs: Set<String>
    /// The time of the last modification of an input, in nanoseconds since 1970.
    private var modified = 0

    /// - Returns: `nil` if the output cannot be continued: it is not a file in the order of the input, or it or an
    ///   input is not a regular file.
    /// - Throws: ``CommandFailure`` if the file of profiles cannot be read.
    init?(
        _ settings: BatchSettings,
        _ pairs: [QueryString.Pair],
        _ configuration: Configuration
    ) throws(CommandFailure) {
        guard let path = settings.outputPath, settings.isOrdered, settings.outputFormat == .lines else { return nil }
        if let output = try? FileStatus.of(path), output.bytes == nil { return nil }
        outputPath = path
        var facts = ["decant \(decantVersion)"]
        if let format = settings.inputFormat { facts.append("--format \(format.rawValue)") }
        facts += pairs.map { "--\($0.name) \(TerminalText.escaped($0.value))" }
        facts += Self.settings.map { "\($0.variable) \(TerminalText.escaped($0.text(in: configuration)))" }
        if pairs.contains(where: { $0.name == OptionName.profile.rawValue }), !configuration.profiles.isEmpty {
            let digest = try Self.digest(ofProfiles: configuration.profiles)
            facts.append("\(Settings.server.profiles.variable) SHA-256 \(digest)")
        }
        for source in settings.sources {
            guard let path = source.path else { return nil }
            // A file that cannot be read is reported when it is opened.
            let status = try? FileStatus.of(path)
            if let status, status.bytes == nil { return nil }
            modified = max(modified, status?.modified ?? 0)
            let bytes = status?.bytes.map { "\($0) bytes" } ?? "missing"
            facts.append("\(bytes), modified \(status?.modified ?? 0): \(TerminalText.escaped(path))")
        }
        self.facts = facts
        inputs = Set(settings.sources.compactMap { BatchFile($0).name })
    }

    /// The settings on which the output depends. The number of workers changes only the time, and the bounds of
    /// fetching only whether a file of profiles is valid. The content of that file is a fact of its own.
    private static let settings: [any AnySetting] = {
        let others: [any AnySetting] =
            [Settings.isolation.workers, Settings.isolation.factWorkers, Settings.server.profiles]
            + Settings.boundsOfProfiles
        return BatchRun.relevantSettings.filter { setting in !others.contains { $0.name == setting.name } }
    }()

    private static func digest(ofProfiles path: String) throws(CommandFailure) -> String {
        do {
            let content = try ConfigurationFile.read(path, maxBytes: ProfilesReader.maxBytes, content: "profiles")
            return Hexadecimal.text(of: SHA256.digest(of: content.span))
        } catch { throw CommandFailure(usage: error.description) }
    }

    private var path: String { Self.path(for: outputPath) }

    private static func path(for outputPath: String) -> String { outputPath + ".resume" }

    private static func temporaryPath(for outputPath: String) -> String { path(for: outputPath) + ".tmp" }

    /// Returns the paths that are written for an output.
    static func files(for outputPath: String) -> [String] { [path(for: outputPath), temporaryPath(for: outputPath)] }

    /// Removes the file for an output.
    static func remove(for outputPath: String) throws(SystemError) { try FilePath.remove(path(for: outputPath)) }

    /// Creates the file, for an output that is empty.
    func begin() throws(SystemError) {
        let temporary = Self.temporaryPath(for: outputPath)
        do {
            do {
                let file = try FileDescriptor(creating: temporary)
                try file.writeLine(facts.joined(separator: "\n"))
            }
            try FilePath.rename(temporary, to: path)
        } catch {
            // The disk is full, for example. The first error is the one to report.
            try? FilePath.remove(temporary)
            throw error
        }
    }

    /// Removes the file: the output is complete.
    func end() throws(CommandFailure) {
        do {
            try Self.remove(for: outputPath)
        } catch { throw CommandFailure(usage: error.description) }
    }

    /// Reads the output that is continued.
    /// - Throws: ``CommandFailure`` if it is not the beginning of the output of this run.
    func existing(_ output: borrowing FileDescriptor) throws(CommandFailure) -> ExistingBatchOutput {
        let existing: ExistingBatchOutput
        let end: Int
        do throws(SystemError) {
            existing = try ExistingBatchOutput(reading: output, of: inputs)
            end = try output.status.modified
        } catch { throw CommandFailure(usage: error.description) }
        guard existing.isValid else {
            throw CommandFailure(usage: "\(outputPath) cannot be continued: it is not the output of decant batch.")
        }
        if existing.isComplete {
            // What else it depends on is not recorded any more.
            guard existing.isOfInputs, modified <= end else {
                throw CommandFailure(
                    usage: "\(outputPath) cannot be continued: it is complete, and the input is "
                        + (existing.isOfInputs ? "newer." : "another one.")
                )
            }
        } else if existing.bytes > 0 {
            try checkFacts()
        }
        return existing
    }

    private func checkFacts() throws(CommandFailure) {
        let text: String
        do throws(ReadError) {
            text = String(decoding: try ContentSource.file(path).read(maxBytes: 16 << 20), as: UTF8.self)
        } catch { throw CommandFailure(usage: "\(outputPath) cannot be continued: \(error.description).") }
        let recorded = text.split(separator: "\n").map { String($0) }
        guard recorded != facts else { return }
        let added = facts.first { !recorded.contains($0) }
        let missing = recorded.first { !facts.contains($0) }
        let changes = [missing.map { "it was made with '\($0)'" }, added.map { "now there is '\($0)'" }]
        let reason = changes.compactMap(\.self).joined(separator: ", ")
        throw CommandFailure(
            usage: "\(outputPath) cannot be continued, because the input or the options have changed: "
                + (reason.isEmpty ? "their order is different." : reason + ".")
        )
    }
}

/// What an interrupted batch has written.
struct ExistingBatchOutput: Equatable, Sendable {
    /// The items that have a line.
    private(set) var counts = BatchCounts()
    /// The length of the lines of items, in bytes.
    private(set) var bytes = 0
    /// Whether the last line is the summary of a complete input.
    private(set) var isComplete = false
    /// Whether the last line is a summary, after which there must be no line.
    private var hasSummary = false
    /// Whether all whole lines are those of a batch.
    private(set) var isValid = true
    /// Whether all lines are those of items of ``inputs``.
    private(set) var isOfInputs = true
    private let inputs: Set<String>

    /// The length of the beginning of a line that shows what it is, in bytes: index, identifier, name of the file and
    /// offset are shorter.
    private static let headBytes = 64 << 10

    /// - Parameter inputs: the names of the inputs as JSON.
    init(reading file: borrowing FileDescriptor, of inputs: Set<String>) throws(SystemError) {
        self.inputs = inputs
        var buffer: [UInt8] = []
        var line = Line()
        while isValid {
            buffer.removeAll(keepingCapacity: true)
            let count = try file.read(64 << 10, into: &buffer)
            guard count > 0 else { break }
            var start = 0
            while start < count, isValid {
                let end = buffer.span.firstOffset(of: UInt8(ascii: "\n"), in: start..<count)
                line.append(buffer[start..<(end ?? count)])
                start = (end ?? count) + 1
                guard end != nil else { break }
                if line.isWhole { take(line.head.span, line.bytes + 1) } else { isValid = false }
                line.removeAll()
            }
        }
        // Other text without a line end is not removed.
        if bytes == 0, !line.head.starts(with: Self.beginning.prefix(line.bytes)) { isValid = false }
    }

    /// The beginning of the first line of every output.
    private static let beginning = Array(#"{"index":0,"#.utf8)

    /// A line of the output.
    private struct Line {
        private(set) var head: [UInt8] = []
        private(set) var bytes = 0
        private var last: UInt8 = 0
        private var hasNUL = false

        /// Whether the line is not damaged. After a crash of the machine, a file may have zeros in place of what was
        /// written.
        var isWhole: Bool { last == UInt8(ascii: "}") && !hasNUL }

        mutating func append(_ part: ArraySlice<UInt8>) {
            head += part.prefix(ExistingBatchOutput.headBytes - head.count)
            bytes += part.count
            last = part.last ?? last
            hasNUL = hasNUL || part.span.firstOffset(of: 0, in: 0..<part.count) != nil
        }

        mutating func removeAll() {
            head.removeAll(keepingCapacity: true)
            (bytes, last, hasNUL) = (0, 0, false)
        }
    }

    /// Takes the next line.
    private mutating func take(_ head: Span<UInt8>, _ lineBytes: Int) {
        var cursor = JSONCursor()
        guard !hasSummary, cursor.kind(in: head) == .object else { return isValid = false }
        cursor.enter(in: head)
        guard cursor.next(in: head) else { return isValid = false }
        switch cursor.name(in: head).text(in: head) {
        case "index":
            guard head.text(cursor.skip(in: head)) == String(counts.items) else { return isValid = false }
            while cursor.next(in: head) {
                let name = cursor.name(in: head).text(in: head)
                guard name == "result" || name == "problem" else {
                    let value = head.text(cursor.skip(in: head))
                    if name == "file", !inputs.contains(value) { isOfInputs = false }
                    continue
                }
                counts += BatchCounts(items: 1, failed: name == "problem" ? 1 : 0)
                bytes += lineBytes
                return
            }
            isValid = false
        case "summary":
            hasSummary = true
            takeSummary(head, &cursor)
        default: isValid = false
        }
    }

    private mutating func takeSummary(_ head: Span<UInt8>, _ cursor: inout JSONCursor) {
        guard cursor.kind(in: head) == .object else { return isValid = false }
        cursor.enter(in: head)
        while cursor.next(in: head) {
            let name = cursor.name(in: head).text(in: head)
            let value = head.text(cursor.skip(in: head))
            switch name {
            case "items": isValid = value == String(counts.items)
            // Without it, the summary is removed, and written again.
            case "complete": isComplete = isValid && value == "true"
            default: break
            }
        }
    }
}
