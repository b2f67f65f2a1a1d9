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
    static func write(_ text: Span<UInt8>, isCanonical: Bool, into writer: inout JSONWriter) {
        var order = JSONOrder(text, isCanonical: isCanonical)
        order.list(text)
        order.write(text, into: &writer)
    }

    private init(_ text: Span<UInt8>, isCanonical: Bool) {
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
        var i = 0
        while i < text.count {
            switch text[i] {
            case UInt8(ascii: "{"):
                // The text from the kernel is complete, so a byte follows.
                if text[i + 1] == UInt8(ascii: "}") {
                    i += 2
                    continue
                }
                open.append((objects.count, openStart))
                objects.append(Listed(start: UInt32(truncatingIfNeeded: i)))
                i += 1
            case UInt8(ascii: "}"):
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
                i += 1
            case UInt8(ascii: "\""):
                let end = text.endOfJSONString(from: i)
                if end < text.count, text[end] == UInt8(ascii: ":") {
                    openStart -= 1
                    members[openStart] = UInt32(truncatingIfNeeded: i)
                }
                i = end
            default:
                i += 1
            }
        }
    }

    // MARK: Writing

    private func write(_ text: Span<UInt8>, into writer: inout JSONWriter) {
        var open: [Level] = []
        var expected = 0
        var i = 0
        // Beyond the limit nothing more is written.
        while !writer.isOverLimit {
            // A value begins at `i`.
            switch text[i] {
            case UInt8(ascii: "["):
                writer.beginArray()
                i += 1
                open.append(Level(kind: .array))
            case UInt8(ascii: "{"):
                writer.beginObject()
                var level = Level(kind: .object)
                if text[i + 1] != UInt8(ascii: "}") {
                    expected = indexOfObject(at: i, expected: expected)
                    let list = objects[expected].list
                    expected += 1
                    if list != Listed.none { level = Level(kind: .sorted, next: Int(list)) }
                }
                i += 1
                open.append(level)
            default:
                let end = text.endOfJSONScalar(from: i)
                writeScalar(text, i..<end, &writer)
                i = end
            }
            // The next member or element, or the end of containers.
            next: while true {
                guard let last = open.indices.last else { return }
                switch open[last].kind {
                case .array:
                    if text[i] == UInt8(ascii: ",") { i += 1 }
                    if text[i] != UInt8(ascii: "]") { break next }
                    writer.endArray()
                    i += 1
                case .object:
                    if text[i] != UInt8(ascii: "}") {
                        i = writeName(text, i, &writer)
                        break next
                    }
                    writer.endObject()
                    i += 1
                case .sorted:
                    // Its members end in any order. The bracket follows the last of them in the text.
                    open[last].end = max(open[last].end, i)
                    let index = open[last].next
                    if index >= 0 {
                        let member = members[index]
                        open[last].next = (member & Self.lastBit) == 0 ? index + 1 : -1
                        i = writeName(text, Int(member & ~Self.lastBit), &writer)
                        break next
                    }
                    writer.endObject()
                    i = open[last].end + 1
                }
                open.removeLast()
            }
        }
    }

    /// Returns the index of the object that begins at `start`: almost always the one after the last.
    private func indexOfObject(at start: Int, expected: Int) -> Int {
        if expected < objects.count, objects[expected].start == start { return expected }
        var low = 0
        var high = objects.count - 1
        while low < high {
            let middle = (low + high) / 2
            if objects[middle].start < start { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Writes the name that begins at `start`.
    /// - Returns: The start of the member's value.
    private func writeName(_ text: Span<UInt8>, _ start: Int, _ writer: inout JSONWriter) -> Int {
        let end = text.endOfJSONString(from: start)
        let name = text.extracting(start + 1..<end - 1)
        if !isCanonical {
            writer.rawName(name)
        } else if name.holdsBackslash {
            writer.name(utf8: JSONString.unescape(name).span)
        } else {
            writer.name(utf8: name)
        }
        return end + 1
    }

    private func writeScalar(_ text: Span<UInt8>, _ range: Range<Int>, _ writer: inout JSONWriter) {
        let value = text.extracting(range)
        guard isCanonical else { return writer.raw(value) }
        switch value[0] {
        case UInt8(ascii: "\""):
            let string = value.extracting(1..<value.count - 1)
            if string.holdsBackslash {
                writer.string(utf8: JSONString.unescape(string).span)
            } else {
                writer.string(utf8: string)
            }
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            writer.raw(value)
        default:
            var number: [UInt8] = []
            if ECMAScriptNumber.append(value, to: &number) {
                writer.raw(number)
            } else {
                writer.raw(value)
            }
        }
    }
}

extension Span<UInt8> {
    fileprivate var holdsBackslash: Bool {
        for index in indices where self[index] == UInt8(ascii: "\\") { return true }
        return false
    }

    /// Returns the end of the string that opens at `start`, including its closing quote.
    fileprivate func endOfJSONString(from start: Int) -> Int {
        var end = start + 1
        while self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return end + 1
    }

    /// Returns the end of a string, number or literal.
    fileprivate func endOfJSONScalar(from start: Int) -> Int {
        if self[start] == UInt8(ascii: "\"") { return endOfJSONString(from: start) }
        var end = start + 1
        while end < count, !self[end].endsScalar { end += 1 }
        return end
    }
}

extension UInt8 {
    fileprivate var endsScalar: Bool {
        self == UInt8(ascii: ",") || self == UInt8(ascii: "]") || self == UInt8(ascii: "}")
    }
}
