internal import Serialization

// AVIF and HEIC have items with properties (ISO/IEC 23008-12), all in the box `meta`: `pitm` identifies the picture,
// `ipco` lists the properties, and `ipma` assigns them to items. The reported properties of the picture are its size
// (`ispe`), its rotation and mirroring (`irot`, `imir`), its bits (`pixi`) and its colour profile (`colr`).
//
// If the picture or its properties are not specified, the largest size counts: tiles and thumbnails are smaller. The
// area outside a clean aperture (`clap`) is not subtracted.

/// Reads the properties of the picture in an AVIF or HEIC.
struct HEIFFacts {
    static func read(_ content: Span<UInt8>, _ format: ImageFormat) -> ImageFacts {
        var header = HEIFFacts(format)
        header.readMeta(content)
        if header.isCutOff(content) {
            header.facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
        return header.facts
    }

    /// Returns whether a box extends beyond the end of the content, or neither pictures nor tracks are described.
    private func isCutOff(_ content: Span<UInt8>) -> Bool {
        guard Boxes.endsWithBox(content) else { return true }
        return Boxes.find("meta", content, in: 0..<content.count) == nil
            && Boxes.find("moov", content, in: 0..<content.count) == nil
    }

    private var facts: ImageFacts
    /// The rotations and mirrorings, in the order in which they are applied.
    private var pose = PictureOrientation()
    private var isPosed = false

    private init(_ format: ImageFormat) {
        facts = ImageFacts(format)
        facts.coding.compression = format == .avif ? "av1" : "hevc"
    }

    private mutating func readMeta(_ content: Span<UInt8>) {
        guard let meta = Boxes.find("meta", content, in: 0..<content.count) else { return }
        // `meta` has a version and flags before its boxes.
        let boxes = meta.dropFirst(4)
        guard let properties = Boxes.find("iprp", content, in: boxes),
            let container = Boxes.find("ipco", content, in: properties)
        else { return }
        let all = Self.properties(content, in: container)
        if let primary = Self.primaryItem(content, in: boxes),
            let places = Boxes.find("ipma", content, in: properties),
            let indices = Self.properties(of: primary, content, in: places), !indices.isEmpty
        {
            for index in indices where all.indices.contains(index - 1) { read(all[index - 1], content) }
        } else {
            for property in all where !property.isPose { read(property, content) }
        }
        if isPosed { facts.orientation = pose.number }
    }

    // MARK: Properties of the picture

    private struct Property {
        var type: Int
        var data: Range<Int>

        /// Whether it is `irot` or `imir`.
        var isPose: Bool { type == 0x6972_6F74 || type == 0x696D_6972 }
    }

    /// The maximum number of properties that are examined; an index has 15 bits.
    private static let maxProperties = 4_096

    private static func properties(_ content: Span<UInt8>, in container: Range<Int>) -> [Property] {
        var properties: [Property] = []
        var place = container
        while properties.count < maxProperties, let (type, data, next) = Boxes.box(content, in: place) {
            properties.append(Property(type: type, data: data))
            place = next..<container.upperBound
        }
        return properties
    }

    private static func primaryItem(_ content: Span<UInt8>, in meta: Range<Int>) -> Int? {
        guard let data = Boxes.find("pitm", content, in: meta), data.count >= 6 else { return nil }
        let start = data.lowerBound + 4
        return content[data.lowerBound] == 0 ? content.number16(start, .big) : content.number32(start, .big)
    }

    /// Returns the properties of an item as positions in the list, from 1, in the order in which they apply.
    private static func properties(of item: Int, _ content: Span<UInt8>, in places: Range<Int>) -> [Int]? {
        guard places.count >= 8, let count = content.number32(places.lowerBound + 4, .big) else { return nil }
        let isLong = content[places.lowerBound] > 0
        let isWide = (content[places.lowerBound + 3] & 1) == 1
        var position = places.lowerBound + 8
        // An entry has at least three bytes.
        for _ in 0..<min(count, places.count / 3) {
            guard let id = isLong ? content.number32(position, .big) : content.number16(position, .big),
                let associations = content.byte(position + (isLong ? 4 : 2))
            else { return nil }
            position += isLong ? 5 : 3
            let end = position + associations * (isWide ? 2 : 1)
            guard end <= places.upperBound else { return nil }
            if id == item {
                // The highest bit marks an essential property.
                return stride(from: position, to: end, by: isWide ? 2 : 1).map { place in
                    isWide ? Int(content[place] & 0x7F) << 8 | Int(content[place + 1]) : Int(content[place] & 0x7F)
                }
            }
            position = end
        }
        return nil
    }

    // MARK: Properties

    private mutating func read(_ property: Property, _ content: Span<UInt8>) {
        let data = property.data
        let start = data.lowerBound
        switch property.type {
        // ispe
        case 0x6973_7065:
            guard data.count >= 12, let width = content.number32(start + 4, .big),
                let height = content.number32(start + 8, .big), 1...Int(Int32.max) ~= width,
                1...Int(Int32.max) ~= height, width * height > (facts.width ?? 0) * (facts.height ?? 0)
            else { return }
            facts.width = width
            facts.height = height
        // irot: quarter turns counterclockwise.
        case 0x6972_6F74:
            guard !data.isEmpty else { return }
            pose.turn(quarters: 4 - Int(content[start] & 3))
            isPosed = true
        // imir: 0 exchanges top and bottom, 1 left and right.
        case 0x696D_6972:
            guard !data.isEmpty else { return }
            pose.mirror()
            if (content[start] & 1) == 0 { pose.turn(quarters: 2) }
            isPosed = true
        // pixi
        case 0x7069_7869:
            guard data.count >= 6, facts.color.bitsPerChannel == nil, content[start + 4] > 0 else { return }
            facts.color.bitsPerChannel = Int(content[start + 5])
            facts.color.channels = Int(content[start + 4])
        // colr
        case 0x636F_6C72:
            guard data.count > 4, facts.color.profile == nil,
                content.hasText("prof", at: start) || content.hasText("rICC", at: start),
                case .profile(let profile)? = content.slice(
                    data.dropFirst(4),
                    { ICCProfile.read($0, bytes: data.count - 4) }
                )
            else { return }
            facts.color.profile = profile
        default: break
        }
    }
}

/// A combination of rotations and mirrorings, as an EXIF orientation.
struct PictureOrientation: Equatable {
    /// Whether left and right are exchanged, before any rotation.
    private var isMirrored = false
    /// Quarter turns clockwise.
    private var quarters = 0

    mutating func turn(quarters: Int) {
        self.quarters = (self.quarters + quarters) & 3
    }

    /// Exchanges left and right of the current result.
    mutating func mirror() {
        isMirrored.toggle()
        quarters = -quarters & 3
    }

    /// The EXIF orientation, 1 to 8.
    var number: Int {
        (isMirrored ? [2, 7, 4, 5] : [1, 6, 3, 8])[quarters]
    }
}
