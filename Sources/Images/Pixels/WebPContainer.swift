internal import Serialization

// The chunks of a WebP (RFC 9649 §2), which are those of RIFF: a name and a length before each, padded to two bytes.
//
//     RIFF length WEBP │ VP8X flags canvas │ ICCP │ ALPH │ VP8 …
//     RIFF length WEBP │ VP8X │ ANIM │ ANMF place size time [ALPH │ VP8 …] │ ANMF …
//
// Ambiguities of the format, and how we resolve them:
// · The part of the canvas that the first frame of an animation does not cover is transparent, whatever the background
//   colour is.
// · Unknown chunks are skipped, as the standard requires.
/// The frames of a WebP.
struct WebPContainer {
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

    private static let headBytes = 8

    /// - Throws: An error if there is no frame.
    init(_ content: Span<UInt8>, maxFrames: Int) throws(RenderingError) {
        guard let length = content.number32(4, .little), content.count >= 12 else {
            throw .truncated(byte: content.count)
        }
        let end = Self.headBytes + length
        if end + length % 2 < content.count {
            integrity = ImageIntegrity(.trailingBytes, checked: .structure, byte: end + length % 2)
        }
        var alphaStart: Int?
        var position = 12
        var dataEnd = position
        while position < min(end, content.count) {
            guard let count = content.number32(position + 4, .little) else { break }
            let data = position + Self.headBytes
            let next = data + count + count % 2
            if data + count > end {
                integrity = ImageIntegrity(.corrupt, checked: .structure, byte: position, part: "chunk")
            }
            if content.hasText("VP8X", at: position) {
                readCanvas(content, data)
            } else if content.hasText("ICCP", at: position), data + count <= content.count {
                profile = data..<data + count
            } else if content.hasText("ALPH", at: position) {
                alphaStart = position
            } else if content.hasText("VP8 ", at: position) || content.hasText("VP8L", at: position) {
                let start = alphaStart ?? position
                if frameCount == 0, !isAnimated { add(Self.still(start..<min(next, content.count)), maxFrames) }
            } else if content.hasText("ANMF", at: position), isAnimated {
                if let frame = Self.frame(content, data, min(data + count, content.count)) { add(frame, maxFrames) }
            }
            dataEnd = data + count
            position = next
        }
        if end > content.count, integrity.verdict != .corrupt {
            // The last padding byte may be missing.
            let isWhole = dataEnd == content.count && end - dataEnd == 1
            integrity = ImageIntegrity(isWhole ? .missingEnd : .truncated, checked: .structure, byte: content.count)
        }
        guard !frames.isEmpty else {
            if integrity.isDamage { throw RenderingError(integrity) }
            throw .corrupt(byte: min(position, content.count), part: "VP8")
        }
    }

    private mutating func readCanvas(_ content: Span<UInt8>, _ data: Int) {
        guard canvas == nil, let flags = content.byte(data), let width = content.number24(data + 4, .little),
            let height = content.number24(data + 7, .little)
        else { return }
        canvas = (width + 1, height + 1)
        isAnimated = (flags & 2) != 0
    }

    private mutating func add(_ frame: Frame, _ maxFrames: Int) {
        frameCount += 1
        if frames.count < maxFrames { frames.append(frame) }
    }

    private static func still(_ bytes: Range<Int>) -> Frame {
        Frame(left: 0, top: 0, size: nil, bytes: bytes)
    }

    private static func frame(_ content: Span<UInt8>, _ data: Int, _ end: Int) -> Frame? {
        guard let left = content.number24(data, .little), let top = content.number24(data + 3, .little),
            let width = content.number24(data + 6, .little), let height = content.number24(data + 9, .little),
            data + 16 < end
        else { return nil }
        return Frame(left: 2 * left, top: 2 * top, size: (width + 1, height + 1), bytes: data + 16..<end)
    }
}
