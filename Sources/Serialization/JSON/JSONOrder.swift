// Members in another order than the source's: sorted by name, or the whole text in the canonical form of RFC 8785.
//
// This needs the whole value, so it is a second pass over the kernel's minified output, and only for those who ask. One
// walk lists the members and elements of the text, eight bytes each; a second walk writes them, each object's in the
// order of their names. Nothing recurses: open containers are on a stack, and their number is the kernel's limit.
//
//      text     {"b":[1,2],"a":3}
//      nodes    {…}→5  "b"→4  1→3  2→4  "a"→5      where each begins, and the node after its descendants

/// Rearranges one minified JSON value. Numbers that have no canonical form must have been refused before.
struct JSONOrder {
    /// One value of the text. A container is followed by its descendants.
    private struct Node {
        /// Where it begins; a member begins with the quote of its name.
        var start: UInt32
        /// The node after its last descendant.
        var next: UInt32
    }

    /// A container that is being written.
    private struct Level {
        var isObject: Bool
        /// An object's members that are left, the next one last.
        var members: [UInt32] = []
        /// An array's elements that are left.
        var elements: Range<UInt32> = 0..<0
    }

    private let text: [UInt8]
    private let isCanonical: Bool
    private var nodes: [Node] = []

    /// - Parameter text: one minified value, as the kernel writes it.
    init(_ text: [UInt8], isCanonical: Bool) {
        self.text = text
        self.isCanonical = isCanonical
        list()
    }

    // MARK: Listing

