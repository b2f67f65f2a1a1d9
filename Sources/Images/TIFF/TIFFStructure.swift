internal import Serialization

// The structure of a TIFF (TIFF 6.0 §2), which EXIF shares (CIPA DC-008 §4.5): directories of entries, each with a tag,
// a type, a count and a value, or the offset of a value. In a BigTIFF, counts and offsets have 64 bits.
//
//     "II" 42 offset │ count │ tag type count value │ … │ offset of the next directory, or 0
//
// This is the only reader of directories: the facts of a TIFF and EXIF differ in what they accept, but every offset is
// compared with the end of the structure here. libtiff, which decodes pixels, reads directories on its own.

/// The byte order and the extent of a TIFF or of EXIF.
struct TIFFStructure: Equatable, Sendable {
    /// A directory whose number of entries is in the structure; its entries need not be.
    struct Directory {
        /// The offset of the directory in the content.
        let start: Int
        /// The stored number of entries.
        let count: Int
        /// The number of complete entries before the end of the structure, at most ``count``.
        let fitting: Int
        fileprivate let firstEntry: Int
    }

    /// An entry as stored.
    struct Entry {
        /// The offset of the entry in the content.
        let start: Int
        let tag: UInt16
        /// `nil` if the type is unknown.
        let type: TIFFType?
        let count: Int
        /// The range of the value in the content; `nil` if it is not completely in the structure.
        let value: Range<Int>?
    }

    let order: ByteOrder
    let isBig: Bool
    /// The range in the content. Offsets are relative to its start.
    let range: Range<Int>

    private var countBytes: Int { isBig ? 8 : 2 }
    private var offsetBytes: Int { isBig ? 8 : 4 }
    /// The length of an entry before its value.
    private var entryHeadBytes: Int { isBig ? 12 : 8 }

    /// - Parameter range: The range from the byte order mark. Returns `nil` if it does not begin like a TIFF.
    init?(_ content: Span<UInt8>, in range: Range<Int>) {
        guard range.upperBound <= content.count else { return nil }
        if content.hasText("II", at: range.lowerBound) {
            order = .little
        } else if content.hasText("MM", at: range.lowerBound) {
            order = .big
        } else {
            return nil
        }
        let version = content.number16(range.lowerBound + 2, order)
        guard version == 42 || version == 43 else { return nil }
        isBig = version == 43
        self.range = range
    }

    // MARK: Directories

    /// Returns the offset of the first directory from the start of the structure, or `nil` if the offset is cut off.
    func firstOffset(_ content: Span<UInt8>) -> Int? { offset(content, at: range.lowerBound + (isBig ? 8 : 4)) }

    /// Returns the directory at `offset` from the start of the structure, or `nil` if it is not in the structure.
    func directory(_ content: Span<UInt8>, at offset: Int) -> Directory? {
        guard offset >= 0, offset <= range.count - countBytes else { return nil }
        let start = range.lowerBound + offset
        let count = isBig ? large(content, at: start) : content.number16(start, order) ?? 0
        let firstEntry = start + countBytes
        let fitting = min(count, (range.upperBound - firstEntry) / (entryHeadBytes + offsetBytes))
        return Directory(start: start, count: count, fitting: fitting, firstEntry: firstEntry)
    }

    /// Returns the offset of the directory after `directory` from the start of the structure; 0 after the last one, and
    /// if the structure ends before the offset.
    func nextOffset(_ content: Span<UInt8>, after directory: Directory) -> Int {
        guard directory.fitting == directory.count else { return 0 }
        return offset(content, at: directory.firstEntry + directory.count * (entryHeadBytes + offsetBytes)) ?? 0
    }

    private func offset(_ content: Span<UInt8>, at start: Int) -> Int? {
        guard start <= range.upperBound - offsetBytes else { return nil }
        return isBig ? large(content, at: start) : content.number32(start, order)
    }

    /// Returns a count or an offset of 64 bits, which must be in the structure. One beyond the range of `Int` is as
    /// impossible as the highest one.
    private func large(_ content: Span<UInt8>, at start: Int) -> Int { content.number64(start, order) ?? .max }

