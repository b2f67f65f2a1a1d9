internal import Serialization

// The member `exif`: the entries of the first directory and of the Exif directory in their order, then `gps`.

extension JSONWriter {
    /// Writes the member `exif`, unless it would be empty.
    mutating func exif(_ exif: borrowing EXIF, _ policy: EXIFPolicy, _ content: Span<UInt8>) {
        guard policy != .none else { return }
        let object = beginOptionalObject("exif")
        let entries = exif.entries
        for entry in entries where entry.group == .image || entry.group == .exif {
            guard let field = EXIFField.of(entry), policy == .typed || field.isPublic else { continue }
            value(exif, field, entry, content)
        }
        if policy == .typed { gps(exif, content) }
        endOptionalObject(object)
    }

    private mutating func gps(_ exif: borrowing EXIF, _ content: Span<UInt8>) {
        let object = beginOptionalObject("gps")
        coordinate(.latitude, exif, content)
        coordinate(.longitude, exif, content)
        member("altitude", decimal: exif.altitude(content), places: 4)
        member("dateTime", exif.gpsTime(content))
        let entries = exif.entries
        for entry in entries where entry.group == .gps {
            guard let field = EXIFField.of(entry) else { continue }
            value(exif, field, entry, content)
        }
        coordinate(.destLatitude, exif, content)
        coordinate(.destLongitude, exif, content)
        endOptionalObject(object)
    }

    private mutating func coordinate(
        _ coordinate: EXIFCoordinate,
        _ exif: borrowing EXIF,
        _ content: Span<UInt8>
    ) {
        member(coordinate.name, decimal: exif.degrees(coordinate, content), places: 8)
    }

    // MARK: Values

    private mutating func value(
        _ exif: borrowing EXIF,
        _ field: EXIFField,
        _ entry: EXIF.Entry,
        _ content: Span<UInt8>
    ) {
        guard entry.count > 0 else { return }
        switch field.kind {
        case .text: text(field, exif.text(entry, content))
        case .copyright: text(field, exif.copyright(entry, content))
        case .number: numbers(exif, field, entry, content)
        case .fraction: fractions(exif, field, entry, content)
        case .named(let names):
            guard let value = exif.number(entry, 0, content) else { return }
            named(field.name, names[value]) { $0.integer(value) }
        case .lettered(let names):
            guard let text = exif.text(entry, content), let letter = text.first else { return }
            named(field.name, names[letter]) { $0.string(text) }
        case .date(let subsecond, let offset):
            text(field, exif.date(entry, subsecond: subsecond, offset: offset, content))
        case .comment: text(field, exif.comment(entry, content))
        case .utf16: text(field, content.slice(entry.range) { $0.utf16Text(.little) })
        case .components:
            beginArray(field.name)
            for index in 0..<min(entry.count, 4) {
                string(["-", "Y", "Cb", "Cr", "R", "G", "B"].element(exif.number(entry, index, content) ?? 0) ?? "-")
            }
            endArray()
        case .opaque:
            beginObject(field.name)
            member("bytes", entry.range.count)
            endObject()
        }
    }

    private mutating func text(_ field: EXIFField, _ text: String?) {
        if text?.isEmpty == false { member(field.name, text) }
    }

    private mutating func named(_ name: StaticString, _ called: StaticString?, _ value: (inout JSONWriter) -> Void) {
        beginObject(name)
        self.name("value")
        value(&self)
        member("name", called?.description)
        endObject()
    }

    /// The maximum number of values of a field; no field of the standard has as many.
    private static let maxValues = 64

    private mutating func numbers(
        _ exif: borrowing EXIF,
        _ field: EXIFField,
        _ entry: EXIF.Entry,
        _ content: Span<UInt8>
    ) {
        guard exif.number(entry, 0, content) != nil else { return }
        name(field.name)
        if entry.count > 1 { beginArray() }
        for index in 0..<min(entry.count, Self.maxValues) { integer(exif.number(entry, index, content) ?? 0) }
        if entry.count > 1 { endArray() }
    }

    private mutating func fractions(
        _ exif: borrowing EXIF,
        _ field: EXIFField,
        _ entry: EXIF.Entry,
        _ content: Span<UInt8>
    ) {
        guard entry.type == .rational || entry.type == .signedRational else {
            // A number with a different type than in the standard is written as well.
            guard let value = exif.real(entry, 0, content), value.isFinite else { return }
            return member(field.name, decimal: value, places: 6)
        }
        name(field.name)
        if entry.count > 1 { beginArray() }
        for index in 0..<min(entry.count, Self.maxValues) {
            guard let (numerator, denominator) = exif.fraction(entry, index, content) else { continue }
            beginObject()
            member("numerator", numerator)
            member("denominator", denominator)
            if denominator != 0 { member("value", decimal: Double(numerator) / Double(denominator), places: 6) }
            endObject()
        }
        if entry.count > 1 { endArray() }
    }
}

extension [String] {
    fileprivate func element(_ index: Int) -> String? { indices.contains(index) ? self[index] : nil }
}
