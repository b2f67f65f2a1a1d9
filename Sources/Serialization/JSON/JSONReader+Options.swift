extension JSONReader {
    /// What is accepted beyond RFC 8259, what is taken out, and how the result is arranged.
    package struct Options: Sendable {
        package var nulls: NullPolicy = .drop
        package var duplicates: DuplicateNames = .last
        package var fragments = true
        package var surrogates: LoneSurrogates = .reject
        package var leniencies: JSONLeniencies = []

        /// How the content holds several values; nil where it is one.
        package var records: RecordFormat?

        package var keys: MemberOrder = .source

        /// RFC 8785: members sorted, strings and numbers in their canonical form.
        package var isCanonical = false

        package var prefixes: PrefixPolicy = .strip

        /// Whether a number that no double holds (`1e400`) is rejected.
        package var rejectsNumbersBeyondDouble = false

        /// Whether `callback(…)` counts as a prefix: only where the media type is a JavaScript one, or none was sent.
        package var acceptsJSONP = false

        package var limits = Limits()

        package init() {}

        /// The row of the table that bounds these options' memory.
        var row: WorkingMemory {
            if !leniencies.isEmpty || surrogates == .replace { return .lenientJSON }
            return isCanonical || keys == .sorted ? .sortedJSON : .json
        }
    }

    /// How several JSON values stand in one content.
    package enum RecordFormat: Sendable {
        /// One a line (NDJSON, JSON Lines); empty lines count for nothing.
        case lines
        /// Each after a record separator, U+001E (RFC 7464).
        case sequence
        /// One after the other, with white space between them or none.
        case concatenated
    }

    /// What was learnt besides the text that was written.
    package struct Summary: Equatable, Sendable {
        /// Nulls taken out.
        package var nullsDropped = 0
        /// The encoding or charset that the content was read in, in lower case.
        package var encoding: String
    }
}
