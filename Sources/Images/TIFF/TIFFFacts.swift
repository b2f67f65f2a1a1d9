internal import Serialization

// A TIFF is a chain of directories. The first one is the image that is described; the others are counted. The chain
// ends if an offset leads back or out of the content. If a directory has several entries with one tag, the first one
// counts, as in libtiff.

/// Reads the facts in the directories of a TIFF.
struct TIFFFacts {
    static func read(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        guard let structure = TIFFStructure(content, in: 0..<content.count) else {
            throw ImageError(.corrupt(part: "header"), at: 0)
        }
        var reader = TIFFFacts(structure)
        try reader.readDirectories(content, options, &budget)
        return reader.facts
    }

    private let structure: TIFFStructure
    private var facts = ImageFacts(.tiff)
    private var bits: Int?
    private var samples = 1
    private var photometric: Int?
    private var extraSamples = 0
    private var density = (x: 0.0, y: 0.0, unit: 2)
    private var sampling = (2, 2)

    private init(_ structure: TIFFStructure) { self.structure = structure }

    private mutating func readDirectories(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) {
        guard var offset = structure.firstOffset(content) else { throw ImageError(.truncated, at: content.count) }
        guard offset > 0 else { throw ImageError(.corrupt(part: "header"), at: structure.isBig ? 8 : 4) }
        var pages = 0
        // A directory has at least six bytes; a repeated one is not followed again.
        var visited: Set<Int> = []
        while offset != 0, budget.step(), visited.count < options.maxFrames, visited.insert(offset).inserted {
            guard let directory = structure.directory(content, at: offset) else {
                if pages == 0 { throw ImageError(.truncated, at: content.count) }
                facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
                break
            }
            guard 1...Self.maxEntries ~= directory.count else {
                if pages == 0 { throw ImageError(.corrupt(part: "directory"), at: offset) }
                facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: offset, part: "directory")
                break
            }
            if pages == 0 {
                var tags = TIFFTagSet()
                for index in 0..<directory.count {
                    guard budget.step(), let entry = structure.entry(content, directory, index) else { break }
                    if tags.insert(entry.tag) { read(entry, content, options, &budget) }
                }
            }
            pages += 1
            if directory.fitting < directory.count {
                facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            }
            // A file that ends directly after its last directory lacks the zero that marks the end.
            offset = structure.nextOffset(content, after: directory)
        }
        // BigTIFF allows sides that no image has.
        guard 1...Int(UInt32.max) ~= facts.width ?? 0, 1...Int(UInt32.max) ~= facts.height ?? 0 else {
            throw ImageError(.corrupt(part: "directory"), at: structure.isBig ? 8 : 4)
        }
        facts.frames = pages
        finish(content, options, &budget)
    }

    private static let maxEntries = 65_535

    private mutating func read(
        _ entry: TIFFStructure.Entry,
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) {
        guard let type = entry.type, entry.count > 0 else { return }
        guard let value = entry.value else {
            return facts.note(ImageFlaw(byte: entry.start, part: Self.part(entry)), &budget)
        }
        func number(_ index: Int = 0) -> Int? {
            type.isUnsigned ? structure.number(content, type, at: value.lowerBound + index * type.bytes) : nil
        }
        var size: Double {
            type.isUnsigned || type == .rational ? structure.real(content, type, at: value.lowerBound) ?? 0 : 0
        }
        switch entry.tag {
        case 256: facts.width = number()
        case 257: facts.height = number()
        case 258: bits = number()
        case 259: facts.coding.compression = number().map { Self.compression($0) }
        case 262: photometric = number()
        case 277: samples = number() ?? 1
        case 282: density.x = size
        case 283: density.y = size
        case 296: density.unit = number() ?? 2
        case 338: extraSamples = entry.count
        case 530 where entry.count >= 2: sampling = (number() ?? 2, number(1) ?? 2)
        case 700 where options.readsTexts: facts.readXMP(content, value, &budget)
        case 34_675: facts.readProfile(content, value, part: Self.part(entry), at: entry.start, &budget)
        default: break
        }
    }

    private static func part(_ entry: TIFFStructure.Entry) -> String { "TIFF tag \(entry.tag)" }

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

    private mutating func finish(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) {
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
            facts.color.subsampling = ImageColor.subsampling(horizontal: sampling.0, vertical: sampling.1)
        case 8, 9, 10: facts.color.model = .lab
        default: break
        }
        facts.color.alpha = extraSamples > 0
        if density.x > 0, density.y > 0 {
            let unit: ImageDensity.Unit = density.unit == 1 ? .aspect : density.unit == 3 ? .centimeter : .inch
            facts.density = ImageDensity(x: density.x, y: density.y, unit: unit, source: .tiff)
        }
        // The directories of a TIFF are those of EXIF.
        let range = 0..<content.count
        if let exif = EXIF(content, in: range, isTIFF: true, &budget) {
            facts.use(exif, content, in: range, options, &budget)
        }
    }
}
