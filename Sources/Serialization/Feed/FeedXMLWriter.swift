// Writes a feed of RSS or Atom in the shape of JSON Feed 1.1, from the tape of the XML reader.
//
// The facts of the channel come first, wherever they are in the source, then the items. Of each element only the
// children that have a meaning are listed, by their meaning, and the list is used for the next item again. Where
// several elements may have the same fact, the first one in a fixed order that is not empty is used.

/// Writes a feed, and collects what is reported in addition to its value.
///
/// **Invariant.** Only the children of one channel and one item are listed, and memory is requested before a list
/// grows. Each element of the tape is visited a number of times that does not depend on the feed. Each member has one
/// name in its object. `FeedOracle` (FuzzFeed) and `FeedReaderTests` check this.
struct FeedXMLWriter: ~Copyable {
    let names: FeedNames
    private let maxNotes: Int
    private var memory: MemoryBudget
    private(set) var isOutOfMemory = false

    /// The namespace that is unexpected, the dates that could not be read, and the first base that is too long.
    private(set) var notes: [Note] = []
    private(set) var unlistedNotes = 0
    /// The pointer to the object that is being written.
    private var pointer = ""

    /// Lists that were used, and are used again: each of thousands of items may have a source.
    private var spares: [FeedChildren] = []

    /// Whether an element with this name is listed as unread.
    private var isUnread: [Bool]
    /// The first noted element of each name.
    private var unread: [Int] = []

    struct Note {
        var kind: Warning.Kind
        /// The record of the element.
        var element: Int
        /// The pointer to the member with its value; `nil` if there is none.
        var pointer: String?
    }

    init(_ tape: borrowing XMLTape, maxNotes: Int, memory: any MemoryGrant) {
        self.maxNotes = maxNotes
        self.memory = MemoryBudget(memory)
        names = FeedNames(tape)
        isUnread = Array(repeating: false, count: tape.nameCount)
    }

    // MARK: Documents

    /// Returns the format of a document; `nil` if it is not a feed.
    func format(of tape: borrowing XMLTape) -> FeedFacts.Format? {
        let root = tape.root
        let isEmpty = !tape.composition(of: root).hasElements
        switch names.term(tape.name(at: root)) {
        case .rss:
            let isRSS = names.unexpectedNamespace == nil && attribute(.version, of: root, tape) != nil
            return isEmpty || isRSS || hasChild(of: root, in: .root, tape) ? .rss : nil
        case .feed:
            let isAtom = names.unexpectedNamespace == nil && !tape.name(tape.name(at: root)).namespace.isEmpty
            return isEmpty || isAtom || hasChild(of: root, in: .channel, tape) ? .atom : nil
        case .channel: return isEmpty || hasChild(of: root, in: .channel, tape) ? .rss : nil
        // RFC 4287 §2: a document can also be one entry.
        case .entry: return tape.name(tape.name(at: root)).namespace.isEmpty ? nil : .atom
        case .rdf:
            // RDF is also used for other data.
            var isFeed = names.declaresRSS
            forEachChild(of: root, tape) { _, term in isFeed = isFeed || term == .channel || term == .item }
            return isFeed ? .rdf : nil
        default: return nil
        }
    }

    /// Returns whether a child of an element has a meaning in this part. Other vocabularies have roots with the names
    /// of those of feeds.
    func hasChild(of element: Int, in part: FeedParts, _ tape: borrowing XMLTape) -> Bool {
        var found = false
        forEachChild(of: element, tape) { _, term in found = found || !term.reading.parts.isDisjoint(with: part) }
        return found
    }

    /// Returns the version of the format; `nil` if the document does not specify it.
    func version(of format: FeedFacts.Format, _ tape: borrowing XMLTape) -> String? {
        if let version = attribute(.version, of: tape.root, tape), version.count <= 16 { return tape.string(version) }
        switch format {
        case .rss, .json: return nil
        case .atom:
            let namespace = tape.trimmed(tape.name(tape.name(at: tape.root)).namespace)
            return tape.isEqual(namespace, "http://www.w3.org/2005/Atom") ? "1.0" : nil
        case .rdf: return names.declaresRSS1 ? "1.0" : "0.90"
        }
    }

