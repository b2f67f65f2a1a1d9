internal import HTTP
internal import Serialization

/// The chunks of a message's content. ``ChunkParser`` reads them twice: first to check them and to determine the size
/// of the content, and then to copy the content. A single chunk is not copied.
struct Chunks {
    /// The offset of the first chunk.
    private let start: Int

    /// The offset after the last CRLF, or after the last byte that was read.
    let end: Int

    /// Whether the last chunk and the trailer section were read.
    let isComplete: Bool

    /// Whether the message ends after the line of the last chunk, in the trailer section.
    let endsInTrailers: Bool

    /// Whether the content begins like chunks. Otherwise the program that wrote the message has decoded them.
    let areChunks: Bool

    /// Whether all of the content are hexadecimal digits, with which a chunk may begin too.
    let mayBeSize: Bool

    /// The size of the content in bytes.
    let contentBytes: Int

    private let count: Int

    /// The offsets of the last chunk's content. Its end is that of the first chunk's line if there is no content.
    private let last: Range<Int>

    /// Checks the chunks from `start` to the end of the message.
    init(in message: Span<UInt8>, from start: Int) throws(MessageFault) {
        var parser = Self.parser()
        var offset = start
        var count = 0
        var bytes = 0
        var last = start..<start
        var isComplete = false
        var endsInTrailers = false
        var areChunks = true
        var mayBeSize = false
        reading: while true {
            switch parser.read(message, at: &offset) {
            case .content(let range):
                count += 1
                bytes += range.count
                last = range
            case .complete:
                isComplete = true
                break reading
            case .incomplete:
                endsInTrailers = parser.isAfterLastChunk
                mayBeSize = parser.isInFirstSize
                areChunks = !mayBeSize
                break reading
            case .rejected(let error):
                guard parser.isInFirstLine, !Self.looksLikeChunks(message.extracting(start...)) else {
                    throw MessageFault(error, parser, in: message, at: offset)
                }
                areChunks = false
                break reading
            }
        }
        self.start = start
        end = offset
        self.isComplete = isComplete
        self.endsInTrailers = endsInTrailers
        self.areChunks = areChunks
        self.mayBeSize = mayBeSize
        contentBytes = bytes
        self.count = count
        self.last = last
    }

    private static func parser() -> ChunkParser {
        ChunkParser(maxOverheadBytes: Message.maxHeadBytes, checksExtensions: true)
    }

    /// Returns the content without the lines around it.
    func content(of message: Span<UInt8>) -> ContainedBytes {
        guard count > 1 else { return .slice(last) }
        var content: [UInt8] = []
        content.reserveCapacity(contentBytes)
        var parser = Self.parser()
        var offset = start
        while case .content(let range) = parser.read(message, at: &offset) {
            // The bytes are copied within the call, for the duration of which they are valid.
            unsafe message.extracting(range).withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        }
        return .bytes(content)
    }

    /// Returns the fields of the trailer section, as far as it was read.
    func trailers(in message: Span<UInt8>) throws(MessageFault) -> HeaderFields {
        // The line of the last chunk follows the CRLF of the chunk before it.
        let lineStart = count > 0 ? last.upperBound + 2 : start
        guard let line = HeadLine(in: message, from: lineStart, searchingFrom: lineStart) else { return HeaderFields() }
        var offset = line.end
        var count = 0
        while let next = HeadLine(in: message, from: offset, searchingFrom: offset), endsInTrailers || next.end < end {
            guard count < Message.maxFields else { throw MessageFault(.tooManyFields, at: offset) }
            count += 1
            offset = next.end
        }
        return HeaderFields(lines: line.end..<offset, in: message)
    }

    /// Returns whether content with a malformed first line is chunked nevertheless: the line begins like a size, or the
    /// content ends like chunks without a trailer section.
    private static func looksLikeChunks(_ content: Span<UInt8>) -> Bool {
        beginsWithSize(content) || endsWithLastChunk(content)
    }

    /// Returns whether the content begins with hexadecimal digits, optional white space, and a semicolon or a carriage
    /// return.
    private static func beginsWithSize(_ content: Span<UInt8>) -> Bool {
        var index = 0
        while index < content.count, content[index].hexDigit != nil { index += 1 }
        guard index > 0 else { return false }
        content.skipBlanks(&index)
        return index < content.count && (content[index] == UInt8(ascii: ";") || content[index] == UInt8(ascii: "\r"))
    }

    /// Returns whether the last line is empty, and the line before it begins with the size 0.
    private static func endsWithLastChunk(_ content: Span<UInt8>) -> Bool {
        var end = content.count
        for _ in 0..<2 {
            guard end > 0, content[end - 1] == UInt8(ascii: "\n") else { return false }
            end -= 1
            if end > 0, content[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        }
        var start = end
        while start > 0, content[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return start > 0 && start < end && content[start] == UInt8(ascii: "0")
    }
}

extension MessageFault {
    /// Returns the fault at `offset`, the first byte that the parser did not read.
    fileprivate init(_ error: FramingError, _ parser: ChunkParser, in message: Span<UInt8>, at offset: Int) {
        if error == .chunkOverheadTooLarge {
            self.init(.headTooLarge, at: offset)
        } else {
            self.init(.malformedChunk(expected: parser.expected, found: Self.described(message[offset])), at: offset)
        }
    }
}
