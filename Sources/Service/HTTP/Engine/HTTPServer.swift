internal import Glibc
internal import Logging
internal import Platform
internal import Synchronization

/// The HTTP side of the service: one thread accepts connections and distributes them to loops, one per processor.
///
/// Signals belong to the process: whoever starts a server has blocked those that it waits for, because threads inherit the mask.
final class HTTPServer: Sendable {
    /// What clients connect to.
    let address: SocketAddress

    private let context: ExchangeContext
    private let loops: [ConnectionLoop]
    private let acceptor: Acceptor
    private let drainIdleTimeout: Duration

    private struct Running {
        var threads: [Thread] = []
        var runningLoops = 0
    }

    private let running = Monitor(Running())

    /// Binds, listens and serves `application`.
    /// - Parameters:
    ///   - lanes: compute the answers that take too long for a loop. They end with the server.
    ///   - telemetry: receives the counts of requests, and the figures of the server until it stops.
    ///   - log: for failures of accepting.
    init(
        _ configuration: HTTPServerConfiguration,
        application: any Application,
        lanes: Lanes = Lanes(),
        telemetry: Telemetry = Telemetry(),
        log: Logger? = nil
    ) throws(HTTPServerError) {
        let socket = try ListeningSocket.listening(on: configuration.address, port: configuration.port)
        address = try socket.address()
        let context = ExchangeContext(
            configuration: configuration,
            application: application,
            lanes: lanes,
            telemetry: telemetry
        )
        self.context = context
        drainIdleTimeout = configuration.drainIdleTimeout
        do throws(SystemError) {
            let acceptor = try Acceptor(configuration, rejection: { Self.rejection(by: application) }, log: log)
            self.acceptor = acceptor
            var loops: [ConnectionLoop] = []
            for _ in 0..<max(configuration.threads, 1) {
                loops.append(try ConnectionLoop(context: context) { acceptor.connectionEnded($0) })
            }
            self.loops = loops
        } catch {
            throw .system(error)
        }
        // What has started by then is stopped if the next cannot start.
        for loop in loops { try start(loop) }
        do throws(SystemError) {
            try acceptor.start(socket, distributingTo: loops)
        } catch {
            stop()
            throw .system(error)
        }
        telemetry.observeServer { [loops, acceptor] in Self.figures(of: loops, acceptor, context.account) }
    }

    deinit {
        stop()
    }

    /// The message to a connection that is one too many for its address.
    private static func rejection(by application: any Application) -> [UInt8] {
        var identifiers = RequestIDGenerator()
        let requestID = identifiers.next()
        return application.response(rejecting: .tooManyConnections, requestID: requestID).message(requestID: requestID)
    }

    private func start(_ loop: ConnectionLoop) throws(HTTPServerError) {
        let outcome = Monitor<HTTPServerError??>(nil)
        let thread: Thread
        do throws(SystemError) {
            thread = try Thread { [running] in
                loop.run { error in outcome.change { $0 = .some(error) } }
                running.change { $0.runningLoops -= 1 }
            }
        } catch {
            stop()
            throw .system(error)
        }
        running.change {
            $0.threads.append(thread)
            $0.runningLoops += 1
        }
        if let error = outcome.wait(until: .never, { $0 }) ?? nil {
            stop()
            throw error
        }
    }

    private static func figures(
        of loops: [ConnectionLoop],
        _ acceptor: Acceptor,
        _ account: MemoryAccount
    ) -> ServerFigures {
        ServerFigures(
            requestsInFlight: loops.reduce(0) { $0 + $1.requestCount },
            openConnections: loops.reduce(0) { $0 + $1.connectionCount },
            acceptedConnections: acceptor.acceptedCount,
            rejectedConnections: acceptor.rejectedCount,
            acceptFailures: acceptor.failureCount,
            contentBytes: account.usedBytes,
            maxContentBytes: account.maxBytes
        )
    }

    /// The number of connections of each loop.
    var connectionsByLoop: [Int] { loops.map(\.connectionCount) }

    /// The number of requests whose head is complete and whose response is not sent.
    var requestsInFlight: Int { loops.reduce(0) { $0 + $1.requestCount } }

    /// The size of contents of requests, and of responses that are being sent, in bytes.
    var bufferedBytes: Int { context.account.usedBytes }

    /// Ends every connection at once and waits for the threads. Harmless when done before.
    func stop() {
        acceptor.stop()
        context.lanes.stop()
        for loop in loops { loop.stop() }
        let threads = running.withLock { running in
            defer { running.threads = [] }
            return running.threads
        }
        for thread in threads { thread.join() }
        // It refers to the loops, which refer to the context.
        context.telemetry.observeServer(nil)
    }

    /// From now on every response closes its connection, and everything else goes on. Clients and load balancers that see that the
    /// service is not ready have time to go elsewhere.
    func startDraining() {
        context.startDraining()
    }

    /// Stops accepting, lets requests in flight finish, and stops.
    ///
    /// Idle connections are closed a moment later, because a request may be on its way on them.
    /// - Parameter patience: the time for requests in flight; then they are cut off.
    /// - Returns: whether all of them were answered in time.
    func drain(within patience: Duration) -> Bool {
        let start = MonotonicTime.now
        startDraining()
        acceptor.stop()
        for loop in loops { loop.drain(idleEnd: start + drainIdleTimeout) }
        _ = running.wait(until: start + patience) { $0.runningLoops == 0 ? true : nil }
        let isDone = requestsInFlight == 0
        stop()
        return isDone
    }
}
