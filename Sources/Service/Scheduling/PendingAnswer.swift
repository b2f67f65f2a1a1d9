internal import Platform
internal import Serialization
internal import Synchronization

/// An answer that another thread computes while its connection waits.
///
/// @unchecked Sendable: `content` is accessed by one lane after another. `response` is accessed by the last lane until
/// it is delivered, and by the connection's loop from then on. The lock of the loop's queue orders these accesses.
final class PendingAnswer: @unchecked Sendable {
    private let connection: Connection
    private let loop: ConnectionLoop
    private let requestID: RequestID
    private let answer: LaneAnswer
    private var content: ContentBuffer?
    private var response: Response?
    private let cancelled = Atomic<Bool>(false)

    init(
        content: consuming ContentBuffer,
        answer: @escaping LaneAnswer,
        connection: Connection,
        loop: ConnectionLoop,
        requestID: RequestID
    ) {
        self.content = consume content
        self.answer = answer
        self.connection = connection
        self.loop = loop
        self.requestID = requestID
    }

    /// Whether the connection no longer waits for the answer. Then the answer is not computed, unless the computation
    /// has begun.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    // MARK: On the thread of a lane

    /// Computes the answer on `lane`.
    /// - Returns: the lane that continues the computation; `nil` if it is done.
    func work(on lane: Lane) -> Lane.Kind? {
        guard let content = content.take(), !isCancelled else { return nil }
        switch content.withBytes({ answer($0, lane) }) {
        case .answered(let response):
            deliver(response)
            return nil
        case .handOn(let next):
            self.content = consume content
            return next
        }
    }

    /// Delivers a rejection instead of computing the answer.
    func refuse(_ refusal: TransportRefusal) {
        content = nil
        deliver(loop.context.application.refuse(refusal, requestID: requestID))
    }

    private func deliver(_ response: consuming Response) {
        self.response = consume response
        let connection = connection
        loop.events.submit { [self] in connection.deliver(self) }
    }

    // MARK: On the connection's loop

    /// Takes the response that was delivered.
    func takeResponse() -> Response? {
        response.take()
    }

    /// Cancels the computation, unless it has begun: the connection no longer waits for the answer.
    func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }
}