    /// Writes the value.
    /// - Parameter response: The URL of the response.
    /// - Returns: The number of items.
    mutating func write(
        _ format: FeedFacts.Format,
        _ response: FeedBase,
        _ tape: borrowing XMLTape,
        into writer: inout JSONWriter
    ) -> Int {
        let root = tape.root
        let rootBase = base(of: root, response, tape)
        let isEntry = names.term(tape.name(at: root)) == .entry
        let channels = isEntry ? [] : channels(of: format, tape)
        // In RSS 0.90 and 1.0, the image and the items are next to the channel.
        let readsRoot = !isEntry && !channels.contains(root)
        var channel = FeedChildren()
        for element in channels { collect(element, as: .channel, into: &channel, tape) }
        if readsRoot { collect(root, as: .root, into: &channel, tape) }
        let first = channels.first ?? root
        let channelBase = first == root ? rootBase : base(of: first, rootBase, tape)

        writer.beginObject()
        writer.member("version", FeedFacts.version)
        // That of an entry is not that of a feed.
        let language =
            isEntry ? nil : attribute(.language, of: first, tape) ?? attribute(.language, of: root, tape)
        writeChannel(channel, language: language, channelBase, tape, &writer)

        writer.beginArray("items")
        var index = 0
        var children = FeedChildren()
        for element in channels {
            let base = element == root ? rootBase : base(of: element, rootBase, tape)
            writeItems(of: element, base, &index, &children, tape, &writer)
        }
        if readsRoot { writeItems(of: root, rootBase, &index, &children, tape, &writer) }
        if isEntry { writeItem(at: root, response, &index, &children, tape, &writer) }
        writer.endArray()
        writer.endObject()
        return index
    }

    /// The maximum number of channels of one document, which has one.
    private static let maxChannels = 16

    /// Returns the elements with the facts of the feed.
    private mutating func channels(of format: FeedFacts.Format, _ tape: borrowing XMLTape) -> [Int] {
        if format == .atom || names.term(tape.name(at: tape.root)) == .channel { return [tape.root] }
        var channels: [Int] = []
        forEachChild(of: tape.root, tape) { element, term in
            if term == .channel, channels.count <= Self.maxChannels { channels.append(element) }
        }
        if channels.count > Self.maxChannels { noteUnread(channels.removeLast(), tape) }
        return channels
    }

    /// Returns the names of the elements that were not read, as written.
    func unreadNames(_ tape: borrowing XMLTape) -> [String] {
        var texts: [String] = []
        for element in unread.sorted() { texts.append(tape.qualifiedName(tape.name(at: element)).longExcerpt) }
        return texts
    }

    private mutating func writeItems(
        of parent: Int,
        _ base: FeedBase,
        _ index: inout Int,
        _ children: inout FeedChildren,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        var elements = tape.childElements(of: parent)
        while let element = elements.next(in: tape), !writer.isOverLimit, !isOutOfMemory {
            let term = names.term(tape.name(at: element))
            if term == .item || term == .entry { writeItem(at: element, base, &index, &children, tape, &writer) }
        }
    }

    /// Writes an item.
    /// - Parameters:
    ///   - base: The base around its element.
    ///   - children: A list that is used again.
    private mutating func writeItem(
        at element: Int,
        _ base: FeedBase,
        _ index: inout Int,
        _ children: inout FeedChildren,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        children.removeAll()
        collect(element, as: .item, into: &children, tape)
        if notes.count < maxNotes { pointer = "/items/\(index)" }
        writeItem(element, children, base, tape, &writer)
        index += 1
    }

    // MARK: Elements

    /// Calls `body` with each child element and its meaning.
    func forEachChild(of parent: Int, _ tape: borrowing XMLTape, _ body: (Int, FeedTerm) -> Void) {
        var children = tape.childElements(of: parent)
        while let child = children.next(in: tape) { body(child, names.term(tape.name(at: child))) }
    }

    /// Adds the children of an element that are read to a list, except for channels and items, and notes the others.
    mutating func collect(
        _ parent: Int,
        as part: FeedParts,
        into children: inout FeedChildren,
        _ tape: borrowing XMLTape
    ) {
        if hasUnreadText(parent, readsText: false, tape) { noteUnread(parent, tape) }
        var elements = tape.childElements(of: parent)
        while let child = elements.next(in: tape) {
            let named = names.term(tape.name(at: child))
            // A link of Atom without its namespace.
            let term = named == .link && attribute(.rel, of: child, tape) != nil ? .atomLink : named
            let reading = term.reading
            if reading.parts.isDisjoint(with: part) {
                noteUnread(child, tape)
            } else {
                noteUnread(in: child, reading.content, tape)
                guard term.isOutside || children.append(child, term, &memory) else {
                    isOutOfMemory = true
                    return
                }
            }
        }
    }

