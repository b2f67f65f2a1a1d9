// The XML format is read by the reader of the `xml` serializer, so its limits, encodings and rules for entities apply
// here too.

extension PropertyListReader {
    /// Returns whether `text` is markup: `<?`, `<!`, or `<` and a name. Data of the text format, `<0fbd>`, has no
    /// letters after F.
    static func isMarkup(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count, text[index].isJSONWhiteSpace { index += 1 }
        guard index + 1 < text.count, text[index] == UInt8(ascii: "<") else { return false }
        index += 1
        if text[index] == UInt8(ascii: "?") || text[index] == UInt8(ascii: "!") { return true }
        while index < text.count {
            switch text[index] | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "f"): index += 1
            case UInt8(ascii: "g")...UInt8(ascii: "z"): return true
            default: return false
            }
        }
        return false
    }

    static func readXML(
        _ content: Span<UInt8>,
        charset: String?,
        _ options: Options,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(PropertyListError) -> Summary {
        let read: XMLContent
        do throws(XMLError) {
            let xml = XMLContent.Options(
                keepsAll: false,
                limits: options.limits,
                leniencies: options.leniencies,
                memory: options.memory
            )
            read = try XMLContent.read(content, charset: charset, xml, warnings: &warnings)
        } catch { throw PropertyListError(error) }
        let source = read.source
        let tape = read.tape
        var written: Written
        do throws(PropertyListFault) {
            let (built, bytes, notes) = try XMLPropertyList.read(tape, limits: options.limits, memory: options.memory)
            var graph = built
            written = try write(&graph, bytes.span, contentBytes: content.count, options, into: &writer)
            written.insert(notes)
        } catch {
            var location = tape.location(of: error.offset, content, in: source, keepsAll: false, limits: options.limits)
            location.pointer = error.pointer
            var located = PropertyListError(error.reason, at: location)
            if let first = error.first {
                located.first = tape.location(of: first, content, in: source, keepsAll: false, limits: options.limits)
                located.first?.pointer = error.pointer
            }
            throw located
        }
        // Each search reads the text again. The number of searches in a long text is therefore limited.
        var searches = max(1, maxSearchedBytes / max(1, content.count))
        func location(of offset: Int, _ pointer: String?) -> SourceLocation? {
            guard searches > 0, options.memory.permitsReadingAgain(content.count) else { return nil }
            searches -= 1
            var location = tape.location(of: offset, content, in: source, keepsAll: false, limits: options.limits)
            location.pointer = pointer
            return location
        }
        for note in written.notes {
            let at = location(of: note.offset, note.pointer)
            warnings.append(Warning(note.kind, at: at, first: note.first.flatMap { location(of: $0, note.pointer) }))
        }
        warnings.append(unlisted: written.unlistedNotes)
        var summary = written.summary
        summary.charset = source.encoding
        return summary
    }

    /// The maximum number of bytes that are read again to find the locations of warnings.
    private static let maxSearchedBytes = 4 << 20
}

extension PropertyListError {
    fileprivate init(_ error: XMLError) {
        self.init(
            error.reason == .outOfMemory ? .outOfMemory : .malformedXML(error.reason),
            at: error.location,
            found: error.found,
            excerpt: error.excerpt
        )
    }
}
