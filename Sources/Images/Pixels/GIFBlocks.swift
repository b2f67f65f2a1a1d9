internal import Serialization

// The blocks of a GIF (GIF89a specification; §-numbers refer to it):
//
//     "GIF89a" │ screen │ global colours │ { extensions, descriptor, colours, data }… │ 3B
//
// Ambiguities of the format, and how we resolve them:
// · A screen without a width or height has that of its first frame.
// · The part of a frame beyond the screen is ignored.
// · Pixels that no frame paints are transparent, whatever the background colour is, as in browsers; so are pixels
//   restored to the background.
// · Disposal method 4 is treated as 3, which some encoders mean by it; methods above 4 keep the frame.
// · A GIF without its trailer is complete if all frames are.
// · After damage behind the first frame the picture is still complete: the damage is reported, and the frame is
//   displayed.
// · A frame without any colour table is grey, from black to white.
/// The logical screen (§18).
struct GIFScreen {
    let width: Int
    let height: Int
    let colors: GIFColors?
    /// The offset of the first block.
    let end: Int

    /// - Throws: `truncated`.
    init(_ content: Span<UInt8>) throws(RenderingError) {
        guard let width = content.number16(6, .little), let height = content.number16(8, .little), content.count >= 13
        else { throw .truncated(byte: content.count) }
        self.width = width
        self.height = height
        colors = GIFColors(flags: content[10], at: 13)
        end = 13 + (colors?.byteCount ?? 0)
        guard end <= content.count else { throw .truncated(byte: content.count) }
    }
}

/// The position of a colour table (§19, §21).
struct GIFColors {
    let start: Int
    let count: Int

    var byteCount: Int { 3 * count }

    /// Returns `nil` if the flags indicate no table.
    init?(flags: UInt8, at start: Int) {
        guard (flags & 0x80) != 0 else { return nil }
        self.start = start
        count = 2 << Int(flags & 7)
    }
}

/// A frame: its descriptor (§20) and the graphic control extension before it (§23).
struct GIFFrame {
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let isInterlaced: Bool
    /// The frame's own table, or `nil` for that of the screen.
    let colors: GIFColors?
    let transparentIndex: Int?
    let disposal: Disposal
    /// The offset of its data, which begins with the minimum code size.
    let dataStart: Int

    /// The handling of the frame before the next one is painted.
    enum Disposal {
        case keep
        case clear
        /// The previous content is restored.
        case restore
    }

    /// The number of pixels, below 2³².
    var pixelCount: Int { width * height }
}

extension GIFFrame.Disposal {
    /// Reads the disposal method (§23, c).
    init(flags: Int) {
        switch flags >> 2 & 7 {
        case 2: self = .clear
        case 3, 4: self = .restore
        default: self = .keep
        }
    }
}

/// Iterates over the blocks.
struct GIFBlocks {
    enum Block {
        case frame(GIFFrame)
        /// The trailer; `end` is the offset after it.
        case trailer(end: Int)
        case damage(ImageIntegrity)
    }

    private(set) var position: Int
    /// Whether a frame has been found, so that the picture is complete despite later damage.
    private var hasFrame = false
    private var transparentIndex: Int?
    private var disposal = GIFFrame.Disposal.keep

    init(at position: Int) {
        self.position = position
    }

    /// Returns the next frame, whose data must then be read or skipped, or the end. Extensions are skipped.
    mutating func next(_ content: Span<UInt8>) -> Block {
        while position < content.count {
            switch content[position] {
            case 0x21:
                if content.number16(position, .big) == 0x21F9, let flags = content.byte(position + 3),
                    let index = content.byte(position + 6), content[position + 2] >= 4
                {
                    transparentIndex = (flags & 1) != 0 ? index : nil
                    disposal = GIFFrame.Disposal(flags: flags)
                }
                guard skipData(content, from: position + 2) else { return truncated(content) }
            case 0x2C:
                return readFrame(content)
            case 0x3B:
                return .trailer(end: position + 1)
            default:
                return damage(ImageIntegrity(.corrupt, checked: .structure, byte: position, part: "block"))
            }
        }
        guard hasFrame, position == content.count else { return truncated(content) }
        return .damage(ImageIntegrity(.missingEnd, checked: .structure, byte: content.count))
    }

    private mutating func readFrame(_ content: Span<UInt8>) -> Block {
        guard let left = content.number16(position + 1, .little), let top = content.number16(position + 3, .little),
            let width = content.number16(position + 5, .little), let height = content.number16(position + 7, .little),
            let flags = content.byte(position + 9)
        else { return truncated(content) }
        guard width > 0, height > 0 else {
            return damage(ImageIntegrity(.corrupt, checked: .structure, byte: position + 5, part: "image descriptor"))
        }
        let colors = GIFColors(flags: UInt8(flags), at: position + 10)
        let dataStart = position + 10 + (colors?.byteCount ?? 0)
        guard dataStart < content.count else { return truncated(content) }
        let frame = GIFFrame(
            left: left,
            top: top,
            width: width,
            height: height,
            isInterlaced: (flags & 0x40) != 0,
            colors: colors,
            transparentIndex: transparentIndex,
            disposal: disposal,
            dataStart: dataStart
        )
        transparentIndex = nil
        disposal = .keep
        position = dataStart
        hasFrame = true
        return .frame(frame)
    }

    /// Skips everything that is left, including frames.
    /// - Returns: The integrity of the content's end, and the number of skipped frames.
    mutating func skipRest(_ content: Span<UInt8>) -> (end: ImageIntegrity, frames: Int) {
        var frames = 0
        while true {
            switch next(content) {
            case .frame:
                frames += 1
                guard skipFrame(content) else {
                    let end = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
                    return (end.withWholePicture, frames)
                }
            case .trailer(let end):
                return (Self.integrity(endingAt: end, content, checked: frames == 0 ? .pixels : .structure), frames)
            case .damage(let integrity):
                return (integrity.verdict == .missingEnd && frames == 0 ? integrity.withPixels : integrity, frames)
            }
        }
    }

    /// Returns the verdict on content whose trailer was reached.
    static func integrity(endingAt end: Int, _ content: Span<UInt8>, checked: ImageIntegrity.Check) -> ImageIntegrity {
        end < content.count
            ? ImageIntegrity(.trailingBytes, checked: checked, byte: end)
            : ImageIntegrity(.complete, checked: checked)
    }

    /// Skips a frame's data without decoding it.
    /// - Returns: Whether it ends within the content.
    mutating func skipFrame(_ content: Span<UInt8>) -> Bool {
        skipData(content, from: position + 1)
    }

    /// Skips sub-blocks, the first of which begins at `start`, and the terminator (§15, §16).
    mutating func skipData(_ content: Span<UInt8>, from start: Int) -> Bool {
        position = start
        while let count = content.byte(position) {
            position += 1 + count
            if count == 0 { return true }
        }
        position = content.count
        return false
    }

    private func truncated(_ content: Span<UInt8>) -> Block {
        damage(ImageIntegrity(.truncated, checked: .structure, byte: content.count))
    }

    private func damage(_ integrity: ImageIntegrity) -> Block {
        .damage(hasFrame ? integrity.withWholePicture : integrity)
    }
}
