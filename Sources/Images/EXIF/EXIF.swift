internal import Serialization

// EXIF (CIPA DC-008) is a separate TIFF file inside the image: directories of entries, each with a tag, a type, a count
// and a value, or the offset of a value. In a BigTIFF, counts and offsets have 64 bits. An entry is checked once, when
// its directory is read, so its value can be read from the content without further checks. Values are only read when
// they are written.
//
// Entries may point to the same bytes. The texts together are at most as long as the data, because hostile content
// would otherwise become a multiple of its length.
/// The entries of the directories that the standard names.
package struct EXIF: Equatable, Sendable {
    /// The directory of an entry.
    package enum Group: UInt8, Sendable {
        /// The first directory: the image itself.
        case image
        /// The second directory: the embedded thumbnail.
        case thumbnail
        case exif
        case gps
        case interoperability
    }

    package struct Entry: Equatable, Sendable {
        package var tag: UInt16
        package var type: EXIFType
        package var group: Group
        package var count: Int
        /// The offset of the value in the content.
        package var place: Int

        package var range: Range<Int> { place..<place + count * type.bytes }
    }

    private(set) var order: ByteOrder
    /// The offset in the content to which offsets are relative.
    private let base: Int
    /// The end of the EXIF data.
    private let end: Int
    private let isBig: Bool
    private(set) var entries: [Entry] = []
    /// The offsets of errors, whose entries were omitted.
    private(set) var flaws: [Int] = []
    /// The number of errors beyond those whose offsets are listed.
    private(set) var unlistedFlawCount = 0

    /// The total length of the texts, in bytes.
    private var textBytes = 0

    /// The maximum number of entries in one directory.
    private static let maxEntries = 512
    private static let maxFlaws = 8

    /// - Parameter place: The range of the data, from the byte order mark. Returns `nil` if it has no directory.
    init?(_ content: Span<UInt8>, in place: Range<Int>) {
        if content.hasText("II", at: place.lowerBound) {
            order = .little
        } else if content.hasText("MM", at: place.lowerBound) {
            order = .big
        } else {
            return nil
        }
        base = place.lowerBound
        end = place.upperBound
        // BigTIFF has the number 43, followed by 8 and 0.
        isBig = content.number32(base + 2, order) == (order == .little ? 0x0008_002B : 0x002B_0008)
        guard isBig || content.number16(base + 2, order) == 42,
            let first = isBig ? content.number64(base + 8, order) : content.number32(base + 4, order),
            first >= 8, first <= end - base - 2
        else { return nil }
        let next = read(content, .image, at: first)
        if let exif = number(.image, 0x8769, content) { _ = read(content, .exif, at: exif) }
        if let gps = number(.image, 0x8825, content) { _ = read(content, .gps, at: gps) }
        if let other = number(.exif, 0xA005, content) { _ = read(content, .interoperability, at: other) }
        if let next, next != 0, next != first { _ = read(content, .thumbnail, at: next) }
    }

    /// Reads one directory.
    /// - Returns: The offset of the next one, or 0 after the last.
    private mutating func read(_ content: Span<UInt8>, _ group: Group, at offset: Int) -> Int? {
        let (headBytes, entryBytes, linkBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
        // An offset of a signed type may point before the content.
        guard offset >= 8, offset <= end - base - headBytes else {
            note(offset < 8 ? min(base + max(offset, 0), end) : end)
            return nil
        }
        let start = base + offset
        guard let count = isBig ? content.number64(start, order) : content.number16(start, order) else {
            note(start)
            return nil
        }
        let fitting = min(count, (end - start - headBytes) / entryBytes)
        if min(fitting, Self.maxEntries) < count { note(start) }
        var tags = TIFFTagSet()
        for index in 0..<min(fitting, Self.maxEntries) {
            readEntry(content, group, at: start + headBytes + entryBytes * index, &tags)
        }
        let next = start + headBytes + entryBytes * fitting
        guard fitting == count, next <= end - linkBytes else { return nil }
        return isBig ? content.number64(next, order) : content.number32(next, order)
    }

    private mutating func readEntry(_ content: Span<UInt8>, _ group: Group, at place: Int, _ tags: inout TIFFTagSet) {
        guard let tag = content.number16(place, order), let code = content.number16(place + 2, order),
            let count = isBig ? content.number64(place + 4, order) : content.number32(place + 4, order)
        else { return }
        guard let type = EXIFType(rawValue: UInt8(clamping: code)), isBig || !type.isOfBigTIFF,
            count <= Int(UInt32.max)
        else { return note(place) }
        // At most 8 × 2³² bytes.
        let bytes = count * type.bytes
        var value = place + (isBig ? 12 : 8)
        if bytes > (isBig ? 8 : 4) {
            guard let offset = isBig ? content.number64(value, order) : content.number32(value, order),
                bytes <= end - base, offset <= end - base - bytes
            else { return note(place) }
            value = base + offset
        }
        // If there are several, the first one counts.
        guard tags.insert(tag) else { return }
        let entry = Entry(tag: UInt16(tag), type: type, group: group, count: count, place: value)
        if EXIFField.of(entry)?.isText == true {
            textBytes += bytes
            guard textBytes <= end - base else { return note(place) }
        }
        entries.append(entry)
    }

    /// Removes the entries of the second directory, which in a TIFF is another page.
    mutating func dropThumbnail() {
        entries.removeAll { $0.group == .thumbnail }
    }

    private mutating func note(_ byte: Int) {
        if flaws.count < Self.maxFlaws {
            flaws.append(byte)
        } else {
            unlistedFlawCount += 1
        }
    }

    // MARK: Reading

    func entry(_ group: Group, _ tag: UInt16) -> Entry? {
        for entry in entries where entry.group == group && entry.tag == tag { return entry }
        return nil
    }

    /// Returns the first integer of an entry.
    func number(_ group: Group, _ tag: UInt16, _ content: Span<UInt8>) -> Int? {
        guard let entry = entry(group, tag), entry.count > 0 else { return nil }
        return number(entry, 0, content)
    }

    /// Returns the integer at `index`, which must be below the entry's count.
    func number(_ entry: Entry, _ index: Int, _ content: Span<UInt8>) -> Int? {
        let place = entry.place + index * entry.type.bytes
        return switch entry.type {
        case .byte, .undefined: content.byte(place)
        case .signedByte: content.byte(place).map { Int(Int8(truncatingIfNeeded: $0)) }
        case .short: content.number16(place, order)
        case .signedShort: content.number16(place, order).map { Int(Int16(truncatingIfNeeded: $0)) }
        case .long, .directory: content.number32(place, order)
        case .signedLong: content.number32(place, order).map { Int(Int32(truncatingIfNeeded: $0)) }
        // Negative numbers have no meaning in the tags that are reported.
        case .long8, .signedLong8, .directory8: content.number64(place, order)
        case .ascii, .utf8, .rational, .signedRational, .float, .double: nil
        }
    }

    /// Returns the two numbers of the fraction at `index`, which must be below the entry's count.
    func fraction(_ entry: Entry, _ index: Int, _ content: Span<UInt8>) -> (numerator: Int, denominator: Int)? {
        let place = entry.place + index * entry.type.bytes
        guard let numerator = content.number32(place, order), let denominator = content.number32(place + 4, order)
        else { return nil }
        return switch entry.type {
        case .rational: (numerator, denominator)
        case .signedRational:
            (Int(Int32(truncatingIfNeeded: numerator)), Int(Int32(truncatingIfNeeded: denominator)))
        case .byte, .ascii, .short, .long, .signedByte, .undefined, .signedShort, .signedLong, .float, .double,
            .directory, .long8, .signedLong8, .directory8, .utf8:
            nil
        }
    }

    /// Returns the number at `index`, of any type, or `nil` for a fraction whose denominator is 0.
    func real(_ entry: Entry, _ index: Int, _ content: Span<UInt8>) -> Double? {
        let place = entry.place + index * entry.type.bytes
        switch entry.type {
        case .rational, .signedRational:
            guard let (numerator, denominator) = fraction(entry, index, content), denominator != 0 else { return nil }
            return Double(numerator) / Double(denominator)
        case .float:
            return content.number32(place, order).map { Double(Float(bitPattern: UInt32($0))) }
        case .double:
            guard let high = content.number32(order == .big ? place : place + 4, order),
                let low = content.number32(order == .big ? place + 4 : place, order)
            else { return nil }
            return Double(bitPattern: UInt64(high) << 32 | UInt64(low))
        case .byte, .ascii, .short, .long, .signedByte, .undefined, .signedShort, .signedLong, .directory, .long8,
            .signedLong8,
            .directory8, .utf8:
            return number(entry, index, content).map { Double($0) }
        }
    }
}

/// The types of values (TIFF 6.0 page 15; Exif 3.0 §4.6.2 for 129).
package enum EXIFType: UInt8, Sendable {
    case byte = 1
    case ascii = 2
    case short = 3
    case long = 4
    case rational = 5
    case signedByte = 6
    case undefined = 7
    case signedShort = 8
    case signedLong = 9
    case signedRational = 10
    case float = 11
    case double = 12
    case directory = 13
    /// This and the next two types are those of BigTIFF.
    case long8 = 16
    case signedLong8 = 17
    case directory8 = 18
    case utf8 = 129

    var isOfBigTIFF: Bool { self == .long8 || self == .signedLong8 || self == .directory8 }

    /// The size of one value in bytes.
    package var bytes: Int {
        switch self {
        case .byte, .ascii, .signedByte, .undefined, .utf8: 1
        case .short, .signedShort: 2
        case .long, .signedLong, .float, .directory: 4
        case .rational, .signedRational, .double, .long8, .signedLong8, .directory8: 8
        }
    }
}