    /// Lists the children of an element. ``release(_:)`` takes the list back.
    mutating func children(of parent: Int, as part: FeedParts, _ tape: borrowing XMLTape) -> FeedChildren {
        var children = spares.popLast() ?? FeedChildren()
        collect(parent, as: part, into: &children, tape)
        return children
    }

    mutating func release(_ children: consuming FeedChildren) {
        children.removeAll()
        spares.append(children)
    }

    mutating func noteUnread(_ element: Int, _ tape: borrowing XMLTape) {
        let name = tape.name(at: element)
        guard !isUnread[name], unread.count < FeedFacts.maxUnread else { return }
        isUnread[name] = true
        unread.append(element)
    }

    /// Returns the first element with one of the meanings, in this order, that is not empty.
    func first(_ terms: FeedTerm..., of children: FeedChildren, _ tape: borrowing XMLTape) -> Int? {
        for term in terms { for element in children.all(term) where hasContent(element, tape) { return element } }
        return nil
    }

    func hasContent(_ element: Int, _ tape: borrowing XMLTape) -> Bool {
        tape.composition(of: element).hasElements || !tape.trimmed(tape.text(at: element)).isEmpty
    }

    /// Returns the text of an element without the white space around it. Of an element with child elements it is the
    /// first text in it.
    func text(_ element: Int, _ tape: borrowing XMLTape) -> Range<Int> {
        let parts = tape.element(at: element)
        guard parts.composition.hasElements else { return tape.trimmed(tape.ownText(of: parts).range) }
        let content = tape.content(of: parts)
        var index = content.lowerBound
        while index < content.upperBound {
            if tape.kind(at: index) == .text || tape.kind(at: index) == .element {
                let text = tape.trimmed(tape.text(at: index))
                if !text.isEmpty { return text }
            }
            index = tape.index(after: index)
        }
        return 0..<0
    }

    /// Calls `body` with all text in an element, without the white space around it. Of an element with child elements,
    /// white space is one space: `by <a>Jane</a>` becomes `by Jane`.
    mutating func withWords(of element: Int, _ tape: borrowing XMLTape, _ body: (Span<UInt8>) -> Void) {
        guard tape.composition(of: element).hasElements else { return tape.withText(text(element, tape), body) }
        let content = tape.content(of: element)
        var bytes = 0
        tape.forEachText(in: content) { bytes += $0.count }
        guard takeMemory(for: bytes) else { return }
        defer { releaseMemory(bytes) }
        var words: [UInt8] = []
        words.reserveCapacity(bytes)
        tape.forEachText(in: content) { range in
            tape.withText(range) { text in
                for index in text.indices {
                    let isSpace = text[index].isJSONWhiteSpace
                    if isSpace, words.isEmpty || words.last == 0x20 { continue }
                    words.append(isSpace ? 0x20 : text[index])
                }
            }
        }
        if words.last == 0x20 { words.removeLast() }
        body(words.span)
    }

    /// Returns the value of an attribute without the white space around it; `nil` if there is none or it is empty.
    func attribute(_ wanted: FeedAttribute, of element: Int, _ tape: borrowing XMLTape) -> Range<Int>? {
        names.attribute(wanted, of: element, tape)
    }

    /// Returns an attribute in lower case; `nil` if it is longer than any value that has a meaning.
    func keyword(_ wanted: FeedAttribute, of element: Int, _ tape: borrowing XMLTape) -> String? {
        guard let value = attribute(wanted, of: element, tape), value.count <= 64 else { return nil }
        return tape.withText(value) { $0.lowercasedText(0..<$0.count) }
    }

    /// Returns the base for the references in an element.
    func base(of element: Int, _ base: FeedBase, _ tape: borrowing XMLTape) -> FeedBase {
        names.base(of: element, base, tape)
    }

    /// Notes that the namespace of the root is none of its format.
    mutating func noteUnexpectedNamespace(_ tape: borrowing XMLTape) {
        guard let namespace = names.unexpectedNamespace else { return }
        let excerpt = tape.withText(namespace) { $0.extracting(first: 256).text }
        notes.append(Note(kind: .feedUnexpectedNamespace(excerpt), element: tape.root, pointer: nil))
    }

    /// Notes the first element whose `xml:base` is too long.
    mutating func noteLongBase(_ response: FeedBase, _ tape: borrowing XMLTape) {
        guard names.hasBases else { return }
        // The elements around the record that declare a base, which the parser bounds.
        var bases: [(end: Int, base: FeedBase)] = []
        var index = tape.root
        let end = tape.end(at: index)
        while index < end {
            if tape.kind(at: index) == .element {
                while let last = bases.last, index >= last.end { bases.removeLast() }
                let outer = bases.last?.base ?? response
                if let value = attribute(.base, of: index, tape) {
                    let base = tape.withText(value) { outer.declaring($0) }
                    if base.isTooLong, !outer.isTooLong {
                        let kind = Warning.Kind.feedBaseTooLong(max: FeedBase.maxBytes, isDeclared: true)
                        return notes.append(Note(kind: kind, element: index, pointer: nil))
                    }
                    bases.append((tape.end(at: index), base))
                }
            }
            index = tape.index(after: index)
        }
    }

