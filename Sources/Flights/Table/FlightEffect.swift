package import Fetching
package import Primitives

/// What the caller of ``FlightTable`` must do after a change, in this order.
package enum FlightEffect {
    /// Sends a frame to the fetcher.
    case send(FetchCommand)

    /// Delivers the result of a request. No other response follows for its number.
    case deliver(to: RequestNumber, FlightResult, FlightFacts)

    /// Delivers a result that was kept, to a request about its receipt.
    case deliverKept(to: RequestNumber, KeptResult, FlightFacts)

    /// Delivers 202. The result is kept under the name of the receipt.
    /// - Parameter stale: what was made of the stored response that is being validated; `nil` if nothing is shown.
    case postpone(to: RequestNumber, receipt: String, isPreference: Bool, stale: (any FlightResponse)? = nil)

    /// Delivers 202 to a request about the receipt of a request.
    case postponeAgain(to: RequestNumber, CallerRequest)

    /// Delivers the reply to a request about a receipt or a slot.
    case reply(to: RequestNumber, FlightReply)

    /// Decodes a response once for a group of requests; ``FlightTable/serialized(job:_:at:)`` follows.
    case serialize(FlightJob)

    /// Drops a serialization whose result is not needed, unless it has begun. Its result is ignored.
    case drop(job: UInt64)

    /// A transfer has ended.
    case measured(FetchTimings)

    case ended(FlightLog)
}

/// The reply to a request about a receipt or a slot.
package enum FlightReply: Equatable {
    case cancelled(Int)
    /// Nothing has this name.
    case missing
}

/// The result of a request.
package enum FlightResult {
    case rendered(any FlightResponse)
    case failed(FlightFailure)
}

/// One serialization.
package struct FlightJob {
    package let number: UInt64
    /// The number of the flight. Other serializations of it have the same content.
    package let flight: UInt64
    package let callerRequest: CallerRequest
    package let upstream: Upstream
    /// Whether the result is stored below a stored response.
    package let isStored: Bool
    /// The request that caused it; `nil` if no client waits for it.
    package let client: RequestNumber?

    /// The response that is decoded: that of the origin, or a stored one.
    package struct Upstream {
        package let status: Int
        package let fields: [HeaderFields.Field]
        /// The method of the last request.
        package let method: String
        package let path: ResponsePath
        /// The content; `nil` if the response has none (RFC 9110 §6.4.1).
        package let content: (any FlightContent)?
        /// The memory of the content.
        package let memory: any FlightMemory
    }
}

/// What is logged and counted about a flight.
package struct FlightLog: Sendable {
    /// The number of the flight.
    package var flight: UInt64
    /// The entry of `fetch-allow` that permitted the URL.
    package var entry: String
    package var facts: FlightFacts
    /// The number of requests that received the result.
    package var requests: Int
    /// `nil` if the origin responded.
    package var failure: Failure?
    package var contentBytes = 0

    package struct Failure: Sendable {
        package var reason: FlightFailure
        /// The cause in words, which callers do not see.
        package var cause: String
    }
}

/// What a table has counted since it was created.
package struct FlightCounts: Equatable, Sendable {
    /// Transfers that were started.
    package var attempts: UInt64 = 0
    /// Requests that joined the flight of another one.
    package var merged: UInt64 = 0
    /// Requests that were cancelled, or whose clients disconnected.
    package var cancelled: UInt64 = 0
    package var superseded: UInt64 = 0
    package var retries: UInt64 = 0
    /// Flights that were started again, because the fetcher had ended.
    package var restarts: UInt64 = 0

    package init() {}
}
