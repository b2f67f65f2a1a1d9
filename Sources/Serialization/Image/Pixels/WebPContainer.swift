// The chunks of a WebP (RFC 9649 §2): RIFF's, a name and a length before each, padded to two bytes.
//
//     RIFF length WEBP │ VP8X flags canvas │ ICCP │ ALPH │ VP8 …
//     RIFF length WEBP │ VP8X │ ANIM │ ANMF place size time [ALPH │ VP8 …] │ ANMF …
//
// Loose ends, and our choice for each:
// · What an animation's first frame leaves free of the canvas is transparent, whatever the background colour.
// · Unknown chunks are passed over, as the standard asks.

/// Where the frames of a WebP are.
struct WebPContainer {
    struct Frame {
        let left: Int
        let top: Int
        /// Nil where only the frame's own data says it.
        let size: (width: Int, height: Int)?
        /// From its ALPH or VP8 chunk on; ends with the content at the latest.
        let bytes: Range<Int>
    }

    /// In pixels; nil where there is no VP8X chunk.
    private(set) var canvas: (width: Int, height: Int)?
    private(set) var profile: Range<Int>?
    private(set) var isAnimated = false
    /// The first ones, up to a number that was given; all of them are counted.
    private(set) var frames: [Frame] = []
    private(set) var frameCount = 0
    /// What is wrong with the chunks, or follows them; complete where nothing does.
    private(set) var integrity = ImageIntegrity(.complete, checked: .structure)

    private static let headBytes = 8

    /// - Throws: where there is no frame.
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
            if content.stands("VP8X", at: position) {
                readCanvas(content, data)
            } else if content.stands("ICCP", at: position), data + count <= content.count {
                profile = data..<data + count
            } else if content.stands("ALPH", at: position) {
                alphaStart = position
            } else if content.stands("VP8 ", at: position) || content.stands("VP8L", at: position) {
                let start = alphaStart ?? position
                if frameCount == 0, !isAnimated { add(Self.still(start..<min(next, content.count)), maxFrames) }
            } else if content.stands("ANMF", at: position), isAnimated {
                if let frame = Self.frame(content, data, min(data + count, content.count)) { add(frame, maxFrames) }
            }
            dataEnd = data + count
            position = next
        }
        if end > content.count, integrity.verdict != .corrupt {
            // The last byte of padding may be missing.
            let isWhole = dataEnd == content.count && end - dataEnd == 1
            integrity = ImageIntegrity(
                isWhole ? .missingEnd : .truncated,
                checked: .structure,
                byte: content.count
            )
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
