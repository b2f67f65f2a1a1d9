extension MediaTypeSet {
    /// The maximum number of entries of a list. Each serializer of a compound compares all of them, and its error has
    /// them.
    public static let maxEntries = 32

    /// Parses a comma-separated list of at most ``maxEntries`` media types, ranges (`image/*`, `*/*`) and suffixes
    /// (`+json`), or `*` (any), or `none`.
    ///
    /// Commas in quoted strings do not separate entries. A list that contains `*` accepts any type.
    /// - Throws: ``MediaTypeError`` with the offset in the whole list.
    public init(parsing text: String) throws(MediaTypeError) {
        if text == "none" {
            self = .none
            return
        }
        let bytes = text.utf8.span
        var entries: [Entry] = []
        var acceptsAny = false
        var start = 0
        while true {
            let end = bytes.endOfListElement(from: start)
            let range = bytes.trimmingBlanks(start..<end)
            guard entries.count < Self.maxEntries else { throw .malformed(at: range.lowerBound) }
            switch bytes.text(range) {
            case "*": acceptsAny = true
            case "*/*": entries.append(Entry(text: "*/*", pattern: .all))
            case let entry: entries.append(Entry(text: entry, pattern: try Self.pattern(entry, at: range.lowerBound)))
            }
            if end == bytes.count { break }
            start = end + 1
        }
        self = acceptsAny ? .any : MediaTypeSet(acceptsAny: false, entries: entries)
    }

    /// Creates a set of exactly these types, which must be well formed and in lower case.
    init(types: [String], suffixes: [String] = [], ranges: [String] = []) {
        self.init(
            acceptsAny: false,
            entries: types.map { Entry(text: $0, pattern: .type(MediaType(essence: $0))) }
                + ranges.map { Entry(text: "\($0)/*", pattern: .range(type: $0)) }
                + suffixes.map { Entry(text: "+\($0)", pattern: .suffix($0)) }
        )
    }

    private static func pattern(_ entry: String, at offset: Int) throws(MediaTypeError) -> Entry.Pattern {
        if entry.utf8.first == UInt8(ascii: "+") {
            let suffix = entry.utf8.dropFirst()
            guard !suffix.isEmpty, suffix.allSatisfy(\.isTokenCharacter) else { throw .malformed(at: offset + 1) }
            return .suffix(String(entry.dropFirst()).asciiLowercased)
        }
        let type: MediaType
        do {
            type = try MediaType(parsing: entry)
        } catch {
            switch error {
            case .malformed(at: let inEntry): throw .malformed(at: offset + inEntry)
            case .malformedParameter(at: let inEntry): throw .malformedParameter(at: offset + inEntry)
            }
        }
        // Only `*/*` may have the type `*`: `*/json` is neither a type nor a range.
        guard type.type != "*" else { throw .malformed(at: offset) }
        return type.subtype == "*" && type.parameters.isEmpty ? .range(type: String(type.type)) : .type(type)
    }
}
