internal import Serialization

// AVIF and HEIC have items with properties (ISO/IEC 23008-12), all in the box `meta`: `pitm` identifies the picture,
// `ipco` lists the properties, and `ipma` assigns them to items. The reported properties of the picture are its size
// (`ispe`), its rotation, mirroring and clean aperture (`irot`, `imir`, `clap`), which are applied in their order, its
// bits (`pixi`) and its colour profile (`colr`).
//
// If the picture or its properties are not specified, the largest size counts: tiles and thumbnails are smaller.

/// Reads the properties of the picture in an AVIF or HEIC.
struct HEIFFacts {
    static func read(_ content: Span<UInt8>, _ format: ImageFormat, _ budget: inout HeaderBudget) -> ImageFacts {
        var header = HEIFFacts(format)
        header.readMeta(content, &budget)
        if header.isCutOff(content, &budget) {
            header.facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
        return header.facts
    }

    /// Returns whether a box extends beyond the end of the content, neither pictures nor tracks are described, or the
    /// box with their data is missing.
    private func isCutOff(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> Bool {
        let all = 0..<content.count
        guard Boxes.endsWithBox(content, &budget) else { return true }
        if Boxes.find("mdat", content, in: all, &budget) != nil { return false }
        let hasTracks = Boxes.find("moov", content, in: all, &budget) != nil
        guard let meta = Boxes.find("meta", content, in: all, &budget), !hasTracks else { return true }
        guard let items = Boxes.find("iloc", content, in: meta.dropFirst(4), &budget) else { return false }
        return Self.hasDataOutside(content, in: items, &budget)
    }

    /// Returns whether the data of an item is in the file, outside `meta` (`iloc`, ISO/IEC 14496-12 §8.11.3).
    private static func hasDataOutside(
        _ content: Span<UInt8>,
        in range: Range<Int>,
        _ budget: inout HeaderBudget
    ) -> Bool {
        guard let version = content.byte(range.lowerBound), let sizes = content.number16(range.lowerBound + 4, .big)
        else { return false }
        let isLong = version >= 2
        let baseBytes = sizes >> 4 & 15
        let extentBytes = (sizes >> 12) + (sizes >> 8 & 15) + (version == 0 ? 0 : sizes & 15)
        var offset = range.lowerBound + (isLong ? 10 : 8)
        while offset < range.upperBound, budget.step() {
            offset += isLong ? 4 : 2
            var isInFile = true
            if version > 0 {
                // 0 is the file, 1 the box `idat`, 2 another item.
                isInFile = content.number16(offset, .big).map { $0 & 15 } == 0
                offset += 2
            }
            guard let extents = content.number16(offset + 2 + baseBytes, .big) else { return false }
            if isInFile, extents > 0 { return true }
            offset += 4 + baseBytes + extents * extentBytes
        }
        return false
    }

    private var facts: ImageFacts
    /// The rotations and mirrorings, in the order in which they are applied.
    private var orientation = PictureOrientation()
    private var isTransformed = false
    /// The size after the transformations so far.
    private var size = ImageRecord.Size(width: 0, height: 0)
    private var isCut = false

    private init(_ format: ImageFormat) {
        facts = ImageFacts(format)
        facts.coding.compression = format == .avif ? "av1" : "hevc"
    }

    private mutating func readMeta(_ content: Span<UInt8>, _ budget: inout HeaderBudget) {
        guard let meta = Boxes.find("meta", content, in: 0..<content.count, &budget) else { return }
        // `meta` has a version and flags before its boxes.
        let boxes = meta.dropFirst(4)
        guard let properties = Boxes.find("iprp", content, in: boxes, &budget),
            let container = Boxes.find("ipco", content, in: properties, &budget)
        else { return }
        let all = Self.properties(content, in: container, &budget)
        if let primary = Self.primaryItem(content, in: boxes, &budget),
            let range = Boxes.find("ipma", content, in: properties, &budget),
            let indices = Self.properties(of: primary, content, in: range, &budget), !indices.isEmpty
        {
            var transforms: [Boxes.Box] = []
            for index in indices where budget.step() && all.indices.contains(index - 1) {
                let property = all[index - 1]
                if property.isTransform { transforms.append(property) } else { read(property, content, &budget) }
            }
            size = ImageRecord.Size(width: facts.width ?? 0, height: facts.height ?? 0)
            for property in transforms { apply(property, content, &budget) }
        } else {
            for property in all where !property.isTransform { read(property, content, &budget) }
        }
        if isTransformed { facts.orientation = orientation.number }
        if isCut { facts.displayedSize = size }
    }

    // MARK: Properties of the picture

    /// The maximum number of properties: an index has 15 bits, and 0 is none.
    private static let maxProperties = (1 << 15) - 1

    private static func properties(
        _ content: Span<UInt8>,
        in container: Range<Int>,
        _ budget: inout HeaderBudget
    ) -> [Boxes.Box] {
        var properties: [Boxes.Box] = []
        var boxes = Boxes(in: container)
        while properties.count < maxProperties, let box = boxes.next(content, &budget) { properties.append(box) }
        return properties
    }

    private static func primaryItem(
        _ content: Span<UInt8>,
        in meta: Range<Int>,
        _ budget: inout HeaderBudget
    ) -> Int? {
        guard let data = Boxes.find("pitm", content, in: meta, &budget), data.count >= 6 else { return nil }
        let start = data.lowerBound + 4
        return content[data.lowerBound] == 0 ? content.number16(start, .big) : content.number32(start, .big)
    }

    /// Returns the properties of an item as numbers in the list, from 1, in the order in which they apply.
    private static func properties(
        of item: Int,
        _ content: Span<UInt8>,
        in range: Range<Int>,
        _ budget: inout HeaderBudget
    ) -> [Int]? {
        guard range.count >= 8, let count = content.number32(range.lowerBound + 4, .big) else { return nil }
        let isLong = content[range.lowerBound] > 0
        let isWide = (content[range.lowerBound + 3] & 1) == 1
        var offset = range.lowerBound + 8
        // An entry has at least three bytes.
        for _ in 0..<min(count, range.count / 3) {
            guard budget.step(), let id = isLong ? content.number32(offset, .big) : content.number16(offset, .big),
                let associations = content.byte(offset + (isLong ? 4 : 2))
            else { return nil }
            offset += isLong ? 5 : 3
            let end = offset + associations * (isWide ? 2 : 1)
            guard end <= range.upperBound else { return nil }
            if id == item {
                // The highest bit marks an essential property.
                return stride(from: offset, to: end, by: isWide ? 2 : 1).map { entry in
                    isWide ? Int(content[entry] & 0x7F) << 8 | Int(content[entry + 1]) : Int(content[entry] & 0x7F)
                }
            }
            offset = end
        }
        return nil
    }

    // MARK: Properties

    private mutating func read(_ property: Boxes.Box, _ content: Span<UInt8>, _ budget: inout HeaderBudget) {
        let data = property.data
        let start = data.lowerBound
        switch property.type {
        case "ispe":
            guard data.count >= 12, let width = content.number32(start + 4, .big),
                let height = content.number32(start + 8, .big), 1...Int(Int32.max) ~= width,
                1...Int(Int32.max) ~= height, width * height > (facts.width ?? 0) * (facts.height ?? 0)
            else { return }
            facts.width = width
            facts.height = height
        case "pixi":
            guard data.count >= 6, facts.color.bitsPerChannel == nil, content[start + 4] > 0 else { return }
            facts.color.bitsPerChannel = Int(content[start + 5])
            facts.color.channels = Int(content[start + 4])
        case "colr":
            guard data.count > 4, facts.color.profile == nil,
                content.hasText("prof", at: start) || content.hasText("rICC", at: start)
            else { return }
            facts.readProfile(content, data.dropFirst(4), at: start, &budget)
        default: break
        }
    }

    private mutating func apply(_ property: Boxes.Box, _ content: Span<UInt8>, _ budget: inout HeaderBudget) {
        let data = property.data
        let start = data.lowerBound
        switch property.type {
        // Quarter turns counterclockwise.
        case "irot":
            guard !data.isEmpty else { return }
            let quarters = 4 - Int(content[start] & 3)
            orientation.turn(quarters: quarters)
            if quarters % 2 == 1 { (size.width, size.height) = (size.height, size.width) }
            isTransformed = true
        // 0 exchanges top and bottom, 1 left and right.
        case "imir":
            guard !data.isEmpty else { return }
            orientation.mirror()
            if (content[start] & 1) == 0 { orientation.turn(quarters: 2) }
            isTransformed = true
        case "clap":
            guard data.count >= 32, let width = Self.aperture(of: size.width, content, at: start),
                let height = Self.aperture(of: size.height, content, at: start + 8)
            else { return facts.note(ImageFlaw(byte: start, part: "clean aperture"), &budget) }
            size = ImageRecord.Size(width: width, height: height)
            isCut = true
        default: break
        }
    }

    /// Returns the length of a clean aperture along one side (ISO/IEC 14496-12 §12.1.4.2), or `nil` if it extends
    /// beyond the picture.
    /// - Parameter start: The offset of the length. The distance between the two centres follows 16 bytes later.
    private static func aperture(of side: Int, _ content: Span<UInt8>, at start: Int) -> Int? {
        guard let numerator = content.number32(start, .big), let denominator = content.number32(start + 4, .big),
            let offset = content.number32(start + 16, .big), let offsetDenominator = content.number32(start + 20, .big),
            denominator > 0, offsetDenominator > 0
        else { return nil }
        // Numbers of 32 bits, of which twice one and another have at most 34.
        let length = (2 * numerator + denominator) / (2 * denominator)
        guard 1...max(side, 1) ~= length, length <= side else { return nil }
        // The two margins have at least 0 pixels: the distance is at most half of what is cut off.
        let distance = abs(Int(Int32(truncatingIfNeeded: offset)))
        let (limit, overflow) = (side - length).multipliedReportingOverflow(by: offsetDenominator)
        return overflow || 2 * distance <= limit ? length : nil
    }
}

/// A combination of rotations and mirrorings, as an EXIF orientation.
struct PictureOrientation: Equatable {
    /// Whether left and right are exchanged, before any rotation.
    private var isMirrored = false
    /// Quarter turns clockwise.
    private var quarters = 0

    mutating func turn(quarters: Int) { self.quarters = (self.quarters + quarters) & 3 }

    /// Exchanges left and right of the current result.
    mutating func mirror() {
        isMirrored.toggle()
        quarters = -quarters & 3
    }

    /// The EXIF orientation, 1 to 8.
    var number: Int { (isMirrored ? [2, 7, 4, 5] : [1, 6, 3, 8])[quarters] }
}

extension Boxes.Box {
    /// Whether it is a rotation, a mirroring or a clean aperture.
    fileprivate var isTransform: Bool { type == "irot" || type == "imir" || type == "clap" }
}
