internal import Serialization

// A TIFF is a chain of directories (TIFF 6.0 §2; BigTIFF has 64-bit counts and offsets). The first one is the image
// that is described; the others are counted. The chain ends if an offset leads back or out of the content. If a
// directory has several entries with one tag, the first one counts, as in libtiff.
/// Reads the directories of a TIFF.
struct TIFFHeader {
    static func read(_ content: Span<UInt8>, _ options: ImageHeader.Options) throws(ImageError) -> ImageFacts {
        var header = TIFFHeader(content)
        try header.readDirectories(content, options)
        return header.facts
    }

    private var facts = ImageFacts(.tiff)
    private let order: ByteOrder
    private let isBig: Bool
    private var bits: Int?
    private var samples = 1
    private var photometric: Int?
    private var extraSamples = 0
    private var density = (x: 0.0, y: 0.0, unit: 2)
    private var sampling = (2, 2)
    private var tags = TIFFTagSet()

    private init(_ content: Span<UInt8>) {
        order = content.hasText("II", at: 0) ? .little : .big
        isBig = content.number16(2, order) == 43
    }

    private mutating func readDirectories(_ content: Span<UInt8>, _ options: ImageHeader.Options) throws(ImageError) {
        guard var offset = isBig ? content.number64(8, order) : content.number32(4, order) else {
            throw ImageError(.truncated, at: content.count)
        }
        guard offset > 0 else { throw ImageError(.corrupt(part: "header"), at: 4) }
        var pages = 0
        // A directory has at least six bytes; a repeated one is not followed again.
        var visited: Set<Int> = []
        while offset != 0, visited.count < options.maxFrames, visited.insert(offset).inserted {
            guard let count = isBig ? content.number64(offset, order) : content.number16(offset, order) else {
                if pages == 0 { throw ImageError(.truncated, at: content.count) }
                facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
                break
            }
            let entryBytes = isBig ? 20 : 12
            let first = offset + (isBig ? 8 : 2)
            guard count > 0, count <= Self.maxEntries else {
                if pages == 0 { throw ImageError(.corrupt(part: "directory"), at: offset) }
                facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: offset, part: "directory")
                break
            }
            if pages == 0 {
                for index in 0..<count { readEntry(content, at: first + entryBytes * index, options) }
            }
            pages += 1
            let next = first + entryBytes * count
            // A file that ends directly after its last directory lacks the zero that marks the end.
            offset = isBig ? content.number64(next, order) ?? 0 : content.number32(next, order) ?? 0
        }
        // BigTIFF allows sides that no image has.
        guard 1...Int(UInt32.max) ~= facts.width ?? 0, 1...Int(UInt32.max) ~= facts.height ?? 0 else {
            throw ImageError(.corrupt(part: "directory"), at: isBig ? 8 : 4)
        }
        facts.frames = pages
        finish(content, options)
    }

    private static let maxEntries = 65_535

    private mutating func readEntry(_ content: Span<UInt8>, at place: Int, _ options: ImageHeader.Options) {
        guard let tag = content.number16(place, order), let code = content.number16(place + 2, order),
            let count = isBig ? content.number64(place + 4, order) : content.number32(place + 4, order)
        else { return }
        guard tags.insert(tag) else { return }
        let bytes = Self.bytes(ofType: code)
        guard bytes > 0, 1...content.count ~= count else { return }
        // A value of up to four bytes (in a BigTIFF, eight) is in the entry, which can itself be cut off.
        var value = place + (isBig ? 12 : 8)
        if count * bytes > (isBig ? 8 : 4) {
            guard let offset = isBig ? content.number64(value, order) : content.number32(value, order) else {
                return note(tag, place)
            }
            value = offset
        }
        guard value <= content.count - count * bytes else { return note(tag, place) }
        switch tag {
        case 256: facts.width = number(content, value, code)
        case 257: facts.height = number(content, value, code)
        case 258: bits = number(content, value, code)
        case 259: facts.coding.compression = number(content, value, code).map { Self.compression($0) }
        case 262: photometric = number(content, value, code)
        case 274: facts.orientation = number(content, value, code).flatMap { 1...8 ~= $0 ? $0 : nil }
        case 277: samples = number(content, value, code) ?? 1
        case 282: density.x = fraction(content, value, code)
        case 283: density.y = fraction(content, value, code)
        case 296: density.unit = number(content, value, code) ?? 2
        case 338: extraSamples = count
        case 530 where count >= 2:
            sampling = (number(content, value, code) ?? 2, number(content, value + bytes, code) ?? 2)
        case 700 where options.readsTexts: facts.readXMP(content, value..<value + count * bytes)
        case 34_675:
            let profile = content.extracting(value..<value + count * bytes)
            if case .profile(let read) = ICCProfile.read(profile, bytes: count) {
                facts.color.profile = read
            } else {
                note(tag, place)
            }
        default: break
        }
    }

    private mutating func note(_ tag: Int, _ place: Int) {
        facts.note(ImageFlaw(byte: place, part: "TIFF tag \(tag)"))
    }

    /// Returns the size of a value (TIFF 6.0 page 15; 16 to 18 are those of BigTIFF).
    private static func bytes(ofType code: Int) -> Int {
        switch code {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12, 16, 17, 18: 8
        default: 0
        }
    }

    private func number(_ content: Span<UInt8>, _ place: Int, _ code: Int) -> Int? {
        switch code {
        case 1: content.byte(place)
        case 3: content.number16(place, order)
        case 4: content.number32(place, order)
        case 16: content.number64(place, order)
        default: nil
        }
    }

    private func fraction(_ content: Span<UInt8>, _ place: Int, _ code: Int) -> Double {
        guard code == 5, let numerator = content.number32(place, order),
            let denominator = content.number32(place + 4, order), denominator > 0
        else { return Double(number(content, place, code) ?? 0) }
        return Double(numerator) / Double(denominator)
    }

    /// Returns the name of a compression: TIFF 6.0 page 117, and those that Adobe and libtiff registered later.
    private static func compression(_ code: Int) -> String {
        switch code {
        case 1: "none"
        case 2: "ccitt-rle"
        case 3: "ccitt-g3"
        case 4: "ccitt-g4"
        case 5: "lzw"
        case 6: "jpeg-old"
        case 7: "jpeg"
        case 8, 32_946: "deflate"
        case 32_773: "packbits"
        case 34_661: "jbig"
        case 34_712: "jpeg2000"
        case 34_887: "lerc"
        case 34_925: "lzma"
        case 50_000: "zstd"
        case 50_001: "webp"
        case 50_002, 52_546: "jpegxl"
        default: "\(code)"
        }
    }

    private mutating func finish(_ content: Span<UInt8>, _ options: ImageHeader.Options) {
        facts.color.bitsPerChannel = bits ?? 1
        facts.color.channels = samples
        // TIFF 6.0 page 117: PhotometricInterpretation.
        switch photometric {
        case 0, 1: facts.color.model = bits ?? 1 == 1 ? .bilevel : .gray
        case 2: facts.color.model = .rgb
        case 3: facts.color.model = .palette
        case 5: facts.color.model = .cmyk
        case 6:
            facts.color.model = .ycbcr
            facts.color.subsampling = Self.subsampling(sampling)
        case 8, 9, 10: facts.color.model = .lab
        default: break
        }
        facts.color.alpha = extraSamples > 0
        if density.x > 0, density.y > 0 {
            let unit: ImageDensity.Unit = density.unit == 1 ? .aspect : density.unit == 3 ? .centimeter : .inch
            facts.density = ImageDensity(x: density.x, y: density.y, unit: unit, source: .tiff)
        }
        // The directories of a TIFF are those of EXIF.
        if options.exif != .none, var exif = EXIF(content, in: 0..<content.count) {
            exif.dropThumbnail()
            facts.exif = exif
        }
    }

    private static func subsampling(_ factors: (Int, Int)) -> String? {
        switch factors {
        case (1, 1): "4:4:4"
        case (2, 1): "4:2:2"
        case (2, 2): "4:2:0"
        case (1, 2): "4:4:0"
        case (4, 1): "4:1:1"
        case (4, 2): "4:1:0"
        default: nil
        }
    }
}
