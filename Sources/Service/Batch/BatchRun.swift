internal import Batch
internal import Glibc
internal import HTTP
internal import Logging
internal import Platform
internal import Serialization
internal import Workers

/// One run of `decant batch`.
///
/// The main thread reads the input, and other threads normalize it and write the output (``BatchWindow``). A further
/// thread waits for signals.
struct BatchRun {
    private let settings: BatchSettings
    private let serializer: ResponseSerializer
    private let configuration: Configuration
    private let progress: BatchProgress
    /// The continuation of an interrupted output; `nil` if the output cannot be continued.
    private let resumption: BatchResumption?

    private var summary = BatchSummary()
    /// The number of items that were read.
    private var items = 0
    /// The number of items whose lines are in the output from the beginning.
    private var finishedItems = 0

    /// The settings of the service that apply to a batch.
    static let relevantSettings: [any AnySetting] =
        Settings.isolation.all + Settings.limits + Settings.boundsOfProfiles
        + [Settings.server.profiles, Settings.server.maxBufferedBytes]

    /// The bound of the window in bytes.
    private static let windowBytes = 8 << 20

    /// - Throws: ``CommandFailure`` for wrong usage, or if a profile cannot be read.
    init(_ settings: BatchSettings, _ pairs: [QueryString.Pair]) throws {
        self.settings = settings
        configuration = try Configuration.reading(only: Self.relevantSettings)
        serializer = try configuration.serializer(pairs, for: .normalize)
        progress = BatchProgress(inputBytes: settings.sources.map { try? $0.status?.bytes })
        resumption = try BatchResumption(settings, pairs, configuration)
        guard resumption != nil || !settings.resumes else {
            throw CommandFailure(usage: "--resume is not possible: the output and each input must be regular files.")
        }
    }

    /// Processes the input.
    /// - Returns: the exit code.
    /// - Throws: ``CommandFailure`` if the output cannot be written or continued.
    mutating func run() throws(CommandFailure) -> Int32 {
        guard let output = try openOutput() else { return exitCode }
        let window = BatchWindow(maxBytes: Self.windowBytes, isOrdered: settings.isOrdered) { output.write($0) }
        try endAfterSignals(output)
        let threads = try startJobs(window, output)
        let finished = summary.counts
        if settings.showsProgress { progress.show { window.counts + finished } }
        for source in settings.sources { read(source, into: window) }
        guard items >= finishedItems else {
            throw CommandFailure(
                usage: "\(settings.outputPath ?? "") cannot be continued: it has \(finishedItems) lines, "
                    + "and the input \(items) items."
            )
        }
        window.close()
        for thread in threads { thread.join() }
        progress.end()
        summary.counts += window.counts
        if settings.outputFormat == .lines {
            output.write([summary.line])
            if summary.problem == nil { try resumption?.end() }
            progress.report(summary.sentence)
        }
        return exitCode
    }

    private var exitCode: Int32 {
        guard summary.problem == nil else { return ExitStatus.wrongUsage }
        return summary.counts.failed > 0 ? ExitStatus.failed : 0
    }

    // MARK: Input

    /// Reads one input to its end. One that cannot be read does not prevent the others from being processed.
    private mutating func read(_ source: ContentSource, into window: BatchWindow) {
        let file = BatchFile(source)
        do throws(BatchInputError) {
            var bytes = try BatchSource(source, progress: progress)
            // An envelope in Base64 is the longest form.
            let limits = BatchLimits(
                maxItemBytes: Envelope.maxBytes(maxContentBytes: serializer.limits.maxContentBytes)
            )
            var input = BatchInput(name: source.path ?? "", format: settings.inputFormat, limits: limits)
            while let block = try input.next(from: &bytes) { admit(block, of: file, to: window) }
        } catch {
            let problem = Problem(error, in: source.path ?? "standard input")
            progress.report("Error: \(TerminalText.escaped(problem.detail))")
            summary.problem = summary.problem ?? BatchResult(problem, file.requestID(at: .max)).json
        }
    }

    private mutating func admit(_ block: consuming BatchBlock, of file: BatchFile, to window: BatchWindow) {
        var block = block
        for (type, count) in block.skipped { summary.skipped[type, default: 0] += count }
        let firstIndex = items
        items += block.items.count
        // What is already in the output is not normalized again.
        let done = min(max(0, finishedItems - firstIndex), block.items.count)
        if done > 0 { block.items.removeFirst(done) }
        guard !block.items.isEmpty else { return }
        window.admit(BatchWindow.Work(block, firstIndex: firstIndex + done, of: file))
    }

    // MARK: Output

