internal import Serialization

/// What a head says of the content that follows it (RFC 9112 §6).
struct RequestFraming: Equatable, Sendable {
    /// What `Content-Length` says, in bytes; nil where there is none.
    private(set) var declaredContentBytes: Int?

    /// Whether the content comes in chunks.
    private(set) var isChunked = false

    /// Whether the client waits for a 100 before it sends the content (RFC 9110 §10.1.1).
    private(set) var awaitsContinue = false

    private var hosts = 0

    /// Whether any content follows the head.
    var hasContent: Bool { isChunked || (declaredContentBytes ?? 0) > 0 }

    /// Takes note of one field where it bears on the framing. White space around `value` is gone.
    @inline(__always) mutating func read(_ field: FieldName, value: Span<UInt8>) throws(FramingError) {
        switch field {
        case .host:
            hosts += 1
            guard hosts == 1 else { throw .repeatedHost }
            guard HostSyntax.isValid(value) else { throw .invalidHost }
        case .expect:
            awaitsContinue = value.equals("100-continue")
        case .contentLength:
            // RFC 9110 §8.6 allows taking equal values as one; a sender of two is not to be trusted with either.
            guard declaredContentBytes == nil else { throw .repeatedContentLength }
            declaredContentBytes = try Self.length(value)
        case .transferEncoding:
            // RFC 9112 §6.1: a coding that is not understood leaves the length unknown, and `chunked` comes once, last.
            guard !isChunked, value.equals("chunked") else {
                throw .unsupportedTransferEncoding(String(ascii: value, 0..<value.count))
            }
            isChunked = true
        default:
            break
        }
    }

    /// Checks what only the whole head tells.
    /// - Parameter isHTTP10: whether the request's version is 1.0.
    func check(isHTTP10: Bool) throws(FramingError) {
        // RFC 9112 §6.1: whoever has both may be smuggling.
        if isChunked, declaredContentBytes != nil { throw .contentLengthWithTransferEncoding }
        // RFC 9112 §6.1: in 1.0 the framing is faulty, whatever the length says.
        if isChunked, isHTTP10 { throw .transferEncodingInHTTP10 }
        // RFC 9112 §3.2.
        if hosts == 0, !isHTTP10 { throw .missingHost }
    }

    /// RFC 9110 §8.6: digits only; no sign, no list, no other base.
    static func length(_ value: Span<UInt8>) throws(FramingError) -> Int {
        guard value.count > 0 else { throw .invalidContentLength }
        var length = 0
        for index in value.indices {
            let digit = value[index] &- UInt8(ascii: "0")
            let (tens, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int(digit))
            guard digit < 10, !overflow, !carry else { throw .invalidContentLength }
            length = sum
        }
        return length
    }
}

/// The value of `Host` (RFC 9112 §3.2): a host of RFC 3986 §3.2.2 and an optional port.
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
                // RFC 3986 §2.1: two digits follow.
                if value[index] == UInt8(ascii: "%") {
                    guard index + 2 < value.count, value[index + 1].hexDigit != nil, value[index + 2].hexDigit != nil
                    else { return false }
                }
                index += 1
            }
            guard index > 0 else { return false }
        }
        guard index < value.count else { return true }
        guard value[index] == UInt8(ascii: ":"), value.count - index <= 6 else { return false }
        var port = 0
        for index in (index + 1)..<value.count {
            let digit = value[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return false }
            port = port * 10 + Int(digit)
        }
        return port <= UInt16.max
    }

    /// What stands between the brackets of an IPv6 address. Whether it is one is the resolver's question.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        let lower = byte.asciiLowercased
        return byte &- UInt8(ascii: "0") < 10 || lower &- UInt8(ascii: "a") < 6
            || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// RFC 3986 §3.2.2 `reg-name`, without the comma: it could be two hosts that a proxy joined.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default:
            false
        }
    }
}
