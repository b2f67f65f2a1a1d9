internal import Serialization

// The value of `traceparent` is `version-trace-parent-flags`: 2, 32, 16 and 2 hexadecimal digits with a hyphen between
// them (W3C Trace Context §3.2.2):
//
//     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//
// Ambiguities in the standard, and how we resolve them: a value of a higher version may contain a hyphen and further
// text after the flags (§3.3, versioning), which is ignored. The flags must be two digits, and are ignored as well.

extension TraceContext {
    /// Parses the value of a `traceparent` field.
    ///
    /// The caller must reject requests with several such fields.
    /// - Parameters:
    ///   - value: the value without leading and trailing white space.
    ///   - spanID: the identifier of the span that represents this request, not zero.
    /// - Returns: `nil` if the value is malformed. In this case the trace ends at the client (W3C Trace Context §2.3).
    init?(parsing value: Span<UInt8>, spanID: UInt64) {
        guard value.count >= Self.fieldBytes, value[2] == Self.hyphen, value[35] == Self.hyphen,
            value[52] == Self.hyphen,
            // §3.2.2.1 version: version ff is invalid.
            let version = Self.byte(value, at: 0), version != 0xFF,
            let traceHigh = Self.number(value, at: 3), let traceLow = Self.number(value, at: 19),
            // §3.2.2.3 trace-id: all bytes as zero is an invalid value.
            traceHigh | traceLow != 0,
            let parent = Self.number(value, at: 36),
            // §3.2.2.4 parent-id: all bytes as zero is an invalid value.
            parent != 0,
            // §3.2.2.5 trace-flags.
            Self.byte(value, at: 53) != nil
        else { return nil }
        // §3.2.2.2 defines the fields above, which are all fields of version 00. §3.3: in a higher version, the flags
        // must be followed by the end of the value or by a hyphen.
        guard value.count == Self.fieldBytes || (version > 0 && value[Self.fieldBytes] == Self.hyphen) else {
            return nil
        }
        self.init(traceID: (high: traceHigh, low: traceLow), parentID: parent, spanID: spanID)
    }

    /// The length of a value of version 00, which is the minimum length of a value of a higher version.
    private static let fieldBytes = 55

    private static let hyphen = UInt8(ascii: "-")

    /// Returns the number that sixteen digits represent, or `nil` if one of them is not a digit.
    @inline(__always) private static func number(_ value: Span<UInt8>, at start: Int) -> UInt64? {
        guard let high = Hexadecimal.number(of: value.word(at: start)),
            let low = Hexadecimal.number(of: value.word(at: start + 8))
        else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Returns the number that two digits represent, or `nil` if one of them is not a digit.
    @inline(__always) private static func byte(_ value: Span<UInt8>, at start: Int) -> UInt32? {
        // The six digits in front are zeros.
        Hexadecimal.number(of: 0x3030_3030_3030 | UInt64(value[start]) << 48 | UInt64(value[start + 1]) << 56)
    }
}
