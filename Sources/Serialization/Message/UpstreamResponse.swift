/// The head of the response that a service got from its upstream, as forwarded to Decant. Its content travels beside it.
public struct UpstreamResponse: Equatable, Sendable {
    /// Status code, 100 to 999.
    public var status: Int

    /// Whether the caller left the status out, so that 200 was taken.
    public var statusAssumed: Bool

    public var url: String?

    /// The request's method; the response to a `HEAD` has no content.
    public var method: String?

    /// Header fields in the order they came.
    public var fields: HeaderFields

    /// Whether ``fields`` are those of the message, and not only what its content needs.
    public var hasAllFields = false

    /// Whether the content has the length that it had in the message: it was not written anew by whoever forwards it.
    public var hasOriginalContent = true

    /// What only a raw message contains; `nil` if the response has another form.
    public var message: MessageFacts?

    /// The result of removing the content codings; `nil` if they have not been removed.
    package var undoneCodings: UndoneCodings?

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

/// What an answer or a problem says about the upstream response it came from.
///
/// A class, because it goes through several hands and a copy then costs one reference count.
public final class UpstreamFacts: Sendable {
    public let status: Int
    public let statusAssumed: Bool
    public let url: String?

    /// `type/subtype` in lower case, without parameters. Nil where none was sent.
    public let mediaType: String?

    /// The charset that the content was read in, in lower case.
    public let charset: String?

    /// Codings undone, in the order of the field.
    public let contentCodings: [String]

    /// Length of the content as it came, in bytes. Nil: there was no data at all.
    public let bytes: Int?

    /// Length after its codings were undone, in bytes. Nil where there were none.
    public let decodedBytes: Int?

    /// What was learnt of an XML document. Nil where the content was no XML.
    public let xml: XMLFacts?

    /// What the header fields say. `nil` if they are not known, or not to be reported.
    public let head: UpstreamHead?

    public init(
        status: Int,
        statusAssumed: Bool = false,
        url: String? = nil,
        mediaType: String? = nil,
        charset: String? = nil,
        contentCodings: [String] = [],
        bytes: Int? = nil,
        decodedBytes: Int? = nil,
        xml: XMLFacts? = nil,
        head: UpstreamHead? = nil
    ) {
        self.status = status
        self.statusAssumed = statusAssumed
        self.url = url
        self.mediaType = mediaType
        self.charset = charset
        self.contentCodings = contentCodings
        self.bytes = bytes
        self.decodedBytes = decodedBytes
        self.xml = xml
        self.head = head
    }
}

extension UpstreamFacts: Equatable {
    public static func == (one: UpstreamFacts, other: UpstreamFacts) -> Bool {
        one.status == other.status && one.statusAssumed == other.statusAssumed && one.url == other.url
            && one.mediaType == other.mediaType && one.charset == other.charset
            && one.contentCodings == other.contentCodings && one.bytes == other.bytes
            && one.decodedBytes == other.decodedBytes && one.xml == other.xml && one.head == other.head
    }
}
