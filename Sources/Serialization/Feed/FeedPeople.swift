// Authors are elements in Atom, and texts in RSS: `jane@example.org (Jane Doe)`, `Jane Doe <jane@example.org>`, or only
// one of both.

extension FeedXMLWriter {
    /// Writes the member `authors`, from the first of these sources that is not empty.
    mutating func writeAuthors(
        _ children: FeedChildren,
        isChannel: Bool,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let terms: [FeedTerm] =
            isChannel
            ? [.atomAuthor, .author, .managingEditor, .dcAuthor, .dcCreator, .itunesAuthor, .webMaster]
            : [.atomAuthor, .author, .dcAuthor, .dcCreator, .itunesAuthor]
        let authors = writer.beginOptionalArray("authors")
        for term in terms {
            for element in children.all(term) { writePerson(element, base, tape, &writer) }
            if !writer.isEmpty(authors) { break }
        }
        writer.endOptionalArray(authors)
    }

    /// Writes the contributors of Atom.
    mutating func writeContributors(
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let contributors = writer.beginOptionalArray("contributors")
        for element in children.all(.contributor) { writePerson(element, base, tape, &writer) }
        writer.endOptionalArray(contributors)
    }

    private mutating func writePerson(
        _ person: Int,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let object = writer.beginOptionalObject()
        if tape.composition(of: person).hasElements {
            let base = base(of: person, inherited, tape)
            var (name, url, email) = (nil as Int?, nil as Int?, nil as Int?)
            forEachChild(of: person, tape) { element, term in
                guard hasContent(element, tape) else { return }
                if [.atomName, .name, .title, .itunesName].contains(term) { name = name ?? element }
                if [.uri, .url, .link].contains(term) { url = url ?? element }
                if [.email, .itunesEmail].contains(term) { email = email ?? element }
            }
            writeText("name", name, tape, &writer)
            writeURL("url", ofText: url, base, tape, &writer)
            if let email { tape.withText(text(email, tape)) { Self.writeEmail($0, &writer) } }
        }
        if writer.isEmpty(object) {
            withWords(of: person, tape) { text in
                let parts = FeedPerson(text)
                if let name = parts.name {
                    writer.name("name")
                    text.slice(name) { writer.string(utf8: $0) }
                }
                if let email = parts.email { text.slice(email) { Self.writeEmail($0, &writer) } }
            }
        }
        writer.endOptionalObject(object)
    }

    /// JSON Feed has no address of an author.
    private static func writeEmail(_ email: Span<UInt8>, _ writer: inout JSONWriter) {
        guard !email.isEmpty else { return }
        let object = writer.beginOptionalObject("_rss")
        writer.name("email")
        writer.string(utf8: email)
        writer.endOptionalObject(object)
    }
}

/// The parts of an author in RSS, as ranges of the text.
struct FeedPerson {
    private(set) var name: Range<Int>?
    private(set) var email: Range<Int>?

    /// - Parameter text: Without white space around it.
    init(_ text: Span<UInt8>) {
        guard !text.isEmpty else { return }
        let all = 0..<text.count
        guard text.firstOffset(of: UInt8(ascii: "@"), in: all) != nil else {
            name = all
            return
        }
        for (opening, closing) in [(UInt8(ascii: "("), UInt8(ascii: ")")), (UInt8(ascii: "<"), UInt8(ascii: ">"))] {
            guard text[text.count - 1] == closing, let start = text.firstOffset(of: opening, in: all) else { continue }
            let outer = text.trimmed(0..<start)
            let inner = text.trimmed(start + 1..<text.count - 1)
            if let address = text.email(inner) {
                (name, email) = (outer.isEmpty ? nil : outer, address)
                return
            }
            if let address = text.email(outer) {
                (name, email) = (inner.isEmpty ? nil : inner, address)
                return
            }
        }
        email = text.email(all)
        if email == nil { name = all }
    }
}

extension Span<UInt8> {
    /// Returns the address in a range of the text, which is one word with an `@`, without `mailto:`; `nil` if there is
    /// none.
    fileprivate func email(_ range: Range<Int>) -> Range<Int>? {
        let scheme = slice(range) { $0.extracting(first: 7).equalsIgnoringASCIICase("mailto:".utf8.span) }
        let range = range.dropFirst(scheme == true ? 7 : 0)
        guard let at = firstOffset(of: UInt8(ascii: "@"), in: range), at > range.lowerBound, at + 1 < range.upperBound,
            firstOffset(of: UInt8(ascii: "@"), in: at + 1..<range.upperBound) == nil
        else { return nil }
        let isWord = range.allSatisfy {
            self[$0] > 0x20 && self[$0] != UInt8(ascii: "(") && self[$0] != UInt8(ascii: ")")
                && self[$0] != UInt8(ascii: "<") && self[$0] != UInt8(ascii: ">")
        }
        return isWord ? range : nil
    }
}
