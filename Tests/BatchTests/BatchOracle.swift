import Batch
import Serialization

/// The properties of a reader for any input.
///
/// The first byte of an input selects the maximum length of an item (bits 0–1), the size of the reads (2–4), and for
/// web archives the form (5–6: plain, one member of gzip, a member for each part that ends with NUL, or the bytes
/// themselves as gzip); the rest is the input. Bit 7: one byte of the members is changed, or the length of the input
/// is known.
enum BatchOracle {
    static let headBytes = 1

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    static func violation(for input: [UInt8], _ format: BatchFormat) -> String? {
        guard let head = input.first else { return nil }
        var bytes = Array(input.dropFirst())
        let isCompressed = format == .warc && head & 0x60 != 0
        if isCompressed { bytes = members(bytes, form: head >> 5 & 3, isChanged: head & 0x80 != 0) }
        var limits = BatchLimits(maxItemBytes: [1 << 20, 100, 8, 0][Int(head & 3)])
        let isLengthKnown = !isCompressed && head & 0x80 != 0
        func items(_ bytes: [UInt8], _ format: BatchFormat, _ limits: BatchLimits, piece: Int) -> ReadItems {
            Self.items(bytes, format, limits, piece: piece, isLengthKnown)
        }
        let whole = items(bytes, format, limits, piece: .max)
        if let violation = whole.violation(limits, bytes.count) { return violation }
        let piece = [1, 2, 3, 5, 17, 100, 1_000, 4_096][Int(head >> 2 & 7)]
        if items(bytes, format, limits, piece: piece) != whole { return "reads of \(piece) bytes have another result" }
        limits.blockBytes = 16
        if items(bytes, format, limits, piece: .max) != whole { return "short blocks have another result" }
        switch format {
        case .ndjson: return whole.differs(from: lines(bytes, limits)) ? "the lines are not those of the model" : nil
        case .frames: return whole.differs(from: frames(bytes, limits)) ? "the frames are not those of the model" : nil
        case .har: return violation(ofEntries: whole, bytes, limits)
        case .warc: return isCompressed ? nil : whole.violationOfRecords(bytes)
        }
    }

    private static func items(
        _ bytes: [UInt8],
        _ format: BatchFormat,
        _ limits: BatchLimits,
        piece: Int,
        _ isLengthKnown: Bool
    ) -> ReadItems {
        switch format {
        case .ndjson: ReadItems(LineReader(limits: limits), bytes, piece: piece)
        case .har: ReadItems(HARReader(limits: limits), bytes, piece: piece)
        case .warc: ReadItems(WARCReader(limits: limits), bytes, piece: piece, isLengthKnown: isLengthKnown)
        case .frames: ReadItems(FrameReader(limits: limits), bytes, piece: piece)
        }
    }

    // MARK: Models

    /// An item of a model: its offset, and its content unless it is too long.
    typealias Item = (byte: Int, content: [UInt8]?)

