// Categories of all vocabularies are tags. What else a category has is a further fact.

extension FeedXMLWriter {
    /// Writes the names of all categories, and the keywords.
    mutating func writeTags(
        _ name: StaticString,
        _ children: FeedChildren,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let tags = writer.beginOptionalArray(name)
        for element in children.all(.category) where hasContent(element, tape) { writeText(element, tape, &writer) }
        for element in children.all(.itunesKeywords) { writeKeywords(element, tape, &writer) }
        for element in children.all(.itunesCategory) {
            if let text = attribute(.text, of: element, tape) { tape.write(text, into: &writer) }
            writeSubcategories(of: element, tape, &writer)
        }
        for element in children.all(.dcSubject) {
            // Its elements are those of RDF.
            withWords(of: element, tape) { if !$0.isEmpty { writer.string(utf8: $0) } }
        }
        for element in children.all(.atomCategory) { writeTag(element, tape, &writer) }
        for element in children.all(.mediaCategory) { writeTag(element, tape, &writer) }
        writer.endOptionalArray(tags)
    }

    /// Writes the name of a category of Atom or Media RSS.
    private func writeTag(_ element: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        if let tag = attribute(.label, of: element, tape) ?? attribute(.term, of: element, tape) {
            tape.write(tag, into: &writer)
        } else if hasContent(element, tape) {
            writeText(element, tape, &writer)
        }
    }

    private mutating func writeKeywords(
        _ element: Int,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        withWords(of: element, tape) { text in
            var start = 0
            while start < text.count {
                let end = text.firstOffset(of: UInt8(ascii: ","), in: start..<text.count) ?? text.count
                let keyword = text.trimmed(start..<end)
                if !keyword.isEmpty { text.slice(keyword) { writer.string(utf8: $0) } }
                start = end + 1
            }
        }
    }

    /// Writes the names of the categories of iTunes in one.
    func writeSubcategories(of parent: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        forEachChild(of: parent, tape) { child, term in
            guard term == .itunesCategory, let text = attribute(.text, of: child, tape) else { return }
            tape.write(text, into: &writer)
        }
    }

    /// Writes the categories that have more than a name.
    func writeCategories(_ children: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let categories = writer.beginOptionalArray("categories")
        for element in children.all(.category) {
            guard let domain = attribute(.domain, of: element, tape), hasContent(element, tape) else { continue }
            writer.beginObject()
            writeText("term", element, tape, &writer)
            writeRange("scheme", domain, tape, &writer)
            writer.endObject()
        }
        for element in children.all(.atomCategory) {
            let scheme = attribute(.scheme, of: element, tape)
            let label = attribute(.label, of: element, tape)
            guard scheme != nil || label != nil else { continue }
            writer.beginObject()
            writeRange("term", attribute(.term, of: element, tape), tape, &writer)
            writeRange("scheme", scheme, tape, &writer)
            writeRange("label", label, tape, &writer)
            writer.endObject()
        }
        writer.endOptionalArray(categories)
    }
}
