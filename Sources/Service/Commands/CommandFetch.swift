internal import Fetching
internal import Flights
internal import Glibc
internal import HTTP
internal import Logging
internal import Platform
internal import Serialization
internal import Workers

/// One fetch on the command line: the table of flights and a fetcher, on the thread of the command.
final class CommandFetch: EventHandler {
    private let events: EventLoop
    private var table: FlightTable
    private let process: FetcherProcess
    private let reader: LocalWorker
    private var registration = FetcherRegistration()
    private var response: Response?
    /// Why the fetcher cannot run.
    private var failure: String?

    private init(_ settings: FlightSettings, _ fetcher: FetcherConfiguration, _ reader: LocalWorker)
        throws(SystemError)
    {
        events = try EventLoop()
        table = FlightTable(settings, account: MemoryAccount(maxBytes: Int.max / 2)) { WallClock.seconds }
        process = FetcherProcess(fetcher, now: .now)
        self.reader = reader
    }

    /// Returns the response of `POST /v1/fetch`.
    /// - Parameter allowing: the addresses that are not public, and may be requested.
    /// - Throws: ``CommandFailure`` for wrong usage, or if there is no fetcher.
    static func response(
        to call: FetchCall,
        _ pairs: [QueryString.Pair],
        _ configuration: Configuration,
        allowing addresses: [AddressBlock]
    ) throws(CommandFailure) -> Response {
        let url: FetchURL
        do throws(FetchURLError) {
            url = try FetchURL(parsing: call.url)
        } catch { return Problem(FetchCallError.url(error)).response(requestID: "") }
        var settings = configuration.flightSettings
        // Any port of the URL's host is allowed, and the addresses apply to hosts that are named.
        do throws(HostRulesError) {
            settings.policy.allow = try HostRules(parsing: "*,\(url.origin)/")
        } catch { throw CommandFailure(usage: "The host of the URL is not one that can be requested.") }
        do throws(FetchMethodsError) {
            settings.policy.methods = try FetchMethods(parsing: call.method)
        } catch { throw CommandFailure(usage: "--method is '\(call.method)'; it must be the name of a method.") }
        settings.policy.addresses.allowed = addresses
        let reader = LocalWorker(.pixels(configuration), log: .command(level: .error))
        let profiles = try ProfileRegistry.reading(configuration)
        let credentials = try ReloadableFile.credentials(configuration)?.value.credentials ?? .none
        let configured = ConfiguredSerializer(limits: configuration.limits, profiles: profiles)
        let callerRequest: CallerRequest
        do throws(FetchCallError) {
            callerRequest = try FetchRules(settings, settings.policy, credentials).callerRequest(
                call,
                pairs,
                configured,
                .unrestricted,
                isMember: false,
                requestID: .given("")
            )
        } catch {
            if case .option(let option) = error { throw CommandFailure(usage: option.message) }
            return Problem(error).response(requestID: "")
        }
        var fetcher = configuration.fetcherConfiguration
        fetcher.settings.addresses = settings.policy.addresses
        let fetch: CommandFetch
        do throws(SystemError) {
            fetch = try CommandFetch(settings, fetcher, reader)
        } catch { throw CommandFailure(error.description) }
        return try fetch.run(callerRequest)
    }

    private func run(_ callerRequest: CallerRequest) throws(CommandFailure) -> Response {
        react(to: process.handle(at: .now))
        table.join(callerRequest, as: RequestNumber(1), at: .now)
        flush()
        while true {
            if let response = response.take() {
                process.stop()
                return response
            }
            if let failure { throw CommandFailure(failure) }
            events.runOnce(until: min(process.deadline, table.nextTime))
            let now = MonotonicTime.now
            if process.deadline <= now { react(to: process.handle(at: now)) }
            table.advance(to: now)
            flush()
        }
    }

    func handle(_ events: Events) {
        let now = MonotonicTime.now
        if events.contains(.writable) { process.writable() }
        react(to: process.readable(at: now))
        watch()
    }

    private func react(to changes: [FetcherProcess.Event]) {
        for event in changes {
            let now = MonotonicTime.now
            switch event {
            case .started:
                registration.remove(from: events)
                watch()
            case .ready: table.fetcherReady(at: now)
            case .reply(let reply):
                // A frame that is not permitted is the end: there is nothing else to protect.
                do throws(FetchFrameError) {
                    try table.handle(reply, at: now, unixSeconds: time(nil))
                } catch { failure = "the process that fetches sent a frame that it may not send" }
            case .died(let end):
                registration.remove(from: events)
                let isHopeless = end.reason.isLasting || process.consecutiveFailures > 3
                if isHopeless {
                    failure = "decant-fetcher \(end.reason.description)" + (end.detail.map { ": \($0)" } ?? "")
                }
                table.fetcherDied(at: now, mayReturn: !isHopeless)
            }
        }
        flush()
    }

    private func watch() {
        do throws(SystemError) {
            try registration.update(for: process, in: events, self)
        } catch { failure = "\(error)" }
    }

    private func flush() {
        for effect in table.takeEffects() {
            switch effect {
            case .send(let command): process.send(command)
            case .deliver(_, .failed(let failure), let facts):
                response = Problem(failure, facts).response(requestID: "")
            case .serialize(let job):
                let normalization = Normalization(
                    of: job.upstream.response,
                    with: job.callerRequest.serializer,
                    requestID: job.callerRequest.requestID
                )
                response = job.upstream.normalizedContent.withBytes { normalization.respond($0, reader, .unlimited) }
            case .deliver(_, .rendered, _), .deliverKept, .postpone, .postponeAgain, .reply, .drop, .measured, .ended:
                break
            }
        }
        watch()
    }
}
