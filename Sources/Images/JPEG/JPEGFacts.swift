internal import Serialization

// Ambiguities of the standard, and how we resolve them:
// · The header of a sequential JPEG whose only scan has all components is sufficient. The scan is not read if the
//   content ends with EOI. Otherwise, and in a progressive JPEG, whose scans are counted, the complete content is
//   searched for markers, sixteen bytes at a time.
// · Height 0 means that a DNL segment after the first scan contains it (B.2.5).
// · Three components are YCbCr unless Adobe's segment specifies another model or they are named R, G and B; four are
//   CMYK unless it specifies YCCK.

/// Reads the facts in the segments of a JPEG.
struct JPEGFacts {
    static func read(
        _ content: Span<UInt8>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        var reader = JPEGFacts(options)
        try reader.readSegments(content, &budget)
        return reader.finish(content, &budget)
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.jpeg)
    private var segments = JPEGSegments()
    private var frame: JPEGFrame?
    private var adobeTransform: Int?
    private var isJFIF = false
    private var restartInterval = 0
    private var scans = 0
    private var quality = JPEGQuality()
    private var profileParts: [(number: Int, count: Int, range: Range<Int>)] = []

    private init(_ options: ImageHeader.Options) { self.options = options }

    // MARK: Segments

    private mutating func readSegments(_ content: Span<UInt8>, _ budget: inout HeaderBudget) throws(ImageError) {
        while budget.step(), let element = segments.next(content) {
            switch element {
            case .segment(let segment):
                guard try !read(segment, content, &budget) else { return }
            case .end(let start):
                guard frame != nil else { throw ImageError(.corrupt(part: "EOI"), at: start) }
                guard facts.height ?? 0 > 0 else { throw ImageError(.corrupt(part: "SOF"), at: start) }
                return endAtEOI(content, start)
            case .malformed(let marker, let start): return try endCorrupt(at: start, Self.name(of: marker))
            }
        }
        try endEarly(content)
    }

    /// Reads one segment.
    /// - Returns: Whether it completes the facts.
    private mutating func read(
        _ segment: JPEGSegment,
        _ content: Span<UInt8>,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> Bool {
        let body = segment.body
        switch segment.marker {
        case _ where segment.isFrame:
            guard frame == nil, let frame = JPEGFrame(content, segment) else {
                try endCorrupt(at: segment.start, "SOF")
                return true
            }
            self.frame = frame
            (facts.width, facts.height) = (frame.width, frame.height)
            facts.color.bitsPerChannel = frame.bitsPerSample
        case 0xDA: return try startsLastNeededScan(content, segment)
        case 0xDB: quality.read(content, body)
        case 0xDC: if facts.height == 0 { facts.height = content.number16(body.lowerBound, .big) }
        case 0xDD: restartInterval = content.number16(body.lowerBound, .big) ?? 0
        case 0xE0: readJFIF(content, body)
        case 0xE1: readAPP1(content, body, &budget)
        case 0xE2: readProfilePart(content, body)
        case 0xEE: readAdobe(content, body)
        case 0xFE:
            if options.readsTexts, !body.isEmpty { facts.addComment(.utf8(body), at: body.lowerBound, &budget) }
        default: break
        }
        return false
    }

    /// Returns the name of a marker; that of every frame is the same.
    private static func name(of marker: UInt8) -> String {
        let name = JPEGMarker.name(marker)
        if name?.hasPrefix("SOF") == true { return "SOF" }
        return name ?? (marker < 0x10 ? "FF0" : "FF") + String(marker, radix: 16, uppercase: true)
    }

    // MARK: Scans

    /// Returns whether this scan's header completes the facts; otherwise its data is skipped.
    private mutating func startsLastNeededScan(
        _ content: Span<UInt8>,
        _ segment: JPEGSegment
    ) throws(ImageError) -> Bool {
        guard let frame else { throw ImageError(.corrupt(part: "SOS"), at: segment.start) }
        scans += 1
        let components = content.byte(segment.body.lowerBound) ?? 0
        let holdsEverything = !frame.isProgressive && components == frame.componentCount && facts.height != 0
        if scans == 1, holdsEverything, endsWithEOI(content) { return true }
        segments.skipScan(content)
        return false
    }

    private func endsWithEOI(_ content: Span<UInt8>) -> Bool {
        content.count >= 2 && content[content.count - 2] == 0xFF && content[content.count - 1] == 0xD9
    }

    // MARK: The end

    /// Handles a corrupt segment, after which nothing is read.
    private mutating func endCorrupt(at start: Int, _ part: String) throws(ImageError) {
        guard facts.height ?? 0 > 0 else { throw ImageError(.corrupt(part: part), at: start) }
        facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: start, part: part)
    }

