internal import HTTP
internal import Serialization

/// The recipient of a response that lanes compute: a connection, or a serialization that several connections wait for.
protocol LaneClient: AnyObject, Sendable {
    var requestID: RequestID { get }

    /// The membership of steps that wait for a worker with the same image; `nil` if there are no others.
    var renderings: RenderingBatch.Part? { get }

    /// Called once with the response.
    func deliver(_ response: consuming Response)

    /// Called instead of ``deliver(_:)`` if the response is not computed.
    func reject(_ reason: RejectionReason)

    /// Called if another thread delivers the response.
    func park(_ begin: @Sendable (ParkedConnection) -> Void)

    /// Called before the work is added to the queue of `lane`.
    /// - Returns: the number of the wait.
    func willEnterQueue(of lane: Lane, isOnLoop: Bool) -> Int

    /// Called when the work is in the queue, from which `withdraw` removes it unless it has begun.
    func didEnterQueue(_ number: Int, _ withdraw: @escaping @Sendable () -> Bool)

    /// Called when the work begins.
    /// - Returns: `false` if the response is no longer needed.
    func beginWork(on lane: Lane) -> Bool

    /// Adds the duration of a step.
    func add(decodingNanoseconds: UInt64)
}

extension ParkedConnection: LaneClient {
    var renderings: RenderingBatch.Part? { nil }
}

extension Continuation {
    /// Returns a step that reads the facts of an image in a worker process that never decodes pixels. It must not use
    /// the reader afterwards. If no worker is available, the reader returns the reason.
    static func facts(_ next: @escaping @Sendable (any ImageReader) -> Step) -> Continuation {
        .factsStep { next(reader($0)) }
    }

    /// Returns a step that may decode pixels in a worker process. Apart from that, it is the same as ``facts(_:)``.
    static func pixels(_ next: @escaping @Sendable (any ImageReader) -> Step) -> Continuation {
        .pixelsStep { next(reader($0)) }
    }

    private static func reader(_ provided: any Sendable) -> any ImageReader {
        guard let reader = provided as? any ImageReader else {
            preconditionFailure("the lanes of workers provide a reader")
        }
        return reader
    }
}
