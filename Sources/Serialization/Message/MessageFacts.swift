/// The properties of an upstream response that only a raw message contains.
///
/// A class, because few responses have them and every response is copied.
public final class MessageFacts: Sendable {
    /// The fields of the trailer section (RFC 9110 §6.5), in the order of the message.
    public let trailers: HeaderFields

    /// The responses before the final one, in order: interim responses, redirects, requests for authentication, and
    /// the responses of proxies to CONNECT. At most ``maxHistory``.
    public let history: [PrecedingResponse]

    /// The number of further preceding responses, which are not in ``history``.
    public let unlistedResponses: Int

    /// What was repaired, ignored or chosen while the message was read. Locations count in the message.
    public let warnings: [Warning]

    /// The maximum number of preceding responses that are listed.
    public static let maxHistory = 20

    public init(
        trailers: HeaderFields = HeaderFields(),
        history: [PrecedingResponse] = [],
        unlistedResponses: Int = 0,
        warnings: [Warning] = []
    ) {
        self.trailers = trailers
        self.history = history
        self.unlistedResponses = unlistedResponses
        self.warnings = warnings
    }
}

extension MessageFacts: Equatable {
    public static func == (one: MessageFacts, other: MessageFacts) -> Bool {
        one.trailers == other.trailers && one.history == other.history
            && one.unlistedResponses == other.unlistedResponses && one.warnings == other.warnings
    }
}

/// A response that precedes the final one in a message.
public struct PrecedingResponse: Equatable, Sendable {
    /// Status code, 100 to 999.
    public var status: Int

    /// Header fields in the order of the message.
    public var fields: HeaderFields

    /// The URL that responded; `nil` if it is not known, as in a message.
    public var url: String?

    public init(status: Int, fields: HeaderFields, url: String? = nil) {
        self.status = status
        self.fields = fields
        self.url = url
    }
}
