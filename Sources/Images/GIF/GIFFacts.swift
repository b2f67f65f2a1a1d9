internal import Serialization

// The facts in the blocks of a GIF, all of which are traversed; no pixel is decoded. The ambiguities are those of
// ``GIFBlocks``, and:
// · A screen without a width or height ends where its first frame does.
// · The number of repetitions is in an application extension of Netscape; without it, an animation is played once.
// · A delay is reported as stored. Browsers treat delays of less than 20 ms as 100 ms.

/// Reads the facts in the blocks of a GIF.
struct GIFFacts {
    static func read(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        guard let screen = GIFScreen(content) else { throw ImageError(.truncated, at: content.count) }
        var reader = GIFFacts(screen, pixelRatio: content[12], options)
        reader.readBlocks(content, screen, &budget)
        return reader.finish()
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.gif)
    private var loops: Int?
    private var duration = 0
    private var delays: [Int] = []

    private init(_ screen: GIFScreen, pixelRatio: UInt8, _ options: ImageHeader.Options) {
        self.options = options
        facts.width = screen.width
        facts.height = screen.height
        facts.color.model = .palette
        facts.color.channels = 1
        facts.color.bitsPerChannel = screen.colors?.bits
        facts.color.alpha = false
        facts.coding.compression = "lzw"
        facts.coding.progressive = false
        facts.lacksColors = screen.colors == nil
        guard pixelRatio != 0 else { return }
        facts.density = ImageDensity(x: 1, y: (Double(pixelRatio) + 15) / 64, unit: .aspect, source: .gif)
    }

    private mutating func readBlocks(_ content: Span<UInt8>, _ screen: GIFScreen, _ budget: inout HeaderBudget) {
        var blocks = GIFBlocks(at: screen.end)
        while facts.integrity.verdict == .unchecked, budget.step() {
            switch blocks.next(content) {
            case .frame(let frame):
                read(frame, screen, isFirst: blocks.frameCount == 1)
                if !blocks.skipFrame(content) { facts.integrity = blocks.truncated(content) }
            case .extension(let label, let start, let end):
                if blocks.control.transparentIndex != nil { facts.color.alpha = true }
                guard let end else { break }
                if label == 0xFE { readComment(content, start..<end, &budget) }
                if label == 0xFF { readApplication(content, start..<end, &budget) }
            case .end(let integrity): facts.integrity = integrity
            }
        }
        facts.frames = blocks.frameCount
        facts.mayHaveAllPixels = facts.integrity.verdict == .truncated && blocks.frameCount > 0
    }

    private mutating func read(_ frame: GIFFrame, _ screen: GIFScreen, isFirst: Bool) {
        if isFirst {
            (facts.width, facts.height) = screen.size(firstFrame: frame)
            facts.coding.progressive = frame.isInterlaced
            if let colors = frame.colors {
                facts.lacksColors = false
                facts.color.bitsPerChannel = max(facts.color.bitsPerChannel ?? 0, colors.bits)
            }
        }
        duration += frame.control.delayMilliseconds
        if delays.count < options.maxFrames { delays.append(frame.control.delayMilliseconds) }
    }

    /// Reads a comment (§24).
    private mutating func readComment(
        _ content: Span<UInt8>,
        _ subBlocks: Range<Int>,
        _ budget: inout HeaderBudget
    ) {
        guard options.readsTexts else { return }
        guard budget.take(of: .texts), budget.take(subBlocks.count, of: .copiedBytes) else {
            return facts.note(ImageFlaw(byte: subBlocks.lowerBound, part: "comment"), &budget)
        }
        facts.comments.append(.text(GIFBlocks.joined(content, subBlocks).span.text))
    }

    /// Reads an application extension (§26), whose first sub-block has eleven bytes.
    private mutating func readApplication(
        _ content: Span<UInt8>,
        _ subBlocks: Range<Int>,
        _ budget: inout HeaderBudget
    ) {
        let name = subBlocks.lowerBound + 1
        guard content.byte(name - 1) == 11 else { return }
        let data = name + 11..<subBlocks.upperBound
        if content.hasText("NETSCAPE2.0", at: name) || content.hasText("ANIMEXTS1.0", at: name) {
            if loops == nil, content.byte(data.lowerBound) == 3, content.byte(data.lowerBound + 1) == 1 {
                loops = content.number16(data.lowerBound + 2, .little)
            }
        } else if content.hasText("XMP DataXMP", at: name), options.readsTexts, facts.xmp == nil {
            // The packet is not in sub-blocks; it ends with 257 bytes that lead a reader of sub-blocks to the end.
            if data.count > 258 { facts.readXMP(content, data.dropLast(258), &budget) }
        } else if content.hasText("ICCRGBG1", at: name), facts.color.profile == nil {
            let profile = budget.take(data.count, of: .copiedBytes) ? GIFBlocks.joined(content, data) : []
            facts.readProfile(profile.span, 0..<profile.count, at: data.lowerBound, &budget)
        }
    }

    private consuming func finish() -> ImageFacts {
        // A screen without a size, and without a frame that has one.
        if facts.width == 0 { facts.width = nil }
        if facts.height == 0 { facts.height = nil }
        if facts.frames ?? 0 > 1 {
            facts.animation = ImageAnimation(
                loops: loops ?? 1,
                durationMilliseconds: duration,
                delaysMilliseconds: delays
            )
        }
        return facts
    }
}
