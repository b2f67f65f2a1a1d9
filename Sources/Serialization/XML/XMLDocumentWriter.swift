// The document layout: all elements, attributes and texts in the order of the document.
//
// Worked example: `<o:order xmlns:o="urn:o" id="7">hi<!-- c --></o:order>` becomes
// `{"root":{"name":"o:order","namespace":"urn:o","namespaces":[["o","urn:o"]],"attributes":[{"name":"id","value":"7"}],
// "children":["hi",{"comment":" c "}]}}`. Empty members are omitted.

/// Writes a tape in the document layout.
struct XMLDocumentWriter {
    private(set) var namespaces = XMLNamespaceList()

    mutating func write(_ tape: borrowing XMLTape, _ source: XMLSource, into writer: inout JSONWriter) {
        let root = tape.root
        writer.beginObject()
        writer.member("version", source.declaration?.version)
        writer.member("encoding", source.declaration?.encoding)
        writer.member("standalone", source.declaration?.standalone)
        if let doctype = tape.doctype {
            writer.name("doctype")
            writer.doctype(doctype)
        }
        writeAround("prolog", 0..<root, tape, &writer)
        writer.name("root")
        writeElement(root, tape, &writer)
        writeAround("epilog", tape.end(at: root)..<tape.count, tape, &writer)
        writer.endObject()
    }

    /// Writes the comments and processing instructions outside the root element.
    private func writeAround(
        _ name: StaticString,
        _ range: Range<Int>,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        var isOpen = false
        var index = range.lowerBound
        while index < range.upperBound {
            defer { index = tape.index(after: index) }
            guard tape.kind(at: index) != .doctype else { continue }
            if !isOpen {
                writer.name(name)
                writer.beginArray()
                isOpen = true
            }
            writeLeaf(index, tape, &writer)
        }
        if isOpen { writer.endArray() }
    }

    /// Writes one element. The parser bounds the depth: ``Limits/maxXMLNestingDepth``.
    /// - Returns: The index after the element.
    @discardableResult
    private mutating func writeElement(_ index: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) -> Int {
        // Nothing more is written then, but the document may still be long.
        if writer.isOverLimit { return tape.end(at: index) }
        let element = tape.element(at: index)
        writer.beginObject()
        writeName(element.name, tape, &writer)
        if !element.attributes.isEmpty { writeAttributes(element.attributes, tape, &writer) }
        let content = tape.content(of: element)
        if !content.isEmpty {
            writer.beginArray("children")
            var child = content.lowerBound
            while child < content.upperBound {
                switch tape.kind(at: child) {
                case .element: child = writeElement(child, tape, &writer)
                case .text:
                    let (text, next) = tape.leaf(at: child)
                    tape.write(text, into: &writer)
                    child = next
                case .cdata, .comment, .instruction, .namespace, .attribute, .doctype:
                    writeLeaf(child, tape, &writer)
                    child = tape.next(after: child)
                }
            }
            writer.endArray()
        }
        writer.endObject()
        return content.upperBound
    }

    private func writeName(_ number: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let name = tape.name(number)
        writer.name("name")
        if name.prefix.isEmpty {
            tape.write(name.local, into: &writer)
        } else {
            writer.string(tape.qualifiedName(number))
        }
        if !name.namespace.isEmpty {
            writer.name("namespace")
            tape.write(name.namespace, into: &writer)
        }
    }

    /// Writes the namespace declarations, which come first, and the attributes.
    private mutating func writeAttributes(
        _ attributes: Range<Int>,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        var cursor = XMLTape.AttributeCursor(attributes)
        var next = cursor.next(in: tape)
        if next?.isDeclaration == true {
            writer.beginArray("namespaces")
            while let declaration = next, declaration.isDeclaration {
                namespaces.add(declaration.name, declaration.value)
                writer.beginArray()
                tape.write(tape.name(declaration.name).local, into: &writer)
                tape.write(declaration.value, into: &writer)
                writer.endArray()
                next = cursor.next(in: tape)
            }
            writer.endArray()
        }
        guard next != nil else { return }
        writer.beginArray("attributes")
        while let attribute = next {
            writer.beginObject()
            writeName(attribute.name, tape, &writer)
            writer.name("value")
            tape.write(attribute.value, into: &writer)
            writer.endObject()
            next = cursor.next(in: tape)
        }
        writer.endArray()
    }

    private func writeLeaf(_ index: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let text = tape.text(at: index)
        switch tape.kind(at: index) {
        case .text: tape.write(text, into: &writer)
        case .cdata:
            writer.beginObject()
            writer.name("cdata")
            tape.write(text, into: &writer)
            writer.endObject()
        case .comment:
            writer.beginObject()
            writer.name("comment")
            tape.write(text, into: &writer)
            writer.endObject()
        case .instruction:
            writer.beginObject()
            writer.beginArray("pi")
            tape.write(tape.name(tape.name(at: index)).local, into: &writer)
            tape.write(text, into: &writer)
            writer.endArray()
            writer.endObject()
        case .element, .namespace, .attribute, .doctype:
            preconditionFailure("these records are not leaves of the content")
        }
    }
}

extension JSONWriter {
    /// Writes the facts of a document type declaration.
    mutating func doctype(_ doctype: XMLFacts.Doctype) {
        beginObject()
        member("name", doctype.name)
        member("publicId", doctype.publicIdentifier)
        member("systemId", doctype.systemIdentifier)
        endObject()
    }
}
