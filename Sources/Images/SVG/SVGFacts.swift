internal import Serialization

// The size of an SVG is that of its root element: `width` and `height` if both are lengths in px or another absolute
// unit (CSS Values 3 §6.2: 96 px are an inch), else the last two numbers of `viewBox`. Only the start tag of the root
// is read, and only in UTF-8; it is not parsed as XML. An SVG without the end tag of the root is truncated.

/// Reads the root element of an SVG.
enum SVGFacts {
    static func read(_ content: Span<UInt8>) -> ImageFacts {
        var facts = ImageFacts(.svg)
        facts.frames = 1
        guard let tag = rootTag(content) else { return facts }
        if !isClosed(tag, content) {
            facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
        let stated = (value(of: "width", content, tag), value(of: "height", content, tag))
        let box = value(of: "viewBox", content, tag).map { numbers($0) } ?? []
        if let width = stated.0.flatMap({ pixels($0) }), let height = stated.1.flatMap({ pixels($0) }) {
            (facts.width, facts.height) = (width, height)
        } else if box.count == 4, let width = whole(box[2]), let height = whole(box[3]) {
            (facts.width, facts.height) = (width, height)
        }
        return facts
    }

    private static let maxHeadBytes = 64 << 10
    /// The maximum length of an attribute that specifies the size, in bytes.
    private static let maxValueBytes = 1 << 10

    /// Returns the range from `<svg` to its `>`.
    private static func rootTag(_ content: Span<UInt8>) -> Range<Int>? {
        let end = min(content.count, maxHeadBytes)
        var offset = 0
        while offset < end {
            if content[offset] == UInt8(ascii: "<"), content.hasText("<svg", at: offset) {
                var last = offset
                while last < end, content[last] != UInt8(ascii: ">") { last += 1 }
                return offset..<last
            }
            offset += 1
        }
        return nil
    }

    /// Returns whether the root is an empty element, or its end tag follows.
    private static func isClosed(_ tag: Range<Int>, _ content: Span<UInt8>) -> Bool {
        guard tag.upperBound < content.count else { return false }
        if content[tag.upperBound - 1] == UInt8(ascii: "/") { return true }
        var offset = content.count - 6
        while offset > tag.upperBound {
            if content[offset] == UInt8(ascii: "<"), content.hasText("</svg", at: offset) { return true }
            offset -= 1
        }
        return false
    }

    private static func value(of name: StaticString, _ content: Span<UInt8>, _ tag: Range<Int>) -> String? {
        let length = name.utf8CodeUnitCount
        var offset = tag.lowerBound + 4
        while offset + length + 3 < tag.upperBound {
            guard content[offset - 1] <= 0x20, content.hasText(name, at: offset) else {
                offset += 1
                continue
            }
            var start = offset + length
            while start < tag.upperBound, content[start] <= 0x20 || content[start] == UInt8(ascii: "=") { start += 1 }
            guard start < tag.upperBound, content[start] == 0x22 || content[start] == 0x27 else {
                offset += 1
                continue
            }
            var end = start + 1
            while end < tag.upperBound, content[end] != content[start] { end += 1 }
            guard end - start - 1 <= maxValueBytes else { return nil }
            return content.slice(at: start + 1, count: end - start - 1) { $0.latin1Text }
        }
        return nil
    }

    /// Returns the pixels of a length in an absolute unit.
    private static func pixels(_ text: String) -> Int? {
        let digits = text.prefix { "+-.0123456789eE".contains($0) }
        guard let number = Double(digits) else { return nil }
        return switch text.dropFirst(digits.count) {
        case "", "px": whole(number)
        case "in": whole(number * 96)
        case "cm": whole(number * 96 / 2.54)
        case "mm": whole(number * 96 / 25.4)
        case "pt": whole(number * 96 / 72)
        case "pc": whole(number * 16)
        default: nil
        }
    }

    private static func numbers(_ text: String) -> [Double] {
        text.split { $0 == " " || $0 == "," || $0 == "\n" || $0 == "\t" || $0 == "\r" }.prefix(5).compactMap {
            Double($0)
        }
    }

    private static func whole(_ number: Double) -> Int? {
        let rounded = number.rounded()
        return rounded >= 1 && rounded < 1e9 ? Int(rounded) : nil
    }
}
