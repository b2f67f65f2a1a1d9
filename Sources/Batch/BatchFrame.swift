/// The head of a frame. Numbers are little-endian:
///
///     u32 length of the rest
///     u64 id
///     u16 status            0: not known, so that 200 is assumed
///     u8  flags             1: there is content, which may be empty
///     u8  reserved          0
///     u32 length of the URL
///     u32 length of the header fields
///     the URL               UTF-8; empty: not known
///     the header fields     lines `Name: value`, each ended by LF or CR LF
///     the content           the rest of the frame
package struct BatchFrame: Equatable, Sendable {
    package var id: UInt64
    package var status: UInt16
    package var hasContent: Bool
    /// The parts of the item's range, as offsets in ``BatchBlock/bytes``.
    package var url: Range<Int>
    package var fields: Range<Int>
    package var content: Range<Int>

    package init(id: UInt64, status: UInt16, hasContent: Bool, url: Range<Int>, fields: Range<Int>, content: Range<Int>)
    {
        self.id = id
        self.status = status
        self.hasContent = hasContent
        self.url = url
        self.fields = fields
        self.content = content
    }
}
