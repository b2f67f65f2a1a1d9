internal import Serialization

/// The frames of a WebP, and what applies to all of them.
///
/// The part of the canvas that the first frame of an animation does not cover is transparent, whatever the background
/// colour is.
struct WebPFrames {
    struct Frame {
        let left: Int
        let top: Int
        /// The size, or `nil` if only the frame's own data contains it.
        let size: (width: Int, height: Int)?
        /// The range from its ALPH or VP8 chunk, at most up to the end of the content.
        let bytes: Range<Int>
    }

    /// The size of the canvas in pixels, or `nil` if there is no VP8X chunk.
    private(set) var canvas: (width: Int, height: Int)?
    private(set) var profile: Range<Int>?
    private(set) var isAnimated = false
    /// The first frames, up to a given number; all of them are counted.
    private(set) var frames: [Frame] = []
    private(set) var frameCount = 0
    /// The damage of the chunks, or the bytes after them; otherwise complete.
    private(set) var integrity = ImageIntegrity(.complete, checked: .structure)

    /// - Throws: An error if there is no frame.
    init(_ content: Span<UInt8>, maxFrames: Int) throws(RenderingError) {
        guard var chunks = WebPChunks(content) else { throw .truncated(byte: content.count) }
        var alphaStart: Int?
        while let chunk = chunks.next(content) {
            var frame: Frame?
            switch chunk.type {
            case "VP8X": readCanvas(content, chunk.data)
            case "ICCP": if chunk.isWhole { profile = profile ?? chunk.data }
            case "ALPH": alphaStart = chunk.start
            case "VP8 ", "VP8L":
                let bytes = (alphaStart ?? chunk.start)..<chunk.end
                if frameCount == 0, !isAnimated { frame = Frame(left: 0, top: 0, size: nil, bytes: bytes) }
            case "ANMF": if isAnimated { frame = Self.frame(content, chunk.data) }
            default: break
            }
            guard let frame else { continue }
            frameCount += 1
            if frames.count < maxFrames { frames.append(frame) }
        }
        integrity = chunks.integrity(content)
        guard frames.isEmpty else { return }
        if integrity.isDamage { throw RenderingError(integrity) }
        throw .corrupt(byte: min(chunks.position, content.count), part: "VP8")
    }

    /// Reads the VP8X chunk (RFC 9649 §2.7).
    private mutating func readCanvas(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard canvas == nil, data.count >= 10, let flags = content.byte(data.lowerBound),
            let width = content.number24(data.lowerBound + 4, .little),
            let height = content.number24(data.lowerBound + 7, .little)
        else { return }
        canvas = (width + 1, height + 1)
        isAnimated = (flags & 2) != 0
    }

    /// Reads an ANMF chunk (RFC 9649 §2.7.1.1).
    private static func frame(_ content: Span<UInt8>, _ data: Range<Int>) -> Frame? {
        let start = data.lowerBound
        guard data.count > 16, let left = content.number24(start, .little),
            let top = content.number24(start + 3, .little),
            let width = content.number24(start + 6, .little), let height = content.number24(start + 9, .little)
        else { return nil }
        return Frame(left: 2 * left, top: 2 * top, size: (width + 1, height + 1), bytes: start + 16..<data.upperBound)
    }
}
