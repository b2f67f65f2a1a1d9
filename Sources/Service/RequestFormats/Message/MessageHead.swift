internal import HTTP
internal import Serialization

/// The head of one response in a message: its status line and its field lines.
///
/// The lines are checked and the fields of the framing are read when the value is created. Strings are created only for
/// heads whose fields are reported.
struct MessageHead {
    let statusLine: StatusLine
    private(set) var framing = MessageFraming()

    /// The offsets of the head in the message, including the empty line at the end.
    let range: Range<Int>

    /// The offsets of the field lines.
    private let lines: Range<Int>

    var status: Int { statusLine.status }

    /// The offset at which the content begins, if there is any.
    var end: Int { range.upperBound }

    /// Parses the head that begins at `start`.
    /// - Parameter isArchived: whether the message was stored: its framing describes a transfer that has ended, and no
    ///   other recipient reads its line ends, so that a bare line feed is one.
    init(in message: Span<UInt8>, at start: Int, isArchived: Bool = false) throws(MessageFault) {
        let first = try Self.line(in: message, at: start, headStart: start, isFirst: true, isArchived: isArchived)
        do throws(StatusLineError) {
            statusLine = try StatusLine(parsing: message, first.text)
        } catch { throw MessageFault(error, in: message, first.text) }
        var offset = first.end
        var count = 0
        while true {
            let line = try Self.line(in: message, at: offset, headStart: start, isArchived: isArchived)
            if line.text.isEmpty {
                lines = first.end..<offset
                range = start..<line.end
                break
            }
            guard count < Message.maxFields else { throw MessageFault(.tooManyFields, at: offset) }
            count += 1
            guard let (field, parsed) = FieldLine.identified(message, line.text) else {
                throw MessageFault(FieldLine.fault(in: message, line.text), in: message, line.text)
            }
            try framing.read(field, parsed, in: message, isArchived: isArchived)
            offset = line.end
        }
        try framing.check(statusLine.version, isArchived: isArchived)
    }

    /// Returns all fields in order.
    func fields(in message: Span<UInt8>) -> HeaderFields { HeaderFields(lines: lines, in: message) }

    /// Returns the line at `start`.
    private static func line(
        in message: Span<UInt8>,
        at start: Int,
        headStart: Int,
        isFirst: Bool = false,
        isArchived: Bool
    ) throws(MessageFault) -> (text: Range<Int>, end: Int) {
        let window = message.extracting(0..<min(message.count, headStart + Message.maxHeadBytes))
        guard let line = HeadLine(in: window, from: start, searchingFrom: start) else {
            if isFirst, let fault = MessageFault(unlikeStatusLine: message, at: start) { throw fault }
            guard window.count == message.count else { throw MessageFault(.headTooLarge, at: window.count) }
            throw MessageFault(.endsInHead, at: message.count)
        }
        guard let text = isArchived ? line.textOfAnyEnd(in: window) : line.text(in: window) else {
            if isFirst, let fault = MessageFault(unlikeStatusLine: message, at: start) { throw fault }
            throw MessageFault(.bareLineFeed, at: line.end - 1)
        }
        return (text, line.end)
    }
}

extension HeaderFields {
    /// The fields of lines that were checked before, also their ends.
    init(lines: Range<Int>, in message: Span<UInt8>) {
        self.init()
        let window = message.extracting(0..<lines.upperBound)
        var offset = lines.lowerBound
        while let line = HeadLine(in: window, from: offset, searchingFrom: offset) {
            let text = line.textOfAnyEnd(in: window)
            guard !text.isEmpty, let field = try? FieldLine(parsing: window, text) else { return }
            append(name: message.text(field.name), value: message.text(field.value))
            offset = line.end
        }
    }
}

/// The fields of a response that determine where it ends (RFC 9112 §6).
struct MessageFraming: Equatable, Sendable {
    /// The value of `Content-Length` in bytes; `nil` if there is none.
    private(set) var declaredContentBytes: Int?

