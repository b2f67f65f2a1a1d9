internal import Serialization

// Positions in EXIF (CIPA DC-008 §4.6.7): one to three numbers, which are degrees, minutes and seconds, and a letter
// for the half of the globe in the tag before them.

/// A coordinate of the place where a picture was taken, or of what it shows.
enum EXIFCoordinate: CaseIterable {
    case latitude
    case longitude
    case destLatitude
    case destLongitude

    var name: StaticString {
        switch self {
        case .latitude: "latitude"
        case .longitude: "longitude"
        case .destLatitude: "destLatitude"
        case .destLongitude: "destLongitude"
        }
    }

    fileprivate var tag: UInt16 {
        switch self {
        case .latitude: 0x02
        case .longitude: 0x04
        case .destLatitude: 0x14
        case .destLongitude: 0x16
        }
    }

    fileprivate var isLatitude: Bool { self == .latitude || self == .destLatitude }
}

extension EXIF {
    /// Returns a coordinate in degrees, negative in the south and west. Returns `nil` if it is missing or malformed:
    /// a denominator is 0, the letter is missing, or there is no such place.
    func degrees(_ coordinate: EXIFCoordinate, _ content: Span<UInt8>) -> Double? {
        guard let entry = entry(.gps, coordinate.tag), 1...3 ~= entry.count,
            let sign = sign(of: coordinate, content)
        else { return nil }
        var degrees = 0.0
        for index in 0..<entry.count {
            guard let part = real(entry, index, content) else { return nil }
            degrees += part / (index == 0 ? 1 : index == 1 ? 60 : 3_600)
        }
        guard degrees.isFinite, abs(degrees) <= (coordinate.isLatitude ? 90 : 180) else { return nil }
        return sign * degrees
    }

    private func sign(of coordinate: EXIFCoordinate, _ content: Span<UInt8>) -> Double? {
        switch text(.gps, coordinate.tag - 1, content)?.utf8.first?.asciiLowercased {
        case UInt8(ascii: "n") where coordinate.isLatitude, UInt8(ascii: "e") where !coordinate.isLatitude: 1
        case UInt8(ascii: "s") where coordinate.isLatitude, UInt8(ascii: "w") where !coordinate.isLatitude: -1
        default: nil
        }
    }

    /// Returns the altitude in metres, negative below sea level.
    func altitude(_ content: Span<UInt8>) -> Double? {
        guard let altitude = first(.gps, 0x06, content), altitude.isFinite else { return nil }
        // 1: below sea level, 3: below the ellipsoid.
        let isBelow = number(.gps, 0x05, content).map { $0 == 1 || $0 == 3 } ?? false
        return isBelow ? -altitude : altitude
    }

    /// Returns the offsets of the positions and numbers that are not reported because they are malformed.
    func malformedValues(_ content: Span<UInt8>, _ policy: EXIFPolicy) -> [Int] {
        var offsets: [Int] = []
        if policy == .typed {
            for coordinate in EXIFCoordinate.allCases where degrees(coordinate, content) == nil {
                if let entry = entry(.gps, coordinate.tag) { offsets.append(entry.range.lowerBound) }
            }
            if let entry = entry(.gps, 0x06), altitude(content) == nil { offsets.append(entry.range.lowerBound) }
        }
        if let entry = entry(.image, 0x0112), orientation(content) == nil { offsets.append(entry.range.lowerBound) }
        for entry in entries where entry.count > 0 {
            guard let field = EXIFField.of(entry), policy == .typed || field.isPublic,
                isMalformed(entry, field.kind, content)
            else { continue }
            offsets.append(entry.range.lowerBound)
        }
        return offsets
    }

    /// Returns whether an entry is not a number although its field has numbers.
    private func isMalformed(_ entry: Entry, _ kind: EXIFField.Kind, _ content: Span<UInt8>) -> Bool {
        switch kind {
        case .number, .named: number(entry, 0, content) == nil
        case .fraction: fraction(entry, 0, content) == nil && real(entry, 0, content)?.isFinite != true
        case .text, .copyright, .lettered, .date, .comment, .utf16, .components, .opaque: false
        }
    }
}
