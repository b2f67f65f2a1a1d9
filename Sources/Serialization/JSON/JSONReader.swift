/// Reads one JSON text and writes it, normalized, in the same pass.
package struct JSONReader {
    package struct Options: Sendable {
        package var nulls: NullPolicy = .drop
        package var duplicates: DuplicateNames = .last
        package var fragments = true
        package var limits = Limits()

        package init() {}
    }

    /// What was learnt besides the text that was written.
    package struct Summary: Equatable, Sendable {
        /// Nulls taken out.
        package var nullsDropped = 0
        /// The encoding that the content was in: `utf-8`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`.
        package var encoding = "utf-8"
    }

    /// - Parameter charset: the `charset` parameter of the media type, where there is one; only compared, with a warning.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        preconditionFailure("to be written")
    }
}
