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
public struct UpstreamFacts: Equatable, Sendable {
    public var status: Int
    public var statusAssumed: Bool
    public var url: String?

    /// `type/subtype` in lower case, without parameters. Nil where none was sent.
    public var mediaType: String?

    /// The charset that the content was read in, in lower case.
    public var charset: String?

    /// Codings undone, in the order of the field.
    public var contentCodings: [String] = []

    /// Length of the content as it came, in bytes. Nil: there was no data at all.
    public var bytes: Int?

    /// Length after its codings were undone, in bytes. Nil where there were none.
    public var decodedBytes: Int?

    /// What was learnt of an XML document. Nil where the content was no XML.
    public var xml: XMLFacts?

    public init(
        status: Int,
        statusAssumed: Bool = false,
        url: String? = nil,
        mediaType: String? = nil,
        charset: String? = nil,
        bytes: Int? = nil,
        xml: XMLFacts? = nil
    ) {
        self.status = status
        self.statusAssumed = statusAssumed
        self.url = url
        self.mediaType = mediaType
        self.charset = charset
        self.bytes = bytes
        self.xml = xml
    }
}