    // MARK: Values

    /// Writes the text of an element, or its content as markup.
    /// - Parameters:
    ///   - isXML: Whether only the elements in the namespace of XHTML are HTML.
    ///   - base: The base for the references around the element.
    func writeText(
        _ element: Int,
        isXML: Bool = false,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        if tape.composition(of: element).hasElements {
            FeedMarkup.write(contentOf: element, isXML: isXML, names, base, tape, into: &writer)
        } else {
            tape.write(tape.trimmed(tape.text(at: element)), into: &writer)
        }
    }

    /// Writes the text of an element, whose markup has no references.
    func writeText(_ element: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        writeText(element, FeedBase(response: nil), tape, &writer)
    }

    /// Writes a member with the text of an element.
    func writeText(
        _ name: StaticString,
        _ element: Int?,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let element else { return }
        writer.name(name)
        writeText(element, tape, &writer)
    }

    /// Writes a member with a range of the text.
    func writeRange(
        _ name: StaticString,
        _ range: Range<Int>?,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let range, !range.isEmpty else { return }
        writer.name(name)
        tape.write(range, into: &writer)
    }

    /// Writes a member with a number, or with the text if it is not a number.
    func writeNumber(
        _ name: StaticString,
        _ range: Range<Int>?,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let range, !range.isEmpty else { return }
        writer.name(name)
        if let number = number(range, tape) { writer.integer(number) } else { tape.write(range, into: &writer) }
    }

    /// Writes a member with the number that is the text of an element, or with the text if it is not a number.
    func writeNumber(
        _ name: StaticString,
        ofText element: Int?,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        if let element { writeNumber(name, text(element, tape), tape, &writer) }
    }

    func number(_ range: Range<Int>, _ tape: borrowing XMLTape) -> Int? {
        // Each number of so many digits is exact in a double.
        guard range.count <= 15 else { return nil }
        return tape.withText(range) { $0.decimal(0..<$0.count) }
    }

    /// Writes a URL.
    func writeURL(_ range: Range<Int>, _ base: FeedBase, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let resolved = tape.withText(range) { base.resolve($0) }
        if let resolved { writer.string(utf8: resolved.span) } else { tape.write(range, into: &writer) }
    }

    /// Writes a member with a URL.
    func writeURL(
        _ name: StaticString,
        _ range: Range<Int>?,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let range, !range.isEmpty else { return }
        writer.name(name)
        writeURL(range, base, tape, &writer)
    }

    /// Writes a member with the URL that is the text of an element.
    func writeURL(
        _ name: StaticString,
        ofText element: Int?,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let element else { return }
        writeURL(name, text(element, tape), base(of: element, inherited, tape), tape, &writer)
    }

    /// Writes a member with the URL in an attribute of an element.
    func writeURL(
        _ name: StaticString,
        _ attribute: FeedAttribute,
        of element: Int,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let value = self.attribute(attribute, of: element, tape) else { return }
        writeURL(name, value, base(of: element, inherited, tape), tape, &writer)
    }

    /// Writes a member with a date.
    /// - Parameter part: The pointer to the object that contains it, after ``pointer``.
    mutating func writeDate(
        _ name: StaticString,
        _ element: Int?,
        in part: String = "",
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let element else { return }
        let range = text(element, tape)
        writer.name(name)
        if let date = tape.withText(range, { FeedDate.rfc3339($0) }) { return writer.string(date) }
        tape.write(range, into: &writer)
        guard notes.count < maxNotes else {
            unlistedNotes += 1
            return
        }
        let excerpt = tape.withText(range) { $0.extracting(first: 256).text }
        notes.append(Note(kind: .feedInvalidDate(excerpt), element: element, pointer: "\(pointer)\(part)/\(name)"))
    }

    /// Takes memory for a copy of a text.
    /// - Returns: `false` if there is none.
    mutating func takeMemory(for bytes: Int) -> Bool {
        if !isOutOfMemory, !memory.take(bytes) { isOutOfMemory = true }
        return !isOutOfMemory
    }

    mutating func releaseMemory(_ bytes: Int) { memory.release(bytes) }
}