    private mutating func endAtEOI(_ content: Span<UInt8>, _ start: Int) {
        guard scans > 0 else {
            facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: start, part: "EOI")
            return
        }
        facts.integrity = ImageIntegrity(endingAt: start + 2, of: content, checked: .structure)
    }

    /// Handles content that ends before EOI.
    private mutating func endEarly(_ content: Span<UInt8>) throws(ImageError) {
        guard frame != nil, facts.height ?? 0 > 0 else { throw ImageError(.truncated, at: content.count) }
        facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        facts.mayHaveAllPixels = scans > 0
    }

    // MARK: Metadata

    /// Reads JFIF 1.02, "APP0".
    private mutating func readJFIF(_ content: Span<UInt8>, _ body: Range<Int>) {
        let start = body.lowerBound
        guard body.count >= 12, content.hasText("JFIF\0", at: start) else { return }
        isJFIF = true
        guard facts.density == nil, let x = content.number16(start + 8, .big),
            let y = content.number16(start + 10, .big), x > 0, y > 0
        else { return }
        let unit: ImageDensity.Unit =
            switch content[start + 7] {
            case 1: .inch
            case 2: .centimeter
            default: .aspect
            }
        facts.density = ImageDensity(x: Double(x), y: Double(y), unit: unit, source: .jfif)
    }

    private mutating func readAPP1(_ content: Span<UInt8>, _ body: Range<Int>, _ budget: inout HeaderBudget) {
        let start = body.lowerBound
        if body.count > 6, content.hasText("Exif\0", at: start) {
            guard !facts.hasEXIF else { return }
            facts.readEXIF(content, start + 6..<body.upperBound, options, &budget)
        } else if body.count >= 29, content.hasText("http://ns.adobe.com/xap/1.0/\0", at: start) {
            guard options.readsTexts, facts.xmp == nil else { return }
            facts.readXMP(content, start + 29..<body.upperBound, &budget)
        }
    }

    /// Reads a part of a profile (ICC.1:2022 B.4): `ICC_PROFILE`, NUL, the number from 1, and the number of parts.
    private mutating func readProfilePart(_ content: Span<UInt8>, _ body: Range<Int>) {
        guard body.count > 14, content.hasText("ICC_PROFILE\0", at: body.lowerBound) else { return }
        // The numbers have eight bits, so there is one part more than can be valid.
        guard profileParts.count < 256 else { return }
        let (number, count) = (Int(content[body.lowerBound + 12]), Int(content[body.lowerBound + 13]))
        profileParts.append((number, count, body.lowerBound + 14..<body.upperBound))
    }

    /// Reads Adobe's segment (Adobe Technical Note 5116).
    private mutating func readAdobe(_ content: Span<UInt8>, _ body: Range<Int>) {
        guard body.count >= 12, content.hasText("Adobe", at: body.lowerBound) else { return }
        adobeTransform = Int(content[body.lowerBound + 11])
    }

    // MARK: Derived facts

    private consuming func finish(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> ImageFacts {
        guard let frame else { return facts }
        facts.frames = 1
        facts.color.channels = frame.componentCount
        facts.color.alpha = false
        facts.color.model = model(frame)
        facts.color.subsampling = frame.componentCount == 3 ? Self.subsampling(frame) : nil
        facts.coding.progressive = frame.isProgressive
        facts.coding.scans = scans
        facts.coding.quality = quality.estimate
        facts.coding.restartInterval = restartInterval
        facts.coding.compression = Self.compression(frame.marker)
        readProfile(content, &budget)
        facts.completeDensity()
        return facts
    }

    private func model(_ frame: JPEGFrame) -> ImageColor.Model {
        switch frame.componentCount {
        case 1: return .gray
        case 3:
            if isJFIF { return .ycbcr }
            if let adobeTransform { return adobeTransform == 0 ? .rgb : .ycbcr }
            let isRGB =
                frame.components[0].id == UInt8(ascii: "R") && frame.components[1].id == UInt8(ascii: "G")
                && frame.components[2].id == UInt8(ascii: "B")
            return isRGB ? .rgb : .ycbcr
        case 4: return adobeTransform == 2 ? .ycck : .cmyk
        default: return .multichannel
        }
    }

    /// Returns the sampling of the second and third component relative to the first, in the usual J:a:b notation.
    private static func subsampling(_ frame: JPEGFrame) -> String? {
        let (first, second, third) = (frame.components[0], frame.components[1], frame.components[2])
        guard second.horizontal == third.horizontal, second.vertical == third.vertical,
            second.horizontal > 0, second.vertical > 0,
            first.horizontal % second.horizontal == 0, first.vertical % second.vertical == 0
        else { return nil }
        return ImageColor.subsampling(
            horizontal: first.horizontal / second.horizontal,
            vertical: first.vertical / second.vertical
        )
    }

    /// Returns the name of the compression (ITU-T T.81 table B.1).
    private static func compression(_ marker: UInt8) -> String {
        switch marker {
        case 0xC0: "baseline"
        case 0xC1: "extended"
        case 0xC2: "progressive"
        case 0xC3: "lossless"
        case 0xC5: "differential-sequential"
        case 0xC6: "differential-progressive"
        case 0xC7: "differential-lossless"
        case 0xC9: "extended-arithmetic"
        case 0xCA: "progressive-arithmetic"
        case 0xCB: "lossless-arithmetic"
        case 0xCD: "differential-sequential-arithmetic"
        case 0xCE: "differential-progressive-arithmetic"
        default: "differential-lossless-arithmetic"
        }
    }

    /// Reads the profile, whose parts are joined as far as needed. As in libjpeg, each part must occur once.
    private mutating func readProfile(_ content: Span<UInt8>, _ budget: inout HeaderBudget) {
        guard !profileParts.isEmpty else { return }
        profileParts.sort { $0.number < $1.number }
        let parts = profileParts
        if parts.indices.allSatisfy({ parts[$0].number == $0 + 1 && parts[$0].count == parts.count }) {
            facts.color.profile = ICCProfile.read(bytes: parts.reduce(0) { $0 + $1.range.count }) { count in
                guard budget.take(count, of: .copiedBytes) else { return nil }
                var start: [UInt8] = []
                start.reserveCapacity(count)
                for part in parts {
                    for index in part.range.prefix(count - start.count) { start.append(content[index]) }
                }
                return start
            }
        }
        guard facts.color.profile == nil else { return }
        facts.note(ImageFlaw(byte: parts[0].range.lowerBound, part: "ICC profile"), &budget)
    }
}
