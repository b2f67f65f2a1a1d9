internal import Serialization

// A JPEG is a sequence of segments, `FF marker length …`. Each SOS segment is followed by a scan of coded data without
// a length, which ends at the first marker (ITU-T T.81 B.1).
//
// Ambiguities of the standard, and how we resolve them:
// · Bytes between segments that are not a marker are skipped, as in libjpeg.
// · The header of a sequential JPEG whose only scan has all components is sufficient. The scan is not read if the
//   content ends with EOI. Otherwise, and in a progressive JPEG, whose scans are counted, the complete content is
//   searched for markers, sixteen bytes at a time.
// · Height 0 means that a DNL segment after the first scan contains it (B.2.5).
// · Three components are YCbCr unless Adobe's segment specifies another model or they are named R, G and B; four are
//   CMYK unless it specifies YCCK.
/// Reads the segments of a JPEG.
struct JPEGHeader {
    static func read(_ content: Span<UInt8>, _ options: ImageHeader.Options) throws(ImageError) -> ImageFacts {
        var header = JPEGHeader(options)
        try header.readSegments(content)
        return header.finish(content)
    }

    private let options: ImageHeader.Options
    private var facts = ImageFacts(.jpeg)
    private var position = 2
    private var frame: Frame?
    private var adobeTransform: Int?
    private var isJFIF = false
    private var restartInterval = 0
    private var scans = 0
    private var quality = JPEGQuality()
    private var profileParts: [(number: Int, place: Range<Int>)] = []

    /// The contents of the SOF segment.
    private struct Frame {
        var marker: UInt8
        var componentCount: Int
        /// The identifiers and sampling factors of the first four components.
        var components = InlineArray<4, (id: UInt8, horizontal: Int, vertical: Int)>(repeating: (0, 0, 0))

        var isProgressive: Bool { (marker & 3) == 2 }
    }

    private init(_ options: ImageHeader.Options) {
        self.options = options
    }

    // MARK: Segments

