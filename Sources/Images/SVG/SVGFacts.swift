internal import Serialization

// The size of an SVG is that of its root element: `width` and `height` if they are lengths in px or another absolute
// unit (CSS Values 3 §6.2: 96 px are an inch). A missing one follows from the ratio of `viewBox`, and so do both. The
// content is not parsed as XML. An SVG without the end tag of the root is truncated.

/// Reads the root element of an SVG.
enum SVGFacts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> ImageFacts {
        // Other text is copied, one byte for each code unit.
        guard UnicodeEncoding.detect(content).encoding != .utf8, budget.take(content.count, of: .copiedBytes),
            let text = TextProbe.narrowed(content)
        else { return read(content, from: content.hasText("\u{FEFF}", at: 0) ? 3 : 0) }
        var facts = read(text.span, from: 0)
        if facts.integrity.verdict == .truncated { facts.integrity.byte = content.count }
        return facts
    }

    private static func read(_ content: Span<UInt8>, from start: Int) -> ImageFacts {
        var facts = ImageFacts(.svg)
        facts.frames = 1
        guard let root = SVGRoot(content, from: start) else { return facts }
        if !isClosed(root, content) {
            facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
        func value(_ name: String) -> String? {
            guard let range = root.tag.value(of: Array(name.utf8), content), range.count <= maxValueBytes else {
                return nil
            }
            return content.slice(range) { $0.latin1Text }
        }
        let box = value("viewBox").map { numbers($0) } ?? []
        if let sides = size(value("width").flatMap(pixels), value("height").flatMap(pixels), box),
            let width = whole(sides.0), let height = whole(sides.1)
        {
            (facts.width, facts.height) = (width, height)
        }
        return facts
    }

    /// The maximum length of an attribute that specifies the size, in bytes.
    private static let maxValueBytes = 1 << 10

    /// Returns whether the root is an empty element, or its end tag follows.
    private static func isClosed(_ root: SVGRoot, _ content: Span<UInt8>) -> Bool {
        func isRoot(_ name: Range<Int>) -> Bool {
            let rootName = root.tag.name
            guard name.count == rootName.count else { return false }
            return content.slice(name) { name in content.slice(rootName) { $0.equals(name) } } ?? false
        }
        if root.tag.isEmpty { return true }
        var scanner = root.scanner
        // Elements with the name of the root contain each other.
        var depth = 1
        while depth > 0, let part = scanner.next(content) {
            switch part {
            case .tag(let tag): if tag.isWhole, !tag.isEmpty, isRoot(tag.name) { depth += 1 }
            case .endTag(let name): if isRoot(name) { depth -= 1 }
            case .other: break
            }
        }
        return depth == 0
    }

    // MARK: The size

    /// Returns the two sides. If one is missing, the ratio of `viewBox` determines it (CSS Images 3 §5.3).
    private static func size(_ width: Double?, _ height: Double?, _ box: [Double]) -> (Double, Double)? {
        if let width, let height { return (width, height) }
        guard box.count == 4, box[2] > 0, box[3] > 0 else { return nil }
        if let width { return (width, width * box[3] / box[2]) }
        if let height { return (height * box[2] / box[3], height) }
        return (box[2], box[3])
    }

    /// Returns the pixels of a length in an absolute unit.
    private static func pixels(_ text: String) -> Double? {
        let text = text.drop { $0.isWhitespace }
        let digits = text.prefix { "+-.0123456789eE".contains($0) }
        guard let number = Double(digits) else { return nil }
        var unit = text.dropFirst(digits.count)
        while unit.last?.isWhitespace == true { unit.removeLast() }
        let length: Double
        switch unit {
        case "", "px": length = number
        case "in": length = number * 96
        case "cm": length = number * 96 / 2.54
        case "mm": length = number * 96 / 25.4
        case "pt": length = number * 96 / 72
        case "pc": length = number * 16
        default: return nil
        }
        return whole(length) == nil ? nil : length
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
