// Members in another order than the source's: sorted by name, or the whole text in the canonical form of RFC 8785.
//
// This needs the whole value, so it is a second pass over the kernel's minified output, and only for those who ask. One
// walk lists the members and elements of the text, twenty bytes each; each object's list is sorted; a second walk writes
// them in that order. Nothing recurses: open containers are on a stack, and their number is the kernel's nesting limit.

/// Rearranges one minified JSON value. Numbers that have no canonical form must have been refused before.
struct JSONOrder {
    /// One value of the text, with its name where it has one. A container is followed by its descendants.
    private struct Node {
        /// The name between its quotes; empty and at the value's start where there is none.
        var name: Range<UInt32>
        /// The value's text.
        var value: Range<UInt32>
        /// The index after its last descendant.
        var end: UInt32
    }

    private let text: [UInt8]
    private var nodes: [Node] = []
    private let isCanonical: Bool

    /// - Parameter text: one minified value, as the kernel writes it.
    init(_ text: [UInt8], isCanonical: Bool) {
        self.text = text
        self.isCanonical = isCanonical
        list()
    }

    // MARK: Listing

    private mutating func list() {
        var open: [Int] = []
        var name: Range<UInt32>?
        var i = 0
        while i < text.count {
            switch text[i] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(nodes.count)
                add(name, i, i + 1)
                name = nil
                i += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                i += 1
                if let container = open.popLast() {
                    nodes[container].value = nodes[container].value.lowerBound..<UInt32(i)
                    nodes[container].end = UInt32(nodes.count)
                }
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                i += 1
            case UInt8(ascii: "\""):
                let end = endOfString(from: i)
                if end < text.count, text[end] == UInt8(ascii: ":") {
                    name = UInt32(i + 1)..<UInt32(end - 1)
                } else {
                    add(name, i, end)
                    name = nil
                }
                i = end
            default:
                var end = i + 1
                while end < text.count, !text[end].endsScalar { end += 1 }
                add(name, i, end)
                name = nil
                i = end
            }
        }
    }

    private mutating func add(_ name: Range<UInt32>?, _ start: Int, _ end: Int) {
        nodes.append(
            Node(
                name: name ?? UInt32(start)..<UInt32(start),
                value: UInt32(start)..<UInt32(end),
                end: UInt32(nodes.count + 1)
            )
        )
    }

    private func endOfString(from start: Int) -> Int {
        var end = start + 1
        while text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return end + 1
    }

    // MARK: Writing

    /// Writes the value with each object's members sorted.
    func write(into writer: inout JSONWriter) {
        // Containers that are being written: their children that are left, the next one last.
        var open: [(children: [Int], isObject: Bool)] = [([0], false)]
        while let level = open.indices.last {
            guard let index = open[level].children.popLast() else {
                let closed = open.removeLast()
                if open.isEmpty { return }
                if closed.isObject { writer.endObject() } else { writer.endArray() }
                continue
            }
            let node = nodes[index]
            if open[level].isObject { writeName(node, &writer) }
            switch text[Int(node.value.lowerBound)] {
            case UInt8(ascii: "{"):
                writer.beginObject()
                open.append((sortedChildren(of: index).reversed(), true))
            case UInt8(ascii: "["):
                writer.beginArray()
                open.append((children(of: index).reversed(), false))
            default:
                writeScalar(node, &writer)
            }
        }
    }

    private func children(of index: Int) -> [Int] {
        var children: [Int] = []
        var child = index + 1
        while child < nodes[index].end {
            children.append(child)
            child = Int(nodes[child].end)
        }
        return children
    }

    /// The order of RFC 8785 §3.2.3: by the UTF-16 code units of the names as they read.
    private func sortedChildren(of index: Int) -> [Int] {
        let named = children(of: index).map { (name: unescaped(nodes[$0].name), index: $0) }
        return named.sorted { Self.precedes($0.name, $1.name) }.map(\.index)
    }

    /// Whether `left` comes before `right` in UTF-16, both being UTF-8.
    ///
    /// The two encodings sort alike but for characters beyond U+FFFF, whose surrogates (D800 to DFFF) come before U+E000
    /// to U+FFFF: lead bytes F0 and up count as less than EE and EF.
    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        func rank(_ byte: UInt8) -> UInt8 { byte >= 0xF0 ? byte - 2 : byte >= 0xEE ? byte + 8 : byte }
        for (a, b) in zip(left, right) where a != b {
            return rank(a) < rank(b)
        }
        return left.count < right.count
    }

    private func writeName(_ node: Node, _ writer: inout JSONWriter) {
        if isCanonical {
            writer.name(String(decoding: unescaped(node.name), as: UTF8.self))
        } else {
            writer.rawName(text[Int(node.name.lowerBound)..<Int(node.name.upperBound)])
        }
    }

    private func writeScalar(_ node: Node, _ writer: inout JSONWriter) {
        let start = Int(node.value.lowerBound)
        let value = text[start..<Int(node.value.upperBound)]
        guard isCanonical else { return writer.raw(value.span) }
        switch value.first {
        case UInt8(ascii: "\""):
            writer.string(
                String(decoding: unescaped(node.value.lowerBound + 1..<node.value.upperBound - 1), as: UTF8.self)
            )
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            writer.raw(value.span)
        default:
            let number = String(decoding: value, as: UTF8.self)
            writer.raw(Array((ECMAScriptNumber.text(of: number) ?? number).utf8).span)
        }
    }

    private func unescaped(_ range: Range<UInt32>) -> [UInt8] {
        let bytes = text[Int(range.lowerBound)..<Int(range.upperBound)]
        return bytes.contains(UInt8(ascii: "\\")) ? JSONString.unescape(bytes.span) : Array(bytes)
    }
}

extension UInt8 {
    fileprivate var endsScalar: Bool {
        self == UInt8(ascii: ",") || self == UInt8(ascii: "]") || self == UInt8(ascii: "}")
    }
}
