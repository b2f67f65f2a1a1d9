/// The result of one step of computing a response.
///
/// A step owns everything that the following steps need, so that no work is repeated: an envelope that was decoded on
/// one lane is passed to the next one as decoded content.
///
///     first step, on the HTTP thread ─► done
///                                    ├► next(on: .compute)  ─► done, next …
///                                    ├► next(on: .facts), next(on: .pixels) ─► done, next …
///                                    └► park                ─► another thread delivers the response
package enum Step: ~Copyable {
    /// The response.
    case done(Response)

    /// The computation continues on a lane.
    case next(on: Continuation)

    /// The connection waits until another thread delivers the response to the ``ParkedConnection`` that the closure
    /// receives.
    case park(@Sendable (ParkedConnection) -> Void)
}

/// The next step and its lane. It is called once.
package enum Continuation: Sendable {
    case compute(@Sendable () -> Step)

    /// The step receives what the scheduler of the lane provides, which must not be used after the step.
    case factsStep(@Sendable (any Sendable) -> Step)

    /// The same as ``factsStep(_:)``, for a step that may take long.
    case pixelsStep(@Sendable (any Sendable) -> Step)

    package var lane: Lane {
        switch self {
        case .compute: .compute
        case .factsStep: .facts
        case .pixelsStep: .pixels
        }
    }
}

/// The first step, which is executed on the HTTP thread, takes microseconds and never waits.
///
/// The content is valid for the duration of the call. `takeOwnership` returns the content as an object that later steps
/// may own. It throws ``RejectionReason/saturated`` if there is no memory for it, and the step may rethrow this error.
package typealias FirstStep =
    @Sendable (_ content: Span<UInt8>, _ takeOwnership: () throws(RejectionReason) -> OwnedContent)
    throws(RejectionReason) ->
    Step

/// Content that the steps of a computation share. Its memory is released with the last reference.
package final class OwnedContent: Sendable {
    private let buffer: ContentBuffer

    init(_ buffer: consuming ContentBuffer) { self.buffer = buffer }

    /// The size of the content in bytes.
    package var count: Int { buffer.count }

    /// Reserves `bytes` of memory in addition to the content, for decoding it and for the response.
    package func reserve(_ bytes: Int) throws(RejectionReason) -> MemoryReservation {
        try buffer.account.reserve(bytes, besides: buffer.count)
    }

    /// Calls `body` with the content, which is valid for the duration of the call.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withBytes(body)
    }
}