    private static func lines(_ bytes: [UInt8], _ limits: BatchLimits) -> [Item] {
        var items: [Item] = []
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            var line = bytes[start..<end]
            if line.last == 0x0D { line.removeLast() }
            if line.count > limits.maxItemBytes {
                items.append((start, nil))
            } else if !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
                items.append((start, Array(line)))
            }
            start = end + 1
        }
        return items
    }

    private static func frames(_ bytes: [UInt8], _ limits: BatchLimits) -> [Item] {
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        var items: [Item] = []
        var start = 0
        while bytes.count - start >= 24 {
            let parts = number(start) - 20
            let content = parts - number(start + 16) - number(start + 20)
            guard content >= 0, bytes[start + 15] == 0, bytes[start + 14] == 1 || bytes[start + 14] == 0 && content == 0
            else { break }
            let isTooLong = parts > limits.maxItemBytes
            guard isTooLong || bytes.count - start - 24 >= parts else { break }
            items.append((start, isTooLong ? nil : Array(bytes[start + 24..<start + 24 + parts])))
            start += 24 + parts
        }
        return items
    }

    /// Checks the entries, and compares them with those of the JSON reader if the archive is JSON.
    private static func violation(ofEntries found: ReadItems, _ bytes: [UInt8], _ limits: BatchLimits) -> String? {
        for item in found.items where item.form == .entry {
            let text = item.bytes
            guard bytes[item.byte..<item.byte + text.count].elementsEqual(text) else {
                return "an entry is not its text"
            }
            do throws(BatchItemError) {
                let entry = try HAREntry(parsing: text.span, at: item.byte, memory: .unlimited)
                guard case .slice(let range) = entry.content else { continue }
                if !(range.lowerBound >= 0 && range.upperBound <= text.count) {
                    return "the content is outside the entry"
                }
            } catch {
                guard case .malformed(let fault) = error else { return "an entry is too long" }
                if !(item.byte...item.byte + text.count ~= fault.byte) { return "an error is outside the entry" }
            }
        }
        guard let entries = entries(bytes.span) else { return nil }
        guard found.error == nil else { return "an archive is rejected: \(String(describing: found.error))" }
        let expected: [Item] = entries.map {
            ($0.lowerBound, $0.count > limits.maxItemBytes || bytes[$0.lowerBound] != 0x7B ? nil : Array(bytes[$0]))
        }
        return found.differs(from: expected) ? "the entries are not those of the JSON reader" : nil
    }

    /// The ranges of the entries of an archive; `nil` if it is not strict JSON, or repeats a name.
    private static func entries(_ text: Span<UInt8>) -> [Range<Int>]? {
        do {
            var limits = Limits()
            limits.maxNestingDepth = Limits.hardMaxNestingDepth
            var json = try JSONDocumentReader(text, limits: limits, errors: .first, memory: .unlimited)
            var ranges: [Range<Int>]?
            guard json.kind(in: text) == .object else { return nil }
            try json.enterObject(in: text)
            while let name = try json.nextName(in: text) {
                guard name == "log" else {
                    _ = json.skip(in: text)
                    continue
                }
                guard json.kind(in: text) == .object else { return nil }
                try json.enterObject(in: text)
                while let name = try json.nextName(in: text) {
                    guard name == "entries" else {
                        _ = json.skip(in: text)
                        continue
                    }
                    guard json.kind(in: text) == .array else { return nil }
                    try json.enterArray(in: text)
                    ranges = []
                    while json.nextElement(in: text) { ranges?.append(json.skip(in: text)) }
                }
            }
            return ranges
        } catch {
            return nil
        }
    }

    // MARK: Members

    /// Returns members of gzip that store the bytes without compressing them.
    private static func members(_ bytes: [UInt8], form: UInt8, isChanged: Bool) -> [UInt8] {
        var input: [UInt8] = []
        switch form {
        case 1: input = member(bytes[...])
        case 2: for part in bytes.split(separator: 0) { input += member(part) }
        default: input = [0x1F, 0x8B] + bytes
        }
        if isChanged, let index = bytes.first, Int(index) * 3 < input.count { input[Int(index) * 3] ^= 0x21 }
        return input
    }

    private static func member(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = bytes.prefix(Int(UInt16.max))
        let checksum = ~bytes.reduce(~0) { (crc: UInt32, byte: UInt8) -> UInt32 in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
        let count = UInt16(bytes.count)
        func number(_ value: some FixedWidthInteger) -> [UInt8] {
            (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + number(count) + number(~count) + bytes + number(checksum)
            + number(UInt32(count))
    }
}

extension ReadItems {
    /// Checks what holds for every format.
    fileprivate func violation(_ limits: BatchLimits, _ inputBytes: Int) -> String? {
        var last = 0
        for item in items {
            if item.byte < last || item.byte > inputBytes { return "an item has the offset \(item.byte) after \(last)" }
            last = item.byte
            if item.bytes.count > limits.maxItemBytes { return "an item is too long" }
            guard case .rejected(let error, _) = item.form else { continue }
            if !item.bytes.isEmpty { return "a rejected item has content" }
            if case .malformed(let fault) = error, fault.byte > inputBytes { return "a fault is outside the input" }
        }
        if case .malformed(let fault)? = error, fault.byte > inputBytes { return "the error is outside the input" }
        return nil
    }

    /// Checks that the blocks of plain records are parts of the input, in its order.
    fileprivate func violationOfRecords(_ bytes: [UInt8]) -> String? {
        var start = 0
        for item in items {
            guard case .message = item.form else { continue }
            let head = bytes[max(item.byte, start)...]
            guard head.starts(with: "WARC/".utf8) else { return "an item is not at its record" }
            start = item.byte + 8
        }
        return nil
    }

    fileprivate func differs(from model: [BatchOracle.Item]) -> Bool {
        guard items.count == model.count else { return true }
        return zip(items, model).contains { item, expected in
            if item.byte != expected.byte { return true }
            if case .rejected = item.form { return expected.content != nil }
            return expected.content != item.bytes
        }
    }
}
