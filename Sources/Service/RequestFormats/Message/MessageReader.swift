internal import HTTP
internal import Serialization

// A message is a sequence of responses, of which the last one has the content:
//
//     HTTP/1.1 200 Connection established ␍␊␍␊        a proxy's response to CONNECT
//     HTTP/1.1 100 Continue               ␍␊␍␊        an interim response
//     HTTP/1.1 301 Moved                  ␍␊…␍␊␍␊     a redirect, of which curl -iL omits the content
//     HTTP/2 200                          ␍␊…␍␊␍␊     the final response
//     {"a":1}
//
// Ambiguities, and how they are resolved:
//
// · A head may be followed by another head, or by content that begins like one. A head is not the final one if
//   - its status is 1xx; or
//   - its status is 3xx (but not 304), 401, 407 or 417, a complete status line follows immediately, and the rest of the
//     message does not have exactly the length of `Content-Length`. These are the responses after which curl(1) sends
//     another request, and whose content it omits; or
//   - its status is 2xx (but not 204 or 205), it has no `Content-Type`, no `Transfer-Encoding` and no `Content-Length`
//     other than 0, and a complete and valid head follows. The response to CONNECT is like this (RFC 9110 §9.3.6).
//   A stored message is one response, and only interim ones precede it: what follows any other head is its content.
// · curl(1) decodes chunks, and with --compressed the content coding, and leaves the fields as they are. Content that
//   does not begin like chunks is used as it is. If `Content-Length` contradicts the length of content with a content
//   coding, and the content does not begin like the coding, the length is that of the encoded content, and is ignored.
// · curl(1) prints the trailer section immediately after content whose chunks it has decoded: see ``AppendedTrailers``.
// · A head that announces content, at the end of the message, is the response to a HEAD request: `curl -I` prints it.

/// Reads a ``Message`` strictly: it rejects anything that two recipients may read differently (RFC 9112).
struct MessageReader {
    private let maxContentBytes: Int
    private let allowsTruncation: Bool
    /// Whether the message was stored: see ``read(_:maxContentBytes:allowsTruncation:isArchived:)``.
    private let isArchived: Bool
    /// Whether the reading ends if it takes too much time for an HTTP thread.
    private let isShort: Bool
    private var warnings: [(kind: Warning.Kind, offset: Int?)] = []
    private var trailers = HeaderFields()

    /// - Parameters:
    ///   - maxContentBytes: the maximum size of the content in bytes, inclusive.
    ///   - allowsTruncation: whether content that ends early is used.
    ///   - isArchived: whether the message was stored in a record, whose end is that of the message, which is one
    ///     response. Crawlers store decoded content with the fields of the transfer, so that content which is longer
    ///     than `Content-Length` is used completely, fields of the transfer need not agree with each other, lines of a
    ///     head may end with a bare line feed, and the trailer section may be missing or cut off.
    static func read(
        _ message: Span<UInt8>,
        maxContentBytes: Int,
        allowsTruncation: Bool,
        isArchived: Bool = false
    ) throws(MessageError) -> Message {
        let reader = MessageReader(maxContentBytes, allowsTruncation, isArchived: isArchived, isShort: false)
        guard let result = try read(message, reader) else { preconditionFailure("a message of any length is read") }
        return result
    }

    /// Reads a message on an HTTP thread.
    /// - Returns: `nil` if this would take too much time, because there are many fields, heads or chunks.
    static func readShort(
        _ message: Span<UInt8>,
        maxContentBytes: Int,
        allowsTruncation: Bool
    ) throws(MessageError) -> Message? {
        try read(message, MessageReader(maxContentBytes, allowsTruncation, isArchived: false, isShort: true))
    }

    private static func read(
        _ message: Span<UInt8>,
        _ reader: consuming MessageReader
    ) throws(MessageError) -> Message? {
        let maxContentBytes = reader.maxContentBytes
        do throws(MessageFault) {
            return try reader.read(message)
        } catch {
            switch error.reason {
            case .rejected(let reason): throw .rejected(reason, at: message.locate([error.offset])[0])
            case .contentTooLarge: throw .contentTooLarge(max: maxContentBytes)
            case .notShort: return nil
            }
        }
    }

    private init(_ maxContentBytes: Int, _ allowsTruncation: Bool, isArchived: Bool, isShort: Bool) {
        self.maxContentBytes = maxContentBytes
        self.allowsTruncation = allowsTruncation
        self.isArchived = isArchived
        self.isShort = isShort
    }

    // The maximum sizes in a message that is read on an HTTP thread, in bytes, inclusive: of all heads, of content in
    // which a trailer section is searched for, and of chunks with the lines around them.
    private static let maxShortHeadBytes = 8 << 10
    private static let maxShortTrailerBytes = 4 << 10
    private static let maxShortChunkBytes = 16 << 10

