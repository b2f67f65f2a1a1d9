internal import Primitives

/// The fields of a head that determine where the request ends, and whether another may follow it (RFC 9112 §6, §9.3).
package struct RequestFraming: Equatable, Sendable {
    /// The value of `Content-Length` in bytes; `nil` if there is none.
    private(set) var declaredContentBytes: Int?

    private(set) var isChunked = false

    /// Whether the client waits for a 100 before it sends the content (RFC 9110 §10.1.1).
    private(set) var awaitsContinue = false

    /// Whether another request may follow on the connection (RFC 9112 §9.3).
    private(set) var isPersistent = true

    private var hosts = 0
    private var connection = ConnectionOptions()

    /// Whether any content follows the head.
    var hasContent: Bool { isChunked || (declaredContentBytes ?? 0) > 0 }

    /// Reads one field, if it concerns the framing. `value` has no leading or trailing white space.
    @inline(__always) mutating func read(_ field: FieldName, value: Span<UInt8>) throws(FramingError) {
        switch field {
        case .host:
            hosts += 1
            guard hosts == 1 else { throw .repeatedHost }
            guard HostSyntax.isValid(value) else { throw .invalidHost }
        case .connection: connection.read(value)
        case .expect:
            // RFC 9110 §10.1.1: other expectations may be ignored.
            if value.equals("100-continue") { awaitsContinue = true }
        case .contentLength:
            // RFC 9110 §8.6 allows a recipient to accept equal values. They are rejected, because a sender that repeats
            // the field is not trustworthy.
            guard declaredContentBytes == nil else { throw .repeatedContentLength }
            declaredContentBytes = try Self.length(value)
        case .transferEncoding:
            // RFC 9112 §6.1: the length is unknown if a coding is not understood, and `chunked` is applied
            // once, as the last coding.
            guard !isChunked, value.equals("chunked") else { throw .unsupportedTransferEncoding(value.text) }
            isChunked = true
        default: break
        }
    }

    /// Checks the complete head.
    /// - Parameter isHTTP10: whether the version of the request is 1.0.
    mutating func check(isHTTP10: Bool) throws(FramingError) {
        // RFC 9112 §6.1: a request with both may be an attempt at smuggling.
        if isChunked, declaredContentBytes != nil { throw .contentLengthWithTransferEncoding }
        // RFC 9112 §6.1: in 1.0 the framing is treated as faulty.
        if isChunked, isHTTP10 { throw .transferEncodingInHTTP10 }
        // RFC 9112 §3.2: a server must reject a 1.1 request without `Host`.
        if hosts == 0, !isHTTP10 { throw .missingHost }
        isPersistent = connection.isPersistent(isHTTP10: isHTTP10)
        // RFC 9110 §10.1.1: the expectation is ignored in 1.0, and if there is no content.
        awaitsContinue = awaitsContinue && !isHTTP10 && hasContent
    }

    /// Parses the value of `Content-Length`, which consists of decimal digits only (RFC 9110 §8.6). Signs, lists and
    /// other bases are rejected.
    package static func length(_ value: Span<UInt8>) throws(FramingError) -> Int {
        guard let length = value.decimal(0..<value.count) else { throw .invalidContentLength }
        return length
    }
}

/// The options of `Connection` that determine whether another message may follow.
package struct ConnectionOptions: Equatable, Sendable {
    private var hasClose = false
    private var hasKeepAlive = false

    package init() {}

    /// Reads a value of `Connection`, a list of case-insensitive options (RFC 9110 §7.6.1).
    package mutating func read(_ value: Span<UInt8>) {
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ",") { end += 1 }
            let range = value.trimmingBlanks(start..<end)
            if !range.isEmpty {
                let option = value.extracting(range)
                if option.equals("close") { hasClose = true }
                if option.equals("keep-alive") { hasKeepAlive = true }
            }
            start = end + 1
        }
    }

    /// Returns whether another message may follow on the connection.
    ///
    /// RFC 9112 §9.3: `close` takes precedence. 1.1 is persistent, and 1.0 only if the sender requests it.
    package func isPersistent(isHTTP10: Bool) -> Bool { !hasClose && (!isHTTP10 || hasKeepAlive) }
}

/// The syntax of `Host` (RFC 9112 §3.2): a host as defined by RFC 3986 §3.2.2, and an optional port.
enum HostSyntax {
    static func isValid(_ value: Span<UInt8>) -> Bool {
        var index = 0
        if value.count > 0, value[0] == UInt8(ascii: "[") {
            index = 1
            while index < value.count, isAddressByte(value[index]) { index += 1 }
            guard index > 1, index < value.count, value[index] == UInt8(ascii: "]") else { return false }
            index += 1
        } else {
            while index < value.count, isNameByte(value[index]) {
                if value[index] == UInt8(ascii: "%") {
                    guard value.percentEncodedByte(at: index, before: value.count) != nil else { return false }
                }
                index += 1
            }
            guard index > 0 else { return false }
        }
        guard index < value.count else { return true }
        guard value[index] == UInt8(ascii: ":"), value.count - index <= 6 else { return false }
        let port = (index + 1)..<value.count
        return port.isEmpty || value.decimal(port, max: 65_535) != nil
    }

    /// Returns whether a byte may occur between the brackets of an IPv6 address. The address itself is not parsed.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.hexDigit != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// Returns whether a byte may occur in a `reg-name` (RFC 3986 §3.2.2). The comma is excluded, because it may
    /// separate two hosts that a proxy has joined.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? nameBytes.low : byte < 128 ? nameBytes.high : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }

    /// The bytes of names, with one bit for each byte below 128.
    private static let nameBytes: (low: UInt64, high: UInt64) = (0x2BFF_6FF2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
}
