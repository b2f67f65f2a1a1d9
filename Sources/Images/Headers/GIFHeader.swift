internal import Serialization

// All blocks of a GIF are traversed, sub-block by sub-block (GIF89a specification; §-numbers refer to it). No pixel is
// decoded. The ambiguities are those of ``GIFBlocks``, and:
// · The number of repetitions is in an application extension of Netscape; without it, an animation is played once.
// · A delay is reported as stored. Browsers treat delays of less than 20 ms as 100 ms.
/// Reads the blocks of a GIF.
struct GIFHeader {
    static func read(_ content: Span<UInt8>, _ options: ImageHeader.Options) throws(ImageError) -> ImageFacts {
        var header = GIFHeader(options)
        try header.readScreen(content)
        header.readBlocks(content)
        return header.finish()
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.gif)
    private var position = 13
    private var loops: Int?
    private var frames = 0
    private var delay = 0
    private var duration = 0
    private var delays: [Int] = []
    private var isTransparent = false
    /// The number of frames that are followed by the block that ends their data.
    private var wholeFrames = 0

    private init(_ options: ImageHeader.Options) {
        self.options = options
    }

    /// Reads the logical screen (§18).
    private mutating func readScreen(_ content: Span<UInt8>) throws(ImageError) {
        guard let width = content.number16(6, .little), let height = content.number16(8, .little), content.count >= 13
        else { throw ImageError(.truncated, at: content.count) }
        facts.width = width
        facts.height = height
        facts.color.model = .palette
        facts.color.channels = 1
        let flags = Int(content[10])
        facts.color.bitsPerChannel = (flags & 0x80) != 0 ? (flags & 7) + 1 : nil
        facts.coding.compression = "lzw"
        facts.coding.progressive = false
        if content[12] != 0 {
            let ratio = (Double(content[12]) + 15) / 64
            facts.density = ImageDensity(x: 1, y: ratio, unit: .aspect, source: .gif)
        }
        if (flags & 0x80) != 0 { position += 3 << ((flags & 7) + 1) }
        facts.lacksColors = (flags & 0x80) == 0
    }

    private mutating func readBlocks(_ content: Span<UInt8>) {
        while position < content.count {
            let start = position
            switch content[position] {
            case 0x21:
                guard readExtension(content) else { return endEarly(content) }
            case 0x2C:
                guard readFrame(content) else { return endEarly(content) }
            case 0x3B:
                if start + 1 < content.count {
                    facts.integrity = ImageIntegrity(.trailingBytes, checked: .structure, byte: start + 1)
                } else {
                    facts.integrity = ImageIntegrity(.complete, checked: .structure)
                }
                return
            default:
                let integrity = ImageIntegrity(.corrupt, checked: .structure, byte: start, part: "block")
                facts.integrity = frames > 0 ? integrity.withWholePicture : integrity
                return
            }
            wholeFrames = frames
        }
        guard frames > 0, position == content.count else { return endEarly(content) }
        facts.integrity = ImageIntegrity(.missingEnd, checked: .structure, byte: content.count)
    }

    private mutating func endEarly(_ content: Span<UInt8>) {
        let integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        facts.integrity = wholeFrames > 0 ? integrity.withWholePicture : integrity
        facts.mayHaveAllPixels = frames > 0
    }

    /// Reads an image descriptor (§20).
    private mutating func readFrame(_ content: Span<UInt8>) -> Bool {
        guard let width = content.number16(position + 5, .little), let height = content.number16(position + 7, .little),
            let flags = content.byte(position + 9)
        else { return false }
        if frames == 0 {
            // A screen without a size has the size of its first frame.
            if facts.width == 0 { facts.width = width }
            if facts.height == 0 { facts.height = height }
            facts.coding.progressive = (flags & 0x40) != 0
            if (flags & 0x80) != 0 { facts.lacksColors = false }
            if (flags & 0x80) != 0 {
                facts.color.bitsPerChannel = max(facts.color.bitsPerChannel ?? 0, (flags & 7) + 1)
            }
        }
        frames += 1
        duration += delay
        if delays.count < options.maxFrames { delays.append(delay) }
        delay = 0
        // The minimum code size, then data.
        return skipData(content, from: position + 11 + ((flags & 0x80) != 0 ? 3 << ((flags & 7) + 1) : 0))
    }

    private mutating func readExtension(_ content: Span<UInt8>) -> Bool {
        let start = position
        switch content.byte(start + 1) {
        // §23.
        case 0xF9:
            if let flags = content.byte(start + 3), let hundredths = content.number16(start + 4, .little) {
                delay = hundredths * 10
                isTransparent = isTransparent || (flags & 1) != 0
            }
            return skipData(content, from: start + 2)
        // §24.
        case 0xFE:
            guard skipData(content, from: start + 2) else { return false }
            if options.readsTexts {
                facts.addComment(.text(Self.text(content.joinedSubBlocks(from: start + 2))), at: start + 2)
            }
            return true
        // §26.
        case 0xFF: return readApplication(content, start)
        case nil: return false
        default: return skipData(content, from: start + 2)
        }
    }

    private mutating func readApplication(_ content: Span<UInt8>, _ start: Int) -> Bool {
        let data = start + 14
        guard skipData(content, from: start + 2) else { return false }
        guard content.byte(start + 2) == 11 else { return true }
        if content.hasText("NETSCAPE2.0", at: start + 3) || content.hasText("ANIMEXTS1.0", at: start + 3) {
            if loops == nil, content.byte(data) == 3, content.byte(data + 1) == 1 {
                loops = content.number16(data + 2, .little)
            }
        } else if content.hasText("XMP DataXMP", at: start + 3), options.readsTexts, facts.xmp == nil {
            // The packet is not in sub-blocks; it ends with 257 bytes that lead a reader of sub-blocks to the end.
            let end = position - 258
            if end > data { facts.readXMP(content, data..<end) }
        } else if content.hasText("ICCRGBG1", at: start + 3), facts.color.profile == nil {
            if case .profile(let profile) = ICCProfile.read(content.joinedSubBlocks(from: data).span, bytes: nil) {
                facts.color.profile = profile
            } else {
                facts.note(ImageFlaw(byte: data, part: "ICC profile"))
            }
        }
        return true
    }

    /// Skips sub-blocks and the terminator (§15, §16).
    private mutating func skipData(_ content: Span<UInt8>, from start: Int) -> Bool {
        position = start
        while let count = content.byte(position) {
            position += 1 + count
            if count == 0 { return true }
        }
        position = content.count
        return false
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? bytes.span.latin1Text
    }

    private consuming func finish() -> ImageFacts {
        // A screen without a size, and without a frame that has one.
        if facts.width == 0 { facts.width = nil }
        if facts.height == 0 { facts.height = nil }
        facts.frames = frames
        facts.color.alpha = isTransparent
        if frames > 1 {
            facts.animation = ImageAnimation(
                loops: loops ?? 1,
                durationMilliseconds: duration,
                delaysMilliseconds: delays
            )
        }
        return facts
    }
}

extension Span<UInt8> {
    /// Returns the bytes of the sub-blocks from `start`, at most 1 MiB.
    fileprivate func joinedSubBlocks(from start: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = start
        while let length = byte(position), length > 0, position + 1 + length <= count,
            bytes.count < ImageHeader.Options.maxInflatedBytes
        {
            for index in position + 1..<position + 1 + length { bytes.append(self[index]) }
            position += 1 + length
        }
        return bytes
    }
}
