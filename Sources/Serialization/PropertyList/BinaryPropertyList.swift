// The binary format (as defined by CoreFoundation's CFBinaryPList.c): `bplist00`, the objects, a table of their
// offsets, and a trailer of 32 bytes. Every value is checked against the length of the content before it is used.
//
//     62 70 6C 69 73 74 30 30 | A1 01 | 09 | 08 0A | 00 00 00 00 00 00 01 01 | …02 | …00 | …0B
//     bplist00                  [#1]   true offsets  offset, reference: 1 byte  2 objects, #0 on top, table at 11
//
// Ambiguities of the format, and how we resolve them:
// · Objects are between the signature and the table, and each byte belongs to only one object: offsets into the bytes
//   of another object could let a short content represent a long one.
// · Integers of one, two and four bytes are unsigned; those of eight and sixteen bytes are signed.
// · Offsets and references can have any width from 1 to 255 bytes, if the numbers are valid lengths.
// · A fill byte is not an object; an offset of one is invalid.
// · The version is `0` and any character. `bplist15` to `17` are other formats under the same name.

/// The layout of the objects of the binary format.
struct BinaryPropertyList {
    fileprivate let offsetBytes: Int
    let referenceBytes: Int
    fileprivate let tableStart: Int

    /// The number of objects in the table.
    let count: Int

    /// The strings of URLs are not in the table. They are identified by their offset plus this number. The sum fits
    /// into 32 bits, because offsets have 31 bits.
    static let stringBase = 1 << 31

    static let signature: StaticString = "bplist"
    fileprivate static let headBytes = 8
    private static let trailerBytes = 32

    /// Checks the trailer and the table.
    /// - Returns: A graph whose objects have not been checked.
    static func open(_ content: Span<UInt8>) throws(PropertyListFault) -> PropertyListGraph {
        guard content.count > Self.headBytes + Self.trailerBytes else {
            throw PropertyListFault(.unexpectedEnd(expected: ["a trailer of 32 bytes"]), at: content.count)
        }
        guard content[6] == UInt8(ascii: "0") else {
            let version = String(decoding: [content[6], content[7]], as: UTF8.self)
            throw PropertyListFault(.unsupportedVersion(version), at: 6)
        }
        let trailer = content.count - trailerBytes
        let offsetBytes = Int(content[trailer + 6])
        let referenceBytes = Int(content[trailer + 7])
        guard offsetBytes > 0 else { throw PropertyListFault(.invalidTrailer, at: trailer + 6) }
        guard referenceBytes > 0 else { throw PropertyListFault(.invalidTrailer, at: trailer + 7) }
        guard let tableStart = content.bigEndianLength(at: trailer + 24, width: 8),
            headBytes + 1...trailer ~= tableStart
        else { throw PropertyListFault(.invalidTrailer, at: trailer + 24) }
        // Each object has at least one byte of its own and one offset.
        guard let count = content.bigEndianLength(at: trailer + 8, width: 8),
            1...(tableStart - headBytes) ~= count, count <= (trailer - tableStart) / offsetBytes
        else { throw PropertyListFault(.invalidTrailer, at: trailer + 8) }
        guard count <= PropertyListGraph.maxObjects else {
            throw PropertyListFault(.tooManyObjects(max: PropertyListGraph.maxObjects), at: trailer + 8)
        }
        guard let top = content.bigEndianLength(at: trailer + 16, width: 8), top < count else {
            throw PropertyListFault(.invalidTrailer, at: trailer + 16)
        }
        let binary = BinaryPropertyList(
            offsetBytes: offsetBytes,
            referenceBytes: referenceBytes,
            tableStart: tableStart,
            count: count
        )
        return PropertyListGraph(top: top, binary: binary)
    }

    private init(offsetBytes: Int, referenceBytes: Int, tableStart: Int, count: Int) {
        self.offsetBytes = offsetBytes
        self.referenceBytes = referenceBytes
        self.tableStart = tableStart
        self.count = count
    }

    // MARK: Checked objects

    /// Returns the object `id`, which must have been checked.
    @inline(__always) func object(_ id: Int, _ content: Span<UInt8>) -> PropertyListObject {
        var offset = id - Self.stringBase
        if offset < 0 {
            // A checked offset has at most 31 bits: the other bytes of a wide one are zero.
            offset = 0
            let end = tableStart + (id + 1) * offsetBytes
            for index in end - min(offsetBytes, 4)..<end { offset = offset << 8 | Int(content[index]) }
        }
        return object(at: offset, content)
    }

