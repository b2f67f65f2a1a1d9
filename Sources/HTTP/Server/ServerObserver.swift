/// Receives what a server measures. A server uses one observer for all of its loops.
package protocol ServerObserver: Sendable {
    /// Returns the observer of one loop, which only the thread of that loop uses.
    func makeLoopObserver() -> any LoopObserver

    /// Replaces the function that provides the figures of the server, which may be called on any thread. `nil` if the
    /// server has stopped.
    ///
    /// The function may refer to parts of the server that refer to this object. A server that stops breaks this cycle.
    func observeServer(_ figures: (@Sendable () -> ServerFigures)?)
}

/// Receives the records of the exchanges of one loop.
package protocol LoopObserver: AnyObject {
    func completed(_ record: borrowing ExchangeRecord)

    /// Called at the end of each iteration in which an exchange has ended.
    func endIteration()
}

/// The figures of an ``HTTPServer`` that the records of exchanges do not contain.
package struct ServerFigures: Equatable, Sendable {
    /// The number of requests whose head is complete and whose response has not been sent.
    package var requestsInFlight = 0

    /// The number of connections, including closed ones whose clients may still be sending.
    package var openConnections = 0

    /// The number of connections that were accepted, including rejected ones.
    package var acceptedConnections = 0

    /// The number of connections that were rejected because their address had reached its maximum.
    package var rejectedConnections = 0

    /// The number of idle connections that were closed in favor of new ones.
    package var evictedConnections = 0

    /// The number of times that accepting connections failed and was interrupted.
    package var acceptFailures = 0

    /// The memory of request contents and of responses that are being sent, in bytes.
    package var contentBytes = 0

    /// The maximum of `contentBytes`, inclusive. Content that exceeds it is rejected.
    package var maxContentBytes = 0
}
