extension JSONReader {
    /// The deviations from RFC 8259 that are accepted, the values that are removed, and the arrangement of the result.
    package struct Options: Sendable {
        package var nulls: NullPolicy = .drop
        package var duplicates: DuplicateNames = .last
        package var fragments = true
        package var surrogates: LoneSurrogates = .reject
        package var leniencies: Leniencies = []

        /// The way in which the content separates several values, or `nil` if it is a single value.
        package var records: RecordFormat?

        package var keys: MemberOrder = .source

        /// Whether the output follows RFC 8785: members sorted, strings and numbers in canonical form.
        package var isCanonical = false

        package var prefixes: PrefixPolicy = .strip

        /// Whether a number beyond the range of a double (`1e400`) is rejected.
        package var rejectsNumbersBeyondDouble = false

        /// Whether `callback(…)` is a prefix: only if the media type is a JavaScript type or is missing.
        package var acceptsJSONP = false

        /// Whether an error has a line, a column, a pointer and an excerpt. Finding them takes longer than reading a
        /// short text that is not JSON.
        package var describesErrors = true

        package var limits = Limits()

        package init() {}
    }

    /// The format of content with several JSON values.
    package enum RecordFormat: Sendable {
        /// One value per line (NDJSON, JSON Lines). Empty lines are ignored.
        case lines
        /// Each value after a record separator, U+001E (RFC 7464).
        case sequence
        /// Consecutive values, with or without white space between them.
        case concatenated
    }

    /// Facts about the content that are not part of the written text.
    package struct Summary: Equatable, Sendable {
        /// The number of nulls that were removed.
        package var nullsDropped = 0
        /// The encoding or charset of the content, in lower case.
        package var encoding: String
    }
}
