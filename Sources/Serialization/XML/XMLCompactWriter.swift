// The compact layout: an object with the root's name as its only key.
//
// Worked example: `<order id="7"><item>a</item><note/><item>b</item></order>` becomes
// `{"order":{"@id":"7","item":["a","b"],"note":""}}`: the second item is moved to the position of the first.
//
// In most elements, the children of one name are adjacent; the parser records that, and they are written in document
// order. If a name may recur, or two names have the same key, the children are first sorted by key
// (``XMLSiblingGroups``), and all children of a key are written with its first one. The time is therefore linear in the
// number of records, whatever their names are.
//
// Names cannot collide: element names contain neither `@` nor `#`, and attribute keys begin with `@`.

/// Writes a tape in the compact layout.
struct XMLCompactWriter {
    private let keys: XMLKeys
    private let arrays: XMLArrayRules
    private let textStyle: XMLTextStyle
    private let trims: Bool
    /// The number of the name `xml:space`, or `nil` if the document does not contain it.
    private let spaceName: Int?

    private(set) var namespaces = XMLNamespaceList()

    private var groups: XMLSiblingGroups
    private var clashes = XMLAttributeClashes()

    /// The keys from the root to the current element.
    private var path = InlineArray<256, Int>(repeating: 0)

    private var inferred: XMLInferredArrays

    /// The state that children inherit.
    private struct Context {
        var depth: Int
        /// Whether white space between elements is kept (XML 1.0 §2.10).
        var preservesSpace: Bool
        /// The node in the paths that the caller listed.
        var listed: XMLArrayRules.Node
        /// The hash of the path of keys.
        var pathHash: UInt64
    }