    private mutating func readSegments(_ content: Span<UInt8>) throws(ImageError) {
        while let (marker, start) = nextMarker(content) {
            position = start + 2
            switch marker {
            // TEM and RST have no length. A second SOI is skipped, as libjpeg skips unknown markers.
            case 0x01, 0xD0...0xD8: continue
            case 0xD9:
                guard frame != nil else { throw ImageError(.corrupt(part: "EOI"), at: start) }
                try requireHeight(at: start)
                endAtEOI(content, start)
                return
            default: break
            }
            guard let length = content.number16(position, .big) else { return try endEarly(content) }
            guard length >= 2 else {
                throw ImageError(.corrupt(part: Self.name(of: marker)), at: start)
            }
            let body = position + 2..<position + length
            guard body.upperBound <= content.count else { return try endEarly(content) }
            position = body.upperBound
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: try readFrame(content, marker, body)
            case 0xDA:
                guard try startsLastNeededScan(content, body) else { continue }
                return
            case 0xDB: quality.read(content, body)
            case 0xDC: try readLineCount(content, body)
            case 0xDD: restartInterval = content.number16(body.lowerBound, .big) ?? 0
            case 0xE0: readJFIF(content, body)
            case 0xE1: readAPP1(content, body)
            case 0xE2: readProfilePart(content, body)
            case 0xEE: readAdobe(content, body)
            case 0xFE: readComment(body)
            default: break
            }
        }
        try endEarly(content)
    }

    /// Returns the next marker and the offset of its FF. Fill bytes, and bytes that are not a marker, are skipped.
    private func nextMarker(_ content: Span<UInt8>) -> (marker: UInt8, start: Int)? {
        var index = position
        while index + 1 < content.count {
            if content[index] == 0xFF, content[index + 1] != 0xFF, content[index + 1] != 0 {
                return (content[index + 1], index)
            }
            index += 1
        }
        return nil
    }

    private mutating func readFrame(_ content: Span<UInt8>, _ marker: UInt8, _ body: Range<Int>) throws(ImageError) {
        guard frame == nil else { throw ImageError(.corrupt(part: "SOF"), at: body.lowerBound - 4) }
        guard body.count >= 6 else { throw ImageError(.corrupt(part: "SOF"), at: body.lowerBound - 4) }
        let start = body.lowerBound
        facts.color.bitsPerChannel = Int(content[start])
        facts.height = content.number16(start + 1, .big)
        facts.width = content.number16(start + 3, .big)
        var frame = Frame(marker: marker, componentCount: Int(content[start + 5]))
        guard frame.componentCount > 0, body.count >= 6 + 3 * frame.componentCount, facts.width ?? 0 > 0 else {
            throw ImageError(.corrupt(part: "SOF"), at: start - 4)
        }
        for index in 0..<min(frame.componentCount, 4) {
            let place = start + 6 + 3 * index
            let sampling = Int(content[place + 1])
            frame.components[index] = (content[place], sampling >> 4, sampling & 15)
        }
        self.frame = frame
    }

    private mutating func readLineCount(_ content: Span<UInt8>, _ body: Range<Int>) throws(ImageError) {
        if facts.height == 0 { facts.height = content.number16(body.lowerBound, .big) }
    }

    private func requireHeight(at byte: Int) throws(ImageError) {
        guard facts.height ?? 0 > 0 else { throw ImageError(.corrupt(part: "SOF"), at: byte) }
    }

    // MARK: Scans

    /// Returns whether this scan's header completes the facts; otherwise its data is skipped.
    private mutating func startsLastNeededScan(_ content: Span<UInt8>, _ body: Range<Int>) throws(ImageError) -> Bool {
        guard let frame else { throw ImageError(.corrupt(part: "SOS"), at: body.lowerBound - 4) }
        scans += 1
        let components = content.byte(body.lowerBound) ?? 0
        let holdsEverything = !frame.isProgressive && components == frame.componentCount && facts.height != 0
        if scans == 1, holdsEverything, endsWithEOI(content) {
            return true
        }
        position = content.endOfJPEGScan(from: body.upperBound)
        return false
    }

    private func endsWithEOI(_ content: Span<UInt8>) -> Bool {
        content.count >= 2 && content[content.count - 2] == 0xFF && content[content.count - 1] == 0xD9
    }

    // MARK: The end

    private mutating func endAtEOI(_ content: Span<UInt8>, _ start: Int) {
        guard scans > 0 else {
            facts.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: start, part: "EOI")
            return
        }
        let end = start + 2
        facts.integrity =
            end == content.count
            ? ImageIntegrity(.complete, checked: .structure)
            : ImageIntegrity(.trailingBytes, checked: .structure, byte: end)
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
        guard let x = content.number16(start + 8, .big), let y = content.number16(start + 10, .big), x > 0, y > 0
        else { return }
        let unit: ImageDensity.Unit =
            switch content[start + 7] {
            case 1: .inch
            case 2: .centimeter
            default: .aspect
            }
        facts.density = ImageDensity(x: Double(x), y: Double(y), unit: unit, source: .jfif)
    }

    private mutating func readAPP1(_ content: Span<UInt8>, _ body: Range<Int>) {
        let start = body.lowerBound
        if content.extracting(body).hasText("Exif\0", at: 0), body.count > 6 {
            guard !facts.hasEXIF else { return }
            facts.readEXIF(content, start + 6..<body.upperBound, options)
        } else if content.extracting(body).hasText("http://ns.adobe.com/xap/1.0/\0", at: 0) {
            guard options.readsTexts, facts.xmp == nil else { return }
            facts.readXMP(content, start + 29..<body.upperBound)
        }
    }

    /// Reads a part of a profile (ICC.1:2022 B.4): `ICC_PROFILE`, NUL, the number from 1, and the number of parts.
    private mutating func readProfilePart(_ content: Span<UInt8>, _ body: Range<Int>) {
        guard content.extracting(body).hasText("ICC_PROFILE\0", at: 0), body.count > 14 else { return }
        guard profileParts.count < 255 else { return }
        profileParts.append((Int(content[body.lowerBound + 12]), body.lowerBound + 14..<body.upperBound))
    }

    /// Reads Adobe's segment (Adobe Technical Note 5116).
    private mutating func readAdobe(_ content: Span<UInt8>, _ body: Range<Int>) {
        guard body.count >= 12, content.hasText("Adobe", at: body.lowerBound) else { return }
        adobeTransform = Int(content[body.lowerBound + 11])
    }

    private mutating func readComment(_ body: Range<Int>) {
        guard options.readsTexts, !body.isEmpty else { return }
        facts.addComment(.utf8(body), at: body.lowerBound)
    }

    // MARK: Derived facts

    private consuming func finish(_ content: Span<UInt8>) -> ImageFacts {
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
        readProfile(content)
        facts.completeDensity()
        return facts
    }

    private func model(_ frame: Frame) -> ImageColor.Model {
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
    private static func subsampling(_ frame: Frame) -> String? {
        let (first, second, third) = (frame.components[0], frame.components[1], frame.components[2])
        guard second.horizontal == third.horizontal, second.vertical == third.vertical,
            second.horizontal > 0, second.vertical > 0,
            first.horizontal % second.horizontal == 0, first.vertical % second.vertical == 0
        else { return nil }
        return switch (first.horizontal / second.horizontal, first.vertical / second.vertical) {
        case (1, 1): "4:4:4"
        case (1, 2): "4:4:0"
        case (1, 4): "4:4:1"
        case (2, 1): "4:2:2"
        case (2, 2): "4:2:0"
        case (2, 4): "4:2:1"
        case (4, 1): "4:1:1"
        case (4, 2): "4:1:0"
        default: nil
        }
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

    private static func name(of marker: UInt8) -> String {
        switch marker {
        case 0xC4: "DHT"
        case 0xCC: "DAC"
        case 0xC0...0xCF: "SOF"
        case 0xDA: "SOS"
        case 0xDB: "DQT"
        case 0xDC: "DNL"
        case 0xDD: "DRI"
        case 0xE0...0xEF: "APP\(marker - 0xE0)"
        case 0xFE: "COM"
        default: (marker < 0x10 ? "FF0" : "FF") + String(marker, radix: 16, uppercase: true)
        }
    }

    /// Reads the profile. Its description is usually in the first part; the parts are only joined if it is not.
    private mutating func readProfile(_ content: Span<UInt8>) {
        guard !profileParts.isEmpty else { return }
        profileParts.sort { $0.number < $1.number }
        let bytes = profileParts.reduce(0) { $0 + $1.place.count }
        let first = profileParts[0].place
        switch ICCProfile.read(content.extracting(first), bytes: bytes) {
        case .profile(let profile): facts.color.profile = profile
        case .needs:
            var whole: [UInt8] = []
            whole.reserveCapacity(bytes)
            for part in profileParts {
                for index in part.place { whole.append(content[index]) }
            }
            if case .profile(let profile) = ICCProfile.read(whole.span, bytes: bytes) {
                facts.color.profile = profile
            } else {
                facts.note(ImageFlaw(byte: first.lowerBound, part: "ICC profile"))
            }
        case .malformed: facts.note(ImageFlaw(byte: first.lowerBound, part: "ICC profile"))
        }
    }
}

extension Span<UInt8> {
    /// Returns the first FF from `start` that begins a marker other than RST, or the count if there is none. In coded
    /// data, FF is followed by 00 (ITU-T T.81 F.1.2.3).
    func endOfJPEGScan(from start: Int) -> Int {
        var index = start
        while index + 8 < count {
            // Nine bytes are in bounds.
            let word = unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self) }
            // A bit remains if and only if a byte is FF.
            guard (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0 else {
                index += 8
                continue
            }
            let end = index + 8
            while index < end {
                if self[index] == 0xFF, isMarker(at: index) { return index }
                index += 1
            }
        }
        while index + 1 < count {
            if self[index] == 0xFF, isMarker(at: index) { return index }
            index += 1
        }
        return count
    }

    /// Returns whether the FF at `index` begins a marker that ends a scan.
    private func isMarker(at index: Int) -> Bool {
        let next = self[index + 1]
        return next != 0 && next != 0xFF && !(0xD0...0xD7 ~= next)
    }
}
