internal import ArgumentParser
internal import Fetching
internal import Flights
internal import Glibc
internal import HTTP
internal import Logging
internal import Platform
internal import Serialization
internal import Workers

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the HTTP service until SIGTERM or SIGINT, and then finishes the requests in flight.",
        discussion: """
            Every setting is a flag, and an environment variable whose name is DECANT_ and that of the flag in capital \
            letters: --max-connections is DECANT_MAX_CONNECTIONS. The flag takes precedence. When the service is \
            ready, it prints one line with its address to standard output. Logs go to standard error.
            """
    )

    @OptionGroup(title: "Settings")
    var settings: TableFlags<SettingFlags>

    @Flag(help: "Also print an example request to standard error.")
    var showExample = false

    @Flag(
        name: .customLong("try"),
        help: "Also serve example responses on the next port of 127.0.0.1, and allow fetching these and nothing else."
    )
    var servesExamples = false

    func run() throws {
        var configuration = try Configuration.reading(flags: settings.values)
        // Signals are already blocked, and closed standard streams replaced, since the start of the program.
        let output = try standardOutput()
        Heap.configure()
        let examples = servesExamples ? try startExamples(&configuration) : nil
        let files = try Files(configuration)

        let format = LogFormat(configuration.accessLog, isTerminal: FileDescriptor.isStandardErrorTerminal)
        let lines = try startLog(format)
        defer { lines.close(within: .seconds(1)) }
        let log = Logger.service(level: configuration.logLevel, format: format, queue: lines)
        warnOfUnknownVariables(log)
        warnOfOpenFetching(configuration, files.access, log)
        files.warnOfReadableCredentials(log)
        fitOpenFiles(&configuration, log)
        PublicURL.set(configuration.publicURL)

        let workers = try startWorkers(configuration, log)
        let telemetry = Telemetry(accessLog: configuration.accessLog == .off ? nil : (queue: lines, format: format))
        let account = MemoryAccount(maxBytes: configuration.maxBufferedBytes)
        let fetch = try makeFetchService(configuration, files, account, log)
        let compute = try startComputeLane(configuration)
        let metrics = metrics(files, fetch, compute, telemetry, lines)
        let parts = parts(configuration, files, workers, fetch, metrics)
        let (server, administration) = try start(parts, configuration, compute, account, telemetry, log)
        logMemory(configuration, log)
        Charset.prepare()
        // The memory that only the start needed.
        Heap.trim()
        parts.readiness.state = .ready
        try announce(
            server.address,
            hasPage: configuration.page == .on,
            examples: examples?.address,
            on: output
        )

        waitForSignal(configuration, files, fetch, log)
        parts.readiness.state = .draining
        drain(server, fetch, configuration, log)
        examples?.stop()
        // Its probes and metrics are available until everything else has ended.
        administration?.stop()
        log.notice("stopped")
    }

    private func parts(
        _ configuration: Configuration,
        _ files: Files,
        _ workers: ServiceParts.Workers,
        _ fetch: FetchService?,
        _ metrics: MetricsSources
    ) -> ServiceParts {
        ServiceParts(
            readiness: Readiness(.starting),
            options: ServiceParts.Options(
                limits: configuration.limits,
                profiles: files.profiles,
                requiresUpstreamStatus: configuration.requireUpstreamStatus,
                pages: configuration.page == .on ? .embedded : nil
            ),
            workers: workers,
            fetching: ServiceParts.Fetching(service: fetch, images: configuration.imageSettings),
            access: files.access,
            metrics: metrics
        )
    }

    private func metrics(
        _ files: Files,
        _ fetch: FetchService?,
        _ compute: ComputeLane,
        _ telemetry: Telemetry,
        _ lines: LogQueue
    ) -> MetricsSources {
        MetricsSources(
            telemetry: telemetry,
            waitingForCompute: { compute.waitingJobs },
            droppedLogLines: { lines.droppedLines },
            profiles: files.profiles,
            fetching: fetch.map {
                MetricsSources.Fetching(metrics: $0.thread.metrics, cache: $0.cache, credentials: files.credentials)
            },
            process: { .current() }
        )
    }

    /// Waits for a signal that ends the service. Meanwhile, memory that is not used is returned to the system, and the
    /// files are read again on SIGHUP.
    private func waitForSignal(
        _ configuration: Configuration,
        _ files: Files,
        _ fetch: FetchService?,
        _ log: Logger
    ) {
        let signal = TerminationSignals.wait(every: 10, onHangup: { files.reload(for: fetch, log) }) { Heap.trim() }
        TerminationSignals.exitAtOnceOnNext()
        log.notice(
            "stopping",
            metadata: [
                "signal": "\(TerminationSignals.name(of: signal))",
                "delaySeconds": .stringConvertible(configuration.drainDelaySeconds),
                "deadlineSeconds": .stringConvertible(configuration.drainTimeoutSeconds),
            ]
        )
    }

    /// Serves as before for the delay, then waits until requests in flight and fetches have ended, up to the timeout.
    private func drain(_ server: HTTPServer, _ fetch: FetchService?, _ configuration: Configuration, _ log: Logger) {
        server.startDraining()
        TerminationSignals.sleep(seconds: configuration.drainDelaySeconds)
        // Results are fetched over new connections.
        let end = MonotonicTime.now + .seconds(configuration.drainTimeoutSeconds)
        if let fetch, !fetch.thread.drain(until: end) {
            log.warning("results of requests that received a 202 response were dropped: the drain timeout has expired")
        }
        let patience = max(end.nanoseconds(since: .now), 1_000_000_000)
        let isDone = server.drain(within: .nanoseconds(Int64(clamping: patience)))
        if !isDone {
            log.warning("connections with requests in flight were closed: the drain timeout has expired")
        }
    }

    /// Starts the origin of the examples, and allows fetching them.
    private func startExamples(_ configuration: inout Configuration) throws -> HTTPServer {
        let contradictions = ExampleOrigin.contradictions(of: configuration)
        guard contradictions.isEmpty else {
            throw CommandFailure(
                usage: "--try allows every caller to fetch its examples, and nothing else: it cannot be combined with "
                    + "\(contradictions.joined(separator: ", "))."
            )
        }
        do {
            // If the service has a free port, or there is no next one, the system chooses it.
            let port = configuration.port == 0 ? 0 : UInt16(exactly: configuration.port + 1) ?? 0
            let examples = try ExampleOrigin.start(port: port)
            let allowed = ExampleOrigin.settings(port: examples.address.port)
            configuration = try Configuration.reading(flags: settings.values.merging(allowed) { $1 })
            // Its descriptors and connections are among those that are planned for the service.
            configuration.maxConnections = max(1, configuration.maxConnections - ExampleOrigin.reservedConnections)
            return examples
        } catch let error as HTTPServerError { throw CommandFailure(error.description) }
    }

    private func standardOutput() throws -> FileDescriptor {
        do {
            return try FileDescriptor.standardOutput()
        } catch { throw CommandFailure(error.description) }
    }

    /// Starts the thread that writes the log.
    private func startLog(_ format: LogFormat) throws -> LogQueue {
        do {
            return try LogQueue.standardError(format: format)
        } catch { throw CommandFailure(error.description) }
    }

    private func warnOfUnknownVariables(_ log: Logger) {
        for variable in Configuration.unknownVariables(in: Environment.variables()) {
            log.warning("\(variable) is not a setting; is it misspelled?")
        }
    }

    /// Reduces the maximum number of connections to the number of available file descriptors: connections above the
    /// maximum wait in the kernel's queue, while accepting a connection without a descriptor would fail.
    private func fitOpenFiles(_ configuration: inout Configuration, _ log: Logger) {
        let wanted = configuration.maxConnections
        let wantedFiles = wanted + configuration.reservedDescriptors
        configuration.fitConnections(intoOpenFiles: OpenFileLimit.raise(to: wantedFiles))
        if configuration.maxConnections < wanted {
            log.warning(
                "fewer connections than max-connections: the limit of open files (ulimit -n) does not allow more",
                metadata: [
                    "wanted": .stringConvertible(wanted), "granted": .stringConvertible(configuration.maxConnections),
                ]
            )
        }
    }

    /// Logs the division of the memory.
    private func logMemory(_ configuration: Configuration, _ log: Logger) {
        let rows = configuration.memoryRows
        var metadata = Logger.Metadata(uniqueKeysWithValues: rows.map { ($0.name, .stringConvertible($0.bytes)) })
        metadata["sumBytes"] = .stringConvertible(rows.reduce(0) { $0 + $1.bytes })
        log.info("memory is planned", metadata: metadata)
    }

    private func warnOfOmittedWorkers(_ configuration: Configuration, _ log: Logger) {
        if configuration.omittedWorkers > 0 {
            log.warning(
                configuration.workers == 0
                    ? "there is not enough memory for a worker: images are not decoded"
                    : "fewer workers than cores or than configured: there is not enough memory for more",
                metadata: [
                    "workers": .stringConvertible(configuration.workers),
                    "leftOut": .stringConvertible(configuration.omittedWorkers),
                    "workerMemoryBytes": .stringConvertible(configuration.workerMemoryBytes),
                ]
            )
        }
        if configuration.omittedFactWorkers > 0 {
            log.warning(
                configuration.factWorkers == 0
                    ? "there is not enough memory for a worker that reads facts: images are rejected"
                    : "fewer workers for facts than configured: there is not enough memory for more",
                metadata: [
                    "factWorkers": .stringConvertible(configuration.factWorkers),
                    "leftOut": .stringConvertible(configuration.omittedFactWorkers),
                ]
            )
        }
    }

    private func startWorkers(_ configuration: Configuration, _ log: Logger) throws -> ServiceParts.Workers {
        warnOfOmittedWorkers(configuration, log)
        return ServiceParts.Workers(
            facts: try startWorkers(.facts(configuration), for: .facts, log),
            pixels: try startWorkers(.pixels(configuration), for: .pixels, log),
            lackMemory: configuration.workers == 0 && configuration.omittedWorkers > 0
        )
    }

    /// Starts workers. Returns `nil` if there are none: then the requests that need them are rejected.
    private func startWorkers(_ workers: WorkerConfiguration, for lane: Lane, _ log: Logger) throws -> WorkerPool? {
        guard workers.workers > 0 else { return nil }
        var log = log
        log[metadataKey: "lane"] = "\(lane.name)"
        do {
            return try WorkerPool(workers, log: log)
        } catch { throw CommandFailure(error.description) }
    }

    private func startComputeLane(_ configuration: Configuration) throws -> ComputeLane {
        do {
            return try ComputeLane(
                threads: configuration.threads,
                maxWaiting: Lanes.maxWaitingJobs(connections: configuration.maxConnections)
            )
        } catch { throw CommandFailure(error.description) }
    }

    private func start(
        _ parts: ServiceParts,
        _ configuration: Configuration,
        _ compute: ComputeLane,
        _ account: MemoryAccount,
        _ telemetry: Telemetry,
        _ log: Logger
    ) throws -> (server: HTTPServer, administration: HTTPServer?) {
        do {
            try InterpositionSelfTest.run()
            let lanes = Lanes(
                compute: compute,
                factWorkers: parts.workers.facts,
                workers: parts.workers.pixels,
                fetching: parts.fetching.service?.thread
            )
            let application = DecantApplication(parts, listener: configuration.adminAddress.isEmpty ? .only : .main)
            let administration = try startAdministration(configuration, application, telemetry, log)
            let server = try HTTPServer(
                HTTPServerConfiguration(configuration),
                application: application,
                lanes: lanes,
                observer: telemetry,
                account: account,
                acceptFailed: { Self.logAcceptFailure($0, log) }
            )
            if let fetch = parts.fetching.service {
                try start(fetch, lanes, ports: [server, administration].compactMap { $0?.address.port })
            }
            return (server, administration)
        } catch { throw CommandFailure(error.description) }
    }

    /// Starts the listener for probes, metrics and the administration of the cache; `nil` if there is none. It shares
    /// no thread, no connection and no memory account with the service, so that it responds whatever the service does.
    private func startAdministration(
        _ configuration: Configuration,
        _ application: DecantApplication,
        _ telemetry: Telemetry,
        _ log: Logger
    ) throws(HTTPServerError) -> HTTPServer? {
        guard let address = try configuration.adminSocketAddress() else { return nil }
        var administration = HTTPServerConfiguration(configuration)
        administration.socketPath = address.family == AF_UNIX ? address.host : ""
        administration.address = address.host
        administration.port = address.port
        administration.threads = 1
        administration.connections.max = Configuration.maxAdminConnections
        administration.connections.maxPerAddress = 0
        administration.content.maxBufferedBytes = 1 << 20
        let compute: ComputeLane
        do throws(SystemError) {
            // Examining a large cache must not delay probes.
            compute = try ComputeLane(threads: 1, maxWaiting: Configuration.maxAdminConnections)
        } catch { throw .system(error) }
        let server = try HTTPServer(
            administration,
            application: AdministrationApplication(service: application),
            lanes: Lanes(compute: compute),
            observer: Telemetry.RecordsOnly(telemetry),
            acceptFailed: { Self.logAcceptFailure($0, log) }
        )
        log.info("the administration listens", metadata: ["address": "\(server.address)"])
        return server
    }

    private static func logAcceptFailure(_ error: SystemError, _ log: Logger) {
        log.warning("cannot accept connections; retrying", metadata: ["reason": "\(error)"])
    }

    /// Starts fetching when the ports of the service are known, which must not be requested.
    private func start(_ fetch: FetchService, _ lanes: Lanes, ports: [UInt16]) throws(HTTPServerError) {
        do throws(SystemError) {
            let ports = Set(ports.filter { $0 != 0 })
            let listeners = LocalListeners(addresses: try LocalAddresses.all(), ports: ports)
            try fetch.start(lanes, listeners: listeners)
        } catch { throw .system(error) }
    }

    /// Warns if callers of other machines can fetch without a token.
    private func warnOfOpenFetching(_ configuration: Configuration, _ access: AccessControl, _ log: Logger) {
        let isLocal = configuration.address.hasPrefix("127.") || configuration.address == "::1"
        guard configuration.fetches, access.tokens == nil, !isLocal else { return }
        log.warning("everyone who reaches the port can fetch: there is no file of tokens (tokens-file)")
    }

    /// Returns what fetching needs; `nil` if it is disabled.
    private func makeFetchService(
        _ configuration: Configuration,
        _ files: Files,
        _ account: MemoryAccount,
        _ log: Logger
    ) throws -> FetchService? {
        guard configuration.fetches else { return nil }
        do {
            return try FetchService(
                configuration.flightSettings,
                fetcher: configuration.fetcherConfiguration,
                loop: configuration.cdnLoop,
                credentials: files.credentials?.value.credentials ?? .none,
                account: account,
                log: FetchLog(log)
            )
        } catch { throw CommandFailure(error.description) }
    }
}
