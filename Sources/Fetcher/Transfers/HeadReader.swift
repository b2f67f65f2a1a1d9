internal import Fetching
internal import Primitives

// Checks the lines of a response's head, as they were received, before libcurl's interpretation of them is used.
//
//     HTTP/1.1 103 Early Hints          skipped, up to the empty line
//     HTTP/1.1 200 OK                   the status line of the final response
//     Content-Type: application/json    a field
//     (an empty line)                   the head is complete
//
// libcurl accepts what different programs read differently: of two lengths it uses the last one, of a length and a
// transfer coding the latter, and it accepts folded lines, line feeds without a carriage return, and 101. Each of them
// is an error here, because the next reader of the same bytes (a cache, a proxy) may see another message.
//
// Ambiguities, and how we resolve them:
// - RFC 9112 §6.3 permits accepting a repeated `Content-Length` with equal values. It is rejected, as in requests.
// - RFC 9112 §6.1: a transfer coding in a response of HTTP/1.0 is an error.
// - RFC 9112 §4 requires a space after the status even without a reason. Many servers omit it, and so may they here.
// - The lines after chunked content (trailers, RFC 9112 §7.1.2) are limited and discarded.

/// The reason why a response is malformed.
enum HeadError: Error, Equatable {
    /// The line does not end with CR LF, or contains another line break.
    case lineBreak
    case statusLine
    /// The version is neither HTTP/1.0 nor HTTP/1.1.
    case version
    /// 101: the protocol was not asked for.
    case switchingProtocols
    /// The line begins with white space, and continues the line before (RFC 9112 §5.2).
    case folded
    case fieldName
    case fieldValue
    case contentLength
    case repeatedContentLength
    /// The transfer coding is not exactly `chunked`.
    case transferCoding
    case lengthAndTransferCoding
    case headTooLong(max: Int)
    case tooManyFields(max: Int)
    case interimTooLong(max: Int)
    case trailerTooLong(max: Int)
}

extension HeadError: CustomStringConvertible {
    var description: String {
        switch self {
        case .lineBreak: "a line does not end with CR LF"
        case .statusLine: "the status line is malformed"
        case .version: "the version is neither HTTP/1.0 nor HTTP/1.1"
        case .switchingProtocols: "status 101"
        case .folded: "a line of the head is folded"
        case .fieldName: "the name of a field is malformed"
        case .fieldValue: "the value of a field has a control character"
        case .contentLength: "Content-Length is not a number"
        case .repeatedContentLength: "Content-Length is repeated"
        case .transferCoding: "the transfer coding is not chunked"
        case .lengthAndTransferCoding: "there are both Content-Length and Transfer-Encoding"
        case .headTooLong(let max): "the head is longer than \(max) bytes"
        case .tooManyFields(let max): "the head has more than \(max) fields"
        case .interimTooLong(let max): "the interim responses are longer than \(max) bytes"
        case .trailerTooLong(let max): "the trailer is longer than \(max) bytes"
        }
    }
}

/// Reads the head of a response, line by line.
struct HeadReader {
    enum Progress: Equatable {
        case incomplete
        /// The head of the final response is complete.
        case head(FetchHead)
    }

    /// The maximum length of the final head, in bytes, inclusive.
    static let maxHeadBytes = FetchHead.maxFieldBytes

    /// The maximum length of all interim heads together, in bytes, inclusive.
    static let maxInterimBytes = 64 * 1024

    /// The maximum length of all trailers, in bytes, inclusive.
    static let maxTrailerBytes = 64 * 1024

    private enum State {
        case statusLine
        /// The fields of a head with the given status.
        case fields(status: Int)
        /// After the head.
        case trailer
    }

    private var state = State.statusLine
    private var headBytes = 0
    private var interimBytes = 0
    private var trailerBytes = 0
    private var fields: [HeaderFields.Field] = []
    private var isHTTP10 = false
    private var hasLength = false
    private var hasTransferCoding = false

    /// Whether nothing was accepted yet.
    var isAtStart: Bool {
        guard case .statusLine = state else { return false }
        return interimBytes == 0
    }

