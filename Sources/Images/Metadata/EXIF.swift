internal import Serialization

// EXIF (CIPA DC-008) is a separate TIFF inside the image. An entry is checked once, when its directory is read, so its
// value can be read from the content without further checks. Values are only read when they are written.
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
        package var type: TIFFType
        package var group: Group
        package var count: Int
        /// The range of the value in the content.
        package var range: Range<Int>
    }

    private let structure: TIFFStructure
    private let isTIFF: Bool
    private(set) var entries: [Entry] = []
    /// The offsets of errors, whose entries were omitted.
    private(set) var flaws: [Int] = []
    /// The number of errors beyond those whose offsets are listed.
    private(set) var unlistedFlawCount = 0

    var order: ByteOrder { structure.order }

    /// Returns `nil` if there is no directory.
    /// - Parameters:
    ///   - range: The range of the data, from the byte order mark.
    ///   - isTIFF: Whether the first directory is that of a TIFF, whose reader notes its errors, and the second one is
    ///     another page instead of the thumbnail.
    init?(_ content: Span<UInt8>, in range: Range<Int>, isTIFF: Bool = false, _ budget: inout HeaderBudget) {
        // The number 43 of a BigTIFF is followed by the length of its offsets.
        guard let structure = TIFFStructure(content, in: range),
            !structure.isBig || content.number16(range.lowerBound + 4, structure.order) == 8,
            let first = structure.firstOffset(content), first >= 8, first <= range.count - 2
        else { return nil }
        self.structure = structure
        self.isTIFF = isTIFF
        budget.limit(.textBytes, to: range.count)
        let next = read(content, .image, at: first, &budget)
        if let exif = number(.image, 0x8769, content) { _ = read(content, .exif, at: exif, &budget) }
        if let gps = number(.image, 0x8825, content) { _ = read(content, .gps, at: gps, &budget) }
        if let other = number(.exif, 0xA005, content) { _ = read(content, .interoperability, at: other, &budget) }
        if !isTIFF, next != 0, next != first { _ = read(content, .thumbnail, at: next, &budget) }
    }

    /// Reads one directory.
    /// - Returns: The offset of the next one, or 0 after the last.
    private mutating func read(
        _ content: Span<UInt8>,
        _ group: Group,
        at offset: Int,
        _ budget: inout HeaderBudget
    ) -> Int {
        // An offset of a signed type may point before the content.
        guard offset >= 8, let directory = structure.directory(content, at: offset) else {
            let range = structure.range
            note(offset < 8 ? min(range.lowerBound + max(offset, 0), range.upperBound) : range.upperBound, &budget)
            return 0
        }
        let count = min(directory.fitting, budget.rest(of: .entries))
        _ = budget.take(count, of: .entries)
        if count < directory.count { note(directory.start, &budget) }
        var tags = TIFFTagSet()
        for index in 0..<count {
            guard let entry = structure.entry(content, directory, index) else { break }
            add(entry, of: group, &tags, &budget)
        }
        return structure.nextOffset(content, after: directory)
    }

    private mutating func add(
        _ entry: TIFFStructure.Entry,
        of group: Group,
        _ tags: inout TIFFTagSet,
        _ budget: inout HeaderBudget
    ) {
        guard let type = entry.type, structure.isBig || !type.isOfBigTIFF, entry.count <= Int(UInt32.max),
            let value = entry.value
        else {
            if !isTIFF || group != .image { note(entry.start, &budget) }
            return
        }
        // If there are several, the first one counts.
        guard tags.insert(entry.tag) else { return }
        let checked = Entry(tag: entry.tag, type: type, group: group, count: entry.count, range: value)
        if EXIFField.of(checked)?.isText == true, !budget.take(value.count, of: .textBytes) {
            return note(entry.start, &budget)
        }
        entries.append(checked)
    }

    private mutating func note(_ byte: Int, _ budget: inout HeaderBudget) {
        if budget.take(of: .flaws) {
            flaws.append(byte)
        } else {
            unlistedFlawCount += 1
        }
    }

    // MARK: Reading

    func entry(_ group: Group, _ tag: UInt16) -> Entry? { entries.first { $0.group == group && $0.tag == tag } }

    /// Returns the first integer of an entry.
    func number(_ group: Group, _ tag: UInt16, _ content: Span<UInt8>) -> Int? {
        guard let entry = entry(group, tag), entry.count > 0 else { return nil }
        return number(entry, 0, content)
    }

    /// Returns the integer at `index`, which must be below the entry's count.
    func number(_ entry: Entry, _ index: Int, _ content: Span<UInt8>) -> Int? {
        structure.number(content, entry.type, at: entry.range.lowerBound + index * entry.type.bytes)
    }

    /// Returns the two numbers of the fraction at `index`, which must be below the entry's count.
    func fraction(_ entry: Entry, _ index: Int, _ content: Span<UInt8>) -> (numerator: Int, denominator: Int)? {
        structure.fraction(content, entry.type, at: entry.range.lowerBound + index * entry.type.bytes)
    }

    /// Returns the number at `index`, of any type, or `nil` for a fraction whose denominator is 0.
    func real(_ entry: Entry, _ index: Int, _ content: Span<UInt8>) -> Double? {
        structure.real(content, entry.type, at: entry.range.lowerBound + index * entry.type.bytes)
    }
}
