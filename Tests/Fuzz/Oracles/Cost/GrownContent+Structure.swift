extension GrownContent {
    /// Repeats a part of a binary format; `nil` if the content is not of such a format, or too damaged.
    init?(structured content: [UInt8], _ random: inout RandomSource) {
        let grown: GrownContent? =
            if content.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
                Self.repeating(Self.chunks(content), in: content, .none, &random)
            } else if content.starts(with: [0xFF, 0xD8]) {
                Self.repeating(Self.segments(content), in: content, .none, &random)
            } else if content.starts(with: "GIF8".utf8) {
                Self.repeating(Self.extensions(content), in: content, .none, &random)
            } else if content.starts(with: "RIFF".utf8), content.count > 12 {
                Self.repeating(Self.riffChunks(content), in: content, .riff, &random)
            } else if content.count > 8, content[4..<8].elementsEqual("ftyp".utf8) {
                Self.repeatingBox(content, &random)
            } else if content.starts(with: [0x49, 0x49, 0x2A, 0]) || content.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
                Self.repeatingEntry(content, &random)
            } else if content.starts(with: "bplist0".utf8) {
                Self.repeatingReference(content, &random)
            } else {
                nil
            }
        guard let grown else { return nil }
        self = grown
    }

    private static func repeating(
        _ parts: [Range<Int>],
        in content: [UInt8],
        _ fix: Fix,
        _ random: inout RandomSource
    ) -> GrownContent? {
        guard !parts.isEmpty else { return nil }
        let part = random.pick(parts)
        return GrownContent(content[..<part.lowerBound], part: content[part], end: content[part.upperBound...], fix)
    }

    // MARK: PNG, JPEG, GIF and WebP

    /// The chunks of a PNG after the first one.
    private static func chunks(_ content: [UInt8]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var offset = 8
        while let length = number(content, offset, bytes: 4), offset + 12 + length <= content.count {
            if offset > 8 { parts.append(offset..<offset + 12 + length) }
            offset += 12 + length
        }
        return parts
    }

    /// The segments of a JPEG up to the first scan.
    private static func segments(_ content: [UInt8]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var offset = 2
        while offset + 4 <= content.count, content[offset] == 0xFF, content[offset + 1] != 0xDA,
            let length = number(content, offset + 2, bytes: 2), length >= 2, offset + 2 + length <= content.count
        {
            parts.append(offset..<offset + 2 + length)
            offset += 2 + length
        }
        return parts
    }

    /// The extensions of a GIF.
    private static func extensions(_ content: [UInt8]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for start in content.indices where content[start] == 0x21 && start + 2 < content.count {
            var offset = start + 2
            while offset < content.count, content[offset] != 0 { offset += 1 + Int(content[offset]) }
            if offset < content.count { parts.append(start..<offset + 1) }
        }
        return parts
    }

    /// The chunks of a WebP after its header.
    private static func riffChunks(_ content: [UInt8]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var offset = 12
        while let length = number(content, offset + 4, bytes: 4, littleEndian: true) {
            let end = offset + 8 + length + length % 2
            guard end <= content.count else { break }
            parts.append(offset..<end)
            offset = end
        }
        return parts
    }

    // MARK: HEIF

    private struct Box {
        var range: Range<Int>
        /// The offsets of the lengths of the boxes that contain it.
        var lengths: [Int]
        var count: Int?
    }

    private static func repeatingBox(_ content: [UInt8], _ random: inout RandomSource) -> GrownContent? {
        var boxes: [Box] = []
        var pending = [Box(range: 0..<content.count, lengths: [], count: nil)]
        while let parent = pending.popLast() {
            var offset = parent.range.lowerBound
            while let length = number(content, offset, bytes: 4), length >= 8,
                offset + length <= parent.range.upperBound
            {
                let range = offset..<offset + length
                boxes.append(Box(range: range, lengths: parent.lengths, count: parent.count))
                let type = String(decoding: content[offset + 4..<offset + 8], as: UTF8.self)
                let head: (bytes: Int, count: Int?)? =
                    switch type {
                    case "iprp", "ipco", "moov", "trak", "mdia", "minf", "stbl": (8, nil)
                    case "meta", "iref": (12, nil)
                    case "iinf": (14, offset + 12)
                    default: nil
                    }
                if let head, head.bytes <= length {
                    pending.append(
                        Box(
                            range: offset + head.bytes..<range.upperBound,
                            lengths: parent.lengths + [offset],
                            count: head.count
                        )
                    )
                }
                offset += length
            }
        }
        guard !boxes.isEmpty else { return nil }
        let box = random.pick(boxes)
        return GrownContent(
            content[..<box.range.lowerBound],
            part: content[box.range],
            end: content[box.range.upperBound...],
            .boxes(lengths: box.lengths, count: box.count)
        )
    }

    // MARK: TIFF

    /// Moves the first directory to the end, where it can grow without moving anything that an offset refers to.
    private static func repeatingEntry(_ content: [UInt8], _ random: inout RandomSource) -> GrownContent? {
        let littleEndian = content[0] == 0x49
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            return littleEndian ? bytes : bytes.reversed()
        }
        guard let directory = number(content, 4, bytes: 4, littleEndian: littleEndian),
            let count = number(content, directory, bytes: 2, littleEndian: littleEndian), count > 0,
            directory + 2 + 12 * count <= content.count
        else { return nil }
        let entries = content[directory + 2..<directory + 2 + 12 * count]
        let chosen = entries.startIndex + 12 * random.below(count)
        var entry = Array(entries[chosen..<chosen + 12])
        // Texts and blocks of bytes that the reader interprets: XMP, IPTC, Photoshop, EXIF, ICC, and a comment.
        if random.oneIn(2) {
            entry.replaceSubrange(..<2, with: bytes(random.pick([700, 33_723, 34_377, 34_665, 34_675, 37_510]), 2))
        }
        let spans = random.oneIn(2)
        if spans { entry.replaceSubrange(2..<4, with: bytes(random.pick([1, 2, 7]), 2)) }
        var start = content
        start.replaceSubrange(4..<8, with: bytes(content.count, 4))
        start += [0, 0] + entries
        return GrownContent(
            start[...],
            part: entry[...],
            end: [0, 0, 0, 0],
            .entries(at: content.count, others: count, littleEndian: littleEndian, spans: spans)
        )
    }

    // MARK: Property lists

    /// Adds an array with many references to one of the objects.
    private static func repeatingReference(_ content: [UInt8], _ random: inout RandomSource) -> GrownContent? {
        let trailer = content.count - 32
        guard trailer > 8, let table = number(content, trailer + 24, bytes: 8), table <= trailer,
            let count = number(content, trailer + 8, bytes: 8), 1...256 ~= count
        else { return nil }
        let offsetBytes = Int(content[trailer + 6])
        let referenceBytes = Int(content[trailer + 7])
        guard 1...8 ~= offsetBytes, 1...4 ~= referenceBytes, table + count * offsetBytes <= trailer else { return nil }
        let offsets = (0..<count).compactMap { number(content, table + $0 * offsetBytes, bytes: offsetBytes) }
        guard offsets.count == count else { return nil }
        let object = random.below(min(count, 255))
        let reference = (0..<referenceBytes).reversed().map { $0 == 0 ? UInt8(object) : 0 }
        return GrownContent(
            content[..<table],
            part: reference[...],
            end: [],
            .propertyList(offsets: offsets, referenceBytes: referenceBytes, reference: reference)
        )
    }

    /// Returns a number of at most 31 bits, or `nil` if it is longer or beyond the content.
    private static func number(_ content: [UInt8], _ offset: Int, bytes: Int, littleEndian: Bool = false) -> Int? {
        guard offset >= 0, offset + bytes <= content.count else { return nil }
        let digits = content[offset..<offset + bytes]
        var number = 0
        for byte in littleEndian ? Array(digits.reversed()) : Array(digits) {
            number = number << 8 | Int(byte)
            guard number < 1 << 31 else { return nil }
        }
        return number
    }
}
