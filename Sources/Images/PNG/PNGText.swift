internal import Serialization

// The texts of a PNG (ISO/IEC 15948 §11.3.3). Each begins with a keyword of up to 79 bytes and NUL:
//
//     tEXt │ keyword 00 │ ISO 8859-1
//     zTXt │ keyword 00 │ method │ zlib stream of ISO 8859-1
//     iTXt │ keyword 00 │ flag │ method │ language 00 │ translated keyword 00 │ UTF-8, or a zlib stream of it

extension ImageFacts {
    /// Reads a text, or notes that it is malformed or beyond the budget.
    mutating func readText(
        _ chunk: PNGChunks.Chunk,
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) {
        let data = chunk.data
        guard budget.take(of: .texts), let end = content.terminator(in: data.prefix(80)), end > data.lowerBound else {
            if options.readsTexts { note(chunk, &budget) }
            return
        }
        let keyword = content.extracting(first: end).extracting(droppingFirst: data.lowerBound).latin1Text
        let rest = end + 1..<data.upperBound
        let bytes = content.extracting(first: data.upperBound).extracting(droppingFirst: end + 1)
        let isRawProfile = keyword == "Raw profile type exif" || keyword == "Raw profile type APP1"
        guard options.readsTexts || isRawProfile && chunk.type != "iTXt" else { return }
        switch chunk.type {
        case "tEXt":
            if isRawProfile, readRawProfile(bytes, chunk, options, &budget) { return }
            if options.readsTexts { add(keyword, .latin1(rest)) }
        case "zTXt":
            guard bytes.byte(0) == 0, let text = budget.inflate(bytes.extracting(droppingFirst: 1)) else {
                return note(chunk, &budget)
            }
            if isRawProfile, readRawProfile(text.span, chunk, options, &budget) { return }
            if options.readsTexts { add(keyword, .text(text.span.latin1Text)) }
        default:
            let isXMP = keyword == "XML:com.adobe.xmp"
            guard !isXMP || xmp == nil else { return }
            guard let text = international(content, rest) else { return note(chunk, &budget) }
            guard text.isCompressed else {
                return isXMP ? readXMP(content, text.range, &budget) : add(keyword, .utf8(text.range))
            }
            let inflated = content.slice(text.range) { budget.inflate($0) }
            guard let inflated else { return note(chunk, &budget) }
            guard isXMP else { return add(keyword, .text(inflated.span.text)) }
            guard let packet = inflated.span.xmpPacket(in: 0..<inflated.count) else { return note(chunk, &budget) }
            xmp = .text(String(decoding: inflated[packet], as: UTF8.self))
        }
    }

    private mutating func add(_ keyword: String, _ value: ImageTextSource) {
        texts.append(ImageText(keyword: keyword, value: value))
    }

    /// Returns the range of an international text, or `nil` if what precedes it is malformed.
    /// - Parameter range: The part after the keyword.
    private func international(
        _ content: Span<UInt8>,
        _ range: Range<Int>
    ) -> (range: Range<Int>, isCompressed: Bool)? {
        guard range.count >= 2, let language = content.terminator(in: range.dropFirst(2)),
            let translated = content.terminator(in: language + 1..<range.upperBound)
        else { return nil }
        let isCompressed = content[range.lowerBound] == 1
        guard !isCompressed || content[range.lowerBound + 1] == 0 else { return nil }
        return (translated + 1..<range.upperBound, isCompressed)
    }

    /// Reads EXIF in the form that ImageMagick used before eXIf existed: a name, the length, and EXIF in hexadecimal
    /// digits.
    /// - Returns: Whether the text was in this form and is not for people.
    private mutating func readRawProfile(
        _ text: Span<UInt8>,
        _ chunk: PNGChunks.Chunk,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) -> Bool {
        guard !hasEXIF, let bytes = text.rawProfile else { return false }
        let start = bytes.span.hasText("Exif\0\0", at: 0) ? 6 : 0
        guard let exif = EXIF(bytes.span, in: start..<bytes.count, &budget) else { return false }
        let flawCount = flaws.count
        use(exif, bytes.span, in: start..<bytes.count, options, &budget)
        // These offsets are not those of the content.
        for index in flawCount..<flaws.count { flaws[index].byte = chunk.data.lowerBound }
        exifContent = bytes
        // The thumbnail is not in the content.
        embeddedThumbnail = nil
        return true
    }
}

extension Span<UInt8> {
    /// The bytes of `\nNAME\nLENGTH\nHEXADECIMAL DIGITS`, with line feeds among the digits, or `nil` for any other
    /// text.
    fileprivate var rawProfile: [UInt8]? {
        var lines = 0
        var offset = 0
        while offset < count, lines < 3 {
            if self[offset] == 0x0A { lines += 1 }
            offset += 1
        }
        guard let bytes = Hexadecimal.bytes(extracting(droppingFirst: offset), ignoring: { $0 <= 0x20 }) else {
            return nil
        }
        return bytes.isEmpty ? nil : bytes
    }
}
