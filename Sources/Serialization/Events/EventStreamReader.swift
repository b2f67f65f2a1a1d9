// Content of the type text/event-stream (HTML Standard §9.2) becomes an array of events.
//
// Worked example: `data: a`, `data: b`, `id: 1` and an empty line become `[{"data":"a\nb","id":"1"}]`.
//
// An event ends with an empty line. Until then only the ranges of its fields are stored; its data is then copied from
// the text. The time is linear, because each line is read at most twice.
//
// Ambiguities in the standard, and how we resolve them (docs/decisions/0048-csv-and-event-streams.md):
// · The standard replaces invalid UTF-8 with U+FFFD. Here it is an error, unless the media type has a charset in which
//   the text is valid.
// · A field that the standard ignores produces a warning, and so does a block of fields without data.
// · The standard discards an event that the end of the stream cuts off. Here it is an error, unless `truncated=allow`.
// · The last event ID of the standard is that of an earlier event if an event has none. Here the member is absent.

/// Reads an event stream, and writes it as an array.
package enum EventStreamReader {
    /// The maximum length of content, in bytes, inclusive: text in another charset becomes at most three times as long.
    static let maxBytes = JSONLevels.maxSourceBytes / 3

    package struct Options: Sendable {
        package var data: EventData = .text
        package var truncated: TruncatedPolicy = .reject
        package var leniencies: Leniencies = []
        /// The options for data that is JSON.
        package var json = JSONReader.Options()
        package var limits = Limits()

        /// The source of memory for data of several lines, and for copies of the text.
        package var memory: any MemoryGrant

        package init(memory: any MemoryGrant) { self.memory = memory }
    }

    /// Facts about the content that are not part of the value.
    package struct Summary: Equatable, Sendable {
        /// The charset of the content, in lower case.
        package var charset: String
        package var facts = EventStreamFacts()
        package var nullsDropped = 0
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
    ) throws(EventStreamError) -> Summary {
        precondition(content.count <= maxBytes, "the caller rejects longer content")
        let rules = UnicodeText.Rules<EventStreamReason>(
            label: label,
            leniencies: options.leniencies,
            isTruncated: options.truncated == .allow,
            memory: options.memory,
            row: EventStreamSerializer.self
        )
        return try UnicodeText.read(content, rules, into: &writer, warnings: &warnings) {
            (text, bytes, writer, warnings) throws(EventStreamFault) in
            var stream = EventStream(options, text)
            try stream.read(bytes, into: &writer)
            guard stream.notes.isEmpty || options.memory.permitsReadingAgain(bytes.count) else {
                throw EventStreamFault.outOfMemory
            }
            stream.notes.write(to: &warnings) { text.locations(of: $0, in: content) }
            warnings.note(stream.leniencies)
            return Summary(charset: text.encoding, facts: stream.facts, nullsDropped: stream.nullsDropped)
        }
    }
}
