import Glibc

/// A scripted HTTP/1.1 server for tests: the path of each request specifies the response (``Script/parse(path:)``).
///
/// ```swift
/// let origin = try Origin()
/// // … a request for origin.url("/hold/gate/json/1024")
/// #expect(origin.awaitRequests(1))
/// origin.release("gate")
/// ```
///
/// Each connection has a thread, so that thousands of clients can wait. It stops at the end of this object's lifetime.
public final class Origin: Sendable {
    public struct Options: Sendable {
        /// The maximum number of requests that are kept in ``Origin/recordedRequests``. Counters count all requests.
        public var maxRecordedRequests = 100_000
        /// The size of the accept queue (listen(2)).
        public var backlog: Int32 = 4096

        public init() {}
    }

    let engine: OriginEngine

    /// The address at which the origin listens.
    public let address: String
    public let port: UInt16

    /// Starts an origin.
    /// - Parameter port: 0 for a free port.
    public init(address: String = "127.0.0.1", port: UInt16 = 0, options: Options = Options()) throws(OriginError) {
        let listener = try Socket.listener(address: address, port: port, backlog: options.backlog)
        self.address = address
        self.port = try Socket.port(of: listener)
        engine = OriginEngine(listener: listener, wakeUp: try Socket.event(), options: options)
        try engine.start()
    }

    deinit {
        engine.stop()
    }

    /// Closes the listening socket and all connections, and interrupts all waits. Waits until the threads have ended.
    public func stop() {
        engine.stop()
    }

    /// Returns the URL of a path at this origin.
    /// - Parameter host: a name that resolves to the origin's address; by default the address.
    public func url(_ path: String, host: String? = nil) -> String {
        "http://\(host ?? (address.contains(":") ? "[\(address)]" : address)):\(port)\(path)"
    }

    // MARK: Responses

    /// Registers the response to requests for a path, whatever their query. It overrides the commands in the path.
    public func respond(to path: String, with script: Script) {
        respond(to: path) { _, _ in script }
    }

    /// Registers the response to requests for a path, whatever their query. It overrides the commands in the path.
    /// - Parameter script: called on the connection's thread with the request, and the number of requests for its
    ///   target until now, including this one.
    public func respond(to path: String, with script: @escaping @Sendable (Request, _ count: Int) -> Script) {
        engine.state.change { $0.responders[path] = script }
    }

    /// Registers the response to requests for all paths that have no other registered response. `nil` restores the
    /// commands in paths.
    public func respondToOthers(with script: (@Sendable (Request, _ count: Int) -> Script)?) {
        engine.state.change { $0.defaultResponder = script }
    }

    /// Registers the bytes that `/raw/NAME` sends in place of a response.
    public func register(raw name: String, _ bytes: [UInt8]) {
        engine.state.change { $0.raw[name] = bytes }
    }

    // MARK: Waits

    /// Ends the waits of `/hold/NAME` and `/hold-content/NAME`, including those of later requests, until ``hold(_:)``.
    public func release(_ name: String) {
        engine.release(name, isPermanent: true)
    }

    /// Ends the waits of the requests that wait at a name now. Later ones wait.
    public func releaseWaiting(at name: String) {
        engine.release(name, isPermanent: false)
    }

    /// Lets later requests wait again at a name that was released.
    public func hold(_ name: String) {
        engine.state.change { _ = $0.released.remove(name) }
    }

    /// Waits until `count` requests wait at a name at the same time.
    /// - Returns: whether they do by the deadline.
    public func awaitHolding(_ count: Int, at name: String, within time: Duration = .seconds(30)) -> Bool {
        engine.state.wait(until: .now + time) { $0.waiting[name, default: []].count >= count }
    }

    /// Waits until exactly `count` requests wait at a name at the same time.
    /// - Returns: whether they do by the deadline.
    public func awaitHolding(exactly count: Int, at name: String, within time: Duration = .seconds(30)) -> Bool {
        engine.state.wait(until: .now + time) { $0.waiting[name, default: []].count == count }
    }

    /// Returns the number of requests that wait at a name.
    public func holdingCount(at name: String) -> Int {
        engine.state.read { $0.waiting[name, default: []].count }
    }

    // MARK: Requests

    /// Returns the number of requests for a target, which is compared as it was received. A request counts when its
    /// head and content are complete.
    public func requests(for target: String) -> Int {
        engine.state.read { $0.counts[target] ?? 0 }
    }

    /// The number of requests.
    public var requestCount: Int {
        engine.state.read { $0.total }
    }

    /// The first ``Options/maxRecordedRequests`` requests in the order in which they arrived.
    public var recordedRequests: [Request] {
        engine.state.read { $0.requests }
    }

    /// Waits until at least `count` requests have arrived.
    /// - Parameter target: the target of the requests; `nil` for all.
    /// - Returns: whether they have arrived by the deadline.
    public func awaitRequests(_ count: Int, for target: String? = nil, within time: Duration = .seconds(30)) -> Bool {
        engine.state.wait(until: .now + time) { state in
            (target.map { state.counts[$0] ?? 0 } ?? state.total) >= count
        }
    }

    // MARK: Connections

    /// All connections in the order in which they were accepted.
    public var connections: [ConnectionRecord] {
        engine.state.read { $0.connections }
    }

    /// The number of open connections.
    public var openConnectionCount: Int {
        engine.state.read { $0.open.count }
    }

    /// The number of connections that the peer closed or reset before the origin closed them.
    public var peerClosedCount: Int {
        engine.state.read { $0.closedByPeer }
    }

    /// Waits until the peer has closed or reset at least `count` connections.
    /// - Returns: whether it has by the deadline.
    public func awaitPeerClosed(_ count: Int, within time: Duration = .seconds(30)) -> Bool {
        engine.state.wait(until: .now + time) { $0.closedByPeer >= count }
    }

    /// Waits until at least `count` connections have been accepted.
    public func awaitConnections(_ count: Int, within time: Duration = .seconds(30)) -> Bool {
        engine.state.wait(until: .now + time) { $0.connections.count >= count }
    }

    /// Waits until no connection is open.
    public func awaitNoConnection(within time: Duration = .seconds(30)) -> Bool {
        engine.state.wait(until: .now + time) { $0.open.isEmpty }
    }

    /// Stops accepting connections. The system still completes their handshakes as long as the accept queue has
    /// capacity.
    public func pauseAccepting() {
        engine.state.change { $0.isPaused = true }
        engine.wake()
    }

    public func resumeAccepting() {
        engine.state.change { $0.isPaused = false }
    }

    /// Resets the next `count` connections as soon as they are accepted.
    public func resetNextConnections(_ count: Int) {
        engine.state.change { $0.resetsAtAccept = count }
    }

    /// Closes all open connections that wait for a request, or are in the middle of a response.
    public func closeConnections() {
        engine.closeConnections()
    }
}

/// A connection that the origin accepted.
public struct ConnectionRecord: Sendable, Equatable {
    public enum End: Sendable, Equatable {
        /// The peer sent FIN.
        case closedByPeer
        /// The peer sent RST.
        case resetByPeer
        case closedByOrigin
    }

    /// The number of the connection, from 1.
    public let number: Int
    public let accepted: Moment
    /// The number of its requests.
    public internal(set) var requests = 0
    /// The reason for its end, and the time at which the origin noticed it; `nil` if it is open.
    public internal(set) var end: (reason: End, time: Moment)?

    public static func == (left: ConnectionRecord, right: ConnectionRecord) -> Bool {
        left.number == right.number
    }
}
