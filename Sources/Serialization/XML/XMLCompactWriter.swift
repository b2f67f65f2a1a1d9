// The compact form: an object with the root's name as its single key.
//
// Worked example: `<order id="7"><item>a</item><note/><item>b</item></order>` is
// `{"order":{"@id":"7","item":["a","b"],"note":""}}`: the second item stands at the place of the first.
//
// An element is gone over twice. First its children are linked, each to the next of the same key; the link is kept on the
// tape, in a field that elements have free, and the last child seen of every key in a table that is shared by all
// elements: each entry says whose child it is, so that it is never emptied. Then the children are written, and with the
// first of a key all others of it. So the time is linear in the number of records, whatever their names are.
//
// No name can collide: an element's has neither `@` nor `#` in it, and an attribute's begins with `@`.

/// Writes a tape in the compact form.
struct XMLCompactWriter {
    private let keys: XMLKeys
    private let arrays: XMLArrayRules
    private let textForm: XMLTextForm
    private let trims: Bool
    /// The number of `xml:space`; nil where the document does not use it.
    private let spaceName: Int?

    private(set) var namespaces = XMLNamespaceList()

    /// By key: the child that was linked last, and its parent.
    private var linked: [(parent: Int, child: Int)]

    /// The keys from the root to the element that is being written.
    private var path: [Int]

    /// Paths of arrays that only repetition made, and the hashes of these paths.
    private(set) var inferredArrays: [String] = []
    private var inferredHashes: Set<UInt64> = []

    /// What children inherit.
    private struct Context {
        var depth: Int
        /// Whether white space between elements stays (XML 1.0 §2.10).
        var preservesSpace: Bool
        /// The place in the paths that the caller listed.
        var listed: XMLArrayRules.Place
        /// Of the path of keys.
        var pathHash: UInt64
    }

    init(_ tape: borrowing XMLTape, _ options: XMLReader.Options) {
        keys = XMLKeys(tape, options.names)
        arrays = XMLArrayRules(options.arrays, tape, keys)
        textForm = options.text
        trims = options.trims
        spaceName = tape.numberOfSpaceAttribute
        linked = Array(repeating: (-1, -1), count: keys.count)
        path = Array(repeating: 0, count: Limits.maxXMLNestingDepth)
    }

    mutating func write(_ tape: borrowing XMLTape, into writer: inout JSONWriter) {
        let root = tape.root
        let key = keys.element(tape.name(at: root))
        path[0] = key
        writer.beginObject()
        keys.writeElement(key, into: &writer)
        let context = Context(
            depth: 0,
            preservesSpace: false,
            listed: arrays.root(key),
            pathHash: Self.hash(0, key)
        )
        writeElement(root, context, tape, &writer)
        writer.endObject()
    }

    // MARK: Elements

    /// Writes the value of one element. The depth is bounded by the parser: ``Limits/maxXMLNestingDepth``.
    private mutating func writeElement(
        _ element: Int,
        _ inherited: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        // Nothing more is written then; the document may still be long.
        if writer.isOverLimit { return }
        var context = inherited
        let hasAttributes = tape.attributeCount(at: element) > 0 && readAttributes(of: element, &context, tape)
        let content = tape.content(of: element)
        // Most elements have one text, or nothing, and no children to link.
        if content.count <= 1, content.isEmpty || tape.kind(at: content.lowerBound) != .element {
            let text = content.isEmpty ? 0..<0 : tape.text(at: content.lowerBound)
            return writeLeaf(element, text: text, hasAttributes, tape, &writer)
        }
        let children = link(element, context, tape)
        guard children.hasElements else {
            return writeLeaf(element, text: children.text, hasAttributes, tape, &writer)
        }
        writer.beginObject()
        if hasAttributes { writeAttributes(of: element, tape, &writer) }
        if children.isMixed {
            writer.name("#content")
            writer.beginArray()
            writeMixed(element, context, tape, &writer)
            writer.endArray()
        } else {
            writeMembers(element, context, tape, &writer)
        }
        writer.endObject()
    }

    private func writeLeaf(
        _ element: Int,
        text: Range<Int>,
        _ hasAttributes: Bool,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let text = trims ? tape.trimmed(text) : text
        guard hasAttributes || textForm == .object else {
            return tape.withText(text) { writer.string(utf8: $0) }
        }
        writer.beginObject()
        if hasAttributes { writeAttributes(of: element, tape, &writer) }
        if !text.isEmpty || textForm == .object {
            writer.name("#text")
            tape.withText(text) { writer.string(utf8: $0) }
        }
        writer.endObject()
    }

