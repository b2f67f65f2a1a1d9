internal import CMicroHTTPD
internal import Serialization
internal import Synchronization

/// An answer that another thread works out while its connection is suspended.
///
/// The HTTP thread suspends the connection after it has handed the answer on, so the answer may be there first. Whoever
/// comes second, of the suspending and the answering, finds what the first one left.
///
/// @unchecked Sendable: `content` belongs to the lane that the answer is on, one after another; `response` to that lane until
/// `state` is `done`, and to the HTTP thread from then on.
@safe final class PendingAnswer: @unchecked Sendable {
    private enum State {
        case working
        case suspended(SuspendedConnection)
        case done
    }

    let connection: Connection
    private let requestID: RequestID
    private let answer: LaneAnswer
    private var content: ContentBuffer?
    private var response: Response?
    private let state = Mutex(State.working)

    init(content: consuming ContentBuffer, answer: @escaping LaneAnswer, connection: Connection, requestID: RequestID) {
        self.content = consume content
        self.answer = answer
        self.connection = connection
        self.requestID = requestID
    }

    // MARK: A lane's thread

    /// Works the answer out on `lane`.
    /// - Returns: the lane on which it goes on; nil where it is done.
    func work(on lane: Lane) -> Lane.Kind? {
        guard let content = content.take() else { return nil }
        switch content.withBytes({ answer($0, lane) }) {
        case .answered(let response):
            deliver(response)
            return nil
        case .handOn(let next):
            self.content = consume content
            return next
        }
    }

    /// Ends it with 503: no lane takes it.
    func refuse(_ refusal: TransportRefusal) {
        content = nil
        deliver(connection.server.application.refuse(refusal, requestID: requestID))
    }

    private func deliver(_ response: consuming Response) {
        self.response = consume response
        let old = state.withLock { state in
            defer { state = .done }
            return state
        }
        if case .suspended(let connection) = old { connection.resume() }
    }

    // MARK: The HTTP thread

    /// Suspends the connection that `handle` is at, unless the answer is there.
    /// - Returns: whether it is suspended. Then `finish` of its exchange is called once the answer is there.
    func suspend(_ handle: OpaquePointer) -> Bool {
        let connection = unsafe SuspendedConnection(handle)
        return state.withLock { state in
            guard case .working = state else { return false }
            // With the lock held: nobody resumes what is not suspended yet.
            connection.suspend()
            state = .suspended(connection)
            return true
        }
    }

    /// The answer, once it is there.
    func takeResponse() -> Response? {
        response.take()
    }
}

/// What resumes a connection.
///
/// @unchecked Sendable: the library resumes from any thread, and keeps a connection as long as it is suspended.
@safe private struct SuspendedConnection: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    func suspend() {
        unsafe cmhd_suspend(handle)
    }

    func resume() {
        unsafe cmhd_resume(handle)
    }
}
