/// The head of a `response` record, as far as it describes the response (WARC 1.1, ISO 28500:2017).
package struct WARCRecord: Equatable, Sendable {
    /// `WARC-Record-ID` without angle brackets, which identifies the item in the output; `nil` if it is missing.
    package var id: String?

    /// `WARC-Target-URI`, without the angle brackets that WARC 1.0 asked for.
    package var targetURI: String

    /// Whether the content is incomplete: the record has `WARC-Truncated`, or is the first of several segments.
    package var isTruncated: Bool

    package init(id: String?, targetURI: String, isTruncated: Bool) {
        self.id = id
        self.targetURI = targetURI
        self.isTruncated = isTruncated
    }
}