    /// Writes the children by key, each key at the place of its first.
    private mutating func writeMembers(
        _ element: Int,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let content = tape.content(of: element)
        let parentName = tape.name(at: element)
        var child = content.lowerBound
        while child < content.upperBound {
            defer { child = tape.next(after: child) }
            guard tape.kind(at: child) == .element, !tape.isLater(at: child) else { continue }
            let name = tape.name(at: child)
            let key = keys.element(name)
            var inner = context
            inner.depth += 1
            inner.listed = arrays.place(after: context.listed, key)
            inner.pathHash = Self.hash(context.pathHash, key)
            path[inner.depth] = key
            keys.writeElement(key, into: &writer)
            let isRepeated = tape.link(at: child) != nil
            let isArray = arrays.isArray(name, in: parentName, inner.listed)
            if isRepeated && !isArray { noteInferred(inner) }
            guard isRepeated || isArray else {
                writeElement(child, inner, tape, &writer)
                continue
            }
            writer.beginArray()
            var next: Int? = child
            while let sibling = next {
                writeElement(sibling, inner, tape, &writer)
                next = tape.link(at: sibling)
            }
            writer.endArray()
        }
    }

    /// Writes text and elements as they follow each other.
    private mutating func writeMixed(
        _ element: Int,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let content = tape.content(of: element)
        var child = content.lowerBound
        while child < content.upperBound {
            if tape.kind(at: child) == .element {
                let key = keys.element(tape.name(at: child))
                var inner = context
                inner.depth += 1
                inner.listed = arrays.place(after: context.listed, key)
                inner.pathHash = Self.hash(context.pathHash, key)
                path[inner.depth] = key
                writer.beginObject()
                keys.writeElement(key, into: &writer)
                writeElement(child, inner, tape, &writer)
                writer.endObject()
            } else {
                tape.withText(tape.text(at: child)) { writer.string(utf8: $0) }
            }
            child = tape.next(after: child)
        }
    }

    // MARK: Children

    private struct Children {
        var hasElements = false
        /// Whether text that counts stands beside elements.
        var isMixed = false
        /// The text, where there are no elements.
        var text = 0..<0
    }

    /// Links the children of an element by key, and says what they are.
    private mutating func link(_ element: Int, _ context: Context, _ tape: borrowing XMLTape) -> Children {
        var children = Children()
        var hasText = false
        let content = tape.content(of: element)
        var child = content.lowerBound
        while child < content.upperBound {
            if tape.kind(at: child) == .element {
                children.hasElements = true
                let key = keys.element(tape.name(at: child))
                if linked[key].parent == element { tape.link(linked[key].child, to: child) }
                linked[key] = (element, child)
            } else {
                children.text = tape.text(at: child)
                hasText = hasText || context.preservesSpace || !tape.isBlank(children.text)
            }
            child = tape.next(after: child)
        }
        children.isMixed = children.hasElements && hasText
        return children
    }

    // MARK: Attributes

    /// Notes what the attributes and declarations mean for the content.
    /// - Returns: whether there are attributes.
    private mutating func readAttributes(of element: Int, _ context: inout Context, _ tape: borrowing XMLTape) -> Bool {
        var hasAttributes = false
        for index in element + 1..<element + 1 + tape.attributeCount(at: element) {
            guard tape.kind(at: index) == .attribute else {
                namespaces.add(tape.name(at: index), tape.text(at: index), tape)
                continue
            }
            hasAttributes = true
            if tape.name(at: index) == spaceName {
                context.preservesSpace = tape.isEqual(tape.text(at: index), "preserve")
            }
        }
        return hasAttributes
    }

    private func writeAttributes(of element: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let range = element + 1..<element + 1 + tape.attributeCount(at: element)
        for index in range where tape.kind(at: index) == .attribute {
            keys.writeAttribute(at: index, in: range, tape, into: &writer)
            tape.withText(tape.text(at: index)) { writer.string(utf8: $0) }
        }
    }

    // MARK: Arrays by repetition

    private static func hash(_ path: UInt64, _ key: Int) -> UInt64 {
        let mixed = (path ^ UInt64(key &+ 1)) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ (mixed &>> 29)
    }

    private mutating func noteInferred(_ context: Context) {
        guard inferredArrays.count < XMLFacts.maxListed, inferredHashes.insert(context.pathHash).inserted else {
            return
        }
        inferredArrays.append(path[...context.depth].map { "/" + keys.text($0) }.joined())
    }
}

extension XMLTape {
    /// The number of the attribute `xml:space`; nil where the document does not use it.
    fileprivate var numberOfSpaceAttribute: Int? {
        for number in 0..<nameCount {
            let name = name(number)
            if isEqual(name.local, "space"), isEqual(name.prefix, "xml") { return number }
        }
        return nil
    }

    /// Whether a text is white space (XML 1.0 §2.3) and nothing else.
    @inline(__always) fileprivate func isBlank(_ range: Range<Int>) -> Bool {
        withText(range) { text in
            for index in text.indices where !text[index].isJSONWhiteSpace { return false }
            return true
        }
    }

    /// A text without the white space around it.
    fileprivate func trimmed(_ range: Range<Int>) -> Range<Int> {
        withText(range) { text in
            var start = 0
            var end = text.count
            while start < end, text[start].isJSONWhiteSpace { start += 1 }
            while end > start, text[end - 1].isJSONWhiteSpace { end -= 1 }
            return range.lowerBound + start..<range.lowerBound + end
        }
    }
}