    /// Returns the entry at `index`, at most that after the last complete one, or `nil` if the structure ends before
    /// its value.
    func entry(_ content: Span<UInt8>, _ directory: Directory, _ index: Int) -> Entry? {
        guard index <= directory.fitting, index < directory.count else { return nil }
        let start = directory.firstEntry + index * (entryHeadBytes + offsetBytes)
        guard start <= range.upperBound - entryHeadBytes, let tag = content.number16(start, order),
            let code = content.number16(start + 2, order),
            let count = isBig ? large(content, at: start + 4) : content.number32(start + 4, order)
        else { return nil }
        let type = TIFFType(rawValue: UInt8(clamping: code))
        let range = type.flatMap { value(content, count: count, of: $0, at: start + entryHeadBytes) }
        return Entry(start: start, tag: UInt16(tag), type: type, count: count, value: range)
    }

    /// Returns the range of a value. A short one is in the entry, at `field`; otherwise its offset is.
    private func value(_ content: Span<UInt8>, count: Int, of type: TIFFType, at field: Int) -> Range<Int>? {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: type.bytes)
        guard !overflow, bytes <= range.count else { return nil }
        var start = field - range.lowerBound
        if bytes > offsetBytes {
            guard let offset = offset(content, at: field) else { return nil }
            start = offset
        }
        guard start <= range.count - bytes else { return nil }
        return range.lowerBound + start..<range.lowerBound + start + bytes
    }

    // MARK: Values

    /// Returns the integer of `type` at `offset`, or `nil` if the type is not one of integers.
    func number(_ content: Span<UInt8>, _ type: TIFFType, at offset: Int) -> Int? {
        switch type {
        case .byte, .undefined: content.byte(offset)
        case .signedByte: content.byte(offset).map { Int(Int8(truncatingIfNeeded: $0)) }
        case .short: content.number16(offset, order)
        case .signedShort: content.number16(offset, order).map { Int(Int16(truncatingIfNeeded: $0)) }
        case .long, .directory: content.number32(offset, order)
        case .signedLong: content.number32(offset, order).map { Int(Int32(truncatingIfNeeded: $0)) }
        // Negative numbers have no meaning in the tags that are reported.
        case .long8, .signedLong8, .directory8: content.number64(offset, order)
        case .ascii, .utf8, .rational, .signedRational, .float, .double: nil
        }
    }

    /// Returns the two numbers of the fraction at `offset`, or `nil` if the type is not one of fractions.
    func fraction(_ content: Span<UInt8>, _ type: TIFFType, at offset: Int) -> (numerator: Int, denominator: Int)? {
        guard type == .rational || type == .signedRational else { return nil }
        let part: TIFFType = type == .rational ? .long : .signedLong
        guard let numerator = number(content, part, at: offset), let denominator = number(content, part, at: offset + 4)
        else { return nil }
        return (numerator, denominator)
    }

    /// Returns the number of any type at `offset`, or `nil` for a fraction whose denominator is 0.
    func real(_ content: Span<UInt8>, _ type: TIFFType, at offset: Int) -> Double? {
        if let (numerator, denominator) = fraction(content, type, at: offset) {
            return denominator == 0 ? nil : Double(numerator) / Double(denominator)
        }
        if type == .float { return content.number32(offset, order).map { Double(Float(bitPattern: UInt32($0))) } }
        guard type == .double else { return number(content, type, at: offset).map { Double($0) } }
        guard let first = content.number32(offset, order), let second = content.number32(offset + 4, order) else {
            return nil
        }
        let (high, low) = order == .big ? (first, second) : (second, first)
        return Double(bitPattern: UInt64(high) << 32 | UInt64(low))
    }
}

/// The types of values (TIFF 6.0 page 15; Exif 3.0 §4.6.2 for 129).
package enum TIFFType: UInt8, Sendable {
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
    var isUnsigned: Bool { self == .byte || self == .short || self == .long || self == .long8 }

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

/// The tags of one directory that were read: each value is read once, however many entries have its tag.
struct TIFFTagSet {
    /// One bit per tag.
    private var bits = InlineArray<1_024, UInt64>(repeating: 0)

    /// Adds a tag.
    /// - Returns: Whether the set did not contain it.
    mutating func insert(_ tag: UInt16) -> Bool {
        let bit = UInt64(1) << (tag & 63)
        let word = Int(tag >> 6)
        guard (bits[word] & bit) == 0 else { return false }
        bits[word] |= bit
        return true
    }
}
