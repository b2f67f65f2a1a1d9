// Markup in an element, such as the XHTML of Atom, becomes text: start tags with their attributes, texts with the
// escapes of XML, and end tags. Comments are omitted. Relative references are resolved, because `xml:base` has no
// meaning in HTML. Names of XHTML are written without their prefix and declaration, so that the text is HTML, and empty
// elements of HTML have the form that HTML requires. HTML has no escapes in scripts and style sheets, so their text is
// written as it is, unless a reader of HTML would find their end in it. In content of Atom that is XML, each name keeps
// its namespace: a prefix that an element around the content declares is declared again where it is first used.

/// Writes the content of an element as markup.
struct FeedMarkup {
    private let names: FeedNames
    /// Whether only the elements in the namespace of XHTML are HTML, and not those without a namespace.
    private let isXML: Bool
    /// The base for the references in the element that is being written.
    private var base: FeedBase
    /// The prefixes that the written elements around the current position declare, for XML, in their order. The parser
    /// bounds their number.
    private var declarations: [Range<Int>] = []
    /// The same prefixes, so that each name finds its own among many.
    private var declared: Set<Range<Int>> = []
    /// What was not yet written, because most pieces are short.
    private var piece: [UInt8] = []

    private static let maxPieceBytes = 1 << 10

    /// The maximum length of a namespace that is declared again, in bytes, inclusive: each element may do it.
    private static let maxNamespaceBytes = 256

    /// Writes the content as a string, without the white space at its start and end.
    /// - Parameters:
    ///   - isXML: Whether only the elements in the namespace of XHTML are HTML.
    ///   - base: The base for the references in the element.
    static func write(
        contentOf element: Int,
        isXML: Bool = false,
        _ names: FeedNames,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        into writer: inout JSONWriter
    ) {
        var markup = FeedMarkup(names, isXML: isXML, names.base(of: element, base, tape))
        markup.piece.reserveCapacity(maxPieceBytes)
        writer.beginString()
        markup.writeContent(of: tape.element(at: element), isOutermost: true, tape, &writer)
        writer.append(utf8: markup.piece.span)
        writer.endString()
    }

    private init(_ names: FeedNames, isXML: Bool, _ base: FeedBase) {
        self.names = names
        self.isXML = isXML
        self.base = base
    }

    private mutating func writeContent(
        of element: XMLTape.Element,
        isOutermost: Bool = false,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard element.composition.hasElements else {
            let text = tape.ownText(of: element).range
            if !isOutermost, isRawText(text, of: element, tape) {
                return tape.withText(text) { append($0, 0..<$0.count, &writer) }
            }
            return append(isOutermost ? tape.trimmed(text) : text, tape, &writer)
        }
        let content = tape.content(of: element)
        var index = content.lowerBound
        while index < content.upperBound {
            guard tape.kind(at: index) != .element else {
                index = writeElement(index, tape, &writer)
                continue
            }
            let (text, next) = tape.leaf(at: index)
            // White space is only removed at the edges.
            if isOutermost, index == content.lowerBound || next >= content.upperBound {
                let trimmed = tape.trimmed(text)
                let start = index == content.lowerBound ? trimmed.lowerBound : text.lowerBound
                let end = next >= content.upperBound ? trimmed.upperBound : text.upperBound
                if !trimmed.isEmpty { append(start..<end, tape, &writer) }
            } else {
                append(text, tape, &writer)
            }
            index = next
        }
    }