    private func object(at offset: Int, _ content: Span<UInt8>) -> PropertyListObject {
        let marker = content[offset]
        var start = offset + 1
        let kind: PropertyListObject.Kind
        var count = Int(marker & 0x0F)
        switch marker {
        case 0x00: (kind, start, count) = (.null, 0, 0)
        case 0x08: (kind, start, count) = (.false, 0, 0)
        case 0x09: (kind, start, count) = (.true, 0, 0)
        case 0x0C, 0x0D: (kind, count) = (.url, marker == 0x0C ? 1 : 2)
        case 0x0E: (kind, count) = (.uuid, 16)
        case 0x10...0x14: (kind, count) = (.integer, 1 << count)
        case 0x22: (kind, count) = (.real32, 4)
        case 0x23: (kind, count) = (.real64, 8)
        case 0x33: (kind, count) = (.date, 8)
        case 0x80...0x8F: (kind, count) = (.uid, count + 1)
        default:
            switch marker & 0xF0 {
            case 0x40: kind = .data
            case 0x50: kind = .ascii
            case 0x60: kind = .utf16
            case 0x70: kind = .utf8
            case 0xA0: kind = .array
            case 0xB0: kind = .orderedSet
            case 0xC0: kind = .set
            default: kind = .dictionary
            }
            if count == 0x0F {
                let countBytes = 1 << Int(content[start] & 0x0F)
                count = content.bigEndianLength(at: start + 1, width: countBytes) ?? 0
                start += 1 + countBytes
            }
        }
        return PropertyListObject(
            kind: kind,
            start: UInt32(truncatingIfNeeded: start),
            count: UInt32(truncatingIfNeeded: count),
            offset: UInt32(truncatingIfNeeded: offset)
        )
    }

    /// Returns the identifier of a URL's string: the only string or the base (0), or the string relative to the base
    /// (1).
    func string(_ index: Int, of url: PropertyListObject, _ content: Span<UInt8>) -> Int {
        var next = Int(url.start)
        if url.count == 2, content[next] == 0x0C { next += 1 }
        if index == 1 { next = object(at: next, content).range.upperBound }
        return Self.stringBase + next
    }

    // MARK: Checking

    /// Checks each object once, when it is first reached.
    struct Checker {
        private let offsetBytes: Int
        private let referenceBytes: Int
        private let tableStart: Int
        private let surrogates: LoneSurrogates

        /// The number of bytes in the objects checked so far.
        private var bytesRead = 0

        /// The offsets of the first accepted lone surrogates, at most one per string.
        private(set) var loneSurrogates: [Int] = []

        /// The maximum number of lone surrogates that are recorded. More are accepted without a warning.
        private static let maxLoneSurrogates = 1000

        init(_ binary: BinaryPropertyList, surrogates: LoneSurrogates) {
            offsetBytes = binary.offsetBytes
            referenceBytes = binary.referenceBytes
            tableStart = binary.tableStart
            self.surrogates = surrogates
        }
    }
}

extension BinaryPropertyList.Checker {
    /// Checks the object `id`. Its references are within the content; their targets are not checked.
    mutating func check(_ id: Int, _ content: Span<UInt8>) throws(PropertyListFault) {
        let entry = tableStart + id * offsetBytes
        guard let offset = content.bigEndianLength(at: entry, width: offsetBytes),
            BinaryPropertyList.headBytes..<tableStart ~= offset
        else { throw PropertyListFault(.invalidReference, at: entry) }
        try checkObject(at: offset, content)
        guard bytesRead <= tableStart - BinaryPropertyList.headBytes else {
            throw PropertyListFault(.overlappingObjects, at: offset)
        }
    }

    @discardableResult
    private mutating func checkObject(
        at offset: Int,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        let marker = content[offset]
        let low = Int(marker & 0x0F)
        switch marker {
        case 0x00: return simple(.null, offset)
        case 0x08: return simple(.false, offset)
        case 0x09: return simple(.true, offset)
        case 0x0C: return try checkURL(at: offset, pieces: 1, content)
        case 0x0D: return try checkURL(at: offset, pieces: 2, content)
        case 0x0E: return try object(.uuid, at: offset, payload: offset + 1, count: 16)
        case 0x10...0x14: return try object(.integer, at: offset, payload: offset + 1, count: 1 << low)
        case 0x22: return try object(.real32, at: offset, payload: offset + 1, count: 4)
        case 0x23: return try object(.real64, at: offset, payload: offset + 1, count: 8)
        case 0x33: return try readDate(at: offset, content)
        case 0x40...0x4F: return try sized(.data, at: offset, width: 1, content)
        case 0x50...0x5F: return try checked(sized(.ascii, at: offset, width: 1, content), content)
        case 0x60...0x6F: return try checked(sized(.utf16, at: offset, width: 2, content), content)
        case 0x70...0x7F: return try checked(sized(.utf8, at: offset, width: 1, content), content)
        case 0x80...0x8F: return try object(.uid, at: offset, payload: offset + 1, count: low + 1)
        case 0xA0...0xAF: return try sized(.array, at: offset, width: referenceBytes, content)
        case 0xB0...0xBF: return try sized(.orderedSet, at: offset, width: referenceBytes, content)
        case 0xC0...0xCF: return try sized(.set, at: offset, width: referenceBytes, content)
        case 0xD0...0xDF: return try sized(.dictionary, at: offset, width: referenceBytes * 2, content)
        default: throw PropertyListFault(.unknownMarker(marker), at: offset)
        }
    }

