internal import Serialization

/// The frames of a WebP, and what applies to all of them.
///
/// The part of the canvas that the first frame of an animation does not cover is transparent, whatever the background
/// colour is.
struct WebPFrames {
    struct Frame {
        private(set) var left = 0
        private(set) var top = 0
        /// The size, or `nil` if only the frame's own data contains it.
        private(set) var size: (width: Int, height: Int)?
        private(set) var delayMilliseconds = 0
        /// The range from its ALPH or VP8 chunk, at most up to the end of the content.
        let bytes: Range<Int>

        /// Creates the only frame of an image without animation.
        init(bytes: Range<Int>) { self.bytes = bytes }

        /// Reads an ANMF chunk (RFC 9649 §2.7.1.1). Returns `nil` if it contains no pixels.
        init?(_ content: Span<UInt8>, _ data: Range<Int>) {
            let start = data.lowerBound
            guard data.count > 16, let left = content.number24(start, .little),
                let top = content.number24(start + 3, .little), let width = content.number24(start + 6, .little),
                let height = content.number24(start + 9, .little), let delay = content.number24(start + 12, .little)
            else { return nil }
            (self.left, self.top, size) = (2 * left, 2 * top, (width + 1, height + 1))
            delayMilliseconds = delay
            bytes = start + 16..<data.upperBound
        }
    }

    /// The canvas, or `nil` if there is no VP8X chunk.
    private(set) var canvas: WebPChunks.Canvas?
    private(set) var profile: Range<Int>?
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
            case "VP8X": if frameCount == 0, canvas == nil { canvas = WebPChunks.Canvas(content, chunk.data) }
            case "ICCP": if chunk.isWhole { profile = profile ?? chunk.data }
            case "ALPH": alphaStart = chunk.start
            case "VP8 ", "VP8L":
                let bytes = (alphaStart ?? chunk.start)..<chunk.end
                if frameCount == 0, !isAnimated { frame = Frame(bytes: bytes) }
            case "ANMF": if isAnimated { frame = Frame(content, chunk.data) }
            default: break
            }
            guard let frame else { continue }
            frameCount += 1
            if frames.count < maxFrames { frames.append(frame) }
        }
        integrity = chunks.integrity(content)
        guard frames.isEmpty else { return }
        if integrity.isDamage { throw RenderingError(integrity) }
        throw .corrupt(byte: min(chunks.offset, content.count), part: "VP8")
    }

    var isAnimated: Bool { canvas?.isAnimated == true }
}
