internal import Serialization

// A WebP is a RIFF file: chunks of `type length data`, with little-endian lengths and data padded to an even length
// (RFC 9649). The first chunk determines the kind: VP8, VP8L, or VP8X, which any number of chunks follow.
/// Reads the chunks of a WebP.
struct WebPHeader {
    static func read(_ content: Span<UInt8>, _ options: ImageHeader.Options) throws(ImageError) -> ImageFacts {
        var header = WebPHeader(options)
        try header.readChunks(content)
        return header.finish()
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.webp)
    private var loops: Int?
    private var frames = 0
    private var duration = 0
    private var delays: [Int] = []
    private var isLossy = false
    private var isLossless = false

    private init(_ options: ImageHeader.Options) {
        self.options = options
    }

    private mutating func readChunks(_ content: Span<UInt8>) throws(ImageError) {
        guard let length = content.number32(4, .little) else { throw ImageError(.truncated, at: content.count) }
        let end = 8 + length
        var position = 12
        var dataEnd = position
        while position + 8 <= min(end, content.count), let bytes = content.number32(position + 4, .little) {
            let data = position + 8..<min(position + 8 + bytes, content.count)
            try read(content, at: position, data)
            dataEnd = position + 8 + bytes
            if dataEnd > end, facts.integrity.verdict == .unchecked {
                facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: position, part: "chunk")
            }
            position += 8 + bytes + bytes % 2
        }
        guard facts.width != nil else {
            if end > content.count { throw ImageError(.truncated, at: content.count) }
            throw ImageError(.corrupt(part: "VP8X"), at: min(position, content.count))
        }
        if facts.integrity.verdict == .corrupt { return }
        if end > content.count {
            // The last padding byte may be missing.
            let isWhole = dataEnd == content.count && end - dataEnd == 1
            facts.integrity = ImageIntegrity(
                isWhole ? .missingEnd : .truncated,
                checked: .structure,
                byte: content.count
            )
        } else if end + length % 2 < content.count {
            facts.integrity = ImageIntegrity(.trailingBytes, checked: .structure, byte: end + length % 2)
        } else {
            facts.integrity = ImageIntegrity(.complete, checked: .structure)
        }
    }

    private mutating func read(_ content: Span<UInt8>, at position: Int, _ data: Range<Int>) throws(ImageError) {
        let start = data.lowerBound
        if content.hasText("VP8X", at: position) {
            try readExtended(content, data)
        } else if content.hasText("VP8 ", at: position) {
            try readLossy(content, data)
        } else if content.hasText("VP8L", at: position) {
            try readLossless(content, data)
        } else if content.hasText("ALPH", at: position) {
            facts.color.alpha = true
        } else if content.hasText("ANIM", at: position) {
            loops = loops ?? content.number16(start + 4, .little)
        } else if content.hasText("ANMF", at: position), data.count >= 16,
            let delay = content.number24(start + 12, .little)
        {
            frames += 1
            duration += delay
            if delays.count < options.maxFrames { delays.append(delay) }
            // The first chunk of the frame determines its coding.
            isLossy = isLossy || content.hasText("VP8 ", at: start + 16) || content.hasText("ALPH", at: start + 16)
            isLossless = isLossless || content.hasText("VP8L", at: start + 16)
        } else if content.hasText("ICCP", at: position), facts.color.profile == nil {
            if case .profile(let profile) = ICCProfile.read(content.extracting(data), bytes: data.count) {
                facts.color.profile = profile
            } else {
                facts.note(ImageFlaw(byte: position, part: "ICC profile"))
            }
        } else if content.hasText("EXIF", at: position), !facts.hasEXIF {
            // Some encoders write the name of the JPEG segment before it.
            let hasName = content.hasText("Exif\0", at: start) && data.count > 6
            facts.readEXIF(content, hasName ? start + 6..<data.upperBound : data, options)
        } else if content.hasText("XMP ", at: position), options.readsTexts, facts.xmp == nil {
            facts.readXMP(content, data)
        }
    }

    /// Reads the VP8X chunk (RFC 9649 §2.7).
    private mutating func readExtended(_ content: Span<UInt8>, _ data: Range<Int>) throws(ImageError) {
        guard facts.width == nil else { return }
        guard data.count >= 10, let width = content.number24(data.lowerBound + 4, .little),
            let height = content.number24(data.lowerBound + 7, .little)
        else { throw ImageError(.truncated, at: content.count) }
        facts.width = width + 1
        facts.height = height + 1
        facts.color.alpha = (content[data.lowerBound] & 0x10) != 0
    }

    /// Reads the header of a lossy frame (RFC 6386 §9.1): a key frame begins with three bytes, a start code and the
    /// sides, 14 bits each.
    private mutating func readLossy(_ content: Span<UInt8>, _ data: Range<Int>) throws(ImageError) {
        isLossy = true
        guard facts.width == nil else { return }
        guard data.count >= 10, let width = content.number16(data.lowerBound + 6, .little),
            let height = content.number16(data.lowerBound + 8, .little)
        else { throw ImageError(.truncated, at: content.count) }
        guard content.number24(data.lowerBound + 3, .big) == 0x9D012A, width & 0x3FFF > 0, height & 0x3FFF > 0 else {
            throw ImageError(.corrupt(part: "VP8"), at: data.lowerBound)
        }
        facts.width = width & 0x3FFF
        facts.height = height & 0x3FFF
        facts.color.alpha = false
    }

    /// Reads the header of a lossless frame (RFC 9649 §3.4): a signature, the sides minus one with 14 bits each, an
    /// alpha flag, the version 0.
    private mutating func readLossless(_ content: Span<UInt8>, _ data: Range<Int>) throws(ImageError) {
        isLossless = true
        guard facts.width == nil else { return }
        guard data.count >= 5, let bits = content.number32(data.lowerBound + 1, .little) else {
            throw ImageError(.truncated, at: content.count)
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