    private func checkIsShort(_ bytes: Int, max: Int) throws(MessageFault) {
        guard !isShort || bytes <= max else { throw .notShort }
    }

    private mutating func read(_ message: Span<UInt8>) throws(MessageFault) -> Message {
        let start = skipEmptyLines(in: message, from: 0)
        guard start < message.count else { throw MessageFault(.empty, at: message.count) }
        var head = try MessageHead(in: message, at: start, isArchived: isArchived)
        var history = History()
        try checkIsShort(head.end, max: Self.maxShortHeadBytes)
        while let next = try self.head(following: head, in: message) {
            history.append(head, in: message)
            head = next
            try checkIsShort(head.end, max: Self.maxShortHeadBytes)
        }
        if history.unlistedCount > 0 { warnings.append((.messageHistoryTruncated(count: history.unlistedCount), nil)) }
        let fields = head.fields(in: message)
        let content = try content(after: head, fields, in: message)
        var response = UpstreamResponse(status: head.status, fields: fields)
        response.hasAllFields = true
        // The reader compares the length itself.
        response.hasOriginalContent = false
        response.message = MessageFacts(
            trailers: trailers,
            history: history.responses,
            unlistedResponses: history.unlistedCount,
            warnings: locatedWarnings(in: message)
        )
        return Message(response: response, content: content)
    }

    /// Few warnings have an offset, and offsets ascend.
    private func locatedWarnings(in message: Span<UInt8>) -> [Warning] {
        var locations = message.locate(warnings.compactMap(\.offset))[...]
        return warnings.map { Warning($0.kind, at: $0.offset == nil ? nil : locations.removeFirst()) }
    }

    // MARK: Heads

    /// Returns the head after `head`, or `nil` if `head` is that of the final response.
    private func head(
        following head: MessageHead,
        in message: Span<UInt8>
    ) throws(MessageFault) -> MessageHead? {
        let framing = head.framing
        switch head.status {
        case 100...199:
            let next = skipEmptyLines(in: message, from: head.end)
            // RFC 9110 §15.2.2: after a 101 the connection has another protocol, which may be HTTP/2.
            if head.status == 101, !message.extracting(next...).startsLikeStatusLine { return nil }
            guard next < message.count else { throw MessageFault(.endsBeforeFinalResponse, at: next) }
            return try MessageHead(in: message, at: next, isArchived: isArchived)
        // Otherwise content could replace the response.
        case _ where isArchived: return nil
        case 304: return nil
        case 300...399, 401, 407, 417:
            guard framing.declaredContentBytes != message.count - head.end,
                hasStatusLine(in: message, at: head.end)
            else { return nil }
            return try MessageHead(in: message, at: head.end, isArchived: isArchived)
        case 204, 205: return nil
        case 200...299:
            guard !framing.hasContentType, framing.declaresNoContent,
                hasStatusLine(in: message, at: head.end)
            else { return nil }
            return try? MessageHead(in: message, at: head.end, isArchived: isArchived)
        default: return nil
        }
    }

    private func hasStatusLine(in message: Span<UInt8>, at start: Int) -> Bool {
        guard message.extracting(start...).startsLikeStatusLine else { return false }
        let window = message.extracting(0..<min(message.count, start + Message.maxHeadBytes))
        guard let line = HeadLine(in: window, from: start, searchingFrom: start),
            let text = isArchived ? line.textOfAnyEnd(in: window) : line.text(in: window)
        else { return false }
        return (try? StatusLine(parsing: message, text)) != nil
    }

    /// Returns the offset after the empty lines at `start`, which RFC 9112 §2.2 allows before a request line, and which
    /// some servers send between responses.
    private func skipEmptyLines(in message: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset - start < Message.maxSkippedBytes {
            if message.byte(offset) == 0x0D, message.byte(offset + 1) == 0x0A {
                offset += 2
            } else if isArchived, message.byte(offset) == 0x0A {
                offset += 1
            } else {
                break
            }
        }
        return offset
    }

    // MARK: Content

