internal import Serialization

// The blocks of a GIF (GIF89a specification; §-numbers refer to it):
//
//     "GIF89a" │ screen │ global colours │ { extensions, descriptor, colours, data }… │ 3B
//
// Extensions and the data of frames consist of sub-blocks of up to 255 bytes, each after its length; the length 0 ends
// them (§15, §16).
//
// Ambiguities of the format, and how we resolve them:
// · A graphic control extension of less than four bytes is ignored.
// · A GIF without its trailer is complete if all frames are.
// · After damage behind the first frame the picture is still complete: the damage is reported, and the frame is
//   displayed.

/// The logical screen (§18).
struct GIFScreen {
    /// The stored width in pixels, which may be 0; likewise `height`.
    let width: Int
    let height: Int
    let colors: GIFColors?
    /// The offset of the first block, which may be beyond the content.
    let end: Int

    /// Returns `nil` if the content ends before the colours.
    init?(_ content: Span<UInt8>) {
        guard let width = content.number16(6, .little), let height = content.number16(8, .little), content.count >= 13
        else { return nil }
        self.width = width
        self.height = height
        colors = GIFColors(flags: content[10], at: 13)
        end = 13 + (colors?.byteCount ?? 0)
    }

    /// Returns the size of the screen: a side of 0 ends where the first frame does.
    func size(firstFrame frame: GIFFrame) -> (width: Int, height: Int) {
        (width > 0 ? width : frame.left + frame.width, height > 0 ? height : frame.top + frame.height)
    }
}

/// The range of a colour table (§19, §21).
struct GIFColors {
    let start: Int
    let count: Int

    var byteCount: Int { 3 * count }
    /// The number of bits of an index.
    var bits: Int { count.trailingZeroBitCount }

    /// Returns `nil` if the flags indicate no table.
    init?(flags: UInt8, at start: Int) {
        guard (flags & 0x80) != 0 else { return nil }
        self.start = start
        count = 2 << Int(flags & 7)
    }
}

/// A graphic control extension, which applies to the frame after it (§23).
struct GIFControl {
    /// The handling of the frame before the next one is painted.
    enum Disposal {
        case keep
        case clear
        /// The previous content is restored.
        case restore
    }

    var disposal = Disposal.keep
    var transparentIndex: Int?
    var delayMilliseconds = 0

    fileprivate init() {}

    /// - Parameter start: The offset of the extension. Returns `nil` if its data is too short.
    fileprivate init?(_ content: Span<UInt8>, at start: Int) {
        guard let length = content.byte(start + 2), length >= 4, let flags = content.byte(start + 3),
            let hundredths = content.number16(start + 4, .little), let index = content.byte(start + 6)
        else { return nil }
        switch flags >> 2 & 7 {
        case 2: disposal = .clear
        // Some encoders mean 3 by 4. Other methods keep the frame.
        case 3, 4: disposal = .restore
        default: disposal = .keep
        }
        transparentIndex = (flags & 1) != 0 ? index : nil
        delayMilliseconds = 10 * hundredths
    }
}

/// The descriptor of a frame (§20).
struct GIFFrame {
    /// The offset of the descriptor.
    let start: Int
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let isInterlaced: Bool
    /// The frame's own table, or `nil` for that of the screen.
    let colors: GIFColors?
    let control: GIFControl
    /// The offset of its data, which begins with the minimum code size. It may be beyond the content.
    let dataStart: Int

    /// The number of pixels, below 2³².
    var pixelCount: Int { width * height }

    /// Returns `nil` if the content ends inside the descriptor.
    fileprivate init?(_ content: Span<UInt8>, at start: Int, _ control: GIFControl) {
        guard let left = content.number16(start + 1, .little), let top = content.number16(start + 3, .little),
            let width = content.number16(start + 5, .little), let height = content.number16(start + 7, .little),
            let flags = content.byte(start + 9)
        else { return nil }
        self.start = start
        self.left = left
        self.top = top
        self.width = width
        self.height = height
        self.control = control
        isInterlaced = (flags & 0x40) != 0
        colors = GIFColors(flags: UInt8(flags), at: start + 10)
        dataStart = start + 10 + (colors?.byteCount ?? 0)
    }
}

/// Iterates over the blocks after the screen.
struct GIFBlocks {
    enum Block {
        /// A frame, whose data must then be read or skipped.
        case frame(GIFFrame)
        /// An extension (§23 to §26). Its sub-blocks, which begin at `start`, were skipped up to `end`; this is `nil`
        /// if the content ends before them.
        case `extension`(label: Int, start: Int, end: Int?)
        /// The trailer, the end of the content, or damage.
        case end(ImageIntegrity)
    }

