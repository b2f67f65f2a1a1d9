// Members in an order other than that of the source: sorted by name, or the complete text in the canonical form of RFC
// 8785.
//
// This requires the complete value, so it is a second pass over the minified output of the kernel, and only runs on
// request. One traversal lists the members of each object and sorts them when the object ends; a second traversal
// writes the text, each object in the order of its list. Nothing recurses: open containers are on a stack, and the
// limit of the kernel bounds their number.
//
// The working memory is the text, four bytes for each member and eight for each object that is not empty:
//
//      text       {"b":{"d":1,"c":2},"a":3}
//      members    13 6|  20 2|               where the names begin, the inner object's list first
//      objects    0 → 2, 5 → 0               where each begins, and its list; none is needed for a single member
//
// Members of open objects are stored at the other end of the same array. When an object is closed, they move to its
// list, so the array is as long as the number of members.

/// Rearranges one minified JSON value. Numbers that have no canonical form must have been rejected before.
struct JSONOrder {
    /// An object that has members.
    private struct Listed {
        /// The start of the object in the text.
        var start: UInt32
        /// The start of its list in ``JSONOrder/members``, or ``none``.
        var list = Self.none

        static let none = UInt32.max
    }

    /// A container that is being written.
    private struct Level {
        enum Kind {
            case array, object, sorted
        }

        var kind: Kind
        /// The index in ``JSONOrder/members`` of the next member of a sorted object.
        var next = 0
        /// The end in the text of the last of its members that were written.
        var end = 0
    }

    private let isCanonical: Bool
    /// The start of the name of each member: lists from the start, members of open objects from the end. ``lastBit``
    /// marks the last member of a list.
    private var members: [UInt32]
    private var objects: [Listed] = []
    private static let lastBit: UInt32 = 1 << 31

    /// Writes `text`, one minified value from the kernel, with the members of each object sorted.
    static func write(
        _ text: Span<UInt8>,
        isCanonical: Bool,
        memory: any MemoryGrant,
        into writer: inout JSONWriter
    ) {
        var budget = MemoryBudget(memory)
        guard var order = JSONOrder(text, isCanonical: isCanonical, &budget) else {
            return writer.rejectMore(isOutOfMemory: true)
        }
        order.list(text)
        order.write(text, into: &writer)
    }

