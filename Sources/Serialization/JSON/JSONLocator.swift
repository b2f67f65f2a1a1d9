/// Says where an offset of a JSON text lies: line, column and JSON Pointer.
///
/// The kernel keeps none of these. It is asked for at most a hundred offsets of one text, after the fact, and walks up
/// to the last of them once. Everything before an error's offset has been checked, so the walk can be simple.
struct JSONLocator {
    let source: JSONSource
    let maxPointerBytes: Int

    private struct Level {
        /// The index of the current element, or nil in an object.
        var index: Int?
        /// The current member's name between its quotes, as written.
        var name: Range<Int>?
    }

    init(source: JSONSource, limits: Limits) {
        self.source = source
        maxPointerBytes = limits.maxPointerBytes
    }

    /// The locations of `offsets`, which must ascend. `byte` counts from the start of the source.
    func locate(_ offsets: [Int]) -> [SourceLocation] {
        var locations: [SourceLocation] = []
        var levels: [Level] = []
        var line = 1
        var column = 1
        var i = 0

        func note(upTo end: Int) {
            while locations.count < offsets.count, offsets[locations.count] <= end {
                locations.append(
                    SourceLocation(byte: offsets[locations.count], line: line, column: column, pointer: pointer(levels))
                )
            }
        }
        func step(to end: Int) {
            while i < min(end, source.count) {
                if let next = offsets.dropFirst(locations.count).first, next == i { note(upTo: i) }
                let byte = source[i]
                let isLineEnd = byte == 0x0A || byte == 0x0D && !(i + 1 < source.count && source[i + 1] == 0x0A)
                if isLineEnd {
                    line += 1
                    column = 1
                } else if byte & 0xC0 != 0x80, byte != 0x0D {
                    column += 1
                }
                i += 1
            }
        }

        while i < source.count, locations.count < offsets.count {
            switch source[i] {
            case UInt8(ascii: "{"):
                step(to: i + 1)
                levels.append(Level(index: nil, name: nil))
            case UInt8(ascii: "["):
                step(to: i + 1)
                levels.append(Level(index: 0, name: nil))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                step(to: i + 1)
                if !levels.isEmpty { levels.removeLast() }
            case UInt8(ascii: ","):
                step(to: i + 1)
                if let last = levels.indices.last {
                    levels[last].index = levels[last].index.map { $0 + 1 }
                    levels[last].name = nil
                }
            case UInt8(ascii: "\""):
                let end = endOfString(from: i)
                if let last = levels.indices.last, levels[last].index == nil, levels[last].name == nil,
                    source[end - 1] == UInt8(ascii: "\""), end - 1 > i
                {
                    // The whole name counts as the place of its member, so it is known before its first byte is passed.
                    levels[last].name = (i + 1)..<(end - 1)
                }
                step(to: end)
            default:
                step(to: i + 1)
            }
        }
        note(upTo: .max)
        return locations
    }

    /// The end of the string that opens at `start`, its closing quote included, or the end of the source.
    private func endOfString(from start: Int) -> Int {
        var end = start + 1
        while end < source.count {
            switch source[end] {
            case UInt8(ascii: "\""): return end + 1
            case UInt8(ascii: "\\"): end += 2
            default: end += 1
            }
        }
        return source.count
    }

    /// RFC 6901; only whole tokens, and `…` after the last where more would pass ``maxPointerBytes``.
    private func pointer(_ levels: [Level]) -> String {
        var pointer = ""
        for level in levels {
            var token = "/"
            if let index = level.index {
                token += String(index)
            } else if let name = level.name {
                let text = source.withBytes(name) { String(decoding: JSONString.unescape($0), as: UTF8.self) }
                for character in text.unicodeScalars {
                    switch character {
                    case "~": token += "~0"
                    case "/": token += "~1"
                    default: token.unicodeScalars.append(character)
                    }
                }
            } else {
                break
            }
            if pointer.utf8.count + token.utf8.count > maxPointerBytes { return pointer + "/…" }
            pointer += token
        }
        return pointer
    }
}
