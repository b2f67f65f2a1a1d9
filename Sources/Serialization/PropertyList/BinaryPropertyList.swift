// The binary form (CoreFoundation's CFBinaryPList.c is its description): `bplist00`, the objects, a table of their
// offsets, a trailer of 32 bytes. Nothing in it is believed before it has been compared with the content's length.
//
//     62 70 6C 69 73 74 30 30 | A1 01 | 09 | 08 0A | 00 00 00 00 00 00 01 01 | …02 | …00 | …0B
//     bplist00                  [#1]   true offsets  offset, reference: 1 byte  2 objects, #0 on top, table at 11
//
// Loose ends, and our choice for each:
// · Objects stand between the signature and the table, and each byte belongs to one of them: offsets that lead into
//   another object's bytes could make a short content mean a long one.
// · Integers of one, two and four bytes have no sign; those of eight and sixteen do.
// · Widths of offsets and references: any from 1 to 255, as far as the numbers are lengths.
// · A fill byte is no object; an offset that leads to one is wrong.
// · Versions `0` and any character. `bplist15` to `17` are other formats under the same name.

/// Reads the objects of the binary form, each when it is first reached.
struct BinaryPropertyList {
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let tableStart: Int
    private let surrogates: LoneSurrogates

    /// Bytes of the objects read so far.
    private var bytesRead = 0

    /// The first lone surrogates that were let through, one a string, as offsets.
    private(set) var loneSurrogates: [Int] = []

    /// More are let through without a word.
    private static let maxLoneSurrogates = 1000

    static let signature = "bplist"
    private static let headBytes = 8
    private static let trailerBytes = 32

    /// Checks trailer and table.
    /// - Returns: the reader, and a graph in which no object has been read.
    static func open(
        _ content: Span<UInt8>,
        surrogates: LoneSurrogates
    ) throws(PropertyListFault) -> (reader: BinaryPropertyList, graph: PropertyListGraph) {
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
        // Each object has a byte of its own at least, and an offset.
        guard let count = content.bigEndianLength(at: trailer + 8, width: 8),
            1...(tableStart - headBytes) ~= count, count <= (trailer - tableStart) / offsetBytes
        else { throw PropertyListFault(.invalidTrailer, at: trailer + 8) }
        guard count <= PropertyListGraph.maxObjects else {
            throw PropertyListFault(.tooManyObjects(max: PropertyListGraph.maxObjects), at: trailer + 8)
        }
        guard let top = content.bigEndianLength(at: trailer + 16, width: 8), top < count else {
            throw PropertyListFault(.invalidTrailer, at: trailer + 16)
        }
        let reader = BinaryPropertyList(
            offsetBytes: offsetBytes,
            referenceBytes: referenceBytes,
            tableStart: tableStart,
            surrogates: surrogates
        )
        let graph = PropertyListGraph(
            objects: Array(repeating: .unread, count: count),
            top: top,
            referenceBytes: referenceBytes
        )
        return (reader, graph)
    }

    private init(offsetBytes: Int, referenceBytes: Int, tableStart: Int, surrogates: LoneSurrogates) {
        self.offsetBytes = offsetBytes
        self.referenceBytes = referenceBytes
        self.tableStart = tableStart
        self.surrogates = surrogates
    }

    /// Reads the object `id` into the graph. Its references are inside of the content; where they lead is not checked.
    mutating func read(
        _ id: Int,
        into graph: inout PropertyListGraph,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) {
        let entry = tableStart + id * offsetBytes
        guard let offset = content.bigEndianLength(at: entry, width: offsetBytes),
            Self.headBytes..<tableStart ~= offset
        else { throw PropertyListFault(.invalidReference, at: entry) }
        graph.objects[id] = try readObject(at: offset, into: &graph, content)
        guard bytesRead <= tableStart - Self.headBytes else { throw PropertyListFault(.overlappingObjects, at: offset) }
    }

    // MARK: Objects

