// Feeds of all formats become one value, which has the shape of JSON Feed 1.1.
//
// Worked example: `<rss version="2.0"><channel><title>T</title><item><guid>1</guid></item></channel></rss>` becomes
// `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1"}]}`.
//
// Feeds of XML are read as any XML: strictly, and if that fails, with all repairs that XML has. JSON Feed is read as
// any JSON, and its members are then copied to the value. The decisions about what the formats leave open are in
// docs/decisions/0050-feeds.md.

/// Reads a feed, and writes it as an object.
package enum FeedReader {
    package struct Options: Sendable {
        package var limits = Limits()
        /// The deviations that are accepted. In content that begins like XML, those of XML always are.
        package var leniencies: Leniencies = []
        package var json = JSONReader.Options()
        /// Whether the media type is one of JSON.
        package var isDeclaredJSON = false
        /// The URL of the response; `nil` if it is not known.
        package var url: String?
        /// The source of memory for lists of elements, and for copies of the text.
        package var memory: any MemoryGrant

        package init(memory: any MemoryGrant) { self.memory = memory }
    }

    /// Facts about the content that are not part of the value.
    package struct Summary: Equatable, Sendable {
        /// The encoding of the content, in lower case.
        package var encoding: String
        package var facts: FeedFacts
        package var nullsDropped = 0
    }

    /// Reads `content` and writes its value at the end of the writer. After an error, the writer contains its previous
    /// content.
    /// - Parameter charset: The `charset` parameter of the media type, if there is one.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(FeedFault) -> Summary {
        let start = writer.mark
        do throws(FeedFault) {
            switch beginning(of: content) {
            case .json: return try readJSON(content, options, charset, &writer, &warnings)
            case .other where options.isDeclaredJSON: return try readJSON(content, options, charset, &writer, &warnings)
            case .xml:
                var lenient = options
                lenient.leniencies.formUnion([.xmlText, .declaredCharset])
                return try readXML(content, lenient, charset, &writer, &warnings)
            // No repair makes it a feed.
            case .other: return try readXML(content, options, charset, &writer, &warnings)
            }
        } catch {
            writer.rollBack(to: start)
            throw error
        }
    }

    /// What the first character of the content begins.
    private enum Beginning {
        case xml, json, other
    }

    private static func beginning(of content: Span<UInt8>) -> Beginning {
        for index in content.indices {
            switch content[index] {
            case UInt8(ascii: "<"): return .xml
            case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
            // Byte order marks, and the zero bytes of UTF-16 and UTF-32.
            case 0, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF: continue
            case let byte:
                if !byte.isJSONWhiteSpace { return .other }
            }
        }
        return .other
    }

    /// Returns the URL of the response as the base of a feed, and adds a warning if it is too long to be one.
    private static func base(_ options: Options, _ warnings: inout WarningList) -> FeedBase {
        let base = FeedBase(response: options.url)
        if base.isTooLong { warnings.append(Warning(.feedBaseTooLong(max: FeedBase.maxBytes))) }
        return base
    }

    // MARK: XML

    private static func readXML(
        _ content: Span<UInt8>,
        _ options: Options,
        _ charset: String?,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(FeedFault) -> Summary {
        let read: XMLContent
        do throws(XMLError) {
            read = try XMLContent.read(
                content,
                charset: charset,
                XMLContent.Options(
                    keepsAll: false,
                    limits: options.limits,
                    leniencies: options.leniencies,
                    memory: options.memory
                ),
                warnings: &warnings
            )
        } catch { throw .xml(error) }
        let tape = read.tape
        let source = read.source
        var feed = FeedXMLWriter(tape, maxNotes: options.limits.maxWarnings, memory: options.memory)
        guard let format = feed.format(of: tape) else {
            guard options.memory.permitsReadingAgain(content.count) else { throw .feed(.outOfMemory) }
            let root = tape.root
            let location = tape.location(of: root, content, in: source, keepsAll: false, limits: options.limits)
            let name = tape.qualifiedName(tape.name(at: root)).excerpt
            throw .feed(FeedError(.notAFeed, at: location, found: "<\(name)>"))
        }
        var facts = FeedFacts(format)
        facts.formatVersion = feed.version(of: format, tape)
        feed.noteUnexpectedNamespace(tape)
        let base = base(options, &warnings)
        facts.items = feed.write(format, base, tape, into: &writer)
        guard !feed.isOutOfMemory else { throw .feed(.outOfMemory) }
        feed.noteLongBase(base, tape)
        facts.unreadElements = feed.unreadNames(tape)
        try warn(feed.notes, unlisted: feed.unlistedNotes, source, content, options, &warnings)
        return Summary(encoding: source.encoding, facts: facts)
    }

    private static func warn(
        _ notes: [FeedXMLWriter.Note],
        unlisted: Int,
        _ source: XMLSource,
        _ content: Span<UInt8>,
        _ options: Options,
        _ warnings: inout WarningList
    ) throws(FeedFault) {
        warnings.append(unlisted: unlisted)
        guard !notes.isEmpty else { return }
        // The parser notes their offsets when it reads the content once more.
        guard options.memory.permitsReadingAgain(content.count) else { throw .feed(.outOfMemory) }
        let notes = notes.sorted { $0.element < $1.element }
        let elements = notes.map(\.element)
        let locations = XMLTape.locations(of: elements, content, in: source, limits: options.limits)
        for (note, location) in zip(notes, locations) {
            var location = location
            location.pointer = note.pointer
            warnings.append(Warning(note.kind, at: location))
        }
    }

    // MARK: JSON

    private static func readJSON(
        _ content: Span<UInt8>,
        _ options: Options,
        _ charset: String?,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(FeedFault) -> Summary {
        var copy = JSONWriter(capacity: content.count)
        copy.use(options.memory, after: content.count)
        copy.maxBytes = options.limits.maxOutputBytes
        let read: JSONReader.Summary
        do throws(JSONError) {
            read = try JSONReader.read(
                content,
                options: options.json,
                memory: options.memory,
                charset: charset,
                into: &copy,
                warnings: &warnings
            )
        } catch { throw .json(error) }
        guard !copy.isOverLimit else {
            writer.rejectMore(isOutOfMemory: copy.isOutOfMemory)
            return Summary(encoding: read.encoding, facts: FeedFacts(.json))
        }
        var feed = FeedJSONWriter(base(options, &warnings), maxNotes: options.limits.maxWarnings)
        do throws(FeedError) {
            try copy.buffer.withBytes { text throws(FeedError) in try feed.write(text, into: &writer) }
        } catch { throw .feed(error) }
        feed.warn(content, isUTF8: read.encoding == UnicodeEncoding.utf8.rawValue, options.json, &warnings)
        return Summary(encoding: read.encoding, facts: feed.facts, nullsDropped: read.nullsDropped)
    }
}
