/// The text of one byte sequence, in UTF-8. Every entry of every charset fits into four bytes, including the four pairs
/// of Big5 that encode two characters (`Ê̄`).
struct CharsetText: Equatable, Sendable {
    /// The bytes, the first one lowest. Unused bytes are 0.
    let utf8: UInt32

    /// The value of a sequence that is not assigned.
    static let none = CharsetText(utf8: 0)

    /// U+0000 is never an entry: charsets encode it only as byte 0, which is ASCII.
    init(utf8: UInt32) {
        self.utf8 = utf8
    }

    init(_ character: Unicode.Scalar) {
        self.init(utf8: character.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The length in bytes. At least 1, because U+0000 has no byte other than 0.
    var byteCount: Int { max(1, 4 - utf8.leadingZeroBitCount / 8) }
}
