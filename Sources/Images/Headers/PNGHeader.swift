internal import Serialization

// A PNG is a sequence of chunks, `length type data CRC` (ISO/IEC 15948 §5.3). All of them are traversed, which checks
// the structure; the data of IDAT is not read. The CRC is checked for all critical chunks except IDAT, and for short
// ancillary chunks.
//
// Ambiguities of the standard, and how we resolve them:
// · A chunk before IHDR, or an IHDR that is not the first or does not have 13 bytes: corrupt. Exception: CgBI, Apple's
//   variant, which is not decoded; its facts are still reported.
// · An ancillary chunk with a wrong CRC is omitted, as in libpng. The image is corrupt there, and is displayed.
// · If the content ends or is corrupt after the first IDAT, all pixels may still be intact. Only decoding shows that.
// · Broken metadata is omitted with a warning; the image counts as complete.
// · If a chunk that may occur once occurs several times, the first one counts.
// · tRNS before PLTE has no effect, as in libpng.
/// Reads the chunks of a PNG.
struct PNGHeader {
    static func read(_ content: Span<UInt8>, _ options: ImageHeader.Options) throws(ImageError) -> ImageFacts {
        var header = PNGHeader(content, options)
        try header.readChunks(content)
        return header.finish()
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.png)
    private var colorType = 0
    private var hasTransparency = false
    private var hasData = false
    private var loops: Int?
    private var declaredFrames = 0
    private var durationNumerator = 0.0
    private var delays: [Int] = []
    /// The number of bytes that may still be decompressed.
    private var inflatableBytes: Int
    /// The number of texts that were decompressed, or could not be.
    private var inflations = 0
    private var hasProfile = false
    private var checkedBytes = 0
    /// The first ancillary chunk whose CRC is wrong.
    private var flawedChunk: (type: PNGChunk, start: Int)?

    /// The maximum number of bytes in ancillary chunks whose CRC is checked: more would take longer than everything
    /// else.
    private static let maxCheckedBytes = 64 << 10

    private init(_ content: Span<UInt8>, _ options: ImageHeader.Options) {
        self.options = options
        inflatableBytes = ImageHeader.Options.inflatableBytes(of: content)
    }

    // MARK: Chunks

    private mutating func readChunks(_ content: Span<UInt8>) throws(ImageError) {
        var position = 8
        var isFirst = true
        while true {
            guard let length = content.number32(position, .big), position + 8 <= content.count else {
                return try endEarly(content)
            }
            let type = PNGChunk(rawValue: UInt32(content.number32(position + 4, .big) ?? 0))
            guard length <= Int(Int32.max), type.isValid else {
                return try corrupt(type.name, at: position)
            }
            let data = position + 8..<position + 8 + length
            guard data.upperBound + 4 <= content.count else {
                if isFirst { throw ImageError(.truncated, at: content.count) }
                // The pixels can be complete without the end of their checksums.
                if type == .idat { hasData = true }
                return try endEarly(content)
            }
            if isFirst {
                if type == .cgbi {
                    facts.undecodedFeature = "Apple's CgBI variant of PNG"
                    position = data.upperBound + 4
                    continue
                }
                guard type == .ihdr else { throw ImageError(.corrupt(part: "IHDR"), at: position) }
            }
            if isChecked(type, data), !content.hasValidCRC(position + 4..<data.upperBound) {
                guard type != .ihdr else { throw ImageError(.corrupt(part: "IHDR"), at: position) }
                guard type.isAncillary else { return try corrupt(type.name, at: position) }
                if flawedChunk == nil { flawedChunk = (type, position) }
                position = data.upperBound + 4
                continue
            }
            if isFirst {
                try readIHDR(content, data)
                isFirst = false
            } else if type == .iend {
                end(content, at: data.upperBound + 4, position)
                return
            } else {
                guard try read(type, content, data, position) else { return }
            }
            position = data.upperBound + 4
        }
    }

    /// - Returns: Whether the traversal continues.
    private mutating func read(
        _ type: PNGChunk,
        _ content: Span<UInt8>,
        _ data: Range<Int>,
        _ position: Int
    ) throws(ImageError) -> Bool {
        switch type {
        case .ihdr:
            try corrupt("IHDR", at: position)
            return false
        case .idat: hasData = true
        case .fctl: readFrameControl(content, data)
        case .actl: readAnimationControl(content, data)
        case .plte:
            guard data.count % 3 == 0, data.count <= 768, !data.isEmpty else {
                try corrupt("PLTE", at: position)
                return false
            }
            hasTransparency = false
        case .trns: hasTransparency = true
        case .phys: readDensity(content, data)
        case .iccp: readProfile(content, data)
        case .exif:
            if !facts.hasEXIF { facts.readEXIF(content, data, options) }
        case .text: readText(content, data)
        case .ztxt: readCompressedText(content, data)
        case .itxt: readInternationalText(content, data)
        default: break
        }
        return true
    }

