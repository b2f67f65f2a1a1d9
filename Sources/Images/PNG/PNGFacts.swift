internal import Serialization

// The facts in the chunks of a PNG. All chunks are traversed; the data of IDAT is not read. The checksums of short
// ancillary chunks are checked, and those of the chunks without which no image is displayed.
//
// Ambiguities of the standard, and how we resolve them, in addition to those of ``PNGChunks``:
// · If the content ends or is corrupt after the first IDAT, all pixels may still be intact. Only decoding shows that.
// · Broken metadata is omitted with a warning; the image counts as complete.
// · If a chunk that may occur once occurs several times, the first one counts.
// · tRNS before PLTE has no effect, as in libpng.

/// Reads the facts in the chunks of a PNG.
struct PNGFacts {
    static func read(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        var chunks = PNGChunks(content, maxCheckedBytes: budget.rest(of: .checkedBytes))
        guard let header = chunks.header else {
            throw ImageError(of: RenderingError(chunks.fault ?? chunks.endIntegrity(content)))
        }
        var reader = PNGFacts(header, options)
        if chunks.isAppleVariant { reader.facts.undecodedFeature = "Apple's CgBI variant of PNG" }
        while reader.fault == nil, budget.step(), let chunk = chunks.next(content) {
            reader.read(chunk, content, hasData: chunks.hasData, &budget)
        }
        return reader.finish(content, chunks)
    }

    private let options: ImageHeader.Options
    private let colorType: Int
    private var facts = ImageFacts(.png)
    private var hasTransparency = false
    /// The repetitions of an animation, or `nil` if there is none.
    private var loops: Int?
    private var declaredFrames = 0
    private var milliseconds = 0.0
    private var delays: [Int] = []
    private var hasProfile = false
    /// The first chunk that is not allowed at its position, or has invalid values without which no image is displayed.
    private var fault: ImageIntegrity?

    private init(_ header: PNGChunks.Header, _ options: ImageHeader.Options) {
        self.options = options
        colorType = header.colorType
        facts.width = header.width
        facts.height = header.height
        facts.color.bitsPerChannel = header.depth
        facts.coding.progressive = header.isInterlaced
        facts.coding.compression = "deflate"
    }

    private mutating func read(
        _ chunk: PNGChunks.Chunk,
        _ content: Span<UInt8>,
        hasData: Bool,
        _ budget: inout HeaderBudget
    ) {
        let data = chunk.data
        switch chunk.type {
        case "IHDR": fault = ImageIntegrity(.corrupt, checked: .structure, byte: chunk.start, part: "IHDR")
        case "PLTE":
            guard data.count % 3 == 0, 3...768 ~= data.count else {
                fault = ImageIntegrity(.corrupt, checked: .structure, byte: chunk.start, part: "PLTE")
                return
            }
            hasTransparency = false
        // After the image data it has no effect, as in libpng.
        case "tRNS": hasTransparency = hasTransparency || !hasData
        case "acTL": if !hasData { readAnimationControl(content, data) }
        case "fcTL": readFrameControl(content, data)
        case "pHYs": readDensity(content, data)
        case "iCCP":
            guard !hasProfile else { return }
            hasProfile = true
            facts.color.profile = readProfile(content, data, &budget)
            if facts.color.profile == nil { facts.note(chunk, &budget) }
        case "eXIf":
            if !facts.hasEXIF { facts.readEXIF(content, data, options, &budget) }
        case "tEXt", "zTXt", "iTXt": facts.readText(chunk, content, options, &budget)
        default: break
        }
    }

    // MARK: Animation

    /// Reads the animation control (APNG, "acTL").
    private mutating func readAnimationControl(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard loops == nil, data.count == 8, let frames = content.number32(data.lowerBound, .big),
            let plays = content.number32(data.lowerBound + 4, .big), frames > 0
        else { return }
        declaredFrames = frames
        loops = plays
    }

    /// Reads the frame control (APNG, "fcTL"): the delay is a fraction of a second, where the denominator 0 means 100.
    private mutating func readFrameControl(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard loops != nil, data.count == 26, let numerator = content.number16(data.lowerBound + 20, .big),
            let denominator = content.number16(data.lowerBound + 22, .big)
        else { return }
        let delay = Double(numerator) * 1_000 / Double(denominator == 0 ? 100 : denominator)
        milliseconds += delay
        if delays.count < options.maxFrames { delays.append(Int(delay.rounded())) }
    }

    // MARK: Metadata

    /// Reads the density (§11.3.4.3).
    private mutating func readDensity(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard facts.density == nil, data.count == 9, let x = content.number32(data.lowerBound, .big),
            let y = content.number32(data.lowerBound + 4, .big), x > 0, y > 0
        else { return }
        let unit: ImageDensity.Unit = content[data.lowerBound + 8] == 1 ? .meter : .aspect
        facts.density = ImageDensity(x: Double(x), y: Double(y), unit: unit, source: .phys)
    }

    /// Reads the profile (§11.3.2.3): a name, NUL, the method 0, a zlib stream.
    private func readProfile(
        _ content: Span<UInt8>,
        _ data: Range<Int>,
        _ budget: inout HeaderBudget
    ) -> ICCProfile? {
        guard let nameEnd = content.terminator(in: data.prefix(80)), nameEnd + 2 < data.upperBound,
            content[nameEnd + 1] == 0
        else { return nil }
        let stream = content.extracting(first: data.upperBound).extracting(droppingFirst: nameEnd + 2)
        return ICCProfile.read(bytes: nil) { budget.inflate(stream, prefix: $0) }
    }

    // MARK: Derived facts

    private consuming func finish(_ content: Span<UInt8>, _ chunks: PNGChunks) -> ImageFacts {
        switch colorType {
        case 0: (facts.color.model, facts.color.channels) = (.gray, 1)
        case 2: (facts.color.model, facts.color.channels) = (.rgb, 3)
        case 3: (facts.color.model, facts.color.channels) = (.palette, 1)
        case 4: (facts.color.model, facts.color.channels) = (.gray, 2)
        default: (facts.color.model, facts.color.channels) = (.rgb, 4)
        }
        facts.color.alpha = colorType >= 4 || hasTransparency
        facts.frames = loops == nil ? 1 : declaredFrames
        if let loops {
            facts.animation = ImageAnimation(
                loops: loops,
                durationMilliseconds: Int(milliseconds.rounded()),
                delaysMilliseconds: delays
            )
        }
        facts.completeDensity()
        if let fault = fault ?? chunks.fault {
            facts.integrity = fault
            facts.mayHaveAllPixels = chunks.hasData
        } else if !chunks.hasData {
            facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: chunks.end?.start, part: "IDAT")
        } else {
            facts.integrity = chunks.flaw ?? chunks.endIntegrity(content)
        }
        return facts
    }
}

extension ImageFacts {
    /// Lists a broken chunk.
    mutating func note(_ chunk: PNGChunks.Chunk, _ budget: inout HeaderBudget) {
        note(ImageFlaw(byte: chunk.start, part: chunk.type.name), &budget)
    }
}