    /// Writes one element. The parser bounds the depth: ``Limits/maxXMLNestingDepth``.
    /// - Returns: The index after the element.
    private mutating func writeElement(_ index: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) -> Int {
        if writer.isOverLimit { return tape.next(after: index) }
        let element = tape.element(at: index)
        let outer = base
        base = names.base(of: index, base, tape)
        let scope = declarations.count
        defer {
            base = outer
            while declarations.count > scope { declared.remove(declarations.removeLast()) }
        }
        // Other vocabularies have attributes of the same names that are not references.
        let isHTML = isHTML(element)
        piece.append(UInt8(ascii: "<"))
        appendName(element.name, tape, &writer)
        var attributes = XMLTape.AttributeCursor(element.attributes)
        while let attribute = attributes.next(in: tape) {
            let (name, value) = (attribute.name, attribute.value)
            if !attribute.isDeclaration {
                piece.append(UInt8(ascii: " "))
                appendName(name, tape, &writer)
                let url = isHTML && Self.isReference(name, of: element, tape) ? resolved(value, tape) : nil
                if let url { appendValue(url.span, &writer) } else { appendValue(value, tape, &writer) }
            } else if !tape.isEqual(value, "http://www.w3.org/1999/xhtml") {
                let prefix = tape.name(name).local
                appendDeclaration(of: prefix, value, tape, &writer)
                if isXML { addDeclaration(of: prefix) }
            }
        }
        if isXML { declareNames(of: element, tape, &writer) }
        let local = tape.name(element.name).local
        let isEmpty = !element.composition.hasElements && tape.ownText(of: element).range.isEmpty
        if isEmpty, !isHTML || tape.isEqual(local, anyOf: Self.voidElements) {
            piece.append("/>")
        } else {
            piece.append(UInt8(ascii: ">"))
            writeContent(of: element, tape, &writer)
            piece.append("</")
            appendName(element.name, tape, &writer)
            piece.append(UInt8(ascii: ">"))
        }
        flushIfLong(&writer)
        return tape.next(after: index)
    }

    private func isHTML(_ element: XMLTape.Element) -> Bool {
        names.isXHTML(element.name) || !isXML && names.isUnqualified(element.name)
    }

    /// Declares the prefixes of an element and its attributes that no written element declares.
    private mutating func declareNames(
        of element: XMLTape.Element,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        declare(element.name, tape, &writer)
        var attributes = XMLTape.AttributeCursor(element.attributes)
        while let attribute = attributes.next(in: tape) {
            if !attribute.isDeclaration { declare(attribute.name, tape, &writer) }
        }
    }

    private mutating func declare(_ number: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let name = tape.name(number)
        guard !name.namespace.isEmpty, name.namespace.count <= Self.maxNamespaceBytes, !names.isXHTML(number),
            // A default namespace of the feed is not meant for the content.
            name.prefix.isEmpty ? !names.isOfFeed(number) : !tape.isEqual(name.prefix, "xml"),
            addDeclaration(of: name.prefix)
        else { return }
        appendDeclaration(of: name.prefix, name.namespace, tape, &writer)
    }

    /// - Returns: `false` if a written element declares the prefix.
    @discardableResult
    private mutating func addDeclaration(of prefix: Range<Int>) -> Bool {
        guard declared.insert(prefix).inserted else { return false }
        declarations.append(prefix)
        return true
    }

    private mutating func appendDeclaration(
        of prefix: Range<Int>,
        _ namespace: Range<Int>,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        piece.append(" xmlns")
        if !prefix.isEmpty {
            piece.append(UInt8(ascii: ":"))
            append(prefix, tape, &writer)
        }
        appendValue(namespace, tape, &writer)
    }

    /// The elements of HTML whose text has no escapes (HTML Standard §13.3).
    private static let rawTextElements = ["style", "script", "xmp", "iframe", "noembed", "noframes"]

    /// Returns whether the text of an element is written without escapes: a reader of HTML finds its end tag only after
    /// the text.
    private func isRawText(_ text: Range<Int>, of element: XMLTape.Element, _ tape: borrowing XMLTape) -> Bool {
        let local = tape.name(element.name).local
        guard !isXML, isHTML(element), names.isXHTML(element.name) || tape.name(element.name).prefix.isEmpty,
            let name = Self.rawTextElements.first(where: { tape.isEqual(local, ignoringCaseOf: $0) })
        else { return false }
        return tape.withText(text) { text in
            if text.contains("</" + name) { return false }
            // In a script, `<!--` and then `<script` hide the next end tag (HTML Standard §13.2.5.17).
            return name != "script" || !text.contains("<!--") || !text.contains("<script")
        }
    }

    /// The elements of HTML without an end tag (HTML Standard §13.1.2).
    private static let voidElements: [StaticString] = [
        "br", "img", "hr", "area", "base", "col", "embed", "input", "link", "meta", "param", "source", "track", "wbr",
    ]

