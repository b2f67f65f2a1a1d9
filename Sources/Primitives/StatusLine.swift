/// The first line of a response: `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
///
/// Ambiguities in the standard, and how they are resolved: many servers and curl(1) omit the space that precedes an
/// empty reason phrase, so it is optional. curl(1) also writes such a line for HTTP/2 and HTTP/3, whose versions have
/// no minor number.
package struct StatusLine: Equatable, Sendable {
    package enum Version: Equatable, Sendable {
        /// A response that is labelled HTTP/0.9, although that version has no status line.
        case http09
        case http10
        case http11
        case http2
        case http3
    }

    package let version: Version

    /// The status code, from 100 to 999.
    package let status: Int

    /// The offsets of the reason phrase.
    package let reason: Range<Int>

    /// Parses the line at `range`, without its CRLF.
    package init(parsing message: Span<UInt8>, _ range: Range<Int>) throws(StatusLineError) {
        let space = UInt8(ascii: " ")
        let matching = message.slice(range) { $0.statusLinePrefixBytes } ?? 0
        guard matching == 6 else { throw .malformed(at: range.lowerBound + matching) }
        let versionEnd = message.firstOffset(of: space, in: range) ?? range.upperBound
        let name = (range.lowerBound + 5)..<versionEnd
        switch message.text(name) {
        case "0.9": version = .http09
        case "1.0": version = .http10
        case "1.1": version = .http11
        case "2", "2.0": version = .http2
        case "3", "3.0": version = .http3
        default: throw .unsupportedVersion(at: name)
        }
        let statusStart = versionEnd + 1
        guard range.upperBound - statusStart >= 3,
            let status = message.slice(at: statusStart, count: 3, { $0.statusCode })
        else { throw .malformed(at: min(statusStart, range.upperBound)) }
        self.status = status
        let statusEnd = statusStart + 3
        guard statusEnd == range.upperBound || message[statusEnd] == space else { throw .malformed(at: statusEnd) }
        reason = min(statusEnd + 1, range.upperBound)..<range.upperBound
        // RFC 9112 §4: HTAB, SP, VCHAR and obs-text, as in the value of a field.
        for index in reason where message[index].isForbiddenInField { throw .malformed(at: index) }
    }
}

/// The reason why a status line is rejected. Offsets are those of the message.
package enum StatusLineError: Error, Equatable {
    case malformed(at: Int)

    /// The text after `HTTP/` is not a known version.
    case unsupportedVersion(at: Range<Int>)
}

extension Span<UInt8> {
    /// Whether the bytes begin with `HTTP/` and a digit. The name is case-sensitive (RFC 9112 §2.3).
    package var startsLikeStatusLine: Bool { statusLinePrefixBytes == 6 }

    /// The number of bytes that match the beginning of a status line, `HTTP/` and a digit. At most 6.
    package var statusLinePrefixBytes: Int {
        let prefix = "HTTP/".utf8.span
        var matching = 0
        while matching < Swift.min(count, 5), self[matching] == prefix[matching] { matching += 1 }
        if matching == 5, count > 5, self[5].isDecimalDigit { matching = 6 }
        return matching
    }

    /// The status code that the bytes represent, three digits from 100 to 999; `nil` for anything else.
    package var statusCode: Int? { count == 3 && self[0] != UInt8(ascii: "0") ? decimal(0..<3) : nil }
}
