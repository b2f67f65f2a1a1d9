internal import Serialization

/// One upstream response as `POST /v1/normalize/envelope` forwards it:
///
///     {"status":200,"url":"…","method":"GET","headers":[["content-type","text/xml"]],"body":{"base64":"…"}}
///
/// All members are optional; each stands once, and no others exist. `headers` may be an object instead, whose values are
/// strings or arrays of strings. `body` has exactly one of `text`, `base64` and `json`; without it there is no data at all.
/// The others are short, as the fields of the direct form are.
struct Envelope: Equatable, Sendable {
    /// Where the content is.
    enum Content: Equatable, Sendable {
        /// There is no data at all, which is not the same as zero bytes.
        case none
        /// In the envelope, as it stands.
        case slice(Range<Int>)
        /// Decoded from the envelope.
        case bytes([UInt8])
    }

    var response: UpstreamResponse
    var content: Content

    /// The size of the content in bytes, if it is not a part of the envelope.
    var decodedBytes: Int {
        switch content {
        case .none, .slice: 0
        case .bytes(let bytes): bytes.count
        }
    }

    /// Longest value of a member other than `body`, in bytes, as it stands. Inclusive. The direct form has 16 KiB for all of its head;
    /// an upstream's may be longer than what a client of ours would send.
    static let maxMemberBytes = 64 << 10

    /// Longest envelope for content of at most `maxContentBytes`: its Base64 form, with 1 MiB for the rest.
    static func maxBytes(maxContentBytes: Int) -> Int {
        let (padded, overflow) = maxContentBytes.addingReportingOverflow(maxContentBytes / 3 + 4 + (1 << 20))
        return overflow ? .max : padded
    }
}