    private mutating func appendName(_ number: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let name = tape.name(number)
        // HTML knows SVG and MathML by their names.
        if !name.prefix.isEmpty, !names.isXHTML(number), isXML || !names.isForeign(number) {
            append(name.prefix, tape, &writer)
            piece.append(UInt8(ascii: ":"))
        }
        append(name.local, tape, &writer)
    }

    private mutating func appendValue(_ value: Range<Int>, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        tape.withText(value) { appendValue($0, &writer) }
    }

    private mutating func appendValue(_ value: Span<UInt8>, _ writer: inout JSONWriter) {
        piece.append("=\"")
        append(value, isAttribute: true, &writer)
        piece.append(UInt8(ascii: "\""))
    }

    /// The attributes that are one URL, and their elements: those in the index of the HTML Standard, and obsolete ones
    /// (§16.2).
    private static let references: [(attribute: String, elements: [String])] = [
        ("href", ["a", "area", "link", "base"]),
        ("src", ["img", "image", "source", "audio", "video", "track", "iframe", "embed", "input", "script", "frame"]),
        ("cite", ["blockquote", "q", "ins", "del"]), ("data", ["object"]), ("poster", ["video"]), ("action", ["form"]),
        ("formaction", ["button", "input"]), ("longdesc", ["img", "iframe", "frame"]),
        ("background", ["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]),
    ]

    /// Returns whether an attribute of an element of HTML is a URL.
    private static func isReference(_ name: Int, of element: XMLTape.Element, _ tape: borrowing XMLTape) -> Bool {
        let name = tape.name(name)
        guard name.prefix.isEmpty else { return false }
        let local = tape.name(element.name).local
        // Old markup is in upper case.
        for (attribute, elements) in references where tape.isEqual(name.local, ignoringCaseOf: attribute) {
            return elements.contains { tape.isEqual(local, ignoringCaseOf: $0) }
        }
        return false
    }

    /// Returns a relative reference as an absolute URL; `nil` if it is none.
    private func resolved(_ value: Range<Int>, _ tape: borrowing XMLTape) -> [UInt8]? {
        let reference = tape.trimmed(value)
        return reference.isEmpty ? nil : tape.withText(reference) { base.resolve($0) }
    }

    private mutating func append(_ range: Range<Int>, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        tape.withText(range) { append($0, isAttribute: false, &writer) }
    }

    /// Appends a text with its escapes.
    private mutating func append(_ text: Span<UInt8>, isAttribute: Bool, _ writer: inout JSONWriter) {
        var start = 0
        for index in text.indices {
            let escape: StaticString
            switch text[index] {
            case UInt8(ascii: "&"): escape = "&amp;"
            case UInt8(ascii: "<"): escape = "&lt;"
            case UInt8(ascii: ">") where !isAttribute: escape = "&gt;"
            case UInt8(ascii: "\"") where isAttribute: escape = "&quot;"
            default: continue
            }
            append(text, start..<index, &writer)
            piece.append(escape.description)
            start = index + 1
        }
        append(text, start..<text.count, &writer)
        flushIfLong(&writer)
    }

    private mutating func append(_ text: Span<UInt8>, _ range: Range<Int>, _ writer: inout JSONWriter) {
        guard range.count > Self.maxPieceBytes else { return piece.append(text, range) }
        flush(&writer)
        text.slice(range) { writer.append(utf8: $0) }
    }

    private mutating func flushIfLong(_ writer: inout JSONWriter) {
        if piece.count >= Self.maxPieceBytes { flush(&writer) }
    }

    private mutating func flush(_ writer: inout JSONWriter) {
        writer.append(utf8: piece.span)
        piece.removeAll(keepingCapacity: true)
    }
}

extension Span<UInt8> {
    /// Returns whether the text contains a word, which begins with `<`, in any case.
    fileprivate func contains(_ word: String) -> Bool {
        var index = firstOffset(of: UInt8(ascii: "<"), in: 0..<count)
        while let start = index {
            let end = Swift.min(start + word.utf8.count, count)
            if slice(start..<end, { $0.equalsIgnoringASCIICase(word.utf8.span) }) == true { return true }
            index = firstOffset(of: UInt8(ascii: "<"), in: start + 1..<count)
        }
        return false
    }
}
