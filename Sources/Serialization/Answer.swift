/// The result of serializing one response.
public struct Answer: ~Copyable, Sendable {
    public enum Outcome: String, Sendable {
        case value
        /// The response is acceptable, and there is nothing to decode.
        case empty
    }

    public var outcome: Outcome
    public var serializer: SerializerKind
    public var nullsDropped: Int
    /// The number of members and elements that were left out of the value.
    public var omitted = 0

    /// Whether the outcome is `empty` because the value does not have the selected part.
    var lacksPart = false

    /// The received message. Its facts are collected only for a caller that reads ``upstream``.
    let message: ReceivedMessage

    /// The positions of the object `upstream` in ``json``, which can be replaced by another one; `nil` with
    /// ``AnswerView/value``.
    package let upstreamRange: Range<Int>?

    /// The JSON text: the whole answer, or with ``AnswerView/value`` only the value (empty if the outcome is `empty`).
    public var json: OutputBuffer

    public var upstream: UpstreamFacts { message.facts }
    public var warnings: [Warning] { message.warnings.warnings }

    /// Returns the JSON text and consumes the answer. A module that imports this type cannot take the buffer out by
    /// itself.
    public consuming func takeJSON() -> OutputBuffer { json }
}

/// The parts of an answer that are written.
public enum AnswerView: String, Sendable, CaseIterable {
    /// The value with the facts about it.
    case full
    /// The normalized value only.
    case value
}
