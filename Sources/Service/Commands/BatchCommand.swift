internal import ArgumentParser
internal import Platform

struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Normalizes all upstream responses in files: NDJSON, HTTP archives (HAR) or web archives (WARC).",
        discussion: """
            The output is NDJSON: one line per response, with the same result or problem as POST /v1/normalize, and a \
            summary as the last line. A rejected response does not end the batch. The summary also goes to standard \
            error.

            Exit code 0: every response was normalized. 1: responses were rejected. 2: wrong usage, an input cannot \
            be read to its end, the output cannot be written, or no worker for images can be started. After a signal, \
            the output ends after a whole line, and the exit code is 128 and its number.

            DECANT_MAX_… variables set the limits, which options can only lower. DECANT_PROFILES specifies the file \
            with profiles.
            """
    )

    @Argument(help: "Files with responses; - is standard input, which is the default.", completion: .file())
    var files: [String] = []

    @OptionGroup(title: "The batch")
    var flags: TableFlags<BatchFlags>

    @OptionGroup(title: "Options, as in the query of POST /v1/normalize")
    var options: TableFlags<QueryOptions>

    func run() throws {
        // Before any thread is started: a signal must not interrupt a line.
        TerminationSignals.block()
        Heap.configure()
        let settings = try BatchSettings(files, flags: flags.values)
        var run = try BatchRun(settings, options.pairs)
        let status = try run.run()
        if status != 0 { throw ExitCode(status) }
    }
}
