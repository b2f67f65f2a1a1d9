/// Decompresses zlib streams (RFC 1950) that are completely in memory: texts and profiles in the headers of images, a few KiB.
package enum ZlibStream {
    /// Returns the first `prefix` bytes of the content of a stream, or fewer if the content is shorter. The checksum is not checked.
    /// - Returns: `nil` if the stream is malformed or ends before that.
    package static func content(of stream: Span<UInt8>, prefix: Int) -> [UInt8]? {
        inflate(stream, max: prefix)?.content
    }

    /// Returns all of the content of a stream.
    /// - Returns: `nil` if the stream is malformed or ends early, or if its content is longer than `max` bytes.
    package static func content(of stream: Span<UInt8>, max: Int) -> [UInt8]? {
        // One byte more than the limit shows that it is exceeded.
        guard let (content, end) = inflate(stream, max: max + 1), let end, content.count <= max,
            let sum = stream.number32(end, .big), sum == Int(ZlibInflater.adler32(1, content.span))
        else { return nil }
        return content
    }

    /// The most that is decompressed in one step, in bytes.
    private static let pieceBytes = 16 << 10

    /// - Returns: at most `max` bytes, and the offset after the data if all of it was decompressed; `nil` if the stream is malformed or
    ///   ends before that.
    private static func inflate(_ stream: Span<UInt8>, max: Int) -> (content: [UInt8], end: Int?)? {
        guard DeflateReader.beginsWrapped(stream), !DeflateReader.hasDictionary(stream), let inflater = ZlibInflater()
        else { return nil }
        var content = OutputBuffer(capacity: min(max, 4 << 10))
        var position = DeflateReader.headBytes
        while content.count < max {
            let room = min(max - content.count, pieceBytes)
            let (consumed, written, outcome) = inflater.inflate(
                stream.extracting(position...),
                into: &content,
                room: room
            )
            position += consumed
            switch outcome {
            case .end: return (Array(content), position)
            case .corrupt, .outOfMemory: return nil
            // There is no more input.
            case .more: guard written == room else { return nil }
            }
        }
        return (Array(content), nil)
    }
}