    private mutating func simple(_ kind: PropertyListObject.Kind, _ offset: Int) -> PropertyListObject {
        bytesRead += 1
        return PropertyListObject(kind: kind, offset: UInt32(truncatingIfNeeded: offset))
    }

    /// Returns an object whose payload is `count` items of `width` bytes, all before the table.
    private mutating func object(
        _ kind: PropertyListObject.Kind,
        at offset: Int,
        payload: Int,
        count: Int,
        width: Int = 1
    ) throws(PropertyListFault) -> PropertyListObject {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: width)
        guard !overflow, count >= 0, bytes <= tableStart - payload else {
            throw PropertyListFault(.invalidReference, at: offset)
        }
        bytesRead += payload - offset + bytes
        // All offsets are within the content, which is shorter than 4 GiB.
        return PropertyListObject(
            kind: kind,
            start: UInt32(truncatingIfNeeded: payload),
            count: UInt32(truncatingIfNeeded: count),
            offset: UInt32(truncatingIfNeeded: offset)
        )
    }

    /// Returns an object whose marker contains the number of items. The value 15 means that an integer after the marker
    /// contains it.
    private mutating func sized(
        _ kind: PropertyListObject.Kind,
        at offset: Int,
        width: Int,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        let low = Int(content[offset] & 0x0F)
        guard low == 0x0F else { return try object(kind, at: offset, payload: offset + 1, count: low, width: width) }
        guard offset + 1 < tableStart, 0x10...0x14 ~= content[offset + 1] else {
            throw PropertyListFault(.invalidReference, at: offset)
        }
        let countBytes = 1 << Int(content[offset + 1] & 0x0F)
        guard countBytes <= tableStart - (offset + 2),
            let count = content.bigEndianLength(at: offset + 2, width: countBytes)
        else { throw PropertyListFault(.invalidReference, at: offset) }
        return try object(kind, at: offset, payload: offset + 2 + countBytes, count: count, width: width)
    }

    private mutating func readDate(
        at offset: Int,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        let date = try object(.date, at: offset, payload: offset + 1, count: 8)
        let seconds = Double(bitPattern: content.bigEndianWord(at: offset + 1, width: 8))
        guard PropertyListDate.isRepresentable(secondsSince2001: seconds) else {
            throw PropertyListFault(.invalidDate, at: offset)
        }
        return date
    }

    /// Returns the string if its bytes are valid in the encoding of its kind.
    private mutating func checked(
        _ string: PropertyListObject,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        let (start, end) = (string.range.lowerBound, string.range.upperBound)
        let bytes = content.extracting(first: end).extracting(droppingFirst: start)
        switch string.kind {
        case .ascii:
            if let index = bytes.firstNonASCII {
                throw PropertyListFault(.invalidString, at: Int(string.start) + index)
            }
        case .utf16:
            guard let index = UTF16Text.loneSurrogate(in: bytes) else { break }
            let offset = Int(string.start) + index
            switch surrogates {
            case .reject: throw PropertyListFault(.loneSurrogate, at: offset)
            case .replace where loneSurrogates.count < Self.maxLoneSurrogates: loneSurrogates.append(offset)
            case .replace: break
            }
        case .utf8:
            do {
                _ = try UTF8Span(validating: bytes)
            } catch { throw PropertyListFault(.invalidString, at: Int(string.start) + error.byteOffsets.lowerBound) }
        case .null, .false, .true, .integer, .integerText, .real32, .real64, .date, .dateText, .data, .uid,
            .uuid, .url, .array, .set, .orderedSet, .dictionary:
            break
        }
        return string
    }

    /// Checks the strings of a URL, which follow its marker directly: only the string; or a base, which is a string or
    /// a URL without a base of its own, and then the string.
    private mutating func checkURL(
        at offset: Int,
        pieces: Int,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        bytesRead += 1
        var next = offset + 1
        for piece in 0..<pieces {
            if pieces == 2, piece == 0, next < tableStart, content[next] == 0x0C {
                bytesRead += 1
                next += 1
            }
            guard next < tableStart, 0x50...0x7F ~= content[next] else {
                throw PropertyListFault(.invalidReference, at: offset)
            }
            next = try checkObject(at: next, content).range.upperBound
        }
        return PropertyListObject(kind: .url, offset: UInt32(truncatingIfNeeded: offset))
    }
}
