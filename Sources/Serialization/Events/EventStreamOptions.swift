/// The form in which the data of an event is written.
public enum EventData: String, Sendable, CaseIterable {
    /// A string.
    case text
    /// The value, if the data is JSON, otherwise a string, with a warning.
    case json
}

/// The facts about an event stream that an answer contains in addition to its value.
public struct EventStreamFacts: Equatable, Sendable {
    /// The last event ID of the stream (HTML Standard §9.2.6), with which a client would continue it; `nil` if the
    /// stream sets none, or one of more than ``maxListedBytes``.
    public var lastEventID: String?

    /// The reconnection time that the stream sets last, in milliseconds; `nil` if the stream sets none, or one of more
    /// than ``maxRetryDigits``.
    public var retry: Int?

    static let maxListedBytes = 1 << 10
    /// Each number of so many digits fits into 64 bits.
    static let maxRetryDigits = 18
}
