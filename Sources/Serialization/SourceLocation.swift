/// A location in the upstream's content.
public struct SourceLocation: Equatable, Sendable {
    /// The offset in bytes, from 0. It refers to the content after its content codings were decoded, including a byte
    /// order mark or prefix.
    public var byte: Int

    /// Whether ``byte`` counts in the encoded bytes of a content coding.
    public var isEncoded = false

    /// The number of content codings that were decoded before, if ``isEncoded``: ``byte`` counts in the content after
    /// them.
    public var decodedCodings = 0

    /// Whether ``byte`` counts in the value before parts of it are selected or left out, and not in the content.
    public var isInValue = false

    /// The line, from 1. `nil` if the content has no lines.
    public var line: Int?

    /// The column, from 1, in code points. `nil` if the content has no lines.
    public var column: Int?

    /// The JSON Pointer (RFC 6901) of the value being read, in the structure of the source.
    public var pointer: String?

    /// The path of the open XML element in the source: `/rss/channel/item[3]`.
    public var path: String?

    /// The index of the record, from 0, in content with many records (NDJSON and similar).
    public var record: Int?

    public init(byte: Int, line: Int? = nil, column: Int? = nil, pointer: String? = nil, record: Int? = nil) {
        self.byte = byte
        self.line = line
        self.column = column
        self.pointer = pointer
        self.record = record
    }
}
