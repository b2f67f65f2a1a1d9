internal import Serialization

// A WebP is a RIFF file (RFC 9649 §2): chunks of `type length data`, with little-endian lengths, and data padded to an
// even length. The first chunk determines the kind: VP8, VP8L, or VP8X, which any number of chunks follow.
//
//     RIFF length WEBP │ VP8X flags canvas │ ICCP │ ALPH │ VP8 …
//     RIFF length WEBP │ VP8X │ ANIM │ ANMF place size time [ALPH │ VP8 …] │ ANMF …
//
// Ambiguities of the format, and how we resolve them:
// · Unknown chunks are skipped, as the standard requires.
// · Less than eight bytes at the end, which are no chunk, are ignored.
// · The last padding byte may be missing.

/// Iterates over the chunks of a WebP.
struct WebPChunks {
    struct Chunk {
        let type: FourCC
        /// The offset of the type, with which a chunk begins.
        let start: Int
        /// The data, at most up to the end of the content.
        let data: Range<Int>
        /// The offset after the padding, at most that of the end of the content.
        let end: Int
        /// Whether the data ends within the content.
        let isWhole: Bool
    }

    /// The contents of a VP8X chunk (RFC 9649 §2.7).
    struct Canvas {
        let width: Int
        let height: Int
        let hasAlpha: Bool
        let isAnimated: Bool

        /// Returns `nil` if the data is too short.
        init?(_ content: Span<UInt8>, _ data: Range<Int>) {
            guard data.count >= 10, let flags = content.byte(data.lowerBound),
                let width = content.number24(data.lowerBound + 4, .little),
                let height = content.number24(data.lowerBound + 7, .little)
            else { return nil }
            (self.width, self.height) = (width + 1, height + 1)
            (hasAlpha, isAnimated) = ((flags & 0x10) != 0, (flags & 2) != 0)
        }
    }

    /// The offset of the next chunk, which may be beyond the content.
    private(set) var offset = 12
    /// Whether the content is shorter than its header specifies.
    let isTruncated: Bool

    private let end: Int
    private var dataEnd = 12
    /// The offset of the chunk that extends beyond the end that the header specifies. It is the last one.
    private var overrun: Int?

    /// Returns `nil` if the content ends inside the header.
    init?(_ content: Span<UInt8>) {
        guard let length = content.number32(4, .little), content.count >= 12 else { return nil }
        end = 8 + length
        isTruncated = end > content.count
    }

    mutating func next(_ content: Span<UInt8>) -> Chunk? {
        let start = offset
        guard start + 8 <= min(end, content.count), let code = content.number32(start, .big),
            let length = content.number32(start + 4, .little)
        else { return nil }
        dataEnd = start + 8 + length
        offset = dataEnd + length % 2
        if dataEnd > end { overrun = start }
        return Chunk(
            type: FourCC(rawValue: UInt32(code)),
            start: start,
            data: start + 8..<min(dataEnd, content.count),
            end: min(offset, content.count),
            isWhole: dataEnd <= content.count
        )
    }

    /// Returns the verdict on the chunks, all of which must have been read.
    func integrity(_ content: Span<UInt8>) -> ImageIntegrity {
        if let overrun { return ImageIntegrity(.corrupt, checked: .structure, byte: overrun, part: "chunk") }
        if isTruncated {
            let lacksPadding = dataEnd == content.count && end - dataEnd == 1
            return ImageIntegrity(lacksPadding ? .missingEnd : .truncated, checked: .structure, byte: content.count)
        }
        return ImageIntegrity(endingAt: end + end % 2, of: content, checked: .structure)
    }
}