    private mutating func list() {
        // At least as many as there are values: a comma in a string makes no harm.
        nodes.reserveCapacity(
            text.reduce(1) {
                $0 + ($1 == UInt8(ascii: ",") || $1 == UInt8(ascii: "{") || $1 == UInt8(ascii: "[") ? 1 : 0)
            }
        )
        var open: [Int] = []
        // Where the name of the value that comes next begins.
        var name: Int?
        var i = 0
        while i < text.count {
            switch text[i] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(nodes.count)
                add(from: name ?? i)
                name = nil
                i += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let container = open.popLast() { nodes[container].next = UInt32(nodes.count) }
                i += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                i += 1
            default:
                let end = endOfScalar(from: i)
                if end < text.count, text[end] == UInt8(ascii: ":") {
                    name = i
                } else {
                    add(from: name ?? i)
                    name = nil
                }
                i = end
            }
        }
    }

    private mutating func add(from start: Int) {
        nodes.append(Node(start: UInt32(start), next: UInt32(nodes.count + 1)))
    }

    /// The end of a string, number or literal.
    private func endOfScalar(from start: Int) -> Int {
        var end = start + 1
        if text[start] == UInt8(ascii: "\"") {
            while text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
            return end + 1
        }
        while end < text.count, !text[end].endsScalar { end += 1 }
        return end
    }

    // MARK: Writing

    /// Writes the value with each object's members sorted.
    func write(into writer: inout JSONWriter) {
        // The outermost level is the text itself.
        var open = [Level(isObject: false, elements: 0..<UInt32(nodes.count))]
        while let last = open.indices.last {
            if open[last].isObject {
                guard let member = open[last].members.popLast() else {
                    open.removeLast()
                    writer.endObject()
                    continue
                }
                let start = Int(nodes[Int(member)].start)
                let end = endOfScalar(from: start)
                writeName(start + 1..<end - 1, &writer)
                writeValue(of: member, at: end + 1, &open, &writer)
            } else {
                guard let element = open[last].elements.first else {
                    open.removeLast()
                    if !open.isEmpty { writer.endArray() }
                    continue
                }
                open[last].elements = nodes[Int(element)].next..<open[last].elements.upperBound
                writeValue(of: element, at: Int(nodes[Int(element)].start), &open, &writer)
            }
        }
    }

    private func writeValue(of node: UInt32, at start: Int, _ open: inout [Level], _ writer: inout JSONWriter) {
        let children = node + 1..<nodes[Int(node)].next
        switch text[start] {
        case UInt8(ascii: "{"):
            writer.beginObject()
            open.append(Level(isObject: true, members: sortedFromLast(children)))
        case UInt8(ascii: "["):
            writer.beginArray()
            open.append(Level(isObject: false, elements: children))
        default:
            writeScalar(start..<endOfScalar(from: start), &writer)
        }
    }

    private func writeName(_ name: Range<Int>, _ writer: inout JSONWriter) {
        if isCanonical {
            writer.name(String(decoding: unescaped(name), as: UTF8.self))
        } else {
            writer.rawName(text[name])
        }
    }

    private func writeScalar(_ range: Range<Int>, _ writer: inout JSONWriter) {
        let value = text[range]
        guard isCanonical else { return writer.raw(value.span) }
        switch value.first {
        case UInt8(ascii: "\""):
            writer.string(utf8: unescaped(range.lowerBound + 1..<range.upperBound - 1).span)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            writer.raw(value.span)
        default:
            var number: [UInt8] = []
            let isRepresentable = ECMAScriptNumber.append(value.span, to: &number)
            writer.raw(isRepresentable ? number : Array(value))
        }
    }

    private func unescaped(_ range: Range<Int>) -> [UInt8] {
        let bytes = text[range]
        return bytes.contains(UInt8(ascii: "\\")) ? JSONString.unescape(bytes.span) : Array(bytes)
    }

    // MARK: Sorting

    /// A member of an object that is being sorted.
    private struct Key {
        /// The ranks of the name's first eight bytes, the first highest: mostly all that a comparison needs.
        var prefix: UInt64
        var member: UInt32
        /// Where the name stands: in the text, or where it has escapes, among the unescaped names.
        var name: Range<UInt32>
        var isUnescaped: Bool
    }

    /// The members among `children` by the UTF-16 code units of their names as they read (RFC 8785 §3.2.3), the last first.
    private func sortedFromLast(_ children: Range<UInt32>) -> [UInt32] {
        var keys: [Key] = []
        var unescapedNames: [UInt8] = []
        func bytes(of name: Range<UInt32>, _ isUnescaped: Bool) -> ArraySlice<UInt8> {
            (isUnescaped ? unescapedNames : text)[Int(name.lowerBound)..<Int(name.upperBound)]
        }

        var member = children.lowerBound
        while member < children.upperBound {
            let start = nodes[Int(member)].start + 1
            var name = start..<UInt32(endOfScalar(from: Int(start) - 1) - 1)
            let spelling = bytes(of: name, false)
            let hasEscapes = spelling.contains(UInt8(ascii: "\\"))
            if hasEscapes {
                let start = UInt32(unescapedNames.count)
                unescapedNames += JSONString.unescape(spelling.span)
                name = start..<UInt32(unescapedNames.count)
            }
            let prefix = Self.prefix(of: bytes(of: name, hasEscapes))
            keys.append(Key(prefix: prefix, member: member, name: name, isUnescaped: hasEscapes))
            member = nodes[Int(member)].next
        }
        keys.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return Self.precedes(bytes(of: left.name, left.isUnescaped), bytes(of: right.name, right.isUnescaped))
        }
        return keys.reversed().map(\.member)
    }

    private static func prefix(of name: ArraySlice<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        for byte in name.prefix(8) { prefix = prefix << 8 | UInt64(rank(byte)) }
        return prefix << (8 * UInt64(8 - min(8, name.count)))
    }

    /// Whether `left` comes before `right`.
    private static func precedes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        for (a, b) in zip(left, right) where a != b {
            return rank(a) < rank(b)
        }
        return left.count < right.count
    }

    /// UTF-8 bytes in the order of UTF-16: the two sort alike but for characters beyond U+FFFF, whose surrogates (D800 to
    /// DFFF) come before U+E000 to U+FFFF, so that lead bytes F0 and up count as less than EE and EF.
    private static func rank(_ byte: UInt8) -> UInt8 {
        byte >= 0xF0 ? byte - 2 : byte >= 0xEE ? byte + 8 : byte
    }
}

extension UInt8 {
    fileprivate var endsScalar: Bool {
        self == UInt8(ascii: ",") || self == UInt8(ascii: "]") || self == UInt8(ascii: "}")
    }
}