    /// The offset of the next block.
    private(set) var offset: Int
    /// The graphic control extension for the next frame.
    private(set) var control = GIFControl()
    /// The number of frames, of which the last may be incomplete.
    private(set) var frameCount = 0
    /// Whether the data of a frame ends within the content, so that the picture is complete despite later damage.
    private var hasWholeFrame = false

    init(at offset: Int) { self.offset = offset }

    mutating func next(_ content: Span<UInt8>) -> Block {
        let start = offset
        hasWholeFrame = frameCount > 0
        switch content.byte(start) {
        case 0x21:
            guard let label = content.byte(start + 1) else { return .end(truncated(content)) }
            if label == 0xF9, let control = GIFControl(content, at: start) { self.control = control }
            let isWhole = skipData(content, from: start + 2)
            return .extension(label: label, start: start + 2, end: isWhole ? offset : nil)
        case 0x2C:
            guard let frame = GIFFrame(content, at: start, control) else { return .end(truncated(content)) }
            control = GIFControl()
            frameCount += 1
            offset = frame.dataStart
            return .frame(frame)
        case 0x3B: return .end(ImageIntegrity(endingAt: start + 1, of: content, checked: .structure))
        case nil:
            guard hasWholeFrame, start == content.count else { return .end(truncated(content)) }
            return .end(ImageIntegrity(.missingEnd, checked: .structure, byte: content.count))
        default: return .end(damage(ImageIntegrity(.corrupt, checked: .structure, byte: start, part: "block")))
        }
    }

    /// Skips a frame's data without decoding it.
    /// - Returns: Whether it ends within the content.
    mutating func skipFrame(_ content: Span<UInt8>) -> Bool { skipData(content, from: offset + 1) }

    /// Skips sub-blocks, the first of which begins at `start`, and the terminator (§15, §16).
    mutating func skipData(_ content: Span<UInt8>, from start: Int) -> Bool {
        offset = start
        while let count = content.byte(offset) {
            offset += 1 + count
            if count == 0 { return true }
        }
        // No block begins at the end of such content.
        offset = content.count + 1
        return false
    }

    /// Returns the bytes of sub-blocks that end within the content.
    static func joined(_ content: Span<UInt8>, _ subBlocks: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(subBlocks.count)
        var offset = subBlocks.lowerBound
        while offset < subBlocks.upperBound {
            let next = offset + 1 + Int(content[offset])
            for index in offset + 1..<next { bytes.append(content[index]) }
            offset = next
        }
        return bytes
    }

    /// Returns the verdict on content that ends inside a block.
    func truncated(_ content: Span<UInt8>) -> ImageIntegrity {
        damage(ImageIntegrity(.truncated, checked: .structure, byte: content.count))
    }

    private func damage(_ integrity: ImageIntegrity) -> ImageIntegrity {
        hasWholeFrame ? integrity.withWholePicture : integrity
    }
}

// MARK: Frames

extension GIFBlocks {
    enum Step {
        case frame(GIFFrame)
        case end(ImageIntegrity)
    }

    /// Returns the next frame that can be decoded, or the end. Extensions are skipped.
    mutating func nextFrame(_ content: Span<UInt8>) -> Step {
        while true {
            switch next(content) {
            case .extension: continue
            case .frame(let frame):
                guard frame.width > 0, frame.height > 0 else {
                    let byte = frame.start + 5
                    return .end(
                        damage(ImageIntegrity(.corrupt, checked: .structure, byte: byte, part: "image descriptor"))
                    )
                }
                return frame.dataStart < content.count ? .frame(frame) : .end(truncated(content))
            case .end(let integrity): return .end(integrity)
            }
        }
    }

    /// Skips everything that is left, and returns the verdict on the end.
    mutating func skipRest(_ content: Span<UInt8>) -> ImageIntegrity {
        var hasSkipped = false
        while true {
            switch nextFrame(content) {
            case .frame:
                hasSkipped = true
                guard skipFrame(content) else { return truncated(content) }
            case .end(let integrity): return hasSkipped ? integrity : integrity.withAllFrames
            }
        }
    }
}

extension ImageIntegrity {
    /// The same verdict after all frames before the end were decoded.
    var withAllFrames: ImageIntegrity { verdict == .truncated || verdict == .corrupt ? self : withPixels }
}