    private mutating func readObject(
        at offset: Int,
        into graph: inout PropertyListGraph,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        let marker = content[offset]
        let low = Int(marker & 0x0F)
        switch marker {
        case 0x00: return simple(.null, offset)
        case 0x08: return simple(.false, offset)
        case 0x09: return simple(.true, offset)
        case 0x0C: return try readURL(at: offset, pieces: 1, into: &graph, content)
        case 0x0D: return try readURL(at: offset, pieces: 2, into: &graph, content)
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
        return PropertyListObject(kind: kind, place: UInt32(truncatingIfNeeded: offset))
    }

    /// An object whose payload is `count` items of `width` bytes, all before the table.
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
        // All of this is inside of the content, which is shorter than 4 GiB.
        return PropertyListObject(
            kind: kind,
            start: UInt32(truncatingIfNeeded: payload),
            count: UInt32(truncatingIfNeeded: count),
            place: UInt32(truncatingIfNeeded: offset)
        )
    }

    /// An object whose marker says how many items it has; 15 means that an integer after the marker says it.
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

    /// A string whose bytes are what its kind says.
    private mutating func checked(
        _ string: PropertyListObject,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        let bytes = content.extracting(string.range)
        switch string.kind {
        case .ascii:
            if let index = bytes.firstNonASCII {
                throw PropertyListFault(.invalidString, at: Int(string.start) + index)
            }
        case .utf16:
            guard let index = UTF16Text.loneSurrogate(in: bytes) else { break }
            let place = Int(string.start) + index
            switch surrogates {
            case .reject: throw PropertyListFault(.loneSurrogate, at: place)
            case .replace where loneSurrogates.count < Self.maxLoneSurrogates: loneSurrogates.append(place)
            case .replace: break
            }
        case .utf8:
            do {
                _ = try UTF8Span(validating: bytes)
            } catch {
                throw PropertyListFault(.invalidString, at: Int(string.start) + error.byteOffsets.lowerBound)
            }
        case .unread, .null, .false, .true, .integer, .integerText, .real32, .real64, .date, .dateText, .data, .uid,
            .uuid, .url, .array, .set, .orderedSet, .dictionary:
            break
        }
        return string
    }

    /// A URL's strings follow its marker in place: the string alone; or a base, which is a string or a URL without a base
    /// of its own, and then the string.
    private mutating func readURL(
        at offset: Int,
        pieces: Int,
        into graph: inout PropertyListGraph,
        _ content: Span<UInt8>
    ) throws(PropertyListFault) -> PropertyListObject {
        bytesRead += 1
        var strings: [UInt32] = []
        var position = offset + 1
        for _ in 0..<pieces {
            if pieces == 2, strings.isEmpty, position < tableStart, content[position] == 0x0C {
                bytesRead += 1
                position += 1
            }
            guard position < tableStart, 0x50...0x7F ~= content[position] else {
                throw PropertyListFault(.invalidReference, at: offset)
            }
            let string = try readObject(at: position, into: &graph, content)
            guard graph.objects.count < PropertyListGraph.maxObjects * 2 else {
                throw PropertyListFault(.tooManyObjects(max: PropertyListGraph.maxObjects), at: offset)
            }
            graph.objects.append(string)
            strings.append(UInt32(truncatingIfNeeded: graph.objects.count - 1))
            position = string.range.upperBound
        }
        var url = PropertyListObject(kind: .url, hasOwnReferences: true, place: UInt32(truncatingIfNeeded: offset))
        url.start = UInt32(truncatingIfNeeded: graph.references.count)
        url.count = UInt32(truncatingIfNeeded: pieces)
        graph.references += strings
        return url
    }
}

extension Span<UInt8> {
    /// The first byte above 0x7F; nil where all is ASCII.
    var firstNonASCII: Int? {
        // UInt8 has no padding and no invalid bit pattern.
        let bytes = unsafe self.bytes
        var index = 0
        while index &+ 8 <= count {
            // The loop's own condition keeps the load inside the span.
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 8
        }
        while index < count {
            if self[index] >= 0x80 { return index }
            index &+= 1
        }
        return nil
    }
}
