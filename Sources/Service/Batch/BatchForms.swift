internal import Batch
internal import HTTP
internal import Serialization

// The responses that the forms of items describe.

extension Message {
    /// Reads the message of a record of a web archive.
    init(_ record: WARCRecord, _ bytes: Span<UInt8>, for serializer: ResponseSerializer) throws(MessageError) {
        self = try MessageReader.read(
            bytes,
            maxContentBytes: serializer.limits.maxContentBytes,
            allowsTruncation: record.isTruncated || serializer.options.truncated == .allow,
            isArchived: true
        )
        response.url = record.targetURI
        guard record.isTruncated else { return }
        // Only the record shows it if the message has no length.
        guard serializer.options.truncated == .allow else {
            throw .rejected(.truncatedRecord(received: content.count), at: SourceLocation(byte: bytes.count))
        }
        response.noteTruncation(after: content.count)
    }
}

extension UpstreamResponse {
    /// Adds the warning that the content is incomplete, unless there is one.
    fileprivate mutating func noteTruncation(after bytes: Int) {
        let facts = message ?? MessageFacts()
        guard !facts.warnings.contains(where: \.kind.isTruncation) else { return }
        message = MessageFacts(
            trailers: facts.trailers,
            history: facts.history,
            unlistedResponses: facts.unlistedResponses,
            warnings: facts.warnings + [Warning(.messageTruncated(declared: nil, received: bytes))]
        )
    }

    /// Reads the head of a frame.
    init(_ frame: BatchFrame, in bytes: Span<UInt8>) throws(BatchItemError) {
        self.init(statusAssumed: frame.status == 0)
        if frame.status != 0 {
            guard 100...999 ~= frame.status else {
                throw .malformed(BatchFault("the status is \(frame.status), not a number from 100 to 999", at: 12))
            }
            status = Int(frame.status)
        }
        if !frame.url.isEmpty {
            let url = bytes.extracting(frame.url)
            guard url.firstForbiddenInField() == nil, (try? UTF8Span(validating: url)) != nil else {
                throw .malformed(
                    BatchFault("the URL is not UTF-8, or contains a control character", at: frame.start(of: frame.url))
                )
            }
            self.url = url.text
        }
        fields = try HeaderFields(frame, in: bytes)
        hasAllFields = !frame.fields.isEmpty
    }
}

extension HeaderFields {
    /// Reads the lines of a frame, each of which ends with LF or CR LF.
    fileprivate init(_ frame: BatchFrame, in bytes: Span<UInt8>) throws(BatchItemError) {
        self.init()
        guard frame.fields.count <= Envelope.maxMemberBytes else {
            throw .malformed(
                BatchFault(
                    "the header fields have \(frame.fields.count) bytes, more than \(Envelope.maxMemberBytes)",
                    at: frame.start(of: frame.fields)
                )
            )
        }
        var start = frame.fields.lowerBound
        while start < frame.fields.upperBound {
            guard let end = bytes.firstOffset(of: UInt8(ascii: "\n"), in: start..<frame.fields.upperBound) else {
                throw .malformed(BatchFault("the last header field has no line end", at: start - frame.base))
            }
            let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            let line = start..<(hasReturn ? end - 1 : end)
            guard !line.isEmpty else {
                throw .malformed(BatchFault("a line of the header fields is empty", at: start - frame.base))
            }
            do throws(FieldLineError) {
                let field = try FieldLine(parsing: bytes, line)
                append(name: bytes.text(field.name), value: bytes.text(field.value))
            } catch {
                let (reason, offset) = error.reason(in: bytes, line)
                throw .malformed(BatchFault(reason.diagnostic.sentence, at: offset - frame.base))
            }
            start = end + 1
        }
    }
}

extension BatchFrame {
    /// The offset of the frame in its block.
    fileprivate var base: Int { url.lowerBound - Self.headBytes }

    /// The offset of a part in the frame.
    fileprivate func start(of part: Range<Int>) -> Int { part.lowerBound - base }
}

extension EnvelopeError {
    /// Whether the envelope is not JSON in UTF-8.
    var isMalformed: Bool {
        switch self {
        case .malformed, .notUTF8: true
        case .unexpected, .unknownMember, .duplicateMember, .contentTooLarge: false
        }
    }
}

// What identifies an item that cannot be read. Its text need not be JSON.

extension Envelope {
    /// Returns the range of the member `id`; `nil` if there is none that identifies an item.
    static func id(in line: Span<UInt8>) -> Range<Int>? {
        var cursor = JSONCursor()
        guard cursor.enter("id", in: line) else { return nil }
        let kind = cursor.kind(in: line)
        let range = cursor.skip(in: line)
        return (kind == .string || kind == .number) && range.count <= maxIDBytes ? range : nil
    }

    /// Returns the member `url`; `nil` if there is none.
    static func url(in line: Span<UInt8>) -> String? {
        var cursor = JSONCursor()
        return cursor.enter("url", in: line) ? cursor.member(in: line) : nil
    }
}

extension HAREntry {
    /// Returns the member `url` of the request; `nil` if there is none.
    static func url(in entry: Span<UInt8>) -> String? {
        var cursor = JSONCursor()
        return cursor.enter("request", in: entry) && cursor.enter("url", in: entry) ? cursor.member(in: entry) : nil
    }
}

extension JSONCursor {
    /// Moves to the value of a member of the next value.
    /// - Returns: whether there is such a member.
    fileprivate mutating func enter(_ member: String, in text: Span<UInt8>) -> Bool {
        guard kind(in: text) == .object else { return false }
        enter(in: text)
        while next(in: text) {
            if name(in: text).text(in: text) == member { return true }
            _ = skip(in: text)
        }
        return false
    }

    /// Returns the next value if it is a string that is as short as those of members.
    fileprivate mutating func member(in text: Span<UInt8>) -> String? {
        guard case .string(let token) = token(in: text), token.range.count <= Envelope.maxMemberBytes else {
            return nil
        }
        return token.text(in: text)
    }
}

extension BatchResult.ID {
    /// The identifier of a record or a frame.
    init?(_ id: BatchIdentifier) {
        switch id {
        case .text(let text): self.init(text: text)
        // The output names a frame in its head.
        case .number: return nil
        }
    }

    init(text: String) {
        var writer = JSONWriter(capacity: 64)
        writer.string(text)
        self = .text([UInt8](writer.finish()))
    }
}
