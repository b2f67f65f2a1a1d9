internal import Serialization

/// One upstream response that is forwarded to `POST /v1/normalize/message`: the raw message (RFC 9112 §2.1), or the
/// output of `curl -i`.
struct Message: Equatable, Sendable {
    var response: UpstreamResponse

    /// The content, after its transfer coding is decoded: a part of the message, or the joined content of several
    /// chunks.
    var content: ContainedBytes

    /// The maximum size of one head in bytes, inclusive. It includes the status line and the empty line at the end. The
    /// trailer section and the chunk extensions together have the same maximum, and so do all heads in the history.
    static let maxHeadBytes = 64 << 10

    /// The maximum number of fields of a head, and of a trailer section.
    static let maxFields = 1_000

    /// The maximum size of the empty lines that may precede a status line, in bytes, inclusive.
    static let maxSkippedBytes = 64

    /// The maximum size of a message whose content has at most `maxContentBytes`: an eighth for the lines around
    /// chunks, and 1 MiB for heads.
    static func maxBytes(maxContentBytes: Int) -> Int {
        let (bytes, overflow) = maxContentBytes.addingReportingOverflow(maxContentBytes / 8 + (1 << 20))
        return overflow ? .max : bytes
    }
}
