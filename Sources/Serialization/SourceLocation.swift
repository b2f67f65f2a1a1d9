/// A place in the upstream's content.
public struct SourceLocation: Equatable, Sendable {
    /// Offset in bytes from 0, in the content after its codings and before a byte order mark or prefix is taken off.
    public var byte: Int

    /// Whether ``byte`` counts in the bytes of a content coding instead.
    public var isEncoded = false

    /// Line from 1. Nil where lines mean nothing.
    public var line: Int?

    /// Column from 1, in code points. Nil where lines mean nothing.
    public var column: Int?

    /// JSON Pointer (RFC 6901) of the value being read, in the source's own structure.
    public var pointer: String?

    /// Path of the XML element that was open, in the source: `/rss/channel/item[3]`.
    public var path: String?

    /// Index of the record, from 0, in a content of many (NDJSON and kin).
    public var record: Int?

    public init(byte: Int, line: Int? = nil, column: Int? = nil, pointer: String? = nil, record: Int? = nil) {
        self.byte = byte
        self.line = line
        self.column = column
        self.pointer = pointer
        self.record = record
    }
}
