// JSON Feed has the shape of the value, so most of its members are copied. URLs are resolved, dates are converted, and
// what version 1.1 replaced is written as in 1.1: `author` as `authors`, and an identifier that is a number as a string
// (JSON Feed 1.1, "Changes"; "Items": a reader should coerce it).

/// Copies a feed from JSON that the reader has checked.
///
/// **Invariant.** No value is stored: members are copied from the text to the writer, in its order. Only the first
/// unreadable dates are stored. `FeedOracle` (FuzzFeed) and `FeedReaderTests` check this.
struct FeedJSONWriter {
    private let base: FeedBase
    private let maxNotes: Int
    private(set) var facts = FeedFacts(.json)

    private struct Note {
        var date: String
        var item: Int
        var name: StaticString
    }

    private var notes: [Note] = []
    private var unlistedNotes = 0

    init(_ base: FeedBase, maxNotes: Int) {
        self.base = base
        self.maxNotes = maxNotes
    }

    /// An object whose members have meanings.
    private enum Level {
        case feed, item(Int), author, attachment, hub
    }

    /// The meaning of a member.
    private enum Role {
        case version, items, author, list(Level), url, date(StaticString), identifier, other
    }

    // MARK: Writing

    /// Writes the value.
    /// - Parameter text: One value, as the JSON reader has written it.
    mutating func write(_ text: Span<UInt8>, into writer: inout JSONWriter) throws(FeedError) {
        var cursor = JSONCursor()
        guard cursor.kind(in: text) == .object else {
            throw FeedError(.notAFeed, at: Self.start, found: cursor.kind(in: text).rawValue)
        }
        let start = cursor.offset
        guard readVersion(text) else { throw FeedError(.notAFeed, at: Self.start, found: JSONKind.object.rawValue) }
        cursor.offset = start
        writer.beginObject()
        writer.member("version", FeedFacts.version)
        writeMembers(&cursor, .feed, text, &writer)
        writer.endObject()
    }

    /// The location of the complete value.
    private static var start: SourceLocation { SourceLocation(byte: 0, line: 1, column: 1, pointer: "") }

    /// Reads the version.
    /// - Returns: Whether the object is a feed.
    private mutating func readVersion(_ text: Span<UInt8>) -> Bool {
        var cursor = JSONCursor()
        cursor.enter(in: text)
        var (isFeed, hasOther) = (false, false)
        while cursor.next(in: text) {
            let name = cursor.name(in: text)
            let kind = cursor.kind(in: text)
            let value = cursor.skip(in: text)
            if text.isName(name, "items"), kind != .array { hasOther = true }
            guard text.isName(name, "version"), kind == .string, value.count <= 64 else { continue }
            let version = JSONStringToken(at: value.lowerBound, in: text).text(in: text)
            let parts = version.parts(separatedBy: "/")
            let place = parts.dropLast().suffix(2)
            guard let number = parts.last, number == "1" || number.hasPrefix("1."),
                place == ["jsonfeed.org", "version"] || place == ["www.jsonfeed.org", "version"]
            else { continue }
            isFeed = true
            facts.formatVersion = String(number)
        }
        return isFeed && !hasOther
    }

    private mutating func writeMembers(
        _ cursor: inout JSONCursor,
        _ level: Level,
        _ text: Span<UInt8>,
        _ writer: inout JSONWriter
    ) {
        let replacesAuthors =
            switch level {
            case .feed, .item: replacesAuthors(cursor, text)
            case .author, .attachment, .hub: false
            }
        cursor.enter(in: text)
        while cursor.next(in: text), !writer.isOverLimit {
            let name = cursor.name(in: text)
            let kind = cursor.kind(in: text)
            switch role(of: name, level, text) {
            case .version: _ = cursor.skip(in: text)
            case .items where kind == .array:
                writer.name("items")
                writeItems(&cursor, text, &writer)
            case .list(.author) where replacesAuthors: _ = cursor.skip(in: text)
            case .author where replacesAuthors && kind == .object:
                writer.beginArray("authors")
                writeObject(&cursor, .author, text, &writer)
                writer.endArray()
            case .author where kind == .object:
                writeName(name, text, &writer)
                writeObject(&cursor, .author, text, &writer)
            case .list(let inner) where kind == .array:
                writeName(name, text, &writer)
                writer.beginArray()
                cursor.enter(in: text)
                while cursor.next(in: text) {
                    if cursor.kind(in: text) == .object {
                        writeObject(&cursor, inner, text, &writer)
                    } else {
                        copy(&cursor, text, &writer)
                    }
                }
                writer.endArray()
            case .url where kind == .string: writeURL(name, &cursor, text, &writer)
            case .date(let date) where kind == .string:
                writeName(name, text, &writer)
                writeDate(&cursor, date, level, text, &writer)
            case .identifier where kind == .number || kind == .boolean:
                writeName(name, text, &writer)
                let value = cursor.skip(in: text)
                text.slice(value) { writer.string(utf8: $0) }
            case .items, .author, .list, .url, .date, .identifier, .other:
                writeName(name, text, &writer)
                copy(&cursor, text, &writer)
            }
        }
    }

