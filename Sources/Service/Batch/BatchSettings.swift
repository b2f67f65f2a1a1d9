internal import Batch
internal import Glibc
internal import Platform
internal import Serialization

/// The flags of `decant batch` besides the options of the HTTP contract.
enum BatchFlags: FlagTable {
    static let flags = [
        FlagDefinition(
            name: "format",
            valueName: "format",
            help:
                "Format of the input: one envelope of POST /v1/normalize/envelope per line (ndjson), an HTTP archive "
                + "(har), a web archive (warc), or frames, whose results are frames as well (frames). "
                + "[\(formats)] (default: detected from the beginning and the name of each file)",
            completions: BatchFormat.allCases.map(\.rawValue)
        ),
        FlagDefinition(
            name: "output",
            valueName: "output",
            help: "File for the results. (default: standard output)"
        ),
        FlagDefinition(
            name: "jobs",
            valueName: "jobs",
            help:
                "Number of threads that normalize. They share the workers for images, of which there are at most "
                + "DECANT_WORKERS. [1 to \(maxJobs)] (default: one per processor)"
        ),
        FlagDefinition(
            name: "unordered",
            valueName: "value",
            help:
                "Whether each result is written when it is finished, and not in the order of the input. "
                + "[true, false] (default: false)",
            completions: ["true", "false"]
        ),
        FlagDefinition(
            name: "resume",
            valueName: "value",
            help:
                "Whether the output of an interrupted run is continued, with the same input and the same options. "
                + "[true, false] (default: false)",
            completions: ["true", "false"]
        ),
    ]

    fileprivate static let formats = BatchFormat.allCases.map(\.rawValue).joined(separator: ", ")
    fileprivate static let maxJobs = 256
}

/// The values of ``BatchFlags``, and the input.
struct BatchSettings: Sendable {
    let sources: [ContentSource]
    /// The format of all input; `nil` if it is detected.
    let inputFormat: BatchFormat?
    /// The path of the output; `nil` for standard output.
    let outputPath: String?
    let jobs: Int
    /// Whether the output has the order of the input.
    let isOrdered: Bool
    /// Whether an existing output is continued.
    let resumes: Bool

    /// - Throws: ``CommandFailure`` for wrong usage.
    init(_ files: [String], flags: [String: String]) throws(CommandFailure) {
        sources = try ContentSource.all(files)
        inputFormat = try flags["format"].map { text throws(CommandFailure) in
            guard let format = BatchFormat(rawValue: text) else {
                throw CommandFailure(usage: "--format is '\(text)'; it must be one of \(BatchFlags.formats).")
            }
            return format
        }
        outputPath = flags["output"].flatMap { $0 == "-" ? nil : $0 }
        jobs =
            try flags["jobs"].map { text throws(CommandFailure) in
                guard let jobs = text.decimal(max: BatchFlags.maxJobs), jobs > 0 else {
                    throw CommandFailure(usage: "--jobs is '\(text)'; it must be 1 to \(BatchFlags.maxJobs).")
                }
                return jobs
            } ?? min(ProcessorCount.available, BatchFlags.maxJobs)
        isOrdered = try !Self.boolean("unordered", flags)
        resumes = try Self.boolean("resume", flags)
        guard resumes else { return }
        guard outputPath != nil else { throw CommandFailure(usage: "--resume requires --output FILE.") }
        guard isOrdered else {
            throw CommandFailure(
                usage: "--resume is not possible with --unordered: nothing shows which results are missing."
            )
        }
        guard inputFormat != .frames else {
            throw CommandFailure(usage: "--resume is not possible with --format frames.")
        }
    }

    var outputFormat: BatchOutputFormat { inputFormat == .frames ? .frames : .lines }

    /// Whether standard error is a terminal that does not show the output as well.
    var showsProgress: Bool {
        FileDescriptor.isStandardErrorTerminal && outputFormat == .lines
            && (outputPath != nil || !FileDescriptor.isStandardOutputTerminal)
    }

    /// Checks that the output neither replaces an input, nor becomes one.
    /// - Parameters:
    ///   - output: the status of the output; `nil` if it does not exist.
    ///   - name: the name of the output in an error.
    func checkIsNoInput(_ output: FileStatus?, _ name: String) throws(SystemError) {
        guard let output, output.bytes != nil else { return }
        for source in sources {
            // An input that cannot be read is reported when it is opened.
            guard let status = try? source.status, status.isOfSameFile(as: output) else { continue }
            throw SystemError("write to \(name), which is an input", code: EINVAL)
        }
    }

    private static func boolean(_ name: String, _ flags: [String: String]) throws(CommandFailure) -> Bool {
        guard let text = flags[name] else { return false }
        guard let value = Bool(text) else {
            throw CommandFailure(usage: "--\(name) is '\(text)'; it must be true or false.")
        }
        return value
    }
}

extension ContentSource {
    /// The status of the file.
    var status: FileStatus? {
        get throws(SystemError) {
            switch self {
            case .standardInput: try FileDescriptor.standardInput().status
            case .file(let path): try FileStatus.of(path)
            }
        }
    }
}
