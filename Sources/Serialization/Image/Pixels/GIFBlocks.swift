// The blocks of a GIF (GIF89a specification; §-numbers are its):
//
//     "GIF89a" │ screen │ global colours │ { extensions, descriptor, colours, data }… │ 3B
//
// Loose ends, and our choice for each:
// · A screen of no width or height is as large as its first frame.
// · What of a frame stands beyond the screen is cut off.
// · What no frame paints is transparent, whatever the background colour, as in browsers; so is what is put back to it.
// · Disposal method 4 is 3, which some writers meant; those above 4 leave the frame where it is.
// · A GIF without its trailer is whole if all frames are.
// · Damage after the first frame leaves the picture whole: it is reported, and the frame is displayed.
// · A frame without any colour table is grey, from black to white.

/// The logical screen (§18).
struct GIFScreen {
    let width: Int
    let height: Int
    let colors: GIFColors?
    /// Where the blocks begin.
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

/// Where a table of colours is (§19, §21).
struct GIFColors {
    let start: Int
    let count: Int

    var byteCount: Int { 3 * count }

    /// Nil where the flags say that there is none.
    init?(flags: UInt8, at start: Int) {
        guard (flags & 0x80) != 0 else { return nil }
        self.start = start
        count = 2 << Int(flags & 7)
    }
}

/// A frame, as its descriptor has it (§20), and what the graphic control extension before it says (§23).
struct GIFFrame {
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let isInterlaced: Bool
    /// The frame's own; nil for the screen's.
    let colors: GIFColors?
    let transparentIndex: Int?
    let disposal: Disposal
    /// Where its data begins, at the size of the smallest code.
    let dataStart: Int

    /// What becomes of it before the next frame is painted.
    enum Disposal {
        case keep
        case clear
        /// What was there before it comes back.
        case restore
    }

    /// Below 2³².
    var pixelCount: Int { width * height }
}

extension GIFFrame.Disposal {
    /// §23, c.
    init(flags: Int) {
        switch flags >> 2 & 7 {
        case 2: self = .clear
        case 3, 4: self = .restore
        default: self = .keep
        }
    }
}

/// Goes from one block to the next.
struct GIFBlocks {
    enum Block {
        case frame(GIFFrame)
        /// The trailer, and what follows it.
        case trailer(end: Int)
        case damage(ImageIntegrity)
    }

    private(set) var position: Int
    /// Whether a frame has come, so that damage after it leaves the picture whole.
    private var hasFrame = false
    private var transparentIndex: Int?
    private var disposal = GIFFrame.Disposal.keep

    init(at position: Int) {
        self.position = position
    }

    /// The next frame, whose data is left to be read or skipped, or the end. Extensions are passed over.
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
            return damage(
                ImageIntegrity(.corrupt, checked: .structure, byte: position + 5, part: "image descriptor")
            )
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

    /// Passes over all that is left, frames included.
    /// - Returns: how the content ends, and how many frames were passed over.
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
                return (integrity, frames)
            }
        }
    }

    /// The verdict on content whose trailer was reached.
    static func integrity(
        endingAt end: Int,
        _ content: Span<UInt8>,
        checked: ImageIntegrity.Check
    ) -> ImageIntegrity {
        end < content.count
            ? ImageIntegrity(.trailingBytes, checked: checked, byte: end)
            : ImageIntegrity(.complete, checked: checked)
    }

    /// Passes over a frame's data, without a look at it.
    /// - Returns: whether it ends inside of the content.
    mutating func skipFrame(_ content: Span<UInt8>) -> Bool {
        skipData(content, from: position + 1)
    }

    /// Passes over sub-blocks, the first of which begins at `start`, and the terminator (§15, §16).
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
