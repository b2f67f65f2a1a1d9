internal import Batch
internal import Serialization

/// An upstream response that is forwarded to `POST /v1/normalize/envelope`:
///
///     {"status":200,"url":"…","method":"GET","headers":[["content-type","text/xml"]],"body":{"base64":"…"}}
///
/// All members are optional. Duplicate and unknown members are rejected. `headers` may also be an object, whose values
/// are strings or arrays of strings. `body` contains exactly one of `text`, `base64` and `json`. Without `body` the
/// response has no content. The length of the other members is limited, like that of the fields in the direct form.
struct Envelope: Equatable, Sendable {
    var response: UpstreamResponse

    /// The content; `nil` if there is none, which differs from content of zero bytes.
    var content: ContainedBytes?

    /// The range of the member `id`, a string or a number as it is written; `nil` if there is none. Only an item of a
    /// batch has the member.
    var id: Range<Int>?

    /// The maximum length of the encoded value of a member other than `body`, in bytes, inclusive. The head of the
    /// direct form is limited to 16 KiB; the head of an upstream may be longer than that of a client of this service.
    static let maxMemberBytes = BatchLimits.maxMemberBytes

    /// The maximum length of the member `id` as it is written, in bytes, inclusive.
    static let maxIDBytes = BatchLimits.maxIDBytes

    /// The maximum length of an envelope that is read on an HTTP thread, in bytes, inclusive. The members other than
    /// `body` of such an envelope have at most ``maxShortMemberBytes``.
    static let maxInlineBytes = 24 << 10

    /// The maximum length of a member other than `body` that is read on an HTTP thread, in bytes, inclusive.
    static let maxShortMemberBytes = 4 << 10

    /// Returns the memory for reading an envelope, or an entry of an HTTP archive, of `count` bytes besides them: the
    /// decoded content or a copy of the entry, and the copy that the validation writes.
    static func readingBytes(of count: Int) -> Int { count / 2 * 5 }

    /// Returns the limits with which an envelope is read: those of the service. The options apply to its content, of
    /// which the length is limited.
    static func limits(of service: Limits, for serializer: ResponseSerializer) -> Limits {
        var limits = service
        limits.maxContentBytes = serializer.limits.maxContentBytes
        return limits
    }

    /// Returns the maximum length of an envelope for content of at most `maxContentBytes`: the length of its Base64
    /// form, and 1 MiB.
    static func maxBytes(maxContentBytes: Int) -> Int {
        let (padded, overflow) = maxContentBytes.addingReportingOverflow(maxContentBytes / 3 + 4 + (1 << 20))
        return overflow ? .max : padded
    }
}