    /// Finds the end of the content (RFC 9112 §6.3).
    private mutating func content(
        after head: MessageHead,
        _ fields: HeaderFields,
        in message: Span<UInt8>
    ) throws(MessageFault) -> ContainedBytes {
        var rest = head.end..<message.count
        let isPersistent = head.framing.isPersistent
        switch head.status {
        case 100...199, 204, 304:
            try end(at: rest.lowerBound, in: message, isPersistent: head.status == 101 || isPersistent)
            return .slice(rest.lowerBound..<rest.lowerBound)
        default: break
        }
        if head.framing.isChunked {
            return try chunkedContent(rest, fields, in: message, isPersistent: isPersistent)
        }
        switch head.statusLine.version {
        case .http2, .http3: rest = try takeAppendedTrailers(rest, fields, in: message)
        case .http09, .http10, .http11: break
        }
        let message = message.extracting(0..<rest.upperBound)
        guard let declared = head.framing.declaredContentBytes, declared != rest.count else { return try slice(rest) }
        if rest.isEmpty {
            warnings.append((.messageWithoutContent(declared: declared), rest.lowerBound))
            return .slice(rest)
        }
        if declared > 0, let coding = head.framing.contentCoding,
            !ContentCoding.mayBegin(message.extracting(rest), in: coding)
        {
            warnings.append((.lengthMismatch(declared: declared, received: rest.count), rest.lowerBound))
            return try slice(rest)
        }
        guard declared <= rest.count else {
            try allowTruncation(declared: declared, received: rest.count, at: rest.upperBound)
            return try slice(rest)
        }
        let declaredEnd = rest.lowerBound + declared
        if isArchived, !Self.hasOnlyLineEnds(message.extracting(declaredEnd...)) {
            warnings.append((.lengthMismatch(declared: declared, received: rest.count), rest.lowerBound))
            return try slice(rest)
        }
        try end(at: declaredEnd, in: message, isPersistent: isPersistent)
        return try slice(rest.lowerBound..<declaredEnd)
    }

    private func slice(_ range: Range<Int>) throws(MessageFault) -> ContainedBytes {
        guard range.count <= maxContentBytes else { throw .contentTooLarge(at: range.lowerBound) }
        return .slice(range)
    }

    /// Checks what follows the end of the response, which is at `offset`.
    private mutating func end(at offset: Int, in message: Span<UInt8>, isPersistent: Bool) throws(MessageFault) {
        let count = message.count - offset
        guard count > 0 else { return }
        // RFC 9112 §9.6: nothing follows the response that closes a connection.
        guard isPersistent || Self.hasOnlyLineEnds(message.extracting(offset...)) else {
            throw MessageFault(.bytesAfterClose(count), at: offset)
        }
        warnings.append((.messageTrailingBytes(count), offset))
    }

    /// Some senders write an empty line after the content, and editors add one.
    private static func hasOnlyLineEnds(_ bytes: Span<UInt8>) -> Bool {
        bytes.indices.allSatisfy { bytes[$0] == 0x0D || bytes[$0] == 0x0A }
    }

    private mutating func allowTruncation(declared: Int?, received: Int, at offset: Int) throws(MessageFault) {
        guard allowsTruncation else {
            throw MessageFault(.endsInContent(declared: declared, received: received), at: offset)
        }
        warnings.append((.messageTruncated(declared: declared, received: received), offset))
    }

    // MARK: Chunks

    private mutating func chunkedContent(
        _ rest: Range<Int>,
        _ fields: HeaderFields,
        in message: Span<UInt8>,
        isPersistent: Bool
    ) throws(MessageFault) -> ContainedBytes {
        guard !rest.isEmpty else {
            warnings.append((.messageWithoutContent(declared: nil), rest.lowerBound))
            return .slice(rest)
        }
        try checkIsShort(rest.count, max: Self.maxShortChunkBytes)
        let chunks = try Chunks(in: message, from: rest.lowerBound)
        guard chunks.areChunks else {
            warnings.append((.messageNotChunked(mayBeSize: chunks.mayBeSize), rest.lowerBound))
            return try slice(takeAppendedTrailers(rest, fields, in: message))
        }
        guard chunks.contentBytes <= maxContentBytes else { throw .contentTooLarge(at: rest.lowerBound) }
        // GNU Wget stores the line of the last chunk and one further line.
        if chunks.isComplete || isArchived && chunks.endsInTrailers {
            trailers = try chunks.trailers(in: message)
            try end(at: chunks.end, in: message, isPersistent: isPersistent)
        } else {
            try allowTruncation(declared: nil, received: chunks.contentBytes, at: message.count)
        }
        return chunks.content(of: message)
    }

    /// Reads the trailer section at the end of `rest`, and returns the range before it.
    private mutating func takeAppendedTrailers(
        _ rest: Range<Int>,
        _ fields: HeaderFields,
        in message: Span<UInt8>
    ) throws(MessageFault) -> Range<Int> {
        let names = AnnouncedTrailers(fields)
        guard !names.isEmpty else { return rest }
        try checkIsShort(rest.count, max: Self.maxShortTrailerBytes)
        guard let start = AppendedTrailers.start(in: message, rest, names) else { return rest }
        trailers = HeaderFields(lines: start..<rest.upperBound, in: message)
        return rest.lowerBound..<start
    }
}

/// The responses that precede the final one.
private struct History {
    private(set) var responses: [PrecedingResponse] = []
    private(set) var unlistedCount = 0
    private var bytes = 0

    mutating func append(_ head: MessageHead, in message: Span<UInt8>) {
        bytes += head.range.count
        guard unlistedCount == 0, responses.count < MessageFacts.maxHistory, bytes <= Message.maxHeadBytes else {
            unlistedCount += 1
            return
        }
        responses.append(PrecedingResponse(status: head.status, fields: head.fields(in: message)))
    }
}