    private mutating func writeObject(
        _ cursor: inout JSONCursor,
        _ level: Level,
        _ text: Span<UInt8>,
        _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writeMembers(&cursor, level, text, &writer)
        writer.endObject()
    }

    private mutating func writeItems(_ cursor: inout JSONCursor, _ text: Span<UInt8>, _ writer: inout JSONWriter) {
        writer.beginArray()
        cursor.enter(in: text)
        while cursor.next(in: text), !writer.isOverLimit {
            if cursor.kind(in: text) == .object {
                writeObject(&cursor, .item(facts.items), text, &writer)
            } else {
                copy(&cursor, text, &writer)
            }
            facts.items += 1
        }
        writer.endArray()
    }

    private func role(of name: JSONStringToken, _ level: Level, _ text: Span<UInt8>) -> Role {
        func isOne(of names: StaticString...) -> Bool { names.contains { text.isName(name, $0) } }
        switch level {
        case .feed:
            if isOne(of: "version") { return .version }
            if isOne(of: "items") { return .items }
            if isOne(of: "author") { return .author }
            if isOne(of: "authors") { return .list(.author) }
            if isOne(of: "hubs") { return .list(.hub) }
            return isOne(of: "home_page_url", "feed_url", "next_url", "icon", "favicon") ? .url : .other
        case .item:
            if isOne(of: "id") { return .identifier }
            if isOne(of: "author") { return .author }
            if isOne(of: "authors") { return .list(.author) }
            if isOne(of: "attachments") { return .list(.attachment) }
            if isOne(of: "date_published") { return .date("date_published") }
            if isOne(of: "date_modified") { return .date("date_modified") }
            return isOne(of: "url", "external_url", "image", "banner_image") ? .url : .other
        case .author: return isOne(of: "url", "avatar") ? .url : .other
        case .attachment, .hub: return isOne(of: "url") ? .url : .other
        }
    }

    /// Returns whether `author` of version 1 replaces `authors`, which is missing, null or empty. If it is not, both
    /// remain as they are.
    /// - Parameter cursor: A cursor before the object of a feed or an item.
    private func replacesAuthors(_ cursor: JSONCursor, _ text: Span<UInt8>) -> Bool {
        var cursor = cursor
        var (hasAuthor, hasAuthors) = (false, false)
        cursor.enter(in: text)
        while cursor.next(in: text) {
            let name = cursor.name(in: text)
            let kind = cursor.kind(in: text)
            let value = cursor.skip(in: text)
            if text.isName(name, "author") {
                hasAuthor = hasAuthor || kind == .object
            } else if text.isName(name, "authors") {
                hasAuthors = hasAuthors || kind != .null && !(kind == .array && value.count == 2)
            }
        }
        return hasAuthor && !hasAuthors
    }

    private func writeName(_ name: JSONStringToken, _ text: Span<UInt8>, _ writer: inout JSONWriter) {
        text.slice(name.range) { writer.rawName($0) }
    }

    private func copy(_ cursor: inout JSONCursor, _ text: Span<UInt8>, _ writer: inout JSONWriter) {
        let value = cursor.skip(in: text)
        text.slice(value) { writer.raw($0) }
    }

    /// Writes a member with a URL, unless it is empty.
    private func writeURL(
        _ name: JSONStringToken,
        _ cursor: inout JSONCursor,
        _ text: Span<UInt8>,
        _ writer: inout JSONWriter
    ) {
        let value = cursor.skip(in: text)
        let token = JSONStringToken(at: value.lowerBound, in: text)
        guard token.range.count <= FeedBase.maxReferenceBytes else {
            writeName(name, text, &writer)
            text.slice(value) { writer.raw($0) }
            return
        }
        let reference = token.utf8(in: text)
        let trimmed = reference.span.trimmed(0..<reference.count)
        guard !trimmed.isEmpty else { return }
        writeName(name, text, &writer)
        reference.span.slice(trimmed) { url in
            if let resolved = base.resolve(url) {
                writer.string(utf8: resolved.span)
            } else if trimmed.count < reference.count {
                writer.string(utf8: url)
            } else {
                text.slice(value) { writer.raw($0) }
            }
        }
    }