    init(_ tape: borrowing XMLTape, _ keys: XMLKeys, _ arrays: XMLArrayRules, _ options: XMLReader.Options) {
        self.keys = keys
        self.arrays = arrays
        textStyle = options.text
        trims = options.trims
        spaceName = tape.numberOfSpaceAttribute
        groups = XMLSiblingGroups(keyCount: keys.count)
        inferred = XMLInferredArrays(maxPathBytes: options.limits.maxPointerBytes)
        precondition(path.count == Limits.maxXMLNestingDepth, "the longest path fits")
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
            pathHash: XMLInferredArrays.hash(0, key)
        )
        writeElement(root, tape.element(at: root), context, tape, &writer)
        writer.endObject()
    }

    // MARK: Elements

    /// Writes the value of one element. The parser bounds the depth: ``Limits/maxXMLNestingDepth``.
    /// - Returns: The index after the element.
    @discardableResult
    private mutating func writeElement(
        _ index: Int,
        _ element: XMLTape.Element,
        _ inherited: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) -> Int {
        // Nothing more is written then, but the document may still be long.
        if writer.isOverLimit { return tape.end(of: element) }
        var context = inherited
        let hasAttributes = readAttributes(of: element, &context, tape)
        guard element.composition.hasElements else { return writeLeaf(index, element, hasAttributes, tape, &writer) }
        writer.beginObject()
        if hasAttributes { writeAttributes(of: index, element, tape, &writer) }
        let content = tape.content(of: element)
        if element.composition.hasWords || element.composition.hasBlanks && context.preservesSpace {
            writer.beginArray("#content")
            writeMixed(content, context, tape, &writer)
            writer.endArray()
        } else if keys.areShared || element.composition.mayRecur {
            writeGroups(index, element, content, context, tape, &writer)
        } else {
            writeMembers(element, content, context, tape, &writer)
        }
        writer.endObject()
        return content.upperBound
    }

    /// - Returns: The index after the element.
    @inline(__always) private mutating func writeLeaf(
        _ index: Int,
        _ element: XMLTape.Element,
        _ hasAttributes: Bool,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) -> Int {
        var (text, end) = tape.ownText(of: element)
        if trims { text = tape.trimmed(text) }
        guard hasAttributes || textStyle == .object else {
            tape.write(text, into: &writer)
            return end
        }
        writer.beginObject()
        if hasAttributes { writeAttributes(of: index, element, tape, &writer) }
        if !text.isEmpty || textStyle == .object {
            writer.name("#text")
            tape.write(text, into: &writer)
        }
        writer.endObject()
        return end
    }

    /// Writes the children by key, each key at the position of its first child. The children of each key must be
    /// adjacent.
    private mutating func writeMembers(
        _ element: XMLTape.Element,
        _ content: Range<Int>,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let end = content.upperBound
        let rules = arrays.rules(in: element.name)
        var child = tape.firstElement(from: content.lowerBound, to: end)
        while child < end {
            let first = tape.element(at: child)
            let key = keys.element(first.name)
            let inner = self.inner(context, key)
            keys.writeElement(key, into: &writer)

            var next = tape.firstElement(from: tape.end(of: first), to: end)
            let isRepeated = next < end && tape.name(at: next) == first.name
            let isArray = arrays.isArray(first.name, rules, inner.listed)
            if isRepeated && !isArray { noteInferred(inner) }
            if isRepeated || isArray { writer.beginArray() }
            writeElement(child, first, inner, tape, &writer)
            while next < end {
                let sibling = tape.element(at: next)
                guard sibling.name == first.name else { break }
                next = tape.firstElement(from: writeElement(next, sibling, inner, tape, &writer), to: end)
            }
            if isRepeated || isArray { writer.endArray() }
            child = next
        }
    }

    /// Writes the children by key if the children of one key may not be adjacent.
    @inline(never) private mutating func writeGroups(
        _ index: Int,
        _ element: XMLTape.Element,
        _ content: Range<Int>,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let children = groups.children(of: index, content, keys, tape)
        let rules = arrays.rules(in: element.name)
        var next = 0
        while next < children.count {
            let name = tape.name(at: Int(children[next]))
            let key = keys.element(name)
            let inner = self.inner(context, key)
            keys.writeElement(key, into: &writer)
            let isRepeated = next + 1 < children.count && hasKey(key, children[next + 1], tape)
            let isArray = arrays.isArray(name, rules, inner.listed)
            if isRepeated && !isArray { noteInferred(inner) }
            if isRepeated || isArray { writer.beginArray() }
            repeat {
                let child = Int(children[next])
                writeElement(child, tape.element(at: child), inner, tape, &writer)
                next += 1
            } while next < children.count && hasKey(key, children[next], tape)
            if isRepeated || isArray { writer.endArray() }
        }
    }

    @inline(__always) private func hasKey(_ key: Int, _ child: UInt32, _ tape: borrowing XMLTape) -> Bool {
        keys.element(tape.name(at: Int(child))) == key
    }

    /// Writes text and elements in document order.
    private mutating func writeMixed(
        _ content: Range<Int>,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        var child = content.lowerBound
        while child < content.upperBound {
            if tape.kind(at: child) == .element {
                let element = tape.element(at: child)
                let key = keys.element(element.name)
                writer.beginObject()
                keys.writeElement(key, into: &writer)
                child = writeElement(child, element, inner(context, key), tape, &writer)
                writer.endObject()
            } else {
                let (text, next) = tape.leaf(at: child)
                tape.write(text, into: &writer)
                child = next
            }
        }
    }

    /// Returns the context for a child with this key.
    @inline(__always) private mutating func inner(_ context: Context, _ key: Int) -> Context {
        path[context.depth + 1] = key
        return Context(
            depth: context.depth + 1,
            preservesSpace: context.preservesSpace,
            listed: arrays.node(after: context.listed, key),
            pathHash: XMLInferredArrays.hash(context.pathHash, key)
        )
    }

    // MARK: Attributes

    /// Applies the attributes and declarations that affect the content.
    /// - Returns: Whether there are attributes.
    @inline(__always) private mutating func readAttributes(
        of element: XMLTape.Element,
        _ context: inout Context,
        _ tape: borrowing XMLTape
    ) -> Bool {
        let attributes = element.attributes
        guard !attributes.isEmpty else { return false }
        // Declarations come first.
        if spaceName == nil, tape.kind(at: attributes.lowerBound) == .attribute { return true }
        return readAll(attributes, &context, tape)
    }

    @inline(never) private mutating func readAll(
        _ attributes: Range<Int>,
        _ context: inout Context,
        _ tape: borrowing XMLTape
    ) -> Bool {
        var hasAttributes = false
        var cursor = XMLTape.AttributeCursor(attributes)
        while let attribute = cursor.next(in: tape) {
            if attribute.isDeclaration {
                namespaces.add(attribute.name, attribute.value)
                continue
            }
            hasAttributes = true
            if attribute.name == spaceName { context.preservesSpace = tape.isEqual(attribute.value, "preserve") }
        }
        return hasAttributes
    }

    private mutating func writeAttributes(
        of index: Int,
        _ element: XMLTape.Element,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let mayClash = keys.mayClash
        if mayClash { clashes.find(in: index, keys, tape) }
        var attributes = XMLTape.AttributeCursor(element.attributes)
        while let attribute = attributes.next(in: tape) {
            guard !attribute.isDeclaration else { continue }
            let name = attribute.name
            keys.writeAttribute(name, clashes: mayClash && clashes.contains(keys.element(name)), into: &writer)
            tape.write(attribute.value, into: &writer)
        }
    }

    // MARK: Arrays by repetition

    /// See ``XMLFacts/inferredArrays``.
    var inferredArrays: [String] { inferred.paths }

    private mutating func noteInferred(_ context: Context) {
        inferred.add(path.span.extracting(first: context.depth + 1), hash: context.pathHash, keys)
    }
}

extension XMLTape {
    /// The number of the attribute name `xml:space`, or `nil` if the document does not contain it.
    var numberOfSpaceAttribute: Int? {
        for number in 0..<nameCount {
            let name = name(number)
            if isEqual(name.local, "space"), isEqual(name.prefix, "xml") { return number }
        }
        return nil
    }

    /// Returns the range of a text without the white space around it.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        withText(range) { text in
            let trimmed = text.trimmed(0..<text.count)
            return range.lowerBound + trimmed.lowerBound..<range.lowerBound + trimmed.upperBound
        }
    }
}

extension Span<UInt8> {
    /// Returns a range without the white space of XML and JSON around it.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isJSONWhiteSpace { start += 1 }
        while end > start, self[end - 1].isJSONWhiteSpace { end -= 1 }
        return start..<end
    }
}