    /// Opens the output at the location where it is continued.
    /// - Returns: `nil` if it is complete.
    private mutating func openOutput() throws(CommandFailure) -> BatchOutput? {
        guard let path = settings.outputPath else {
            let file = try attempt(FileDescriptor.standardOutput)
            try attempt { () throws(SystemError) in try settings.checkIsNoInput(file.status, "standard output") }
            return try output(to: file)
        }
        for path in [path] + BatchResumption.files(for: path) {
            try attempt { () throws(SystemError) in try settings.checkIsNoInput(FileStatus.of(path), path) }
        }
        // A pipe is opened when it has a reader, for which nobody may wait.
        let file = try attempt { () throws(SystemError) in
            try TerminationSignals.permitted { () throws(SystemError) in try FileDescriptor(extending: path) }
        }
        try attempt { () throws(SystemError) in if try file.status.bytes != nil { try file.lock() } }
        if !settings.resumes {
            try attempt { () throws(SystemError) in try BatchResumption.remove(for: path) }
        }
        var bytes = 0
        if settings.resumes, let resumption {
            let existing = try resumption.existing(file)
            summary.counts = existing.counts
            finishedItems = existing.counts.items
            guard !existing.isComplete else {
                // The process may have been killed between the summary and this.
                try resumption.end()
                progress.report("\(TerminalText.escaped(path)) is complete: \(summary.sentence)")
                return nil
            }
            bytes = existing.bytes
        }
        try prepare(file, keeping: bytes)
        return try output(to: file)
    }

    /// Removes everything after the lines that are kept.
    private func prepare(_ file: borrowing FileDescriptor, keeping bytes: Int) throws(CommandFailure) {
        do throws(SystemError) {
            // A device has no length.
            if try file.status.bytes != nil { try file.truncate(to: bytes) }
            if bytes == 0 { try resumption?.begin() }
        } catch { throw CommandFailure(usage: error.description) }
    }

    private func output(to file: consuming FileDescriptor) throws(CommandFailure) -> BatchOutput {
        let progress = progress
        do throws(SystemError) {
            return try BatchOutput(file) { error in
                progress.end()
                progress.report("Error: \(TerminalText.escaped(error.description))")
                _exit(ExitStatus.wrongUsage)
            }
        } catch { throw CommandFailure(usage: error.description) }
    }

    private func attempt<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch { throw CommandFailure(usage: error.description) }
    }

    /// Starts a thread that ends the process after a signal, as soon as the output ends after a whole line.
    private func endAfterSignals(_ output: BatchOutput) throws(CommandFailure) {
        let (progress, remedy) = (progress, remedy)
        try start {
            let signal = TerminationSignals.wait()
            TerminationSignals.exitAtOnceOnNext()
            output.stop()
            progress.end()
            progress.report("Ended by \(TerminationSignals.name(of: signal)).\(remedy)")
            _exit(128 + signal)
        }.detach()
    }

    private var remedy: String { resumption == nil ? "" : " Repeat the command with --resume to continue." }

    /// Returns what ends the process if images cannot be read: the state of the machine must not reject an item. In
    /// frames this is a problem of the item, because their reader continues.
    private func endWithoutWorker(_ output: BatchOutput) -> (@Sendable () -> Never)? {
        guard settings.outputFormat == .lines else { return nil }
        let (progress, remedy) = (progress, remedy)
        return {
            output.stop()
            progress.end()
            progress.report("Error: images cannot be read, because decant-worker cannot be started.\(remedy)")
            _exit(ExitStatus.wrongUsage)
        }
    }

    // MARK: Threads

    private func startJobs(_ window: BatchWindow, _ output: BatchOutput) throws(CommandFailure) -> [Thread] {
        let workers = (0..<min(settings.jobs, max(1, configuration.workers))).map { _ in
            LocalWorker(
                .pixels(configuration),
                log: .command(level: .error),
                onFailedStarts: endWithoutWorker(output)
            )
        }
        let memory = BatchNormalizer.SharedMemory(maxBytes: configuration.maxBufferedBytes)
        // A worker process ends with the thread that started it, but other threads use it as well.
        let running = Monitor(settings.jobs)
        var threads: [Thread] = []
        for number in 0..<settings.jobs {
            let normalizer = BatchNormalizer(
                serializer,
                serviceLimits: configuration.limits,
                workers[number % workers.count],
                memory
            )
            let job = BatchJob(normalizer, window, settings.outputFormat, isOrdered: settings.isOrdered)
            let thread = try start {
                job.run()
                running.change { $0 -= 1 }
                _ = running.wait(until: .never) { $0 == 0 ? true : nil }
            }
            threads.append(thread)
        }
        return threads
    }

    private func start(_ work: @escaping @Sendable () -> Void) throws(CommandFailure) -> Thread {
        try attempt { () throws(SystemError) in try Thread(work) }
    }
}
