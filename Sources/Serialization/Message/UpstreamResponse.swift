/// The head of the response that a service received from its upstream, as forwarded to Decant. The content is separate.
public struct UpstreamResponse: Equatable, Sendable {
    /// Status code, 100 to 999.
    public var status: Int

    /// Whether the caller did not send a status, so that 200 is assumed.
    public var statusAssumed: Bool

    public var url: String?

    /// The method of the request. The response to `HEAD` has no content.
    public var method: String?

    /// The header fields in the order of the message.
    public var fields: HeaderFields

    /// Whether ``fields`` contains all fields of the message, and not only those that describe its content.
    public var hasAllFields = false

    /// Whether the content has the length that it had in the message: the caller did not encode it again.
    public var hasOriginalContent = true

    /// Whether the content is text that the caller has decoded, in UTF-8: the encoding that the message declares no
    /// longer applies to it.
    public var hasUnicodeContent = false

    /// Whether the content is that of the response although its status or method forbids content: an HTTP archive
    /// contains what a browser had in its cache when it received a 304.
    public var hasStoredContent = false

    /// The properties that only a raw message contains; `nil` if the response was sent in another form.
    public var message: MessageFacts?

    /// The result of decoding the content codings; `nil` if they have not been decoded.
    package var decodedCodings: DecodedCodings?

    public init(
        status: Int = 200,
        statusAssumed: Bool = false,
        url: String? = nil,
        method: String? = nil,
        fields: HeaderFields = HeaderFields()
    ) {
        self.status = status
        self.statusAssumed = statusAssumed
        self.url = url
        self.method = method
        self.fields = fields
    }
}

extension UpstreamResponse {
    // The maximum total size and number of the fields that an HTTP thread evaluates and writes to a response.
    private static let maxShortHeadBytes = 8 << 10
    private static let maxShortHeadFields = 128

    /// Whether evaluating the fields of all heads takes much less than a millisecond, so that an HTTP thread may do it.
    package var hasShortHead: Bool {
        var (bytes, count) = (0, 0)
        fields.measure(&bytes, &count)
        if let message {
            message.trailers.measure(&bytes, &count)
            for preceding in message.history { preceding.fields.measure(&bytes, &count) }
        }
        return bytes <= Self.maxShortHeadBytes && count <= Self.maxShortHeadFields
    }
}

extension HeaderFields {
    /// Adds the size and the number of the fields.
    fileprivate func measure(_ bytes: inout Int, _ count: inout Int) {
        // A span, because an iterator would retain and release two strings per field.
        let span = fields.span
        for index in span.indices { bytes += span[index].name.utf8.count + span[index].value.utf8.count }
        count += span.count
    }
}

/// The facts about the upstream response that an answer or a problem reports.
///
/// It is a class, so that a copy costs one reference count.
public final class UpstreamFacts: Sendable {
    public let status: Int
    public let statusAssumed: Bool
    public let url: String?

    public let representation: Representation

    /// The facts about content of one format; `nil` for other content.
    public let content: ContentFacts?

    /// The header fields and their typed meaning; `nil` if they are not known, or not reported.
    public let head: UpstreamHead?

    public init(
        status: Int,
        statusAssumed: Bool = false,
        url: String? = nil,
        representation: Representation = Representation(),
        content: ContentFacts? = nil,
        head: UpstreamHead? = nil
    ) {
        self.status = status
        self.statusAssumed = statusAssumed
        self.url = url
        self.representation = representation
        self.content = content
        self.head = head
    }

    /// The type, the codings and the length of the content (RFC 9110 §8).
    public struct Representation: Equatable, Sendable {
        /// The media type, `type/subtype` in lower case, without parameters; `nil` if none was sent.
        public let mediaType: String?

        /// The charset in which the content was read, in lower case.
        public let charset: String?

        /// The codings that were decoded, in the order of the field.
        public let contentCodings: [String]

        /// The length of the content as it was received, in bytes; `nil` if there was no data.
        public let bytes: Int?

        /// The length of the decoded content, in bytes; `nil` if no coding was decoded.
        public let decodedBytes: Int?

        public init(
            mediaType: String? = nil,
            charset: String? = nil,
            contentCodings: [String] = [],
            bytes: Int? = nil,
            decodedBytes: Int? = nil
        ) {
            self.mediaType = mediaType
            self.charset = charset
            self.contentCodings = contentCodings
            self.bytes = bytes
            self.decodedBytes = decodedBytes
        }
    }
}

extension UpstreamFacts: Equatable {
    public static func == (one: UpstreamFacts, other: UpstreamFacts) -> Bool {
        one.status == other.status && one.statusAssumed == other.statusAssumed && one.url == other.url
            && one.representation == other.representation && one.content == other.content && one.head == other.head
    }
}

/// The facts that an answer contains about content of one format, in addition to its value.
public enum ContentFacts: Equatable, Sendable {
    case xml(XMLFacts)
    case form(FormFacts)
    case events(EventStreamFacts)
    case csv(CSVFacts)
    case feed(FeedFacts)
}
