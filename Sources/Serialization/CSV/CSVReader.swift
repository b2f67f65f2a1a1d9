// Content of the type text/csv (RFC 4180) becomes an array of objects, or of arrays if there is no header.
//
// Worked example: `name;size` and `"a ""b""";1` become `[{"name":"a \"b\"","size":"1"}]`.
//
// The records are read and written in one pass. Delimiters, quotes and line ends are searched 64 bytes at a time;
// everything between them is copied. Only the names of the columns are stored, as the text that is written before each
// value.
//
// Ambiguities in the standard, and how we resolve them (docs/decisions/0048-csv-and-event-streams.md):
// · The delimiter is determined from the first records, unless the option, a `sep=` line or the media type states it.
// · Without quotes (csv-quote=none) there is no standard. A backslash then escapes what Python escapes, and is text
//   before any other character, so that a text such as `\n` or `\N` stays as it is.
// · A quote in a field that does not begin with one is text, with a warning. Text after the closing quote is an error.
// · A line ends with LF, CR LF or CR, also in one text. A line end at the end of the text makes no record.
// · An empty line is no record, with a warning, unless there is one column: then it is an empty field.
// · The last record of truncated content may have been cut within a field, so that it is omitted.
// · Spaces belong to fields, as the standard says.

/// Reads CSV, and writes it as an array.
package enum CSVReader {
    /// The maximum length of content, in bytes, inclusive. Offsets in the header have 32 bits, and text in another
    /// charset becomes at most three times as long.
    package static let maxBytes = Int(Int32.max) / 3

    package struct Options: Sendable {
        package var delimiter: CSVDelimiter = .auto
        package var quote: CSVQuote = .double
        package var escape: CSVEscape = .quote
        package var header: CSVHeader = .present
        package var empty: CSVEmpty = .string
        package var nulls: NullPolicy = .drop
        /// Whether the media type is that of tab-separated values.
        package var isTabbed = false
        /// Whether the types of the columns are determined.
        package var hints = false
        package var leniencies: Leniencies = []
        /// Whether the content is known to end early. Its last record is omitted unless a line end follows.
        package var isTruncated = false
        package var limits = Limits()

        /// The source of memory for the names of columns, and for copies of the text.
        package var memory: any MemoryGrant

        package init(memory: any MemoryGrant) { self.memory = memory }

        var acceptsRagged: Bool { leniencies.contains(.ragged) }
    }

    /// Facts about the content that are not part of the value.
    package struct Summary: Equatable, Sendable {
        /// The charset of the content, in lower case.
        package var charset: String
        package var facts = CSVFacts()
        package var nullsDropped = 0
        /// The text of the JSON object with the types of the columns, or `nil` if there are none.
        package var hints: [UInt8]?
    }

    /// Reads `content` and writes its value at the end of the writer. After an error, the writer contains its previous
    /// content.
    /// - Parameters:
    ///   - content: At most ``maxBytes``.
    ///   - label: The `charset` parameter of the media type, which is used for text that is not valid UTF-8.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset label: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(CSVError) -> Summary {
        precondition(content.count <= maxBytes, "the caller rejects longer content")
        let rules = UnicodeText.Rules<CSVReason>(
            label: label,
            leniencies: options.leniencies,
            isTruncated: options.isTruncated,
            memory: options.memory,
            row: CSVSerializer.self
        )
        return try UnicodeText.read(content, rules, into: &writer, warnings: &warnings) {
            (text, bytes, writer, warnings) throws(CSVFault) in
            try read(bytes, of: text, content, options, &writer, &warnings)
        }
    }

    private static func read(
        _ bytes: Span<UInt8>,
        of text: UnicodeText,
        _ content: Span<UInt8>,
        _ options: Options,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(CSVFault) -> Summary {
        let dialect = CSVDialect(
            options.delimiter,
            options.quote,
            options.escape,
            isTabbed: options.isTabbed,
            of: bytes
        )
        var records = CSVRecords(options, dialect, isCut: text.invalid != nil, contentBytes: content.count)
        if options.isTruncated, text.invalid == nil {
            let end = bytes.endOfLastRecord(dialect)
            try records.read(bytes.extracting(first: end), into: &writer)
            if end < bytes.count || text.incomplete != nil { records.noteUnfinished(at: end) }
        } else {
            try records.read(bytes, into: &writer)
        }
        var summary = Summary(charset: text.encoding, facts: records.facts, nullsDropped: records.nullsDropped)
        if options.hints {
            var hints = TypeHints(isWanted: true, maxBytes: options.limits.maxOutputBytes, memory: options.memory)
            records.writeHints(into: &hints)
            if hints.isOverLimit { writer.rejectMore(isOutOfMemory: hints.isOutOfMemory) }
            summary.hints = hints.finish()
        }
        guard records.notes.isEmpty || options.memory.permitsReadingAgain(bytes.count) else { throw .outOfMemory }
        records.notes.write(to: &warnings) { text.locations(of: $0, in: content) }
        if records.isRagged { warnings.note(.ragged) }
        return summary
    }
}

extension Span<UInt8> {
    /// The offset after the line end of the last record that has one. After an error in a record, which the reader
    /// reports, it is that of the text.
    fileprivate func endOfLastRecord(_ dialect: CSVDialect) -> Int {
        var stops = CSVStops(dialect)
        var (offset, end) = (dialect.start, dialect.start)
        while offset < count {
            do throws(CSVFault) {
                offset = try CSVField(self, at: offset, dialect, &stops).next
            } catch { return error.reason == .unterminatedQuote ? end : count }
            guard offset < count else { break }
            if let lineEnd = lineEnd(at: offset) {
                (offset, end) = (lineEnd, lineEnd)
            } else {
                offset += 1
            }
        }
        return end
    }
}