    private mutating func writeDate(
        _ cursor: inout JSONCursor,
        _ name: StaticString,
        _ level: Level,
        _ text: Span<UInt8>,
        _ writer: inout JSONWriter
    ) {
        let value = cursor.skip(in: text)
        let token = JSONStringToken(at: value.lowerBound, in: text)
        // Each character of a date can be an escape of six bytes.
        let spelled = token.range.count <= 6 * FeedDate.maxBytes ? token.utf8(in: text) : []
        let date = spelled.span.slice(spelled.span.trimmed(0..<spelled.count)) { FeedDate.rfc3339($0) }
        if let date { return writer.string(date) }
        text.slice(value) { writer.raw($0) }
        guard case .item(let item) = level else { return }
        guard notes.count < maxNotes else {
            unlistedNotes += 1
            return
        }
        let excerpt = text.slice(token.range) { $0.extracting(first: 256).text } ?? ""
        notes.append(Note(date: excerpt, item: item, name: name))
    }

    // MARK: Warnings

    /// Adds the warnings, with their locations if the content is the text that was read.
    func warn(
        _ content: Span<UInt8>,
        isUTF8: Bool,
        _ options: JSONReader.Options,
        _ warnings: inout WarningList
    ) {
        warnings.append(unlisted: unlistedNotes)
        guard !notes.isEmpty else { return }
        let mark = content.hasText("\u{FEFF}", at: 0) ? 3 : 0
        // Of members with the same name, the last one is the one that was written.
        let keepsLast = options.duplicates == .last || options.duplicates == .reject
        let isStrict = isUTF8 && warnings.leniencies.isEmpty && keepsLast
        let text = content.extracting(droppingFirst: mark)
        let offsets = isStrict ? self.offsets(in: text, options) : []
        let found = offsets.sorted()
        let locations = text.locate(found)
        for (index, note) in notes.enumerated() {
            var warning = Warning(.feedInvalidDate(note.date))
            if index < offsets.count, let position = found.firstIndex(of: offsets[index]) {
                var location = locations[position]
                location.byte += mark
                location.pointer = "/items/\(note.item)/\(note.name)"
                warning.location = location
            }
            warnings.append(warning)
        }
    }

    /// Returns the offset of the value of each note; an empty list if one of them is not found.
    private func offsets(in text: Span<UInt8>, _ options: JSONReader.Options) -> [Int] {
        var offsets: [Int?] = Array(repeating: nil, count: notes.count)
        var cursor = JSONCursor()
        guard cursor.kind(in: text) == .object else { return [] }
        cursor.enter(in: text)
        while cursor.next(in: text) {
            let name = cursor.name(in: text).text(in: text)
            guard name == "items", cursor.kind(in: text) == .array else {
                _ = cursor.skip(in: text)
                continue
            }
            var (item, next) = (0, 0)
            cursor.enter(in: text)
            while cursor.next(in: text) {
                let kind = cursor.kind(in: text)
                while next < notes.count, notes[next].item < item { next += 1 }
                if kind == .object, next < notes.count, notes[next].item == item {
                    locate(&cursor, item, from: next, text, &offsets)
                } else {
                    _ = cursor.skip(in: text)
                }
                if kind != .null || options.nulls != .dropAll { item += 1 }
            }
        }
        return offsets.contains(nil) ? [] : offsets.compactMap(\.self)
    }

    private func locate(
        _ cursor: inout JSONCursor,
        _ item: Int,
        from first: Int,
        _ text: Span<UInt8>,
        _ offsets: inout [Int?]
    ) {
        cursor.enter(in: text)
        while cursor.next(in: text) {
            let name = cursor.name(in: text)
            let value = cursor.skip(in: text)
            var note = first
            while note < notes.count, notes[note].item == item {
                if text.isName(name, notes[note].name) { offsets[note] = value.lowerBound }
                note += 1
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether a name, without its escapes, is equal to a text.
    fileprivate func isName(_ name: JSONStringToken, _ text: StaticString) -> Bool {
        guard !name.hasEscapes else { return name.text(in: self) == text.description }
        return name.range.count == text.utf8CodeUnitCount && hasText(text, at: name.range.lowerBound)
    }
}
