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

    package var connections = Connections()

    /// The memory of request contents and of responses that are being sent, in bytes.
    package var contentBytes = 0

    /// The maximum of `contentBytes`, inclusive. Content that exceeds it is rejected.
    package var maxContentBytes = 0

    /// The numbers of connections.
    package struct Connections: Equatable, Sendable {
        /// Those that are open, including closed ones whose clients may still be sending.
        package var open = 0

        /// Those that were accepted, including rejected ones.
        package var accepted = 0

        /// Those that were rejected because their address had reached its maximum.
        package var rejected = 0

        /// Idle ones that were closed in favor of new ones.
        package var evicted = 0

        /// The number of times that accepting connections failed and was interrupted.
        package var acceptFailures = 0
    }
}
