/// Decompresses zlib streams (RFC 1950) that are completely in memory: texts and profiles in the headers of images, a
/// few KiB.
package enum ZlibStream {
    /// Returns the first `prefix` bytes of the content of a stream, or fewer if the content is shorter. The checksum is
    /// not checked.
    /// - Returns: `nil` if the stream is malformed or ends before that.
    package static func content(of stream: Span<UInt8>, prefix: Int) -> [UInt8]? {
        let (content, outcome) = inflate(stream, max: prefix)
        return if case .malformed = outcome { nil } else { content }
    }

    /// Returns all of the content of a stream.
    /// - Parameter budget: The maximum length of the content, in bytes. It is reduced by the bytes that were
    ///   decompressed, even if they are not returned.
    /// - Returns: `nil` if the stream is malformed or ends early, or if its content exceeds the budget.
    package static func content(of stream: Span<UInt8>, within budget: inout Int) -> [UInt8]? {
        let max = budget
        // One byte more than the limit shows that it is exceeded.
        let (content, outcome) = inflate(stream, max: max + 1)
        budget -= min(content.count, max)
        guard case .whole(let end) = outcome, content.count <= max, let sum = stream.number32(end, .big),
            sum == Int(ZlibInflater.adler32(1, content.span))
        else { return nil }
        return content
    }

    /// Returns the CRC-32 of the bytes, the checksum of PNG (ISO/IEC 15948 annex D).
    package static func crc32(_ bytes: Span<UInt8>) -> UInt32 { ZlibInflater.crc32(0, bytes) }

    /// The most that is decompressed in one step, in bytes.
    private static let pieceBytes = 16 << 10

    private enum Outcome {
        /// All of the data was decompressed, and ends at an offset in the stream.
        case whole(end: Int)
        /// The maximum was reached.
        case part
        /// The data is malformed, or the stream ends before the data.
        case malformed
    }

    /// Decompresses at most `max` bytes. Bytes before an error are returned, too.
    private static func inflate(_ stream: Span<UInt8>, max: Int) -> (content: [UInt8], outcome: Outcome) {
        guard DeflateReader.beginsWrapped(stream), !DeflateReader.hasDictionary(stream), let inflater = ZlibInflater()
        else { return ([], .malformed) }
        var content = OutputBuffer(capacity: min(max, 4 << 10))
        var offset = DeflateReader.headBytes
        while content.count < max {
            let room = min(max - content.count, pieceBytes)
            let (consumed, written, outcome) = inflater.inflate(
                stream.extracting(droppingFirst: offset),
                into: &content,
                room: room
            )
            offset += consumed
            switch outcome {
            case .end: return (Array(content), .whole(end: offset))
            case .corrupt, .outOfMemory: return (Array(content), .malformed)
            // There is no more input.
            case .more: guard written == room else { return (Array(content), .malformed) }
            }
        }
        return (Array(content), .part)
    }
}