    /// Accepts a line with its line break.
    mutating func read(_ line: Span<UInt8>) throws(HeadError) -> Progress {
        if case .trailer = state {
            trailerBytes += line.count
            guard trailerBytes <= Self.maxTrailerBytes else { throw .trailerTooLong(max: Self.maxTrailerBytes) }
            return .incomplete
        }
        headBytes += line.count
        // The limit of interim heads is smaller if there were others.
        guard headBytes <= Self.maxHeadBytes else { throw .headTooLong(max: Self.maxHeadBytes) }
        let text = line.extracting(0..<(try Self.end(of: line)))
        guard case .fields(let status) = state else {
            state = .fields(status: try self.status(of: text))
            return .incomplete
        }
        guard !text.isEmpty else { return try complete(status) }
        try readField(text)
        return .incomplete
    }

    private mutating func complete(_ status: Int) throws(HeadError) -> Progress {
        guard status >= 200 else {
            interimBytes += headBytes
            guard interimBytes <= Self.maxInterimBytes else { throw .interimTooLong(max: Self.maxInterimBytes) }
            (state, headBytes, fields) = (.statusLine, 0, [])
            (hasLength, hasTransferCoding) = (false, false)
            return .incomplete
        }
        if hasLength, hasTransferCoding { throw .lengthAndTransferCoding }
        if hasTransferCoding, isHTTP10 { throw .transferCoding }
        state = .trailer
        do throws(FetchFrameError) {
            return .head(try FetchHead(status: status, fields: fields))
        } catch .invalid(.fieldValue) {
            throw .fieldValue
        } catch {
            // Each replaced byte has become three.
            throw .headTooLong(max: Self.maxHeadBytes)
        }
    }

    /// Returns the length of a line without its line break.
    private static func end(of line: Span<UInt8>) throws(HeadError) -> Int {
        let end = line.count - 2
        guard end >= 0, line[end] == 0x0D, line[end + 1] == 0x0A else { throw .lineBreak }
        for index in 0..<end where line[index] == 0x0D || line[index] == 0x0A { throw .lineBreak }
        return end
    }

    private mutating func status(of line: Span<UInt8>) throws(HeadError) -> Int {
        let parsed: StatusLine
        do throws(StatusLineError) {
            parsed = try StatusLine(parsing: line, 0..<line.count)
        } catch {
            switch error {
            // The line does not begin with `HTTP/` and a digit.
            case .malformed(let offset) where offset <= 5 && line.count >= 12: throw .version
            case .malformed: throw .statusLine
            case .unsupportedVersion: throw .version
            }
        }
        guard parsed.version == .http10 || parsed.version == .http11 else { throw .version }
        guard parsed.status != 101 else { throw .switchingProtocols }
        isHTTP10 = parsed.version == .http10
        return parsed.status
    }

    private mutating func readField(_ line: Span<UInt8>) throws(HeadError) {
        let parsed: FieldLine
        do throws(FieldLineError) {
            parsed = try FieldLine(parsing: line, 0..<line.count)
        } catch {
            switch error {
            case .folded: throw .folded
            case .missingColon, .whitespaceBeforeColon, .invalidName: throw .fieldName
            case .invalidValue: throw .fieldValue
            }
        }
        let field = HeaderFields.Field(name: line.text(parsed.name), value: line.text(parsed.value))
        try checkFraming(field)
        guard fields.count < FetchHead.maxFieldCount else { throw .tooManyFields(max: FetchHead.maxFieldCount) }
        fields.append(field)
    }

    private mutating func checkFraming(_ field: HeaderFields.Field) throws(HeadError) {
        switch field.name.utf8.count {
        case 14 where field.name.lowercased() == "content-length":
            guard !hasLength else { throw .repeatedContentLength }
            hasLength = true
            let digits = field.value.utf8
            // Eighteen digits fit into 64 bits, whatever they are.
            guard 1...18 ~= digits.count, field.value.decimal() != nil else { throw .contentLength }
        case 17 where field.name.lowercased() == "transfer-encoding":
            guard !hasTransferCoding, field.value.lowercased() == "chunked" else { throw .transferCoding }
            hasTransferCoding = true
        default: break
        }
    }
}
