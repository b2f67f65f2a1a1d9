internal import CMicroHTTPD
internal import Glibc
package import Platform
internal import Synchronization

/// The HTTP side of the service: one thread accepts connections and distributes them to loops, one per processor.
///
/// **Invariant.** After `init`, the acceptor and every loop run on a thread of their own, and no thread outlives
/// ``stop()``. They stop in the order in which they depend on each other: the acceptor, which uses the loops; the
/// lanes, whose responses need running loops; the loops. All methods may be called on any thread, but those that
/// stop not on a thread of this server, and stopping twice has no effect. The server owns the loops and the acceptor,
/// and shares one ``ExchangeContext`` with all exchanges. `HTTPServerTests` and `DrainingTests` check this.
///
/// Signals belong to the process. The signals that the caller waits for must be blocked before a server is started,
/// because threads inherit the signal mask.
package final class HTTPServer: Sendable {
    /// The address of the listening socket.
    package let address: SocketAddress

    /// The file of the listening socket, until it is removed; `nil` if there is none.
    private let socketFile: Monitor<SocketFile?>

    private let context: ExchangeContext
    let loops: [ConnectionLoop]
    private let acceptor: Acceptor
    private let drainIdleTimeout: Duration

    private struct Running {
        var threads: [Thread] = []
        var runningLoops = 0
    }

    private let running = Monitor(Running())

    /// Binds, listens and serves `application`.
    /// - Parameters:
    ///   - lanes: compute the responses that take too long for a loop. They end with the server.
    ///   - observer: receives the records of exchanges, and the figures of the server until it stops.
    ///   - account: the memory of requests; by default one of `maxBufferedBytes`.
    ///   - acceptFailed: called if connections cannot be accepted for a while, at most once per minute.
    package init(
        _ configuration: HTTPServerConfiguration,
        application: any Application,
        lanes: any LaneScheduler,
        observer: (any ServerObserver)? = nil,
        account: MemoryAccount? = nil,
        acceptFailed: @escaping @Sendable (SystemError) -> Void = { _ in }
    ) throws(HTTPServerError) {
        let socket: ListeningSocket
        if configuration.socketPath.isEmpty {
            let wanted = try SocketAddress(parsing: configuration.address, port: configuration.port)
            socket = try .listening(on: wanted, backlog: configuration.connections.backlog)
            address = try socket.address()
            socketFile = Monitor(nil)
        } else {
            address = try SocketAddress(socketPath: configuration.socketPath)
            socket = try .listening(on: address, backlog: configuration.connections.backlog)
            socketFile = Monitor(SocketFile(at: configuration.socketPath))
        }
        let context = ExchangeContext(
            configuration: configuration,
            application: application,
            lanes: lanes,
            observer: observer,
            account: account
        )
        self.context = context
        drainIdleTimeout = configuration.drainIdleTimeout
        do throws(SystemError) {
            let acceptor = try Acceptor(
                configuration,
                rejection: { Self.rejection(by: application) },
                failed: acceptFailed
            )
            self.acceptor = acceptor
            var loops: [ConnectionLoop] = []
            for _ in 0..<max(configuration.threads, 1) {
                loops.append(try ConnectionLoop(context: context) { acceptor.connectionEnded($0) })
            }
            self.loops = loops
        } catch { throw .system(error) }
        // If a loop cannot start, those that have started are stopped.
        for loop in loops { try start(loop) }
        do throws(SystemError) {
            try acceptor.start(socket, distributingTo: loops)
        } catch {
            stop()
            throw .system(error)
        }
        observer?.observeServer { [loops, acceptor] in Self.figures(of: loops, acceptor, context.account) }
    }

    /// The version of libmicrohttpd that is linked at run time.
    package static let libraryVersion = unsafe String(cString: cmhd_version())

    deinit { stop() }

    /// Returns the message to a connection that exceeds the maximum for its address.
    private static func rejection(by application: any Application) -> [UInt8] {
        var identifiers = RequestIDGenerator()
        let requestID = identifiers.next()
        return application.response(rejecting: .tooManyConnections, requestID: requestID).message(requestID: requestID)
    }

    private func start(_ loop: ConnectionLoop) throws(HTTPServerError) {
        let outcome = Monitor<Result<Void, HTTPServerError>?>(nil)
        let thread: Thread
        do throws(SystemError) {
            thread = try Thread { [running] in
                loop.run { error in outcome.change { $0 = error.map(Result.failure) ?? .success(()) } }
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
        if case .failure(let error) = outcome.wait(until: .never, { $0 }) {
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
            connections: ServerFigures.Connections(
                open: loops.reduce(0) { $0 + $1.connectionCount },
                accepted: acceptor.acceptedCount,
                rejected: acceptor.rejectedCount,
                evicted: acceptor.evictedCount,
                acceptFailures: acceptor.failureCount
            ),
            contentBytes: account.usedBytes,
            maxContentBytes: account.maxBytes
        )
    }

    package var figures: ServerFigures { Self.figures(of: loops, acceptor, context.account) }

    /// The number of requests whose head is complete and whose response has not been sent.
    package var requestsInFlight: Int { loops.reduce(0) { $0 + $1.requestCount } }

    /// Ends all connections immediately and waits for the threads. Has no effect if it was called before.
    package func stop() {
        acceptor.stop()
        socketFile.withLock { $0.take() }?.remove()
        context.lanes.stop()
        for loop in loops { loop.stop() }
        let threads = running.withLock { running in
            defer { running.threads = [] }
            return running.threads
        }
        for thread in threads { thread.join() }
        // The closure refers to the loops, which refer to the context.
        context.observer?.observeServer(nil)
    }

    /// Makes every response close its connection from now on. Everything else continues, so that clients and load
    /// balancers that detect that the service is not ready have time to use another instance.
    package func startDraining() { context.startDraining() }

    /// Stops accepting, waits for requests in flight, and stops.
    ///
    /// Idle connections are closed a moment later, because a request may already be on its way.
    /// - Parameter patience: the maximum time for requests in flight, after which their connections are closed.
    /// - Returns: whether all of them were completed in time.
    package func drain(within patience: Duration) -> Bool {
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
