/// The tag of the root element of an SVG.
package struct SVGRoot {
    /// The maximum length of what precedes the root element, and of its tag if it has a prefix, in bytes.
    package static let maxHeadBytes = 64 << 10

    package let tag: MarkupScanner.Tag
    /// The scanner after the tag.
    package let scanner: MarkupScanner

    /// Returns `nil` if the root element is not `svg`, or if the document type is HTML.
    /// - Parameters:
    ///   - content: Text in UTF-8.
    ///   - start: The offset of the first character, or of white space before it.
    package init?(_ content: Span<UInt8>, from start: Int) {
        var scanner = MarkupScanner(at: start)
        guard let tag = scanner.nextRoot(content), Self.isNamed(tag, content),
            !Self.isHTML(content, start..<tag.name.lowerBound)
        else { return nil }
        self.tag = tag
        self.scanner = scanner
    }

    /// Returns whether the local name is `svg`, and the prefix, if there is one, is the usual one or declared.
    private static func isNamed(_ tag: MarkupScanner.Tag, _ content: Span<UInt8>) -> Bool {
        guard tag.name.ends(with: "svg", in: content) else { return false }
        let prefix = tag.name.dropLast(3)
        if prefix.isEmpty || prefix.count == 4 && content.hasText("svg:", at: prefix.lowerBound) { return true }
        guard prefix.ends(with: ":", in: content) else { return false }
        var declaration = Array("xmlns:".utf8)
        declaration.append(content, prefix.dropLast())
        guard let namespace = tag.value(of: declaration, content) else { return false }
        return namespace.count == 26 && content.hasText("http://www.w3.org/2000/svg", at: namespace.lowerBound)
    }

    /// Returns whether the DOCTYPE in `range` is that of HTML, in which `svg` may be the first element.
    private static func isHTML(_ content: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var scanner = MarkupScanner(at: range.lowerBound)
        while scanner.offset < range.upperBound {
            var start = scanner.offset
            while start < range.upperBound, content[start].isJSONWhiteSpace { start += 1 }
            let isHTML = content.slice(at: start, count: 14) { $0.equals("<!doctype html") } ?? false
            if isHTML { return true }
            guard scanner.next(content) == .other else { return false }
        }
        return false
    }
}
