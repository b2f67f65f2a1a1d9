/// What a response became.
public struct Answer: ~Copyable, Sendable {
    public enum Outcome: String, Sendable {
        case value
        /// An acceptable response with nothing to decode.
        case empty
    }

    public var outcome: Outcome
    public var serializer: SerializerKind
    public var nullsDropped: Int

    /// What is known of the response. Its facts are collected only for a caller that reads ``upstream``.
    let message: ReceivedMessage

    /// JSON text: the whole answer, or with ``AnswerView/value`` the value alone (no bytes where the outcome is empty).
    public var json: OutputBuffer

    public var upstream: UpstreamFacts { message.facts }
    public var warnings: [Warning] { message.warnings.warnings }

    /// The JSON text, and the end of the answer. A module that imports it cannot take the buffer out by itself.
    public consuming func takeJSON() -> OutputBuffer {
        json
    }
}

/// How much of the answer is written.
public enum AnswerView: String, Sendable, CaseIterable {
    /// The value with the facts about it.
    case full
    /// The normalized value alone.
    case value
}