    /// Reads the image header (§11.2.2).
    private mutating func readIHDR(_ content: Span<UInt8>, _ data: Range<Int>) throws(ImageError) {
        let start = data.lowerBound
        guard data.count == 13, let width = content.number32(start, .big),
            let height = content.number32(start + 4, .big), 1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height
        else { throw ImageError(.corrupt(part: "IHDR"), at: start - 8) }
        let depth = Int(content[start + 8])
        colorType = Int(content[start + 9])
        // Table 12: the bit depths for each colour type.
        let depths: [Int]? =
            switch colorType {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: nil
            }
        guard let depths, depths.contains(depth), content[start + 10] == 0, content[start + 11] == 0,
            content[start + 12] <= 1
        else { throw ImageError(.corrupt(part: "IHDR"), at: start - 8) }
        facts.width = width
        facts.height = height
        facts.color.bitsPerChannel = depth
        facts.coding.progressive = content[start + 12] == 1
        facts.coding.compression = "deflate"
    }

    // MARK: The end

    private mutating func end(_ content: Span<UInt8>, at end: Int, _ position: Int) {
        if !hasData {
            facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: position, part: "IDAT")
        } else if let (type, start) = flawedChunk {
            facts.integrity =
                ImageIntegrity(.corrupt, checked: .structure, byte: start, part: type.name).withWholePicture
        } else if end < content.count {
            facts.integrity = ImageIntegrity(.trailingBytes, checked: .structure, byte: end)
        } else {
            facts.integrity = ImageIntegrity(.complete, checked: .structure)
        }
    }

    private mutating func endEarly(_ content: Span<UInt8>) throws(ImageError) {
        guard facts.width != nil else { throw ImageError(.truncated, at: content.count) }
        facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        facts.mayHaveAllPixels = hasData
    }

    private mutating func corrupt(_ part: String, at byte: Int) throws(ImageError) {
        guard facts.width != nil else { throw ImageError(.corrupt(part: part), at: byte) }
        facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: byte, part: part)
        facts.mayHaveAllPixels = hasData
    }

    // MARK: Animation

    /// Reads the animation control (APNG, "acTL").
    private mutating func readAnimationControl(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard !hasData, loops == nil, data.count == 8, let frames = content.number32(data.lowerBound, .big),
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
        let milliseconds = Double(numerator) * 1_000 / Double(denominator == 0 ? 100 : denominator)
        durationNumerator += milliseconds
        if delays.count < options.maxFrames { delays.append(Int(milliseconds.rounded())) }
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
    private mutating func readProfile(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard !hasProfile else { return }
        hasProfile = true
        guard let nameEnd = content.terminator(in: data.prefix(80)), nameEnd + 2 < data.upperBound,
            content[nameEnd + 1] == 0
        else { return flaw(data, "iCCP") }
        let stream = content.extracting(nameEnd + 2..<data.upperBound)
        // The profile's header contains its length and the position of the description; no more than that is
        // decompressed.
        var limit = 1_024
        for _ in 0..<3 {
            guard let profile = ZlibStream.content(of: stream, prefix: limit) else { return flaw(data, "iCCP") }
            inflatableBytes -= profile.count
            switch ICCProfile.read(profile.span, bytes: nil) {
            case .profile(let read):
                facts.color.profile = read
                return
            case .needs(let bytes):
                guard profile.count == limit, bytes <= inflatableBytes, bytes > limit else {
                    return flaw(data, "iCCP")
                }
                limit = bytes
            case .malformed: return flaw(data, "iCCP")
            }
        }
    }

    /// Reads a text (§11.3.3.2): keyword, NUL, text in ISO 8859-1.
    private mutating func readText(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard let (keyword, end) = keyword(content, data) else { return }
        let text = end + 1..<data.upperBound
        guard !readRawProfile(keyword, content.extracting(text), at: data.lowerBound), options.readsTexts else {
            return
        }
        facts.add(keyword, .latin1(text))
    }

    /// Reads a compressed text (§11.3.3.3): keyword, NUL, the method 0, a zlib stream of ISO 8859-1.
    private mutating func readCompressedText(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard let (keyword, end) = keyword(content, data), options.readsTexts || Self.isRawProfile(keyword) else {
            return
        }
        guard end + 2 <= data.upperBound, content[end + 1] == 0,
            let text = inflate(content.extracting(end + 2..<data.upperBound))
        else { return flaw(data, "zTXt") }
        guard !readRawProfile(keyword, text.span, at: data.lowerBound), options.readsTexts else { return }
        facts.add(keyword, .text(text.span.latin1Text))
    }

    private static func isRawProfile(_ keyword: String) -> Bool {
        keyword == "Raw profile type exif" || keyword == "Raw profile type APP1"
    }

    /// Reads EXIF in the form that ImageMagick used before eXIf existed: a name, the length, and EXIF in hexadecimal
    /// digits.
    /// - Parameter place: The offset in the content, for flaws.
    /// - Returns: Whether the text was in this form and is not for people.
    private mutating func readRawProfile(_ keyword: String, _ text: Span<UInt8>, at place: Int) -> Bool {
        guard Self.isRawProfile(keyword), !facts.hasEXIF, let bytes = text.rawProfile else { return false }
        let start = bytes.span.hasText("Exif\0\0", at: 0) ? 6 : 0
        guard EXIF(bytes.span, in: start..<bytes.count) != nil else { return false }
        let flawCount = facts.flaws.count
        facts.readEXIF(bytes.span, start..<bytes.count, options)
        for index in flawCount..<facts.flaws.count { facts.flaws[index].byte = place }
        facts.exifContent = bytes
        // The thumbnail is not in the content.
        facts.embeddedThumbnail = nil
        return true
    }

    /// Reads an international text (§11.3.3.4): keyword, NUL, flag, method, language, NUL, translated keyword, NUL,
    /// text in UTF-8.
    private mutating func readInternationalText(_ content: Span<UInt8>, _ data: Range<Int>) {
        guard options.readsTexts, let (keyword, end) = keyword(content, data) else { return }
        let isXMP = keyword == "XML:com.adobe.xmp"
        guard !isXMP || facts.xmp == nil else { return }
        guard end + 3 <= data.upperBound,
            let language = content.terminator(in: end + 3..<data.upperBound),
            let translated = content.terminator(in: language + 1..<data.upperBound)
        else { return flaw(data, "iTXt") }
        let text = translated + 1..<data.upperBound
        var place = ImageTextPlace.utf8(text)
        if content[end + 1] == 1 {
            guard content[end + 2] == 0, let inflated = inflate(content.extracting(text)) else {
                return flaw(data, "iTXt")
            }
            place = .text(String(decoding: inflated, as: UTF8.self))
        }
        if isXMP {
            if case .utf8(let range) = place {
                facts.readXMP(content, range)
            } else {
                facts.xmp = place
            }
        } else {
            facts.add(keyword, place)
        }
    }

    /// Returns the keyword and the offset of the NUL after it, or `nil` if texts are not requested.
    private mutating func keyword(_ content: Span<UInt8>, _ data: Range<Int>) -> (String, Int)? {
        guard facts.texts.count < ImageHeader.Options.maxTexts,
            let end = content.terminator(in: data.prefix(80)), end > data.lowerBound
        else {
            if options.readsTexts { flaw(data, "tEXt") }
            return nil
        }
        return (content.extracting(data.lowerBound..<end).latin1Text, end)
    }

    /// Decompresses a complete zlib stream, within the limits for the number of streams and for their total length.
    private mutating func inflate(_ stream: Span<UInt8>) -> [UInt8]? {
        guard inflatableBytes > 0, inflations < ImageHeader.Options.maxTexts else { return nil }
        inflations += 1
        return ZlibStream.content(of: stream, within: &inflatableBytes)
    }

    private mutating func flaw(_ data: Range<Int>, _ part: String) {
        facts.note(ImageFlaw(byte: data.lowerBound - 8, part: part))
    }

    // MARK: Derived facts

    private consuming func finish() -> ImageFacts {
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
                durationMilliseconds: Int(durationNumerator.rounded()),
                delaysMilliseconds: delays
            )
        }
        facts.completeDensity()
        return facts
    }

    /// Returns whether the CRC of a chunk is checked: it is short, and its contents are reported.
    private mutating func isChecked(_ type: PNGChunk, _ data: Range<Int>) -> Bool {
        if type == .idat { return false }
        guard type.isAncillary else { return type == .ihdr || type == .plte || type == .iend }
        checkedBytes += data.count
        return checkedBytes <= Self.maxCheckedBytes
    }
}

extension ImageFacts {
    mutating func add(_ keyword: String, _ value: ImageTextPlace) {
        guard texts.count < ImageHeader.Options.maxTexts else { return }
        texts.append(ImageText(keyword: keyword, value: value))
    }
}

extension Span<UInt8> {
    /// The bytes of `\nNAME\nLENGTH\nHEXADECIMAL DIGITS`, with line feeds among the digits, or `nil` for any other
    /// text.
    fileprivate var rawProfile: [UInt8]? {
        var lines = 0
        var position = 0
        while position < count, lines < 3 {
            if self[position] == 0x0A { lines += 1 }
            position += 1
        }
        guard let bytes = Hexadecimal.bytes(extracting(position...), ignoring: { $0 <= 0x20 }) else { return nil }
        return bytes.isEmpty ? nil : bytes
    }
}
