internal import Serialization

/// Reads the facts in the chunks of a WebP.
struct WebPFacts {
    static func read(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        guard var chunks = WebPChunks(content) else { throw ImageError(.truncated, at: content.count) }
        var reader = WebPFacts(options)
        while budget.step(), let chunk = chunks.next(content) { try reader.read(chunk, content, &budget) }
        guard reader.facts.width != nil else {
            if chunks.isTruncated { throw ImageError(.truncated, at: content.count) }
            throw ImageError(.corrupt(part: "VP8X"), at: min(chunks.offset, content.count))
        }
        reader.facts.integrity = chunks.integrity(content)
        return reader.finish()
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.webp)
    private var loops: Int?
    private var frames = 0
    private var duration = 0
    private var delays: [Int] = []
    private var isAnimated = false
    private var isLossy = false
    private var isLossless = false

    private init(_ options: ImageHeader.Options) { self.options = options }

    private mutating func read(
        _ chunk: WebPChunks.Chunk,
        _ content: Span<UInt8>,
        _ budget: inout HeaderBudget
    ) throws(ImageError) {
        let data = chunk.data
        let start = data.lowerBound
        switch chunk.type {
        case "VP8X": try readExtended(content, chunk)
        case "VP8 ": try readLossy(content, chunk)
        case "VP8L": try readLossless(content, chunk)
        case "ALPH": facts.color.alpha = true
        case "ANIM": if data.count >= 6 { loops = loops ?? content.number16(start + 4, .little) }
        case "ANMF": if isAnimated, let frame = WebPFrames.Frame(content, data) { read(frame, content) }
        case "ICCP":
            guard facts.color.profile == nil else { return }
            facts.readProfile(content, data, at: chunk.start, &budget)
        case "EXIF":
            guard !facts.hasEXIF else { return }
            // Some encoders write the name of the JPEG segment before it.
            let hasName = content.hasText("Exif\0", at: start) && data.count > 6
            facts.readEXIF(content, hasName ? data.dropFirst(6) : data, options, &budget)
        case "XMP ": if options.readsTexts, facts.xmp == nil { facts.readXMP(content, data, &budget) }
        default: break
        }
    }

    /// Reads a frame of an animation, whose first chunk determines its coding.
    private mutating func read(_ frame: WebPFrames.Frame, _ content: Span<UInt8>) {
        frames += 1
        duration += frame.delayMilliseconds
        if delays.count < options.maxFrames { delays.append(frame.delayMilliseconds) }
        let coding = frame.bytes.lowerBound
        isLossy = isLossy || content.hasText("VP8 ", at: coding) || content.hasText("ALPH", at: coding)
        isLossless = isLossless || content.hasText("VP8L", at: coding)
    }

    private mutating func readExtended(_ content: Span<UInt8>, _ chunk: WebPChunks.Chunk) throws(ImageError) {
        guard facts.width == nil else { return }
        guard let canvas = WebPChunks.Canvas(content, chunk.data) else { throw chunk.shortage(content, "VP8X") }
        (facts.width, facts.height, facts.color.alpha) = (canvas.width, canvas.height, canvas.hasAlpha)
        isAnimated = canvas.isAnimated
    }

    /// Reads the header of a lossy frame (RFC 6386 §9.1): a key frame begins with three bytes, a start code and the
    /// sides, 14 bits each.
    private mutating func readLossy(_ content: Span<UInt8>, _ chunk: WebPChunks.Chunk) throws(ImageError) {
        let data = chunk.data
        isLossy = true
        guard facts.width == nil else { return }
        guard data.count >= 10, let width = content.number16(data.lowerBound + 6, .little),
            let height = content.number16(data.lowerBound + 8, .little)
        else { throw chunk.shortage(content, "VP8") }
        guard content.number24(data.lowerBound + 3, .big) == 0x9D012A, width & 0x3FFF > 0, height & 0x3FFF > 0 else {
            throw ImageError(.corrupt(part: "VP8"), at: data.lowerBound)
        }
        facts.width = width & 0x3FFF
        facts.height = height & 0x3FFF
        facts.color.alpha = false
    }

    /// Reads the header of a lossless frame (RFC 9649 §3.4): a signature, the sides minus one with 14 bits each, an
    /// alpha flag, the version 0.
    private mutating func readLossless(_ content: Span<UInt8>, _ chunk: WebPChunks.Chunk) throws(ImageError) {
        let data = chunk.data
        isLossless = true
        guard facts.width == nil else { return }
        guard data.count >= 5, let bits = content.number32(data.lowerBound + 1, .little) else {
            throw chunk.shortage(content, "VP8L")
        }
        guard content[data.lowerBound] == 0x2F, bits >> 29 == 0 else {
            throw ImageError(.corrupt(part: "VP8L"), at: data.lowerBound)
        }
        facts.width = (bits & 0x3FFF) + 1
        facts.height = ((bits >> 14) & 0x3FFF) + 1
        facts.color.alpha = ((bits >> 28) & 1) == 1
    }

    private consuming func finish() -> ImageFacts {
        facts.frames = max(frames, 1)
        facts.color.bitsPerChannel = 8
        facts.color.model = isLossy ? .ycbcr : .rgb
        facts.color.subsampling = isLossy ? "4:2:0" : nil
        facts.color.channels = facts.color.alpha == true ? 4 : 3
        facts.coding.compression = isLossy && isLossless ? "mixed" : isLossy ? "lossy" : "lossless"
        if let loops, frames > 0 {
            facts.animation = ImageAnimation(loops: loops, durationMilliseconds: duration, delaysMilliseconds: delays)
        }
        facts.completeDensity()
        return facts
    }
}

extension WebPChunks.Chunk {
    /// Returns the error for data that is shorter than its contents: truncated if the content ends in the chunk.
    fileprivate func shortage(_ content: Span<UInt8>, _ part: String) -> ImageError {
        isWhole ? ImageError(.corrupt(part: part), at: start) : ImageError(.truncated, at: content.count)
    }
}
