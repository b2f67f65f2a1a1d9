internal import Serialization

// A JPEG is a sequence of segments. Each SOS segment is followed by a scan of coded data without a length, which ends
// at the first marker (ITU-T T.81 B.1). The facts of a JPEG, and of one that is embedded in EXIF, are read from these
// segments; libjpeg, which decodes pixels, reads segments on its own.

/// A segment of a JPEG, `FF marker length …` (ITU-T T.81 B.1.1.4).
struct JPEGSegment {
    /// The second byte of the marker.
    let marker: UInt8
    /// The offset of the marker.
    let start: Int
    /// The range after the length.
    let body: Range<Int>

    /// Whether it is the header of a frame, SOF.
    var isFrame: Bool {
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: true
        default: false
        }
    }
}

/// The contents of a SOF segment (B.2.2).
struct JPEGFrame {
    let marker: UInt8
    let bitsPerSample: Int
    let height: Int
    let width: Int
    let componentCount: Int
    /// The identifiers and sampling factors of the first four components.
    private(set) var components = InlineArray<4, (id: UInt8, horizontal: Int, vertical: Int)>(repeating: (0, 0, 0))

    var isProgressive: Bool { (marker & 3) == 2 }

    /// Returns `nil` if the segment is too short, or there are no components or columns.
    init?(_ content: Span<UInt8>, _ segment: JPEGSegment) {
        let start = segment.body.lowerBound
        guard segment.body.count >= 6, let bits = content.byte(start), let height = content.number16(start + 1, .big),
            let width = content.number16(start + 3, .big), let count = content.byte(start + 5),
            width > 0, count > 0, segment.body.count >= 6 + 3 * count
        else { return nil }
        (marker, bitsPerSample, componentCount) = (segment.marker, bits, count)
        (self.width, self.height) = (width, height)
        for index in 0..<min(count, 4) {
            let entry = start + 6 + 3 * index
            let sampling = Int(content[entry + 1])
            components[index] = (content[entry], sampling >> 4, sampling & 15)
        }
    }
}

/// The segments of a JPEG, in their order. Bytes between segments that are not a marker are skipped, as in libjpeg.
struct JPEGSegments {
    enum Element {
        case segment(JPEGSegment)
        /// EOI, with its offset.
        case end(at: Int)
        /// A segment whose length is shorter than the length itself.
        case malformed(marker: UInt8, at: Int)
    }

    private var offset = 2

    /// Returns the next segment, or `nil` if the content ends before its end.
    mutating func next(_ content: Span<UInt8>) -> Element? {
        while offset + 1 < content.count {
            let (start, marker) = (offset, content[offset + 1])
            guard content[start] == 0xFF, marker != 0xFF, marker != 0 else {
                offset += 1
                continue
            }
            offset += 2
            switch marker {
            // TEM and RST have no length. A second SOI is skipped, as libjpeg skips unknown markers.
            case 0x01, 0xD0...0xD8: continue
            case 0xD9: return .end(at: start)
            default: break
            }
            guard let length = content.number16(offset, .big) else { return nil }
            guard length >= 2 else { return .malformed(marker: marker, at: start) }
            guard length <= content.count - offset else { return nil }
            let body = offset + 2..<offset + length
            offset = body.upperBound
            return .segment(JPEGSegment(marker: marker, start: start, body: body))
        }
        return nil
    }

    /// Skips the data of a scan, whose header was the last segment.
    mutating func skipScan(_ content: Span<UInt8>) { offset = content.endOfJPEGScan(from: offset) }
}

/// The names of JPEG markers (ITU-T T.81 §B.1.1.3).
enum JPEGMarker {
    /// Returns the name of a marker, or `nil` if it has none.
    /// - Parameter marker: The second byte of the marker.
    static func name(_ marker: UInt8) -> String? {
        switch marker {
        case 0xC4: "DHT"
        case 0xC8: "JPG"
        case 0xCC: "DAC"
        case 0xC0...0xCF: "SOF\(marker - 0xC0)"
        case 0xD0...0xD7: "RST\(marker - 0xD0)"
        case 0xD8: "SOI"
        case 0xD9: "EOI"
        case 0xDA: "SOS"
        case 0xDB: "DQT"
        case 0xDC: "DNL"
        case 0xDD: "DRI"
        case 0xDE: "DHP"
        case 0xDF: "EXP"
        case 0xE0...0xEF: "APP\(marker - 0xE0)"
        case 0xF0...0xFD: "JPG\(marker - 0xF0)"
        case 0xFE: "COM"
        default: nil
        }
    }
}

extension Span<UInt8> {
    /// Returns the first FF from `start` that begins a marker other than RST, or the count if there is none. In coded
    /// data, FF is followed by 00 (ITU-T T.81 F.1.2.3).
    fileprivate func endOfJPEGScan(from start: Int) -> Int {
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