    /// Whether `Transfer-Encoding` specifies that the content is chunked.
    private(set) var isChunked = false

    private(set) var hasContentType = false

    /// The content coding that was applied last, in lower case; `nil` if there is none.
    private(set) var contentCoding: String?

    /// Whether another message may follow on the connection (RFC 9112 §9.3).
    private(set) var isPersistent = true

    private var connection = ConnectionOptions()

    /// The offset of the last field that determines the length.
    private var offset = 0

    /// The fault of `Content-Length` in a stored message, which matters only if the content is not chunked.
    private var lengthFault: MessageFault?

    /// Whether neither field indicates that there is content.
    var declaresNoContent: Bool { !isChunked && (declaredContentBytes ?? 0) == 0 }

    fileprivate mutating func read(
        _ field: FieldName,
        _ line: FieldLine,
        in message: Span<UInt8>,
        isArchived: Bool
    ) throws(MessageFault) {
        let value = message.extracting(line.value)
        switch field {
        case .contentLength:
            offset = line.name.lowerBound
            do throws(MessageFault) {
                try readLength(value, line, isArchived: isArchived)
            } catch {
                guard isArchived else { throw error }
                lengthFault = lengthFault ?? error
            }
        case .transferEncoding:
            offset = line.name.lowerBound
            guard !isChunked, value.count > 0, value.equals("chunked") else {
                throw MessageFault(.unsupportedTransferEncoding(value.text), at: line.value.lowerBound)
            }
            isChunked = true
        case .contentType: hasContentType = true
        case .contentEncoding:
            let last = value.lastListElement
            if !last.isEmpty, !value.extracting(last).equalsIgnoringASCIICase("identity".utf8.span) {
                contentCoding = value.lowercasedText(last)
            }
        case .connection: connection.read(value)
        case .other, .host, .expect, .requestID, .traceparent, .authorization, .acceptEncoding, .wantReprDigest,
            .upstreamStatus, .upstreamURL, .upstreamMethod, .upstreamField, .upstreamUnknown:
            break
        }
    }

    private mutating func readLength(
        _ value: Span<UInt8>,
        _ line: FieldLine,
        isArchived: Bool
    ) throws(MessageFault) {
        let length: Int
        do throws(FramingError) {
            length = try isArchived ? Self.lengthOfList(value) : RequestFraming.length(value)
        } catch {
            let isRepeated = declaredContentBytes != nil
            throw isRepeated
                ? MessageFault(.repeatedContentLength, at: offset)
                : MessageFault(.invalidContentLength(value.text), at: line.value.lowerBound)
        }
        // RFC 9110 §8.6: a recipient may replace values that are equal by one of them.
        guard declaredContentBytes == nil || isArchived && declaredContentBytes == length else {
            throw MessageFault(.repeatedContentLength, at: offset)
        }
        declaredContentBytes = length
    }

    /// Returns the only length in a list of equal ones: a cache or a proxy may have joined repeated fields.
    private static func lengthOfList(_ value: Span<UInt8>) throws(FramingError) -> Int {
        var length: Int?
        var start = 0
        repeat {
            let end = value.firstOffset(of: UInt8(ascii: ","), in: start..<value.count) ?? value.count
            let element = try RequestFraming.length(value.extracting(value.trimmingBlanks(start..<end)))
            guard length == nil || length == element else { throw .invalidContentLength }
            length = element
            start = end + 1
        } while start <= value.count
        return length ?? 0
    }

