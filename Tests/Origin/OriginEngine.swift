import Glibc

/// The state of an origin, which its threads share. ``Origin`` stops it.
final class OriginEngine: Sendable {
    struct State: Sendable {
        var isStopped = false
        var isPaused = false
        var resetsAtAccept = 0
        /// The number of threads that have not ended.
        var threads = 0

        var total = 0
        var counts: [String: Int] = [:]
        var requests: [Request] = []

        var connections: [ConnectionRecord] = []
        /// The descriptors of open connections by their numbers.
        var open: [Int: Int32] = [:]
        var closedByPeer = 0
        /// The numbers of the open connections that the origin has shut down. Their end looks like an end by the peer.
        var shutDown: Set<Int> = []

        var released: Set<String> = []
        /// The event descriptors of the connections that wait, by the name at which they wait.
        var waiting: [String: [Int32]] = [:]

        var raw: [String: [UInt8]] = [:]
        var responders: [String: @Sendable (Request, Int) -> Script] = [:]
        var defaultResponder: (@Sendable (Request, Int) -> Script)?
    }

    let state = Guarded(State())
    private let listener: Int32
    /// Interrupts the thread that accepts connections.
    private let wakeUp: Int32
    private let options: Origin.Options

    init(listener: Int32, wakeUp: Int32, options: Origin.Options) {
        (self.listener, self.wakeUp, self.options) = (listener, wakeUp, options)
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close(listener)
        close(wakeUp)
    }

    func start() throws(OriginError) {
        try startThread { self.acceptConnections() }
    }

    /// Starts a thread that ``stop()`` waits for.
    private func startThread(_ work: @escaping @Sendable () -> Void) throws(OriginError) {
        state.change { $0.threads += 1 }
        do throws(OriginError) {
            try WorkerThread.start {
                work()
                self.state.change { $0.threads -= 1 }
            }
        } catch {
            state.change { $0.threads -= 1 }
            throw error
        }
    }

    func stop() {
        let waiting = state.change { state in
            state.isStopped = true
            return state.waiting.values.flatMap(\.self)
        }
        wake()
        closeConnections()
        waiting.forEach(Socket.signal)
        _ = state.wait(until: .now + .seconds(30)) { $0.threads == 0 }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    func wake() {
        Socket.signal(wakeUp)
    }

    /// Shuts down all connections, which interrupts their threads. A connection leaves `open` before its descriptor is
    /// closed, so that the descriptor is not another file's.
    func closeConnections() {
        state.change { state in
            for (number, descriptor) in state.open {
                state.shutDown.insert(number)
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    // MARK: Accepting

    private func acceptConnections() {
        while true {
            // A pause is a wait for the change that ends it.
            _ = state.wait(until: .never) { !$0.isPaused || $0.isStopped }
            var events = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
            ]
            poll(&events, 2, -1)
            Socket.clear(wakeUp)
            let next = state.read { (isStopped: $0.isStopped, isPaused: $0.isPaused) }
            if next.isStopped { return }
            if next.isPaused { continue }
            // The lock is held, so that no connection is accepted after the call that begins a pause.
            while let descriptor = state.read({ $0.isPaused ? nil : Socket.accept(listener) }) { accept(descriptor) }
        }
    }

    private func accept(_ descriptor: Int32) {
        let accepted = Moment.now
        let number: Int? = state.change { state in
            let number = state.connections.count + 1
            state.connections.append(ConnectionRecord(number: number, accepted: accepted))
            guard state.resetsAtAccept == 0, !state.isStopped else {
                state.resetsAtAccept = max(0, state.resetsAtAccept - 1)
                state.connections[number - 1].end = (.closedByOrigin, accepted)
                return nil
            }
            state.open[number] = descriptor
            return number
        }
        guard let number else {
            Socket.resetOnClose(descriptor)
            close(descriptor)
            return
        }
        do throws(OriginError) {
            try startThread { Connection(number: number, descriptor: descriptor, engine: self).run() }
        } catch {
            end(connection: number, reason: .closedByOrigin, time: accepted)
            close(descriptor)
        }
    }

    /// Records the end of a connection whose descriptor will be closed.
    func end(connection number: Int, reason: ConnectionRecord.End, time: Moment) {
        state.change { state in
            state.open[number] = nil
            let reason = state.shutDown.remove(number) == nil ? reason : .closedByOrigin
            state.connections[number - 1].end = (reason, time)
            if reason != .closedByOrigin { state.closedByPeer += 1 }
        }
    }

    // MARK: Requests

    /// Records a request.
    /// - Returns: the number of requests for its target until now, and the registered response.
    func begin(_ request: Request, path: String) -> (count: Int, responder: (@Sendable (Request, Int) -> Script)?) {
        state.change { state in
            state.total += 1
            state.connections[request.connection - 1].requests += 1
            let count = state.counts[request.target, default: 0] + 1
            state.counts[request.target] = count
            if state.requests.count < options.maxRecordedRequests { state.requests.append(request) }
            let responder = state.responders.isEmpty ? nil : state.responders[path]
            return (count, responder ?? state.defaultResponder)
        }
    }

    /// Returns the bytes of `/raw/NAME`.
    func raw(_ name: String) -> [UInt8]? {
        state.read { $0.raw[name] }
    }

    // MARK: Waits

    /// Registers the event descriptor of a connection that waits at a name.
    /// - Returns: `false` if the name has been released, so that there is no wait.
    func enter(_ name: String, _ event: Int32) -> Bool {
        state.change { state in
            guard !state.released.contains(name), !state.isStopped else { return false }
            state.waiting[name, default: []].append(event)
            return true
        }
    }

    func leave(_ name: String, _ event: Int32) {
        state.change { $0.waiting[name]?.removeAll { $0 == event } }
    }

    /// Ends the waits at a name.
    /// - Parameter isPermanent: whether later requests do not wait either.
    func release(_ name: String, isPermanent: Bool) {
        // The descriptors remain open while the lock is held: a connection leaves before it closes its own.
        state.change { state in
            if isPermanent { state.released.insert(name) }
            state.waiting.removeValue(forKey: name)?.forEach(Socket.signal)
        }
    }
}
