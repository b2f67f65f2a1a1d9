internal import Serialization

// The facts that EXIF adds to those of its image.

extension ImageFacts {
    /// Reads EXIF at `range` into the facts.
    package mutating func readEXIF(
        _ content: Span<UInt8>,
        _ range: Range<Int>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) {
        guard let exif = EXIF(content, in: range, &budget) else {
            return note(ImageFlaw(byte: range.lowerBound, part: "EXIF"), &budget)
        }
        use(exif, content, in: range, options, &budget)
    }

    /// Takes the facts from EXIF at `range`.
    mutating func use(
        _ exif: EXIF,
        _ content: Span<UInt8>,
        in range: Range<Int>,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) {
        hasEXIF = true
        flaws += exif.flaws.map { ImageFlaw(byte: $0, part: "EXIF") }
        unlistedFlawCount += exif.unlistedFlawCount
        if options.exif != .none {
            self.exif = exif
            for (text, byte) in exif.invalidDates(content) {
                note(ImageFlaw(byte: byte, part: "EXIF", date: text), &budget)
            }
            for byte in exif.malformedValues(content, options.exif) {
                note(ImageFlaw(byte: byte, part: "EXIF"), &budget)
            }
        }
        orientation = exif.orientation(content)
        exifDensity = exif.density(content)
        if options.exif == .typed { embeddedThumbnail = exif.thumbnail(content, in: range) }
    }

    /// Uses the density of EXIF if the format itself has none, or only the ratio of a pixel's sides.
    mutating func completeDensity() {
        if density?.unit ?? .aspect == .aspect, let exifDensity { density = exifDensity }
    }
}

extension EXIF {
    /// Returns the orientation from 1 to 8, or `nil` if it is missing or invalid.
    func orientation(_ content: Span<UInt8>) -> Int? {
        number(.image, 0x0112, content).flatMap { 1...8 ~= $0 ? $0 : nil }
    }

    func density(_ content: Span<UInt8>) -> ImageDensity? {
        guard let horizontal = entry(.image, 0x011A), let vertical = entry(.image, 0x011B), horizontal.count > 0,
            vertical.count > 0, let x = real(horizontal, 0, content), let y = real(vertical, 0, content),
            x.isFinite, y.isFinite, x > 0, y > 0
        else { return nil }
        let unit: ImageDensity.Unit =
            switch number(.image, 0x0128, content) {
            case 1: .aspect
            case 3: .centimeter
            default: .inch
            }
        return ImageDensity(x: x, y: y, unit: unit, source: .exif)
    }

    /// Returns the JPEG to which the second directory points.
    fileprivate func thumbnail(_ content: Span<UInt8>, in range: Range<Int>) -> EmbeddedThumbnail? {
        guard let offset = number(.thumbnail, 0x0201, content), let length = number(.thumbnail, 0x0202, content),
            length > 0, length <= range.count, 0...(range.count - length) ~= offset
        else { return nil }
        let start = range.lowerBound + offset
        guard let size = content.slice(at: start, count: length, { $0.sizeOfJPEG }) else { return nil }
        return EmbeddedThumbnail(width: size.width, height: size.height, range: start..<start + length)
    }
}

extension Span<UInt8> {
    /// The size in the first SOF segment, or `nil` if this is not a JPEG.
    fileprivate var sizeOfJPEG: (width: Int, height: Int)? {
        guard number16(0, .big) == 0xFFD8 else { return nil }
        var segments = JPEGSegments()
        while case .segment(let segment)? = segments.next(self), segment.marker != 0xDA {
            if segment.isFrame { return JPEGFrame(self, segment).map { ($0.width, $0.height) } }
        }
        return nil
    }
}