    fileprivate mutating func check(_ version: StatusLine.Version, isArchived: Bool) throws(MessageFault) {
        isPersistent = connection.isPersistent(isHTTP10: version == .http09 || version == .http10)
        guard !isArchived else {
            // RFC 9112 §6.3: the transfer coding overrides the length. Nobody reads another message after this one.
            if isChunked {
                declaredContentBytes = nil
            } else if let lengthFault {
                throw lengthFault
            }
            return
        }
        switch version {
        // RFC 9112 §6.1: in 1.0 the framing is treated as faulty. RFC 9113 §8.2.2: such a message is malformed.
        case .http09, .http10, .http2, .http3:
            guard !isChunked else { throw MessageFault(.transferEncodingInOtherVersion, at: offset) }
        case .http11: break
        }
        // RFC 9112 §6.3: a response with both may be an attempt at response splitting, and ought to be handled as an
        // error.
        guard !isChunked || declaredContentBytes == nil else {
            throw MessageFault(.contentLengthWithTransferEncoding, at: offset)
        }
    }
}

extension Span<UInt8> {
    /// The offsets of the last element that is not empty in a list with commas (RFC 9110 §5.6.1); an empty range if
    /// there is none.
    fileprivate var lastListElement: Range<Int> {
        var end = count
        while end > 0 {
            var start = end
            while start > 0, self[start - 1] != UInt8(ascii: ",") { start -= 1 }
            let element = trimmingBlanks(start..<end)
            if !element.isEmpty { return element }
            end = start - 1
        }
        return 0..<0
    }
}

extension MessageFault {
    fileprivate init(_ error: StatusLineError, in message: Span<UInt8>, _ line: Range<Int>) {
        switch error {
        case .malformed(let offset):
            self.init(.invalidStatusLine(found: Self.beginning(of: line, in: message)), at: offset)
        case .unsupportedVersion(let version):
            self.init(.unsupportedVersion(message.text(version)), at: version.lowerBound)
        }
    }

    /// Creates the fault of an incomplete line that is not the beginning of a status line; `nil` if it is.
    fileprivate init?(unlikeStatusLine message: Span<UInt8>, at start: Int) {
        let rest = message.extracting(start...)
        let matching = rest.statusLinePrefixBytes
        guard matching < min(rest.count, 6) else { return nil }
        self.init(
            .invalidStatusLine(found: Self.beginning(of: start..<message.count, in: message)),
            at: start + matching
        )
    }

    fileprivate init(_ error: FieldLineError, in message: Span<UInt8>, _ line: Range<Int>) {
        let (reason, offset) = error.reason(in: message, line)
        self.init(reason, at: offset)
    }

    /// The first bytes of a line.
    private static func beginning(of line: Range<Int>, in message: Span<UInt8>) -> String {
        var end = line.lowerBound
        while end < line.upperBound, end - line.lowerBound < 64, message[end] >= 0x20, message[end] != 0x7F { end += 1 }
        return message.text(line.lowerBound..<end)
    }

    /// A byte as it is shown in a problem.
    static func described(_ byte: UInt8) -> String {
        switch byte {
        case 0x0D: "a carriage return"
        case 0x0A: "a line feed"
        case 0x09: "a tab"
        case 0x20: "a space"
        case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
        default: "the byte 0x\(Hexadecimal.text(of: [byte]).uppercased())"
        }
    }
}

extension FieldLineError {
    /// Returns the reason why a message with the line is rejected, and its offset.
    func reason(in message: Span<UInt8>, _ line: Range<Int>) -> (reason: MessageError.Reason, offset: Int) {
        switch self {
        case .folded: return (.foldedFieldLine, line.lowerBound)
        case .missingColon: return (.fieldLineWithoutColon, line.lowerBound)
        case .whitespaceBeforeColon(let name):
            return (.whitespaceBeforeColon(name: message.text(name)), name.upperBound)
        case .invalidName(let name):
            let offset = name.first { !message[$0].isTokenCharacter } ?? name.upperBound
            return (.invalidFieldName(found: MessageFault.described(message[offset])), offset)
        case .invalidValue(let name, let byte):
            let offset = (name.upperBound..<line.upperBound).first { message[$0] == byte } ?? name.upperBound
            return (.invalidFieldValue(name: message.text(name), byte: byte), offset)
        }
    }
}
