/// A content of any length with the structure of a short one: a part of it is repeated.
///
/// The seed selects the part and the form, so that the same input always grows to the same content. Text grows by
/// slices: `<r><!-- -->` becomes `<r><!-- --><!-- --><!-- -->`. In the binary formats of images and property lists, the
/// parts are chunks, segments, boxes, entries and references, and the lengths around them are corrected.
package struct GrownContent {
    private let start: [UInt8]
    private let part: [UInt8]
    /// The bytes between the parts and their counterparts, which close what the parts open.
    private let middle: [UInt8]
    private let counterpart: [UInt8]
    private let end: [UInt8]
    /// The offset in the part at which its number is inserted, or `nil` if all parts are equal.
    private var numberAt: Int?
    private var fix: Fix = .none

    /// The correction of lengths after the parts were repeated.
    enum Fix {
        case none
        /// Adds the growth to the lengths of the boxes that contain the part (ISO/IEC 14496-12), and to a number of
        /// items.
        case boxes(lengths: [Int], count: Int?)
        /// Writes the length of the file into its RIFF header.
        case riff
        /// Writes the number of entries of a TIFF directory at an offset. With `spans`, half of the content is one long
        /// XMP packet, which is the value of each of the entries.
        case entries(at: Int, others: Int, littleEndian: Bool, spans: Bool)
        /// Appends the table of offsets and the trailer of a binary property list whose last object is an array.
        case propertyList(offsets: [Int], referenceBytes: Int, reference: [UInt8])
    }

    package init(_ content: [UInt8], seed: UInt64) {
        var random = RandomSource(seed: seed)
        if !random.oneIn(4), let grown = Self(structured: content, &random) {
            self = grown
            return
        }
        let count = content.count
        let from = random.below(count)
        // Short parts are repeated most often, so they are tried most often.
        let longest = count - from
        let length = 1 + random.below(random.oneIn(3) ? longest : min(longest, 12))
        let part = Array(content[from..<from + length])
        start = Array(content[..<from])
        self.part = part
        var after = from + length
        if random.oneIn(3), after < count {
            let second = after + random.below(count - after)
            middle = Array(content[after..<second])
            after = second + 1 + random.below(min(count - second, 12))
            counterpart = Array(content[second..<after])
        } else {
            (middle, counterpart) = ([], [])
        }
        end = random.oneIn(4) ? [] : Array(content[after...])
        if random.oneIn(3) { numberAt = random.below(part.count + 1) }
    }

    /// Repeats `part`, which is followed by `end`.
    init(_ start: ArraySlice<UInt8>, part: ArraySlice<UInt8>, end: ArraySlice<UInt8>, _ fix: Fix = .none) {
        self.start = Array(start)
        self.part = Array(part)
        (middle, counterpart) = ([], [])
        self.end = Array(end)
        self.fix = fix
    }

    /// Returns a content of about `bytes` bytes.
    package func content(bytes: Int) -> [UInt8] {
        let step = part.count + counterpart.count + (numberAt == nil ? 0 : 6)
        var count = max(1, (bytes - start.count - middle.count - end.count) / max(1, step))
        if case .entries(_, _, _, let spans) = fix { count = min(spans ? count / 2 : count, 65_000) }
        var content = start
        content.reserveCapacity(bytes + 1024)
        for number in 0..<count {
            guard let numberAt else {
                content += part
                continue
            }
            content += part[..<numberAt]
            content += String(100_000 + number % 900_000).utf8
            content += part[numberAt...]
        }
        content += middle
        for _ in 0..<(counterpart.isEmpty ? 0 : count) { content += counterpart }
        content += end
        correct(&content, count)
        return content
    }

    private func correct(_ content: inout [UInt8], _ count: Int) {
        switch fix {
        case .none: break
        case .boxes(let lengths, let items):
            let growth = (count - 1) * part.count
            for offset in lengths { content.add(growth, at: offset, bytes: 4) }
            if let items { content.add(count - 1, at: items, bytes: 2) }
        case .riff:
            for byte in 0..<4 { content[4 + byte] = UInt8(truncatingIfNeeded: (content.count - 8) >> (8 * byte)) }
        case .entries(let offset, let others, let littleEndian, let spans):
            content.set(count + others, at: offset, bytes: 2, littleEndian)
            guard spans else { break }
            let packet = content.count
            content += "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description>".utf8
            for _ in 0..<count { content += "<a:b>c</a:b>".utf8 }
            for entry in others..<others + count {
                content.set(content.count - packet, at: offset + 2 + 12 * entry + 4, bytes: 4, littleEndian)
                content.set(packet, at: offset + 2 + 12 * entry + 8, bytes: 4, littleEndian)
            }
        case .propertyList(let offsets, let referenceBytes, let reference):
            content = start + [0xAF, 0x12] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
            for _ in 0..<count { content += reference }
            let table = content.count
            for offset in offsets + [start.count] {
                content += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: offset >> $0) }
            }
            content += [0, 0, 0, 0, 0, 0, 4, UInt8(truncatingIfNeeded: referenceBytes)]
            for number in [offsets.count + 1, offsets.count, table] {
                content += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func set(_ number: Int, at offset: Int, bytes: Int, _ littleEndian: Bool) {
        for index in 0..<bytes {
            let shift = 8 * (littleEndian ? index : bytes - 1 - index)
            self[offset + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
    }

    /// Adds to a big-endian number.
    fileprivate mutating func add(_ growth: Int, at offset: Int, bytes: Int) {
        guard offset + bytes <= count else { return }
        var number = growth
        for index in offset..<offset + bytes { number += Int(self[index]) << (8 * (offset + bytes - 1 - index)) }
        for index in offset..<offset + bytes {
            self[index] = UInt8(truncatingIfNeeded: number >> (8 * (offset + bytes - 1 - index)))
        }
    }
}
