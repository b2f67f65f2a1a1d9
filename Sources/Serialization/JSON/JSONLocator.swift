/// Finds the value to which an offset of a JSON text belongs.
///
/// The kernel does not maintain a path. The locator is used afterwards for a few offsets of one text, and traverses the
/// text once up to the last of them. The text before an error has been checked, so the traversal can be simple.
struct JSONLocator {
    struct Location: Equatable {
        /// The JSON Pointer (RFC 6901).
        var pointer: String
        /// The index of the record, from 0, in a text with many records.
        var record: Int?
    }

    private struct Level {
        /// The index of the current element, or `nil` in an object.
        var index: Int?
        /// The current member's name between its quotes, as written.
        var name: Range<Int>?
    }

    private let source: JSONSource
    private let hasRecords: Bool
    private let maxPointerBytes: Int

    init(source: JSONSource, options: JSONReader.Options) {
        self.source = source
        hasRecords = options.records != nil
        maxPointerBytes = options.limits.maxPointerBytes
    }

    /// Returns the locations of `offsets`, which must be in ascending order.
    func locations(of offsets: [Int]) -> [Location] {
        var locations: [Location] = []
        var levels: [Level] = []
        var record = -1
        var i = 0
        while i < source.count, locations.count < offsets.count {
            let byte = source[i]
            var end = i + 1
            switch byte {
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                note(&locations, offsets, before: end, levels, record)
                _ = levels.popLast()
            case UInt8(ascii: ","):
                note(&locations, offsets, before: end, levels, record)
                if let last = levels.indices.last {
                    levels[last].index = levels[last].index.map { $0 + 1 }
                    levels[last].name = nil
                }
            case _ where byte.isJSONWhiteSpace || byte == UInt8(ascii: ":") || byte == 0x1E:
                break
            default:
                if levels.isEmpty { record += 1 }
                if byte == UInt8(ascii: "\"") {
                    let closing = closingQuote(from: i)
                    end = closing.map { $0 + 1 } ?? source.count
                    // A name that does not end is not a name.
                    if let closing, let last = levels.indices.last, levels[last].index == nil, levels[last].name == nil
                    {
                        // A name belongs to its member from its first byte.
                        levels[last].name = (i + 1)..<closing
                    }
                } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                    note(&locations, offsets, before: end, levels, record)
                    levels.append(Level(index: byte == UInt8(ascii: "[") ? 0 : nil))
                } else {
                    end = endOfScalar(from: i)
                }
            }
            note(&locations, offsets, before: end, levels, record)
            i = end
        }
        note(&locations, offsets, before: .max, levels, record)
        return locations
    }

    private func note(
        _ locations: inout [Location],
        _ offsets: [Int],
        before end: Int,
        _ levels: [Level],
        _ record: Int
    ) {
        while locations.count < offsets.count, offsets[locations.count] < end {
            let isRecord = hasRecords && record >= 0
            locations.append(
                Location(pointer: pointer(levels, record: isRecord ? record : nil), record: isRecord ? record : nil)
            )
        }
    }

    /// Returns the end of the number or literal that begins at `start`. In concatenated texts another value may follow
    /// directly.
    private func endOfScalar(from start: Int) -> Int {
        let literals: [StaticString] = ["true", "false", "null"]
        for literal in literals where source.holds(literal, at: start) { return start + literal.utf8CodeUnitCount }
        var end = start + 1
        while end < source.count, !source[end].endsJSONScalar, !source[end].beginsLiteral {
            // A sign belongs to an exponent, or to the next number.
            if source[end] == UInt8(ascii: "-"), source[end - 1] | 0x20 != UInt8(ascii: "e") { break }
            end += 1
        }
        return end
    }

    /// Returns the closing quote of the string that opens at `start`, or `nil` if the source ends before it.
    private func closingQuote(from start: Int) -> Int? {
        var end = start + 1
        while end < source.count {
            switch source[end] {
            case UInt8(ascii: "\""): return end
            case UInt8(ascii: "\\"): end += 2
            default: end += 1
            }
        }
        return nil
    }

    private func pointer(_ levels: [Level], record: Int?) -> String {
        var pointer = JSONPointer(maxBytes: maxPointerBytes)
        if let record { pointer.append(record) }
        for level in levels where !pointer.isCut {
            if let index = level.index {
                pointer.append(index)
            } else if let name = level.name {
                // An escape of six bytes represents at least one byte. A longer name is not read.
                if name.count / 6 > maxPointerBytes { pointer.cut() } else { pointer.append(source.name(name)) }
            } else {
                break
            }
        }
        return pointer.text
    }
}

extension JSONSource {
    fileprivate func holds(_ text: StaticString, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= count else { return false }
        for index in 0..<text.utf8CodeUnitCount {
            // The index is within the length of `text`.
            guard unsafe text.utf8Start[index] == self[start + index] else { return false }
        }
        return true
    }
}

extension UInt8 {
    /// Whether the byte begins a literal. These letters do not occur in numbers.
    fileprivate var beginsLiteral: Bool {
        self == UInt8(ascii: "t") || self == UInt8(ascii: "f") || self == UInt8(ascii: "n")
    }

    /// Whether a number or literal ends before the byte.
    fileprivate var endsJSONScalar: Bool {
        switch self {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "{"), UInt8(ascii: "["),
            UInt8(ascii: "\""), UInt8(ascii: ":"):
            true
        default: isJSONWhiteSpace || self == 0x1E
        }
    }
}