    /// - Returns: `nil` if there is no memory.
    private init?(_ text: Span<UInt8>, isCanonical: Bool, _ budget: inout MemoryBudget) {
        self.isCanonical = isCanonical
        // An upper bound: a quote and a colon in a string are counted too.
        var names = 0
        var opened = 0
        var previous: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ":") {
                names += previous == UInt8(ascii: "\"") ? 1 : 0
            } else if byte == UInt8(ascii: "\"") {
                opened += previous == UInt8(ascii: "{") ? 1 : 0
            }
            previous = byte
        }
        let tables = names * MemoryLayout<UInt32>.stride + opened * MemoryLayout<Listed>.stride
        // Sorting copies up to half of the members, and the canonical form of a string is a copy.
        let copies = names / 2 * MemoryLayout<UInt32>.stride + (isCanonical ? text.count : 0)
        guard budget.take(tables + copies) else { return nil }
        members = Array(repeating: 0, count: names)
        objects.reserveCapacity(opened)
    }

    // MARK: Listing

    private mutating func list(_ text: Span<UInt8>) {
        /// The open objects, and the start of the open members before each was opened. Arrays need no level, because
        /// their brackets are sufficient.
        var open: [(object: Int, outerStart: Int)] = []
        var listed = 0
        var openStart = members.count
        var sorter = MemberSorter()
        var cursor = JSONCursor()
        while let token = cursor.token(in: text) {
            switch token {
            case .opening(UInt8(ascii: "{")):
                if cursor.peek(in: text) == UInt8(ascii: "}") {
                    cursor.offset += 1
                    continue
                }
                open.append((objects.count, openStart))
                objects.append(Listed(start: UInt32(truncatingIfNeeded: cursor.offset - 1)))
            case .closing(UInt8(ascii: "}")):
                guard let (object, outerStart) = open.popLast() else { return }
                let count = outerStart - openStart
                if count > 1 {
                    // They were added from the end, so the last one is first in memory.
                    members[openStart..<outerStart].reverse()
                    sorter.sort(&members, openStart..<outerStart, text)
                    for index in 0..<count { members[listed + index] = members[openStart + index] }
                    objects[object].list = UInt32(truncatingIfNeeded: listed)
                    listed += count
                    members[listed - 1] |= Self.lastBit
                }
                openStart = outerStart
            case .string(let string) where cursor.peek(in: text) == UInt8(ascii: ":"):
                openStart -= 1
                members[openStart] = UInt32(truncatingIfNeeded: string.range.lowerBound - 1)
            case .opening, .closing, .punctuation, .string, .scalar: break
            }
        }
    }

    // MARK: Writing

    private func write(_ text: Span<UInt8>, into writer: inout JSONWriter) {
        var open: [Level] = []
        var expected = 0
        var cursor = JSONCursor()
        // Beyond the limit nothing more is written.
        while !writer.isOverLimit {
            let start = cursor.offset
            switch cursor.token(in: text) {
            case .opening(UInt8(ascii: "[")):
                writer.beginArray()
                open.append(Level(kind: .array))
            case .opening:
                writer.beginObject()
                var level = Level(kind: .object)
                if cursor.peek(in: text) != UInt8(ascii: "}") {
                    expected = indexOfObject(at: start, expected: expected)
                    let list = objects[expected].list
                    expected += 1
                    if list != Listed.none { level = Level(kind: .sorted, next: Int(list)) }
                }
                open.append(level)
            case .string(let string): writeString(string, text, &writer)
            case .scalar(let range): text.slice(range) { writeScalar($0, &writer) }
            case .closing, .punctuation, nil: return
            }
            // The next member or element, or the end of containers.
            next: while true {
                guard let last = open.indices.last else { return }
                switch open[last].kind {
                case .array:
                    if cursor.next(in: text) { break next }
                    writer.endArray()
                case .object:
                    if cursor.next(in: text) {
                        writeName(cursor.name(in: text), text, &writer)
                        break next
                    }
                    writer.endObject()
                case .sorted:
                    // Its members end in any order. The bracket follows the last of them in the text.
                    open[last].end = max(open[last].end, cursor.offset)
                    let index = open[last].next
                    if index >= 0 {
                        let member = members[index]
                        open[last].next = (member & Self.lastBit) == 0 ? index + 1 : -1
                        cursor.offset = Int(member & ~Self.lastBit)
                        writeName(cursor.name(in: text), text, &writer)
                        break next
                    }
                    writer.endObject()
                    cursor.offset = open[last].end + 1
                }
                open.removeLast()
            }
        }
    }

    /// Returns the index of the object that begins at `start`: almost always the one after the last.
    private func indexOfObject(at start: Int, expected: Int) -> Int {
        if expected < objects.count, objects[expected].start == start { return expected }
        return objects.indices.partitioningIndex { objects[$0].start >= start }
    }

    private func writeName(_ name: JSONStringToken, _ text: Span<UInt8>, _ writer: inout JSONWriter) {
        if !isCanonical {
            text.slice(name.range) { writer.rawName($0) }
        } else if name.hasEscapes {
            writer.name(utf8: name.utf8(in: text).span)
        } else {
            text.slice(name.range) { writer.name(utf8: $0) }
        }
    }

    private func writeString(_ string: JSONStringToken, _ text: Span<UInt8>, _ writer: inout JSONWriter) {
        if !isCanonical {
            text.slice(string.range.lowerBound - 1..<string.range.upperBound + 1) { writer.raw($0) }
        } else if string.hasEscapes {
            writer.string(utf8: string.utf8(in: text).span)
        } else {
            text.slice(string.range) { writer.string(utf8: $0) }
        }
    }

    private func writeScalar(_ value: Span<UInt8>, _ writer: inout JSONWriter) {
        var number: [UInt8] = []
        if isCanonical, !value[0].isLowercaseLetter, ECMAScriptNumber.append(value, to: &number) {
            writer.raw(number)
        } else {
            writer.raw(value)
        }
    }
}
