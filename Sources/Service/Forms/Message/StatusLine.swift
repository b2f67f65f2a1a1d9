internal import HTTP
internal import Serialization

/// The first line of a response: `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
///
/// Ambiguities in the standard, and how they are resolved: many servers and curl(1) omit the space that precedes an
/// empty reason phrase, so it is optional. curl(1) also writes such a line for HTTP/2 and HTTP/3, whose versions have no
/// minor number.
struct StatusLine: Equatable, Sendable {
    enum Version: Equatable, Sendable {
        /// HTTP/1.0, or a response that is labelled HTTP/0.9, although that version has no status line. A connection carries one response.
        case http10
        case http11
        /// HTTP/2 or HTTP/3, whose messages have no transfer codings (RFC 9113 §8.1, RFC 9114 §4.1).
        case framed
    }

    let version: Version

    /// The status code, from 100 to 999.
    let status: Int

    /// The offsets of the reason phrase.
    let reason: Range<Int>

    /// Parses the line at `range`, without its CRLF.
    init(parsing message: Span<UInt8>, _ range: Range<Int>) throws(StatusLineError) {
        let space = UInt8(ascii: " ")
        let matching = message.extracting(range).statusLinePrefixBytes
        guard matching == 6 else { throw .malformed(at: range.lowerBound + matching) }
        let versionEnd = message.firstOffset(of: space, in: range) ?? range.upperBound
        let name = (range.lowerBound + 5)..<versionEnd
        switch String(ascii: message, name) {
        case "0.9", "1.0": version = .http10
        case "1.1": version = .http11
        case "2", "2.0", "3", "3.0": version = .framed
        default: throw .unsupportedVersion(at: name)
        }
        let statusStart = versionEnd + 1
        guard range.upperBound - statusStart >= 3,
            let status = UpstreamFieldValue.status(message.extracting(statusStart..<(statusStart + 3)))
        else { throw .malformed(at: min(statusStart, range.upperBound)) }
        self.status = status
        let statusEnd = statusStart + 3
        guard statusEnd == range.upperBound || message[statusEnd] == space else { throw .malformed(at: statusEnd) }
        reason = min(statusEnd + 1, range.upperBound)..<range.upperBound
        // RFC 9112 §4: HTAB, SP, VCHAR and obs-text, as in the value of a field.
        for index in reason where FieldSyntax.forbiddenByte(in: message.extracting(index..<(index + 1))) != nil {
            throw .malformed(at: index)
        }
    }
}

/// The reason why a status line is rejected. Offsets are those of the message.
enum StatusLineError: Error, Equatable {
    case malformed(at: Int)

    /// The text after `HTTP/` is not a known version.
    case unsupportedVersion(at: Range<Int>)
}

extension Span<UInt8> {
    /// Whether the bytes begin with `HTTP/` and a digit. The name is case-sensitive (RFC 9112 §2.3).
    var startsLikeStatusLine: Bool { statusLinePrefixBytes == 6 }

    /// The number of bytes that match the beginning of a status line, `HTTP/` and a digit. At most 6.
    var statusLinePrefixBytes: Int {
        let prefix = "HTTP/".utf8.span
        var matching = 0
        while matching < min(count, 5), self[matching] == prefix[matching] { matching += 1 }
        if matching == 5, count > 5, self[5].isDecimalDigit { matching = 6 }
        return matching
    }
}
