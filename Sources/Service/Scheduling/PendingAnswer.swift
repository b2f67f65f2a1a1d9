internal import Platform
internal import Serialization
internal import Synchronization

/// An answer that another thread computes while its connection waits.
///
/// @unchecked Sendable: `content` belongs to one lane after another; `response` to that lane until it is delivered, and to the
/// connection's loop from then on. The monitor inside the loop's queue orders the two.
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

    /// Whether nobody waits for the answer: it is not to be computed, unless that has begun.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    // MARK: The thread of a lane

    /// Computes the answer on `lane`.
    /// - Returns: the lane that continues it; `nil` if it is done.
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

    /// Ends it with a rejection: no lane computes it.
    func refuse(_ refusal: TransportRefusal) {
        content = nil
        deliver(loop.context.application.refuse(refusal, requestID: requestID))
    }

    private func deliver(_ response: consuming Response) {
        self.response = consume response
        let connection = connection
        loop.events.submit { [self] in connection.deliver(self) }
    }

    // MARK: The connection's loop

    /// Takes the response, which was delivered.
    func takeResponse() -> Response? {
        response.take()
    }

    /// Nobody waits for the answer any more.
    func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }
}
